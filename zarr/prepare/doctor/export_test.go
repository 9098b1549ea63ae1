package doctor

// SampleAt is sampleAt for tests.
var SampleAt = sampleAt

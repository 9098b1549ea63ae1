package httpstore

// WithoutSuffix has the store ask for an object's size before it asks for its end, as in a page of another origin.
func WithoutSuffix(s *Store) { s.suffix.Store(false) }

// GarbledContentRanges is for the tests of this package from outside.
var GarbledContentRanges = garbledContentRanges

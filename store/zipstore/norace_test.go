//go:build !race

package zipstore_test

// race tells that the race detector slows the tests down.
const race = false

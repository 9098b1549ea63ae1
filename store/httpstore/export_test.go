package httpstore

// WithoutSuffix makes the store ask for an object's size before its end, as in a page of another
// origin.
func WithoutSuffix(s *Store) { s.suffix.Store(false) }

// GarbledContentRanges is for the external tests of this package.
var GarbledContentRanges = garbledContentRanges

package grid

import "strconv"

// KeyEncoding determines the key of a chunk, relative to its array.
type KeyEncoding struct {
	// Name is the encoding's name in v3 metadata: "default", "v2" or
	// "zarrs.default_suffix". Arrays of v1 and v2 use "v2".
	Name string
	// Separator separates indices: "/" or ".". Empty is the encoding's default: "." for v2, else
	// "/".
	Separator string
	// Prefix precedes the first index, with a separator. Empty is the encoding's default: none for
	// v2, else "c".
	Prefix string
	// Suffix ends the key, such as ".tiff".
	Suffix string
}

// Key returns the key of the chunk at coords: "c/0/1", and "c" for rank 0; in v2 "0.1", and "0" for
// rank 0.
func (k KeyEncoding) Key(coords []int64) string {
	var buf [64]byte
	return string(k.Append(buf[:0], coords))
}

// Append appends the key of the chunk at coords to dst.
func (k KeyEncoding) Append(dst []byte, coords []int64) []byte {
	prefix, sep := k.Prefix, k.Separator
	if k.Name == "v2" {
		if sep == "" {
			sep = "."
		}
		if len(coords) == 0 && prefix == "" {
			prefix = "0"
		}
	} else {
		if sep == "" {
			sep = "/"
		}
		if prefix == "" {
			prefix = "c"
		}
	}
	dst = append(dst, prefix...)
	for i, c := range coords {
		if i > 0 || prefix != "" {
			dst = append(dst, sep...)
		}
		dst = strconv.AppendInt(dst, c, 10)
	}
	return append(dst, k.Suffix...)
}

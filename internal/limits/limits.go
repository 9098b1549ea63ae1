// Package limits bounds the resources that hostile metadata, data and servers can claim, and
// defines the error for exceeding a limit.
//
//	l := limits.Limits{ChunkBytes: 1
//	err := limits.Check("ChunkBytes", l.ChunkBytes, size, "the chunk c/0/0")
package limits

import (
	"math"
	"strconv"
)

// Limits bounds what hostile metadata, data and servers can make a reader do. A field of zero means
// its default ([Limits.WithDefaults]).
type Limits struct {
	MetadataBytes     int64 // One metadata document; default 16 MiB.
	ConsolidatedBytes int64 // A document of consolidated metadata; default 64 MiB.
	MetadataDepth     int   // Nesting of a document; default 128.
	Rank              int   // Dimensions; default 32.
	ItemBytes         int64 // One element of fixed size; default 1 MiB.
	// One decoded chunk; default 512 MiB. Its serialized variable-length elements may take a
	// quarter of that.
	ChunkBytes   int64
	EncodedBytes int64 // One stored object or range; default 1 GiB.
	OutputBytes  int64 // The result of one read; default 1 GiB.
	Chunks       int64 // Chunks touched by one read; default 1,000,000.
	IndexBytes   int64 // One shard index; default 64 MiB.
	DecoderBytes int64 // A decoder's own memory (windows, dictionaries); default 256 MiB.
	Codecs       int   // Codecs in a chain; default 32.
	CodecDepth   int   // Chains inside of chains; default 8.
	// Concurrent requests for large chunks; default 16. Small chunks may have four times that
	// number.
	Requests int
}

// WithDefaults returns the limits with every zero field set to its default.
func (l Limits) WithDefaults() Limits {
	set := func(p *int64, v int64) {
		if *p == 0 {
			*p = v
		}
	}
	seti := func(p *int, v int) {
		if *p == 0 {
			*p = v
		}
	}
	set(&l.MetadataBytes, 16<<20)
	set(&l.ConsolidatedBytes, 64<<20)
	seti(&l.MetadataDepth, 128)
	seti(&l.Rank, 32)
	set(&l.ItemBytes, 1<<20)
	set(&l.ChunkBytes, 512<<20)
	set(&l.EncodedBytes, 1<<30)
	set(&l.OutputBytes, 1<<30)
	set(&l.Chunks, 1_000_000)
	set(&l.IndexBytes, 64<<20)
	set(&l.DecoderBytes, 256<<20)
	seti(&l.Codecs, 32)
	seti(&l.CodecDepth, 8)
	seti(&l.Requests, 16)
	return l
}

// Set sets the limit of that name: a field's name, which may start with a small letter. It returns
// false for an unknown name, and for a number that is not positive.
func (l *Limits) Set(name string, n int64) bool {
	if name == "" || n < 1 {
		return false
	}
	i := int(min(n, math.MaxInt32))
	switch string(name[0]&^0x20) + name[1:] {
	case "MetadataBytes":
		l.MetadataBytes = n
	case "ConsolidatedBytes":
		l.ConsolidatedBytes = n
	case "MetadataDepth":
		l.MetadataDepth = i
	case "Rank":
		l.Rank = i
	case "ItemBytes":
		l.ItemBytes = n
	case "ChunkBytes":
		l.ChunkBytes = n
	case "EncodedBytes":
		l.EncodedBytes = n
	case "OutputBytes":
		l.OutputBytes = n
	case "Chunks":
		l.Chunks = n
	case "IndexBytes":
		l.IndexBytes = n
	case "DecoderBytes":
		l.DecoderBytes = n
	case "Codecs":
		l.Codecs = i
	case "CodecDepth":
		l.CodecDepth = i
	case "Requests":
		l.Requests = i
	default:
		return false
	}
	return true
}

// Error reports a request beyond a limit.
type Error struct {
	Limit string // the field of Limits
	Max   int64
	Asked int64  // the requested amount; -1 when it does not fit 63 bits, 0 when unknown
	What  string // the requesting object
}

// Check returns an *Error when asked exceeds the limit. Callers pass math.MaxInt64 for amounts
// beyond int64.
func Check(limit string, max, asked int64, what string) error {
	if asked <= max {
		return nil
	}
	if asked == math.MaxInt64 {
		asked = -1
	}
	return &Error{limit, max, asked, what}
}

func (e *Error) Error() string {
	asked := ""
	switch {
	case e.Asked > 0:
		asked = ": " + strconv.FormatInt(e.Asked, 10)
	case e.Asked < 0:
		asked = ": more than 2^63"
	}
	return e.What + asked + " exceeds the limit " + e.Limit + " of " + strconv.FormatInt(e.Max, 10)
}

// Encoded returns the error for more stored bytes than a limit allows. size is 0 when unknown.
func Encoded(most, size int64, what string) error {
	return &Error{Limit: "EncodedBytes", Max: most, Asked: size, What: what}
}

// Package meta reads the metadata documents of Zarr v1, v2 and v3 into one neutral model. A [Node]
// is a group or an array, whatever version wrote it.
//
// The package does no I/O: [Documents] returns the keys to request from a store, and [Parse] makes
// a node of the stored bytes.
package meta

import (
	"github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/zarr/dtype"
	"github.com/zarr-wasm/zarr-wasm/zarr/grid"
)

// Node is a group or an array.
type Node struct {
	// Format is the version of the metadata: 1, 2 or 3.
	Format int
	// Attributes is the object of user attributes, {} if there are none.
	Attributes json.Value
	// Bare means that the attributes of a v2 array were not requested.
	Bare bool
	// Array is nil for a group.
	Array *Array
	// Consolidated is the metadata of the nodes below a group; nil if its documents have none.
	Consolidated *Consolidated
	// Documents are the node's source documents, byte for byte.
	Documents []Document
}

// Document is one stored metadata document.
type Document struct {
	Name  string // ".zarray", "zarr.json", relative to the node
	Bytes []byte
}

// Array is an array's metadata.
type Array struct {
	Shape []int64
	Type  *dtype.Type
	Grid  *grid.Grid
	Keys  grid.KeyEncoding
	// KeysWritten is false for v1, and for v2 metadata without a dimension_separator.
	KeysWritten bool
	// Fill is the fill value as the bytes of one element (see package dtype). It is zeros if the
	// metadata leaves it undefined.
	Fill []byte
	// FillDefined is false if v1 or v2 metadata has a fill_value of null or none. It is also false
	// if v3 metadata has null and the type is not optional.
	FillDefined bool
	// FillText is the fill value in the document.
	FillText json.Value
	// Codecs is the chain in v3's order, also for v1 and v2. Their chain is a transpose if the
	// order is F, the bytes codec (or the object codec), the filters, and the compressor.
	Codecs []CodecSpec
	// Order is "C" or "F", v1 and v2 only.
	Order string
	// DimensionNames has one entry for each dimension, or is nil if there are no names.
	DimensionNames []DimensionName
}

// DimensionName is the name of a dimension. A dimension without a name differs from one named "".
type DimensionName struct {
	Text  string
	Named bool
}

// CodecSpec is one entry of a chain of codecs.
type CodecSpec struct {
	Name   string     // the v3 name or the v2 id
	Config json.Value // an object; the zero Value if there is none
	// Optional is true if the metadata has must_understand: false.
	Optional bool
}

// Consolidated is the metadata of all nodes below a group, by path relative to it.
type Consolidated struct {
	// Paths are the nodes' paths in the order of the document. They exclude the group's own, and
	// implicit groups.
	Paths []string
	// References is true if chunks are references in Parquet files, the form of kerchunk.
	References bool

	nodes   map[string]*entry
	refused []Child
	format  int
	opt     Options
}

// Error reports that a document is not valid metadata.
type Error struct {
	Document string // its name, relative to the node
	Field    string // the invalid member, "" for the whole document
	Msg      string
	// Unsupported is true if the metadata may be valid but requires an unknown extension (grid, key
	// encoding, storage transformer, unknown member, data type).
	Unsupported bool
	Err         error // the cause, if there is one
}

func (e *Error) Error() string {
	s := e.Document + ": "
	if e.Field != "" {
		s += e.Field + ": "
	}
	s += e.Msg
	if e.Err != nil {
		if e.Msg != "" {
			s += ": "
		}
		s += e.Err.Error()
	}
	return s
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

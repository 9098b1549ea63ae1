// Package meta reads the metadata documents of Zarr v1, v2 and v3 into one
// neutral model: a [Node] is a group or an array, whatever version wrote it.
//
// The package does no I/O: [Documents] says which keys to ask a store for and
// [Parse] makes a node of the bytes that were there.
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
	// Attributes is the object of user attributes, {} when there are none.
	Attributes json.Value
	// Bare says that an array of v2 was not asked for its attributes.
	Bare bool
	// Array is nil for a group.
	Array *Array
	// Consolidated is what a group's metadata says of the nodes below it, nil
	// when it does not.
	Consolidated *Consolidated
	// Documents are the documents that the node was read from, byte for byte.
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
	// Fill is the fill value as the bytes of one element (see package dtype);
	// zeros where the metadata leaves it undefined.
	Fill []byte
	// FillDefined is false when v1 or v2 metadata has a fill_value of null or
	// none, and when v3 metadata has null and the type is no optional.
	FillDefined bool
	// FillText is the fill value as the document has it.
	FillText json.Value
	// Codecs is the chain in v3's order, also for v1 and v2: there a transpose
	// where the order is F, the bytes codec (or the object codec), the filters, the compressor.
	Codecs []CodecSpec
	// Order is "C" or "F", v1 and v2 only.
	Order string
	// DimensionNames has one entry a dimension, or is nil when no names are given.
	DimensionNames []DimensionName
}

// DimensionName is the name of a dimension. A dimension without a name is not
// the same as one that is named "".
type DimensionName struct {
	Text  string
	Named bool
}

// CodecSpec is one entry of a chain of codecs.
type CodecSpec struct {
	Name   string     // the v3 name or the v2 id
	Config json.Value // an object; the zero Value when there is none
	// Optional is true when the metadata says must_understand: false.
	Optional bool
}

// Consolidated is the metadata of all nodes below a group, by path relative to it.
type Consolidated struct {
	// Paths are the nodes' paths in the order of the document, without the
	// group's own. Implicit groups are not among them.
	Paths []string
	// References is true where chunks are references in Parquet files, as kerchunk writes them.
	References bool

	nodes   map[string]*entry
	refused []Child
	format  int
	opt     Options
}

// Error says that a document is not valid metadata.
type Error struct {
	Document string // its name, relative to the node
	Field    string // the member that is wrong, "" for the whole document
	Msg      string
	// Unsupported is true when the metadata may be valid but asks for an extension
	// (grid, key encoding, storage transformer, unknown member, data type) that is not known here.
	Unsupported bool
	Err         error // the cause, where there is one
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

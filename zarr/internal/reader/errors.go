package reader

import (
	"strconv"
	"strings"

	"github.com/zarr-wasm/zarr-wasm/internal/ascii"
	"github.com/zarr-wasm/zarr-wasm/internal/errtype"
	"github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
	"github.com/zarr-wasm/zarr-wasm/zarr/dtype"
	"github.com/zarr-wasm/zarr-wasm/zarr/grid"
	"github.com/zarr-wasm/zarr-wasm/zarr/meta"
)

// InvalidMetadataError reports that a node's metadata is invalid.
type InvalidMetadataError struct {
	Path string
	Err  error // usually a *meta.Error or a *codec.ConfigError
}

func (e *InvalidMetadataError) Error() string {
	return "invalid metadata of " + quotePath(e.Path) + ": " + e.Err.Error()
}

// Unwrap returns the cause.
func (e *InvalidMetadataError) Unwrap() error { return e.Err }

// UnsupportedError reports that a node may be valid but needs an unsupported feature. Examples are
// an extension, a data type, a feature of a codec, or a store that can list.
type UnsupportedError struct {
	Path    string
	Feature string
	// Container is the kind of container that is there instead, named as in descriptions of stores.
	// Kinds are "zip", "reference", "parquet" for references in a directory, "icechunk" and "n5".
	// It is "" if the unsupported feature is not a container.
	Container string
	Err       error
}

func (e *UnsupportedError) Error() string {
	msg := "unsupported in " + quotePath(e.Path) + ": "
	if e.Err != nil {
		return msg + e.Err.Error()
	}
	return msg + e.Feature
}

// Unwrap returns the cause.
func (e *UnsupportedError) Unwrap() error { return e.Err }

// UnknownCodecError reports that an array needs a codec that is not registered.
type UnknownCodecError struct {
	Path  string
	Codec string
	Known []string // the registered names
}

func (e *UnknownCodecError) Error() string {
	return "unknown codec " + strconv.Quote(e.Codec) + " in " + quotePath(e.Path) + " (known: " + strings.Join(e.Known, ", ") + ")"
}

// CodecPipelineError reports that a chunk's bytes could not be decoded. It matches
// codec.ErrTruncated, codec.ErrChecksum or codec.ErrCorrupt.
type CodecPipelineError struct {
	Path  string
	Key   string // the chunk's key
	Codec string // the codec that failed
	Err   error
}

func (e *CodecPipelineError) Error() string {
	return "chunk " + strconv.Quote(e.Key) + ": codec " + e.Codec + ": " + e.Err.Error()
}

// Unwrap returns the cause.
func (e *CodecPipelineError) Unwrap() error { return e.Err }

// InvalidSelectionError reports that a selection does not fit the array.
type InvalidSelectionError struct {
	Path string
	Err  error
}

func (e *InvalidSelectionError) Error() string {
	return "invalid selection of " + quotePath(e.Path) + ": " + e.Err.Error()
}

// Unwrap returns the cause.
func (e *InvalidSelectionError) Unwrap() error { return e.Err }

func quotePath(path string) string { return strconv.Quote("/" + path) }

// MetadataError converts an error from metadata or from building a chain of codecs to its public
// type.
func MetadataError(path string, err error) error {
	var me *meta.Error
	var de *dtype.Error
	var unknown *codec.UnknownError
	var feature *codec.UnsupportedError
	var limit *codec.LimitError
	var document *json.LimitError
	switch {
	case errtype.As(err, &limit):
		return err
	case errtype.As(err, &document):
		return &codec.LimitError{Limit: "metadata " + document.Limit, Max: int64(document.Max), What: "metadata of " + quotePath(path)}
	case errtype.As(err, &de) && de.Limit != "":
		return &codec.LimitError{Limit: de.Limit, Max: de.Max, What: "data type " + de.Name}
	case errtype.As(err, &unknown):
		return &UnknownCodecError{path, unknown.Name, unknown.Known}
	case errtype.As(err, &feature):
		return &UnsupportedError{Path: path, Feature: feature.Feature, Err: err}
	case errtype.As(err, &de) && de.Unsupported:
		return &UnsupportedError{Path: path, Feature: "data type " + de.Name, Err: err}
	case errtype.As(err, &me) && me.Unsupported:
		return &UnsupportedError{Path: path, Feature: ascii.TrimSpace(me.Field + " " + me.Msg), Err: err}
	}
	return &InvalidMetadataError{path, err}
}

// chunkError converts an error from decoding a chunk to its public type.
//
//go:noinline
func chunkError(path, key string, err error) error {
	var ce *codec.Error
	if errtype.As(err, &ce) {
		var feature *codec.UnsupportedError
		if errtype.As(err, &feature) {
			return &UnsupportedError{Path: path, Feature: feature.Feature, Err: &store.KeyError{Op: "decode", Key: key, Err: err}}
		}
		return &CodecPipelineError{path, key, ce.Codec, ce.Err}
	}
	return err
}

// selectionError converts an error of package grid to its public type.
func selectionError(path string, err error) error {
	var se *grid.SelectionError
	if errtype.As(err, &se) {
		return &InvalidSelectionError{path, err}
	}
	return err
}

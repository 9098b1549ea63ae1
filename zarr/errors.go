package zarr

import (
	"github.com/zarr-wasm/zarr-wasm/internal/guard"
	"github.com/zarr-wasm/zarr-wasm/internal/limits"
	"github.com/zarr-wasm/zarr-wasm/zarr/internal/catalog"
	"github.com/zarr-wasm/zarr-wasm/zarr/internal/reader"
)

// Limits bound what hostile metadata, data and servers can make a reader do.
type Limits = limits.Limits

// LimitError says that something asked for more than a limit allows.
type LimitError = limits.Error

// InvalidMetadataError says that a node's metadata is not valid.
type InvalidMetadataError = reader.InvalidMetadataError

// UnsupportedError says that a node may be valid but needs what is not known
// here: an extension, a data type, a feature of a codec, a store that can list.
type UnsupportedError = reader.UnsupportedError

// UnknownCodecError says that an array needs a codec that is not registered.
type UnknownCodecError = reader.UnknownCodecError

// CodecPipelineError says that a chunk's bytes could not be decoded. It matches
// codec.ErrTruncated, codec.ErrChecksum or codec.ErrCorrupt.
type CodecPipelineError = reader.CodecPipelineError

// InvalidSelectionError says that a selection does not fit the array.
type InvalidSelectionError = reader.InvalidSelectionError

// NotFoundError says that there is no node at a path, or not one of the kind
// that was asked for. It matches [io/fs.ErrNotExist].
type NotFoundError = catalog.NotFoundError

// PanicError is a panic of a codec, a store or any other part of a read. It ends that read, and those that wait for the
// same work.
type PanicError = guard.Error

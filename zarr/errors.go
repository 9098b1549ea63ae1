package zarr

import (
	"github.com/zarr-wasm/zarr-wasm/internal/guard"
	"github.com/zarr-wasm/zarr-wasm/internal/limits"
	"github.com/zarr-wasm/zarr-wasm/zarr/internal/catalog"
	"github.com/zarr-wasm/zarr-wasm/zarr/internal/reader"
)

// Limits bound the resources that hostile metadata, data and servers can consume.
type Limits = limits.Limits

// LimitError reports that a request exceeds a limit.
type LimitError = limits.Error

// InvalidMetadataError reports that a node's metadata is invalid.
type InvalidMetadataError = reader.InvalidMetadataError

// UnsupportedError reports that a node may be valid but needs an unsupported feature. Examples are
// an extension, a data type, a feature of a codec, or a store that can list.
type UnsupportedError = reader.UnsupportedError

// UnknownCodecError reports that an array needs a codec that is not registered.
type UnknownCodecError = reader.UnknownCodecError

// CodecPipelineError reports that a chunk's bytes could not be decoded. It matches
// codec.ErrTruncated, codec.ErrChecksum or codec.ErrCorrupt.
type CodecPipelineError = reader.CodecPipelineError

// InvalidSelectionError reports that a selection does not fit the array.
type InvalidSelectionError = reader.InvalidSelectionError

// NotFoundError reports that a path has no node, or none of the requested kind. It matches
// [io/fs.ErrNotExist].
type NotFoundError = catalog.NotFoundError

// PanicError is a panic of a codec, a store or any other part of a read. It ends that read, and all
// reads that wait for the same work.
type PanicError = guard.Error

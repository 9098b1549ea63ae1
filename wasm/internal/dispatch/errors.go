package dispatch

import (
	"context"
	"errors"
	"io/fs"

	"github.com/zarr-wasm/zarr-wasm/internal/errtype"
	"github.com/zarr-wasm/zarr-wasm/internal/guard"
	"github.com/zarr-wasm/zarr-wasm/internal/kinds"
	"github.com/zarr-wasm/zarr-wasm/internal/target"
	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/store/httpstore"
	"github.com/zarr-wasm/zarr-wasm/store/refstore"
	"github.com/zarr-wasm/zarr-wasm/wasm/internal/hostside"
	"github.com/zarr-wasm/zarr-wasm/wasm/internal/wire"
	"github.com/zarr-wasm/zarr-wasm/zarr"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
)

// describeError describes an error for JavaScript's error classes: name, code, message, and the
// fields of the class.
func describeError(err error) wire.Object {
	var (
		notFound    *zarr.NotFoundError
		metadata    *zarr.InvalidMetadataError
		unsupported *zarr.UnsupportedError
		unknown     *zarr.UnknownCodecError
		method      *codec.UnknownError // of a container
		pipeline    *zarr.CodecPipelineError
		selection   *zarr.InvalidSelectionError
		limit       *codec.LimitError
		http        *httpstore.Error
		key         *store.KeyError
		referred    *target.Error
		references  *refstore.Error
		engine      *wire.EngineError
		changed     *zarr.MetadataChangedError
		panicked    *guard.Error
		kind        *kinds.Error
	)
	var more wire.Object
	name, code, container := "StoreError", "STORE", ""
	switch {
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		name, code = "AbortError", "ABORT"
	case errtype.As(err, &panicked):
		name, code = "EngineError", "ENGINE"
		var cause wire.Object
		cause.AddText(wire.ErrorName, "Error")
		cause.AddText(wire.ErrorMessage, panicked.Stack)
		more.AddObject(wire.ErrorCause, cause)
	case errtype.As(err, &notFound):
		name, code = "NotFoundError", "NOT_FOUND"
		tried := make([]any, len(notFound.Tried))
		for i, t := range notFound.Tried {
			tried[i] = notFound.At + t
		}
		more.AddText(wire.ErrorPath, notFound.Path)
		more.AddTextOrNull(wire.ErrorFound, notFound.Found)
		more.AddList(wire.ErrorTried, tried)
		container = notFound.Container
	case errtype.As(err, &changed):
		name, code = "MetadataChangedError", "METADATA_CHANGED"
		more.AddText(wire.ErrorPath, changed.Path)
	case errtype.As(err, &limit):
		name, code = "LimitError", "LIMIT"
		more.AddText(wire.ErrorLimit, limit.Limit)
		more.AddNumber(wire.ErrorMax, float64(limit.Max))
	case errtype.As(err, &unknown):
		name, code = "UnknownCodecError", "UNKNOWN_CODEC"
		more.AddText(wire.ErrorPath, unknown.Path)
		more.AddText(wire.ErrorCodec, unknown.Codec)
	case errtype.As(err, &method):
		name, code = "UnknownCodecError", "UNKNOWN_CODEC"
		more.AddText(wire.ErrorCodec, method.Name)
	case errtype.As(err, &unsupported):
		name, code = "UnsupportedError", "UNSUPPORTED"
		more.AddText(wire.ErrorPath, unsupported.Path)
		more.AddText(wire.ErrorFeature, unsupported.Feature)
		container = unsupported.Container
	case errtype.As(err, &kind) && kind.Rare:
		name, code = "UnsupportedError", "UNSUPPORTED"
		more.AddText(wire.ErrorFeature, kind.Kind+" stores")
		more.AddFlag(wire.ErrorRare, true)
	case errtype.As(err, &references) && references.Rare:
		name, code = "UnsupportedError", "UNSUPPORTED"
		more.AddText(wire.ErrorFeature, references.Msg)
		more.AddFlag(wire.ErrorRare, true)
	case errtype.As(err, &metadata):
		name, code = "InvalidMetadataError", "INVALID_METADATA"
		more.AddText(wire.ErrorPath, metadata.Path)
	case errtype.As(err, &pipeline):
		name, code = "CodecPipelineError", "CODEC_"+reason(err)
		more.AddText(wire.ErrorPath, pipeline.Path)
		more.AddText(wire.ErrorKey, pipeline.Key)
		more.AddText(wire.ErrorCodec, pipeline.Codec)
	case errtype.As(err, &selection):
		name, code = "InvalidSelectionError", "INVALID_SELECTION"
		more.AddText(wire.ErrorPath, selection.Path)
	case errtype.As(err, &engine):
		name, code = "EngineError", "ENGINE"
	case errtype.As(err, &referred) && referred.Absent:
		name, code = "NotFoundError", "NOT_FOUND"
		more.AddText(wire.ErrorPath, referred.Target)
	case errtype.As(err, &http):
		name, code = "HttpError", "HTTP"
		more.AddInt(wire.ErrorStatus, http.Status)
		more.AddText(wire.ErrorURL, http.URL)
		more.AddTextOrNull(wire.ErrorHint, http.Hint)
		if errtype.As(err, &key) {
			more.AddText(wire.ErrorKey, key.Key)
		}
	case errtype.As(err, &key):
		if errors.Is(err, fs.ErrNotExist) {
			name, code = "NotFoundError", "NOT_FOUND"
			more.AddText(wire.ErrorPath, key.Key)
			break
		}
		more.AddText(wire.ErrorKey, key.Key)
	}
	if container != "" {
		more.AddText(wire.ErrorContainer, container)
		if container == "parquet" {
			container = "reference"
		}
		more.AddText(wire.ErrorHint, "open the address itself, by open(url), or the store as open({ "+container+": store })")
	}
	var o wire.Object
	o.AddText(wire.ErrorName, name)
	o.AddText(wire.ErrorCode, code)
	o.AddText(wire.ErrorMessage, err.Error())
	if thrown := (*hostside.Error)(nil); errtype.As(err, &thrown) {
		o.AddInt(wire.ErrorThrown, thrown.Ask)
	}
	return append(o, more...)
}

// reason returns the fault of a chunk's bytes.
func reason(err error) string {
	switch {
	case errors.Is(err, codec.ErrTruncated):
		return "TRUNCATED"
	case errors.Is(err, codec.ErrChecksum):
		return "CHECKSUM"
	}
	return "CORRUPT"
}

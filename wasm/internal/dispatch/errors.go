package dispatch

import (
	"context"
	"errors"
	"io/fs"

	"zarr-wasm/internal/guard"
	"zarr-wasm/store"
	"zarr-wasm/store/httpstore"
	"zarr-wasm/store/kinds"
	"zarr-wasm/store/target"
	"zarr-wasm/wasm/internal/hostside"
	"zarr-wasm/wasm/internal/wire"
	"zarr-wasm/zarr"
	"zarr-wasm/zarr/codec"
)

// describeError turns an error into what JavaScript makes its error classes of:
// name, code and message, and what the class has besides.
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
		engine      *wire.EngineError
		changed     *zarr.MetadataChangedError
		panicked    *guard.Error
		kind        *kinds.Error
	)
	var more wire.Object
	name, code := "StoreError", "STORE"
	switch {
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		name, code = "AbortError", "ABORT"
	case errors.As(err, &panicked):
		name, code = "EngineError", "ENGINE"
		more.Add("cause", wire.Object{wire.F("name", "Error"), wire.F("message", panicked.Stack)})
	case errors.As(err, &notFound):
		name, code = "NotFoundError", "NOT_FOUND"
		tried := make([]any, len(notFound.Tried))
		for i, t := range notFound.Tried {
			tried[i] = notFound.At + t
		}
		more.AddText("path", notFound.Path)
		more.Add("found", optional(notFound.Found))
		more.Add("tried", tried)
	case errors.As(err, &changed):
		name, code = "MetadataChangedError", "METADATA_CHANGED"
		more.AddText("path", changed.Path)
	case errors.As(err, &limit):
		name, code = "LimitError", "LIMIT"
		more.AddText("limit", limit.Limit)
		more.Add("max", wire.Number(limit.Max))
	case errors.As(err, &unknown):
		name, code = "UnknownCodecError", "UNKNOWN_CODEC"
		more.AddText("path", unknown.Path)
		more.AddText("codec", unknown.Codec)
	case errors.As(err, &method):
		name, code = "UnknownCodecError", "UNKNOWN_CODEC"
		more.AddText("codec", method.Name)
	case errors.As(err, &unsupported):
		name, code = "UnsupportedError", "UNSUPPORTED"
		more.AddText("path", unsupported.Path)
		more.AddText("feature", unsupported.Feature)
	case errors.As(err, &kind) && kind.Rare:
		name, code = "UnsupportedError", "UNSUPPORTED"
		more.AddText("feature", kind.Kind+" stores")
		more.Add("rare", true)
	case errors.As(err, &metadata):
		name, code = "InvalidMetadataError", "INVALID_METADATA"
		more.AddText("path", metadata.Path)
	case errors.As(err, &pipeline):
		name, code = "CodecPipelineError", "CODEC_"+reason(err)
		more.AddText("path", pipeline.Path)
		more.AddText("key", pipeline.Key)
		more.AddText("codec", pipeline.Codec)
	case errors.As(err, &selection):
		name, code = "InvalidSelectionError", "INVALID_SELECTION"
		more.AddText("path", selection.Path)
	case errors.As(err, &engine):
		name, code = "EngineError", "ENGINE"
	case errors.As(err, &referred) && referred.Absent:
		name, code = "NotFoundError", "NOT_FOUND"
		more.AddText("path", referred.Target)
	case errors.As(err, &http):
		name, code = "HttpError", "HTTP"
		more.AddInt("status", http.Status)
		more.AddText("url", http.URL)
		more.Add("hint", optional(http.Hint))
		if errors.As(err, &key) {
			more.AddText("key", key.Key)
		}
	case errors.As(err, &key):
		if errors.Is(err, fs.ErrNotExist) {
			name, code = "NotFoundError", "NOT_FOUND"
			more.AddText("path", key.Key)
			break
		}
		more.AddText("key", key.Key)
	}
	var o wire.Object
	o.AddText("name", name)
	o.AddText("code", code)
	o.AddText("message", err.Error())
	if thrown := (*hostside.Error)(nil); errors.As(err, &thrown) {
		o.AddInt("thrown", thrown.Ask)
	}
	return append(o, more...)
}

// reason is what is wrong with a chunk's bytes.
func reason(err error) string {
	switch {
	case errors.Is(err, codec.ErrTruncated):
		return "TRUNCATED"
	case errors.Is(err, codec.ErrChecksum):
		return "CHECKSUM"
	}
	return "CORRUPT"
}

func optional(s string) any {
	if s == "" {
		return nil
	}
	return s
}

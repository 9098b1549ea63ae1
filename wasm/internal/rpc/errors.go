package rpc

import (
	"context"
	"errors"
	"io/fs"

	"zarr-wasm/internal/guard"
	"zarr-wasm/store"
	"zarr-wasm/store/httpstore"
	"zarr-wasm/store/kinds"
	"zarr-wasm/zarr"
	"zarr-wasm/zarr/codec"
)

// engineError says that the two sides of the protocol do not fit.
type engineError struct{ msg string }

func (e *engineError) Error() string { return e.msg }

// describeError turns an error into what JavaScript makes its error classes of:
// name, code and message, and what the class has besides.
func describeError(err error) Object {
	var (
		notFound    *zarr.NotFoundError
		metadata    *zarr.InvalidMetadataError
		unsupported *zarr.UnsupportedError
		unknown     *zarr.UnknownCodecError
		pipeline    *zarr.CodecPipelineError
		selection   *zarr.InvalidSelectionError
		limit       *codec.LimitError
		http        *httpstore.Error
		key         *store.KeyError
		engine      *engineError
		changed     *zarr.MetadataChangedError
		panicked    *guard.Error
		kind        *kinds.Error
	)
	var more Object
	name, code := "StoreError", "STORE"
	switch {
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		name, code = "AbortError", "ABORT"
	case errors.As(err, &panicked):
		name, code = "EngineError", "ENGINE"
		more.add("cause", Object{{"name", "Error"}, {"message", panicked.Stack}})
	case errors.As(err, &notFound):
		name, code = "NotFoundError", "NOT_FOUND"
		tried := make([]any, len(notFound.Tried))
		for i, t := range notFound.Tried {
			tried[i] = notFound.At + t
		}
		more.addText("path", notFound.Path)
		more.add("found", optional(notFound.Found))
		more.add("tried", tried)
	case errors.As(err, &changed):
		name, code = "MetadataChangedError", "METADATA_CHANGED"
		more.addText("path", changed.Path)
	case errors.As(err, &limit):
		name, code = "LimitError", "LIMIT"
		more.addText("limit", limit.Limit)
		more.add("max", number(limit.Max))
	case errors.As(err, &unknown):
		name, code = "UnknownCodecError", "UNKNOWN_CODEC"
		more.addText("path", unknown.Path)
		more.addText("codec", unknown.Codec)
	case errors.As(err, &unsupported):
		name, code = "UnsupportedError", "UNSUPPORTED"
		more.addText("path", unsupported.Path)
		more.addText("feature", unsupported.Feature)
	case errors.As(err, &kind) && kind.Rare:
		name, code = "UnsupportedError", "UNSUPPORTED"
		more.addText("feature", kind.Kind+" stores")
		more.add("rare", true)
	case errors.As(err, &metadata):
		name, code = "InvalidMetadataError", "INVALID_METADATA"
		more.addText("path", metadata.Path)
	case errors.As(err, &pipeline):
		name, code = "CodecPipelineError", "CODEC_"+reason(err)
		more.addText("path", pipeline.Path)
		more.addText("key", pipeline.Key)
		more.addText("codec", pipeline.Codec)
	case errors.As(err, &selection):
		name, code = "InvalidSelectionError", "INVALID_SELECTION"
		more.addText("path", selection.Path)
	case errors.As(err, &engine):
		name, code = "EngineError", "ENGINE"
	case errors.As(err, &http):
		name, code = "HttpError", "HTTP"
		more.addInt("status", http.Status)
		more.addText("url", http.URL)
		more.add("hint", optional(http.Hint))
		if errors.As(err, &key) {
			more.addText("key", key.Key)
		}
	case errors.As(err, &key):
		if errors.Is(err, fs.ErrNotExist) {
			name, code = "NotFoundError", "NOT_FOUND"
			more.addText("path", key.Key)
			break
		}
		more.addText("key", key.Key)
	}
	var o Object
	o.addText("name", name)
	o.addText("code", code)
	o.addText("message", err.Error())
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

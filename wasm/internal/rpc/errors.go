package rpc

import (
	"context"
	"errors"
	"io/fs"

	"zarr-wasm/store"
	"zarr-wasm/store/httpstore"
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
	)
	of := func(name, code string, more ...Field) Object {
		return append(Object{{"name", name}, {"code", code}, {"message", err.Error()}}, more...)
	}
	switch {
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return of("AbortError", "ABORT")
	case errors.As(err, &notFound):
		tried := make([]any, len(notFound.Tried))
		for i, t := range notFound.Tried {
			tried[i] = t
		}
		return of("NotFoundError", "NOT_FOUND", Field{"path", notFound.Path}, Field{"found", optional(notFound.Found)}, Field{"tried", tried})
	case errors.As(err, &limit):
		return of("LimitError", "LIMIT", Field{"limit", limit.Limit}, Field{"max", number(limit.Max)})
	case errors.As(err, &unknown):
		return of("UnknownCodecError", "UNKNOWN_CODEC", Field{"path", unknown.Path}, Field{"codec", unknown.Codec})
	case errors.As(err, &unsupported):
		return of("UnsupportedError", "UNSUPPORTED", Field{"path", unsupported.Path}, Field{"feature", unsupported.Feature})
	case errors.As(err, &metadata):
		return of("InvalidMetadataError", "INVALID_METADATA", Field{"path", metadata.Path})
	case errors.As(err, &pipeline):
		return of("CodecPipelineError", "CODEC_"+reason(err), Field{"path", pipeline.Path}, Field{"key", pipeline.Key}, Field{"codec", pipeline.Codec})
	case errors.As(err, &selection):
		return of("InvalidSelectionError", "INVALID_SELECTION", Field{"path", selection.Path})
	case errors.As(err, &engine):
		return of("EngineError", "ENGINE")
	case errors.As(err, &http):
		more := []Field{{"status", float64(http.Status)}, {"url", http.URL}, {"hint", optional(http.Hint)}}
		if errors.As(err, &key) {
			more = append(more, Field{"key", key.Key})
		}
		return of("HttpError", "HTTP", more...)
	case errors.Is(err, fs.ErrNotExist) && errors.As(err, &key):
		return of("NotFoundError", "NOT_FOUND", Field{"path", key.Key})
	case errors.As(err, &key):
		return of("StoreError", "STORE", Field{"key", key.Key})
	}
	return of("StoreError", "STORE")
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

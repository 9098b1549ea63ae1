package codec

import (
	"errors"
	"strconv"
)

// Errors of encoded bytes. Every error of a decoder matches one of these, or is a *LimitError, an
// *UnsupportedError or the context's error.
var (
	// ErrTruncated: the bytes end too early, or hold too few elements.
	ErrTruncated = errors.New("truncated")
	// ErrChecksum: the bytes differ from the written ones.
	ErrChecksum = errors.New("checksum mismatch")
	// ErrCorrupt: the bytes are not of the codec's format.
	ErrCorrupt = errors.New("corrupt")
	// ErrValue: an encoder received an element that its codec cannot hold.
	ErrValue = errors.New("value")
)

type dataError struct {
	kind error
	msg  string
}

func (e *dataError) Error() string { return e.kind.Error() + ": " + e.msg }
func (e *dataError) Unwrap() error { return e.kind }

// The constructors of these errors are not inlined. They have many callers, and inlining would cost
// 10 KB of the compressed wasm.

// Truncated returns an error that matches ErrTruncated.
//
//go:noinline
func Truncated(msg string) error { return &dataError{ErrTruncated, msg} }

// Corrupt returns an error that matches ErrCorrupt.
//
//go:noinline
func Corrupt(msg string) error { return &dataError{ErrCorrupt, msg} }

// Unfit returns an error that matches ErrValue.
//
//go:noinline
func Unfit(msg string) error { return &dataError{ErrValue, msg} }

// Mismatch returns an error that matches ErrChecksum.
//
//go:noinline
func Mismatch(msg string) error { return &dataError{ErrChecksum, msg} }

// Error is an error of one codec of a chain, while decoding or encoding.
type Error struct {
	Codec string // its name in the metadata
	Err   error
}

func (e *Error) Error() string { return "codec " + e.Codec + ": " + e.Err.Error() }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// UnknownError reports that no codec of that name is registered.
type UnknownError struct {
	Name string
	// Known are the registered names, sorted.
	Known []string
}

func (e *UnknownError) Error() string { return "unknown codec " + strconv.Quote(e.Name) }

// ConfigError reports that the metadata has a wrong configuration for a codec, or a wrong place for
// it in the chain.
type ConfigError struct {
	Codec string
	Msg   string
}

func (e *ConfigError) Error() string { return "codec " + e.Codec + ": " + e.Msg }

// UnsupportedError reports that the data is valid but needs an unsupported feature, such as a
// blosc2 container or a zstd dictionary.
type UnsupportedError struct {
	Feature string
}

func (e *UnsupportedError) Error() string { return "unsupported: " + e.Feature }

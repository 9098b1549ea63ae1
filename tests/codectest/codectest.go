// Package codectest holds what the tests of several codecs need.
package codectest

import (
	"bytes"
	"compress/zlib"
	"context"
	"errors"
	"io"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/tests/must"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
	"github.com/zarr-wasm/zarr-wasm/zarr/dtype"
	"github.com/zarr-wasm/zarr-wasm/zarr/ndarray"
)

// Exact returns the size of an output that must have n bytes.
func Exact(n int) codec.Size { return codec.Size{N: int64(n), Exact: true} }

// JSON parses a document.
func JSON(t testing.TB, text string) json.Value {
	t.Helper()
	return must.Get(json.Parse([]byte(text), json.Limits{}))(t)
}

// Type returns the type with a name of version 3.
func Type(t testing.TB, name string) *dtype.Type {
	t.Helper()
	return must.Get(dtype.ParseV3(json.Text(name), dtype.Limits{}))(t)
}

// As converts a new codec to its interface.
func As[T any](c any, err error) (T, error) {
	if err != nil {
		var none T
		return none, err
	}
	return c.(T), nil
}

// Decode decodes bytes by a codec, without limits.
func Decode(c codec.BytesToBytes, size codec.Size, src []byte) ([]byte, error) {
	return c.Decode(codec.NewEnv(context.Background(), codec.Limits{}), codec.Output{Size: size}, src)
}

// Guarded decodes bytes into memory for n bytes. The test fails if the codec writes beyond them,
// returns another number of bytes, or an error without a class.
func Guarded(t testing.TB, c codec.BytesToBytes, n int, src []byte) ([]byte, error) {
	t.Helper()
	const guard = 0xa5
	dst := bytes.Repeat([]byte{guard}, n+32)
	env := codec.NewEnv(context.Background(), codec.Limits{ChunkBytes: 1 << 20})
	got, err := c.Decode(env, codec.Output{Buf: dst[:0:n], Size: Exact(n)}, src)
	switch {
	case bytes.Count(dst[n:], []byte{guard}) != len(dst)-n:
		t.Fatal("written beyond the end")
	case err == nil && len(got) != n:
		t.Fatalf("%d bytes instead of %d", len(got), n)
	case !Classed(err):
		t.Fatalf("an error without a class: %T %v", err, err)
	}
	return got, err
}

// Classed reports whether an error of a decoder has a class. Nil has one, too.
func Classed(err error) bool {
	var unsupported *codec.UnsupportedError
	var limit *codec.LimitError
	return err == nil || errors.Is(err, codec.ErrCorrupt) || errors.Is(err, codec.ErrTruncated) || errors.Is(err, codec.ErrChecksum) ||
		errors.As(err, &unsupported) || errors.As(err, &limit)
}

// DecodeArray decodes a chunk into memory that is not zero.
func DecodeArray(c codec.ArrayToBytes, a codec.Array, src []byte) (ndarray.Block, error) {
	dst := ndarray.New(a.Shape, a.Type.Size, a.Type.Variable())
	for i := range dst.Data {
		dst.Data[i] = 0xee
	}
	return dst, c.Decode(codec.NewEnv(context.Background(), codec.Limits{}), a, dst, src)
}

// Zlib compresses data.
func Zlib[T string | []byte](data T) T {
	var b bytes.Buffer
	w := zlib.NewWriter(&b)
	_, _ = w.Write([]byte(data))
	_ = w.Close()
	return T(b.Bytes())
}

// Written returns what a writer makes of data.
func Written[W io.WriteCloser](t testing.TB, data []byte, open func(io.Writer) (W, error)) []byte {
	t.Helper()
	var b bytes.Buffer
	w := must.Get(open(&b))(t)
	must.Get(w.Write(data))(t)
	must.Do(t, w.Close())
	return b.Bytes()
}

package snappy

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"slices"
	"testing"

	ref "github.com/klauspost/compress/snappy"

	"github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
)

func run(size codec.Size, src []byte) ([]byte, error) {
	c, err := Codec().New(json.Value{}, codec.Build{})
	if err != nil {
		return nil, err
	}
	limits := codec.Limits{ChunkBytes: 1 << 20}
	return c.(codec.BytesToBytes).Decode(codec.NewEnv(context.Background(), limits), codec.Output{Size: size}, src)
}

func TestCodec(t *testing.T) {
	for i, data := range samples() {
		src := ref.Encode(nil, data)
		n := int64(len(data))
		for _, size := range []codec.Size{{N: n, Exact: true}, {N: n}, {N: 1 << 40}} {
			if got, err := run(size, src); err != nil || !bytes.Equal(got, data) {
				t.Errorf("sample %d, %v: %v", i, size, err)
			}
		}
		if _, err := run(codec.Size{N: n + 1, Exact: true}, src); !errors.Is(err, codec.ErrTruncated) {
			t.Errorf("sample %d for a larger chunk: %v", i, err)
		}
		if n == 0 {
			continue
		}
		for _, exact := range []bool{false, true} {
			if _, err := run(codec.Size{N: n - 1, Exact: exact}, src); !errors.Is(err, codec.ErrCorrupt) {
				t.Errorf("sample %d for a smaller chunk: %v", i, err)
			}
		}
	}
}

func TestLyingLengths(t *testing.T) {
	short := func(n uint64) []byte { return append(binary.AppendUvarint(nil, n), "\x00a\x01\x01"...) }
	for _, test := range []struct {
		name string
		size codec.Size
		src  []byte
		err  error
	}{
		{"more than the bytes can be", codec.Size{N: 1 << 19}, short(1 << 19), codec.ErrTruncated},
		{"more than the chunk", codec.Size{N: 100}, short(1 << 19), codec.ErrCorrupt},
		{"more than 32 bits", codec.Size{N: 1 << 40}, short(1 << 33), codec.ErrCorrupt},
		{"less than its bytes", codec.Size{N: 3}, short(3), codec.ErrCorrupt},
		{"no length", codec.Size{N: 3}, []byte{0x80}, codec.ErrTruncated},
		{"nothing", codec.Size{N: 0, Exact: true}, nil, codec.ErrTruncated},
	} {
		if _, err := run(test.size, test.src); !errors.Is(err, test.err) {
			t.Errorf("%s: %v, want %v", test.name, err, test.err)
		}
	}
	var limit *codec.LimitError
	if _, err := run(codec.Size{N: 1 << 40}, short(1<<21)); !errors.As(err, &limit) {
		t.Errorf("over the limit: %v", err)
	}
}

func TestBuffer(t *testing.T) {
	data := samples()[4]
	c, src := snappy{}, ref.Encode(nil, data)
	buf := make([]byte, 0, len(data))
	out := codec.Output{Buf: buf, Size: codec.Size{N: int64(len(data)), Exact: true}}
	got, err := c.Decode(codec.NewEnv(context.Background(), codec.Limits{}), out, src)
	if err != nil || !bytes.Equal(got, data) || &got[0] != &buf[:1][0] {
		t.Errorf("not decoded where it belongs: %v", err)
	}
	if e := Codec(); !slices.Contains(e.IDs, "imagecodecs_snappy") || !slices.Contains(e.Names, "numcodecs.snappy") {
		t.Errorf("%v %v", e.Names, e.IDs)
	}
}

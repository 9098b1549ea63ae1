package bz2

import (
	"bytes"
	"context"
	"errors"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/tests/codectest"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
)

// Streams that Python's bz2 wrote.
const (
	hello = "\x42\x5a\x68\x39\x31\x41\x59\x26\x53\x59\x9c\x45\x3e\xd3\x00\x00\x03\x91\x00\x40\x04\x02\x44\xa0\x00\x21\x22\x30\x30\x06\x52\x27\xe4\x54\x58\x5d\xc9\x14\xe1\x42\x42\x71\x14\xfb\x4c"
	zeros = "\x42\x5a\x68\x39\x31\x41\x59\x26\x53\x59\xde\x1a\x07\x3a\x00\x01\x88\x44\x00\xc0\x00\x00\x04\x00\x08\x20\x00\x30\xcc\x05\x29\xa6\x08\x5b\x10\x85\xe2\xee\x48\xa7\x0a\x12\x1b\xc3\x40\xe7\x40"
	empty = "\x42\x5a\x68\x39\x17\x72\x45\x38\x50\x90\x00\x00\x00\x00"
)

const helloText = "hello, hello, hello"

func run(src string, size codec.Size, lim codec.Limits) ([]byte, error) {
	return bz2{}.Decode(codec.NewEnv(context.Background(), lim), codec.Output{Size: size}, []byte(src))
}

func TestDecode(t *testing.T) {
	for _, c := range []struct{ name, src, want string }{
		{"one stream", hello, helloText},
		{"two streams", hello + hello, helloText + helloText},
		{"an empty stream between", hello + empty + hello, helloText + helloText},
		{"nothing", empty, ""},
		{"many bytes of few", zeros, string(make([]byte, 200000))},
		{"what follows is not a stream", hello + "\x00\x00\x00", helloText}, // leniency, as Python's
	} {
		for _, size := range []codec.Size{codectest.Exact(len(c.want)), {N: 1 << 30}, {N: int64(len(c.want))}} {
			got, err := run(c.src, size, codec.Limits{})
			if err != nil || string(got) != c.want {
				t.Errorf("%s (%v): %d bytes, %v", c.name, size, len(got), err)
			}
		}
	}
}

func TestWrong(t *testing.T) {
	flip := func(s string, i int) string {
		b := []byte(s)
		b[i] ^= 1
		return string(b)
	}
	for _, c := range []struct {
		name, src string
		size      codec.Size
		want      error
	}{
		{"no bytes", "", codectest.Exact(19), codec.ErrTruncated},
		{"half a stream", hello[:30], codectest.Exact(19), codec.ErrTruncated},
		{"no checksum at the end", hello[:len(hello)-2], codectest.Exact(19), codec.ErrTruncated},
		{"half a second stream", hello + hello[:20], codectest.Exact(38), codec.ErrTruncated},
		{"fewer bytes", hello, codectest.Exact(20), codec.ErrTruncated},
		{"more bytes", hello, codectest.Exact(18), codec.ErrCorrupt},
		{"more bytes in a second stream", hello + hello, codectest.Exact(19), codec.ErrCorrupt},
		{"no bzip2", flip(hello, 0), codectest.Exact(19), codec.ErrCorrupt},
		{"no level", flip(hello, 2), codectest.Exact(19), codec.ErrCorrupt},
		{"another checksum of the block", flip(hello, 11), codectest.Exact(19), codec.ErrChecksum},
		{"another checksum of the stream", flip(hello, len(hello)-4), codectest.Exact(19), codec.ErrChecksum},
	} {
		if got, err := run(c.src, c.size, codec.Limits{}); !errors.Is(err, c.want) {
			t.Errorf("%s: %d bytes, %v, want %v", c.name, len(got), err, c.want)
		}
	}
	var limit *codec.LimitError
	if _, err := run(zeros, codec.Size{N: 1 << 40}, codec.Limits{ChunkBytes: 1000}); !errors.As(err, &limit) {
		t.Errorf("beyond the limit: %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := (bz2{}).Decode(codec.NewEnv(ctx, codec.Limits{}), codec.Output{Size: codectest.Exact(200000)}, []byte(zeros)); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

func FuzzDecode(f *testing.F) {
	for _, s := range []string{"", hello, zeros, empty, hello + hello, hello[:30], hello + "BZx"} {
		f.Add([]byte(s), 19, true)
	}
	f.Fuzz(func(t *testing.T, src []byte, n int, exact bool) {
		if n < 0 || n > 1<<20 {
			return
		}
		env := codec.NewEnv(context.Background(), codec.Limits{ChunkBytes: 1 << 20})
		got, err := bz2{}.Decode(env, codec.Output{Size: codec.Size{N: int64(n), Exact: exact}}, bytes.Clone(src))
		if err == nil && (len(got) > n || exact && len(got) != n) {
			t.Errorf("%d bytes where there must be %d", len(got), n)
		}
	})
}

package lz4

import (
	"errors"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/tests/codectest"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
)

// hdf5Blocks is 19 bytes in blocks of 16. The first has literals, a match and the literals at the
// end. The second is stored.
const hdf5Blocks = "\x00\x00\x00\x00\x00\x00\x00\x13" + "\x00\x00\x00\x10" + "\x00\x00\x00\x0b" + "\x25ab\x02\x00\x50babab" + "\x00\x00\x00\x03" + "xyz"

func TestBlocksOfHDF5(t *testing.T) {
	const want = "abababababababab" + "xyz"
	for _, size := range []codec.Size{codectest.Exact(19), {N: 19}, {N: 1 << 20}} {
		for _, src := range []string{hdf5Blocks, hdf5Blocks + "ignored"} {
			if got, err := codectest.Decode(decoder(decodeHDF5), size, []byte(src)); err != nil || string(got) != want {
				t.Errorf("%v: %q, %v", size, got, err)
			}
		}
	}
	for i := range hdf5Blocks {
		if _, err := codectest.Decode(decoder(decodeHDF5), codec.Size{N: 1 << 20}, []byte(hdf5Blocks[:i])); !errors.Is(err, codec.ErrTruncated) {
			t.Errorf("%d bytes: %v", i, err)
		}
	}
	for _, c := range []struct {
		name string
		at   int
		to   byte
		want error
	}{
		{"more than the chunk", 7, 20, codec.ErrCorrupt},
		{"a huge size", 0, 0xff, codec.ErrCorrupt},
		{"less than the chunk", 7, 18, codec.ErrTruncated},
		{"blocks of no bytes", 11, 0, codec.ErrCorrupt},
		{"smaller blocks", 11, 8, codec.ErrCorrupt},
		{"a block beyond the end", 12, 0xff, codec.ErrTruncated},
	} {
		src := []byte(hdf5Blocks)
		src[c.at] = c.to
		if _, err := codectest.Decode(decoder(decodeHDF5), codectest.Exact(19), src); !errors.Is(err, c.want) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

func FuzzHDF5(f *testing.F) {
	f.Add([]byte(hdf5Blocks), 19)
	f.Fuzz(func(t *testing.T, src []byte, n int) {
		_, _ = codectest.Guarded(t, decoder(decodeHDF5), n&(1<<16-1), src)
	})
}

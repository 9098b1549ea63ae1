package bitshuffle

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math/rand"
	"strconv"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/tests/codectest"
	"github.com/zarr-wasm/zarr-wasm/tests/must"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec/zstd"
)

func build(t testing.TB, i int, config string) (codec.BytesToBytes, error) {
	t.Helper()
	b := codec.Build{Format: 2, Limits: codec.Limits{}.WithDefaults()}
	return codectest.As[codec.BytesToBytes](Codecs()[i].New(codectest.JSON(t, config), b))
}

// shuffled is the definition of the format: bit by bit, block by block.
func shuffled(data []byte, size, block int, store func(block []byte) []byte) []byte {
	var out []byte
	whole := len(data) - len(data)%(8*size)
	for at := 0; at < whole; {
		n := min(block, (whole-at)/size)
		b := make([]byte, n*size)
		for i := range 8 * n * size { // bit i%n of row i/n
			element, bit := i%n, i/n
			b[i/8] |= data[at+element*size+bit/8] >> (bit % 8) & 1 << (i % 8)
		}
		out = append(out, store(b)...)
		at += n * size
	}
	return append(out, data[whole:]...)
}

// packed returns data as hdf5_bitshuffle has them, with blocks that literals of LZ4, or raw blocks
// of Zstandard, store.
func packed(data []byte, size, block int, compression string) []byte {
	out := binary.BigEndian.AppendUint64(nil, uint64(len(data)))
	out = binary.BigEndian.AppendUint32(out, uint32(block*size))
	return append(out, shuffled(data, size, block, func(b []byte) []byte {
		var z []byte
		if compression == "lz4" {
			z = append(z, byte(min(len(b), 15))<<4)
			for left := len(b) - 15; left >= 0; left -= 255 {
				z = append(z, byte(min(left, 255)))
			}
		} else {
			z = append(z, 0x28, 0xb5, 0x2f, 0xfd, 0xa0)
			z = binary.LittleEndian.AppendUint32(z, uint32(len(b)))
			n := uint32(len(b))<<3 | 1
			z = append(z, byte(n), byte(n>>8), byte(n>>16))
		}
		z = append(z, b...)
		return append(binary.BigEndian.AppendUint32(nil, uint32(len(z))), z...)
	})...)
}

func TestEveryBlockAndRemainderIsDecoded(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	for _, size := range []int{1, 2, 3, 4, 8, 17} {
		for _, block := range []int{8, 64, 1024} {
			for _, n := range []int{0, 5, 8, 13, 64, 71, 1024, 2100} {
				data := make([]byte, n*size)
				r.Read(data)
				configs := []string{
					`{"itemsize":` + strconv.Itoa(size) + `,"blocksize":` + strconv.Itoa(block) + `}`,
					`{"itemsize":` + strconv.Itoa(size) + `,"compression":"lz4"}`, `{"itemsize":` + strconv.Itoa(size) + `,"compression":"zstd"}`,
				}
				for i, src := range [][]byte{
					shuffled(data, size, block, func(b []byte) []byte { return b }), packed(data, size, block, "lz4"), packed(data, size, block, "zstd"),
				} {
					c := must.Get(build(t, min(i, 1), configs[i]))(t)
					for _, size := range []codec.Size{codectest.Exact(len(data)), {N: 1 << 20}} {
						got, err := codectest.Decode(c, size, src)
						if err != nil || !bytes.Equal(got, data) {
							t.Fatalf("%s: %d elements: %v", configs[i], n, err)
						}
					}
					if i > 0 {
						for cut := range src {
							if _, err := codectest.Decode(c, codectest.Exact(len(data)), src[:cut]); len(data) > 0 && !errors.Is(err, codec.ErrTruncated) {
								t.Fatalf("%s: %d of %d bytes: %v", configs[i], cut, len(src), err)
							} else if cut > 40 {
								break
							}
						}
					}
				}
			}
		}
	}
}

func TestWrongSizesAreRejected(t *testing.T) {
	data := make([]byte, 64)
	lz4 := must.Get(build(t, 1, `{"itemsize":4,"compression":"lz4"}`))(t)
	change := func(at int, to ...byte) []byte {
		b := packed(data, 4, 8, "lz4")
		copy(b[at:], to)
		return b
	}
	for _, c := range []struct {
		name string
		src  []byte
		want error
	}{
		{"more than the chunk", change(7, 65), codec.ErrCorrupt},
		{"far more than the chunk", change(0, 0xff), codec.ErrCorrupt},
		{"less than the chunk", change(7, 60), codec.ErrTruncated},
		{"a block of 7 elements", change(11, 28), codec.ErrCorrupt},
		{"a block of no bytes is the default", change(11, 0), codec.ErrTruncated},
		{"a block beyond the end", change(12, 0xff), codec.ErrTruncated},
		{"a block with less", change(16, 0x10, 0), codec.ErrCorrupt},
	} {
		if _, err := codectest.Decode(lz4, codectest.Exact(64), c.src); !errors.Is(err, c.want) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	plain := must.Get(build(t, 0, `{"itemsize":4}`))(t)
	if _, err := codectest.Decode(plain, codec.Size{N: 100}, data[:63]); !errors.Is(err, codec.ErrTruncated) {
		t.Error(err)
	}
	if _, err := codectest.Decode(plain, codec.Size{N: 60}, data); !errors.Is(err, codec.ErrCorrupt) {
		t.Error(err)
	}
	var config *codec.ConfigError
	for i, list := range [][]string{
		{`{"itemsize":0}`, `{"itemsize":"4"}`, `{"itemsize":1e12}`, `{"blocksize":7}`, `{"blocksize":-8}`, `{"blocksize":null}`},
		{`{}`, `{"compression":"gzip"}`, `{"compression":2}`, `{"itemsize":-1,"compression":"lz4"}`},
	} {
		for _, text := range list {
			if _, err := build(t, i, text); !errors.As(err, &config) {
				t.Errorf("%s: %v", text, err)
			}
		}
	}
}

func FuzzDecode(f *testing.F) {
	data := []byte("some elements of a chunk, with a few more at the end of it")
	f.Add(packed(data, 4, 8, "lz4"), 4, len(data), false)
	f.Add(packed(data, 1, 16, "zstd"), 1, len(data), true)
	decoder := &zstd.Decoder{}
	f.Fuzz(func(t *testing.T, src []byte, size, n int, zstd bool) {
		c := must.Get(build(t, 1, `{"compression":"lz4"}`))(t).(compressed)
		if n &= 1<<16 - 1; zstd {
			c.decode = decoder.DecodeBlock
		}
		c.size = size&63 + 1
		_, _ = codectest.Guarded(t, c, n, src)
		p := plain{c.size, 8 * (n&7 + 1)}
		if _, err := codectest.Decode(p, codec.Size{N: 1 << 16}, src); err != nil && len(src)%c.size == 0 && len(src) <= 1<<16 {
			t.Fatal(err)
		}
	})
}

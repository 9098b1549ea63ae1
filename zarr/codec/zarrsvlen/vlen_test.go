package zarrsvlen

import (
	"bytes"
	"context"
	"errors"
	"strconv"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/tests/codectest"
	"github.com/zarr-wasm/zarr-wasm/tests/must"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
	plain "github.com/zarr-wasm/zarr-wasm/zarr/codec/bytes"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec/inflate"
	"github.com/zarr-wasm/zarr-wasm/zarr/dtype"
	"github.com/zarr-wasm/zarr-wasm/zarr/ndarray"
)

func array(kind dtype.Kind, n int) codec.Array {
	return codec.Array{Shape: []int{n}, Type: &dtype.Type{Kind: kind, Name: "text"}}
}

func newCodec(t testing.TB, config string, a codec.Array) (codec.ArrayToBytes, error) {
	t.Helper()
	v := codectest.JSON(t, config)
	r := codec.NewRegistry(plain.Codec())
	r.Add(inflate.Codecs()...)
	return codectest.As[codec.ArrayToBytes](build(v, codec.Build{Format: 3, Array: a, Registry: r, Limits: codec.Limits{ChunkBytes: 1 << 20}.WithDefaults()}))
}

func config(size int, location, data string) string {
	return `{"index_data_type":"uint` + strconv.Itoa(8*size) + `","index_codecs":[{"name":"bytes","configuration":{"endian":"little"}}],"data_codecs":` + data + location + `}`
}

const (
	raw    = `["bytes"]`
	zipped = `["bytes","zlib"]`
)

func run(c codec.ArrayToBytes, a codec.Array, src []byte) ([][]byte, error) {
	dst := ndarray.New(a.Shape, 0, true)
	err := c.Decode(codec.NewEnv(context.Background(), codec.Limits{}), a, dst, src)
	return dst.Items, err
}

func le(n uint64, size int) (b []byte) {
	for range size {
		b = append(b, byte(n))
		n >>= 8
	}
	return b
}

// index is an index of offsets, with the length of it in front.
func index(size int, offsets ...uint64) []byte {
	b := le(uint64(size*len(offsets)), 8)
	for _, o := range offsets {
		b = append(b, le(o, size)...)
	}
	return b
}

func TestDecode(t *testing.T) {
	want := []string{"a", "", "bcd", "é"}
	const data = "abcdé"
	offsets := []uint64{0, 1, 1, 4, 6}
	for _, size := range []int{4, 8} {
		in := index(size, offsets...)
		end := append(append([]byte(data), in[8:]...), in[:8]...)
		for _, c := range []struct {
			name, config string
			src          []byte
		}{
			{"index at the start", config(size, `,"index_location":"start"`, raw), append(bytes.Clone(in), data...)},
			{"index where it used to be", config(size, "", raw), append(bytes.Clone(in), data...)},
			{"index at the end", config(size, `,"index_location":"end"`, raw), end},
			{"compressed", config(size, "", zipped), append(bytes.Clone(in), codectest.Zlib([]byte(data))...)},
		} {
			a := array(dtype.String, 4)
			codec := must.Get(newCodec(t, c.config, a))(t)
			got, err := run(codec, a, c.src)
			if err != nil {
				t.Errorf("%s: %v", c.name, err)
				continue
			}
			for i := range want {
				if string(got[i]) != want[i] || got[i] == nil {
					t.Errorf("%s: element %d is %q, want %q", c.name, i, got[i], want[i])
				}
			}
		}
	}
}

// Without a byte of data the chain of the data is not applied.
func TestNoData(t *testing.T) {
	a := array(dtype.Bytes, 2)
	c := must.Get(newCodec(t, config(8, "", zipped), a))(t)
	got, err := run(c, a, index(8, 0, 0, 0))
	if err != nil || got[0] == nil || got[1] == nil {
		t.Errorf("%v, %v", got, err)
	}
}

func TestWrong(t *testing.T) {
	a := array(dtype.String, 2)
	c := must.Get(newCodec(t, config(8, "", raw), a))(t)
	for _, test := range []struct {
		name string
		src  []byte
		want error
	}{
		{"nothing", nil, codec.ErrTruncated},
		{"no index", le(24, 8), codec.ErrTruncated},
		{"an index of 2^64-1 bytes", bytes.Repeat([]byte{255}, 40), codec.ErrTruncated},
		{"an offset is missing", index(8, 0, 0), codec.ErrTruncated},
		{"an offset too many", index(8, 0, 0, 0, 0), codec.ErrCorrupt},
		{"fewer bytes", append(index(8, 0, 1, 3), "ab"...), codec.ErrTruncated},
		{"more bytes", append(index(8, 0, 1, 2), "abc"...), codec.ErrCorrupt},
		{"falling offsets", append(index(8, 2, 1, 3), "abc"...), codec.ErrCorrupt},
		{"an offset beyond the last", append(index(8, 0, 4, 3), "abc"...), codec.ErrCorrupt},
		{"not UTF-8", append(index(8, 0, 1, 3), "é\xff"...), codec.ErrCorrupt},
	} {
		if _, err := run(c, a, test.src); !errors.Is(err, test.want) {
			t.Errorf("%s: %v, want %v", test.name, err, test.want)
		}
	}
	var limit *codec.LimitError
	for _, n := range []uint64{1<<20 + 1, 1 << 63, 1<<64 - 1} {
		if _, err := run(c, a, index(8, 0, 0, n)); !errors.As(err, &limit) {
			t.Errorf("%d bytes: %v", n, err)
		}
	}
	for _, wrong := range []string{"{}", config(2, "", raw), config(4, `,"index_location":"middle"`, raw), config(4, "", `[]`), config(4, "", `1`)} {
		if _, err := newCodec(t, wrong, a); err == nil {
			t.Errorf("%s: no error", wrong)
		}
	}
	if _, err := newCodec(t, config(4, "", raw), array(dtype.Ragged, 2)); err == nil {
		t.Error("lists of numbers: no error")
	}
}

func FuzzDecode(f *testing.F) {
	f.Add(append(index(4, 0, 1, 3), "abc"...), false)
	f.Add(append(index(4, 0, 1, 3), codectest.Zlib([]byte("abc"))...), true)
	f.Add(append(index(4, 3, 1, 0), "abc"...), false)
	f.Fuzz(func(t *testing.T, src []byte, compressed bool) {
		data := raw
		if compressed {
			data = zipped
		}
		a := array(dtype.Bytes, 2)
		c := must.Get(newCodec(t, config(4, "", data), a))(t)
		got, err := run(c, a, src)
		if err == nil && (got[0] == nil || got[1] == nil) {
			t.Error("an element was not written")
		}
	})
}

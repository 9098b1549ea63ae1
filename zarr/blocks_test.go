package zarr_test

import (
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/zarr"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
	"github.com/zarr-wasm/zarr-wasm/zarr/grid"
)

// bloscOf puts data into a blosc container of uncompressed blocks, in any order.
func bloscOf(data []byte, block int) []byte {
	n := len(data) / block
	out := []byte{2, 1, 1<<5 | 0x10, 4} // LZ4, not split, not shuffled
	out = binary.LittleEndian.AppendUint32(out, uint32(len(data)))
	out = binary.LittleEndian.AppendUint32(out, uint32(block))
	out = append(out, make([]byte, 4+4*n)...)
	for _, i := range rand.New(rand.NewPCG(1, 2)).Perm(n) {
		binary.LittleEndian.PutUint32(out[16+4*i:], uint32(len(out)))
		out = binary.LittleEndian.AppendUint32(out, uint32(block))
		out = append(out, data[i*block:][:block]...)
	}
	binary.LittleEndian.PutUint32(out[12:], uint32(len(out)))
	return out
}

// TestBlocksOfBlosc reads a small part of a chunk of compressed blocks.
func TestBlocksOfBlosc(t *testing.T) {
	const n, block = 1024, 16 << 10 // four rows
	chunk := make([]byte, 0, 4*n*n)
	for i := range uint32(n * n) {
		chunk = binary.LittleEndian.AppendUint32(chunk, i)
	}
	packed := bloscOf(chunk, block)
	place := func(y int) string {
		from := int64(binary.LittleEndian.Uint32(packed[16+4*(y/4):]))
		return "c/0/0 " + span(from, 4+block)
	}
	objects := map[string][]byte{"c/0/0": packed, "zarr.json": []byte(`{"zarr_format":3,"node_type":"array","shape":[1024,1024],"data_type":"uint32","fill_value":7,
		"chunk_grid":{"name":"regular","configuration":{"chunk_shape":[1024,1024]}},"chunk_key_encoding":{"name":"default"},
		"codecs":[{"name":"bytes","configuration":{"endian":"little"}},{"name":"blosc","configuration":{"cname":"lz4","clevel":5,"shuffle":"noshuffle","typesize":4,"blocksize":0}}]}`)}
	opt := zarr.Options{Requests: zarr.RequestOptions{Waste: 64 << 10, Gap: -1}}
	head := "c/0/0 " + span(0, 8<<10)
	s := sharding{shape: []int{n, n}, levels: [][]int{{n, n}}}
	st, a := openCounted(t, objects, opt)
	s.read(t, a, 10, 18, 3, 900)
	want := []string{head, place(8), place(12), place(16)}
	slices.Sort(want)
	asked := st.take()
	if slices.Sort(asked); !slices.Equal(asked, want) {
		t.Errorf("three blocks: %q, want %q", asked, want)
	}
	s.read(t, a, 500, 501, 0, 1)
	s.read(t, a, 700, 701, 0, 1)
	if asked := st.take(); !slices.Equal(asked, []string{"c/0/0"}) {
		t.Errorf("more of it: %q", asked)
	}
	st, a = openCounted(t, objects, opt)
	s.read(t, a, 0, 300, 0, n)
	if asked := st.take(); !slices.Equal(asked, []string{"c/0/0"}) {
		t.Errorf("much of it: %q", asked)
	}
	st, a = openCounted(t, objects, zarr.Options{})
	s.read(t, a, 0, 1, 0, n)
	if asked := st.take(); !slices.Equal(asked, []string{"c/0/0"}) {
		t.Errorf("of a chunk that is not large: %q", asked)
	}

	// Errors in the part that is read are detected.
	read := func(change func(b []byte) []byte, y int) (*zarr.Result, error) {
		objects["c/0/0"] = change(slices.Clone(packed))
		_, a := openCounted(t, objects, opt)
		return a.Read(t.Context(), []grid.Item{grid.At(int64(y))}, zarr.ReadOptions{})
	}
	for name, change := range map[string]func(b []byte) []byte{
		"cut": func(b []byte) []byte { return b[:100] },
		"a block that begins in the header": func(b []byte) []byte {
			binary.LittleEndian.PutUint32(b[16+4*2:], 20)
			return b
		},
		"a block that begins beyond the end": func(b []byte) []byte {
			binary.LittleEndian.PutUint32(b[16+4*2:], uint32(len(b)))
			return b
		},
		"a stream that is longer than its block": func(b []byte) []byte {
			binary.LittleEndian.PutUint32(b[binary.LittleEndian.Uint32(b[16+4*2:]):], 5*block)
			return b
		},
	} {
		if _, err := read(change, 9); !errors.Is(err, codec.ErrTruncated) && !errors.Is(err, codec.ErrCorrupt) {
			t.Errorf("%s: %v", name, err)
		}
	}
	res, err := read(func(b []byte) []byte { return append(b, 1, 2, 3) }, 9)
	if err != nil || binary.LittleEndian.Uint32(res.Data) != 9*n {
		t.Errorf("something behind the container: %v", err)
	}
	delete(objects, "c/0/0")
	_, a = openCounted(t, objects, opt)
	if res, err := a.Read(t.Context(), []grid.Item{grid.At(5)}, zarr.ReadOptions{}); err != nil || res.Data[4] != 7 {
		t.Errorf("a chunk that is missing: %v", err)
	}
}

func span(from, n int64) string { return store.ByteRange{Offset: from, Length: n}.String() }

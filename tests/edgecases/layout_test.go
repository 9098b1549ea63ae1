package edgecases

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/tests/codectest"
	"github.com/zarr-wasm/zarr-wasm/zarr"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
	"github.com/zarr-wasm/zarr-wasm/zarr/grid"
)

var layoutCases = []edgeCase{
	{15, "chunks larger than the array", func(t *testing.T) {
		chunk := i32(1, 2, 3, -1, 4, 5, 6, -1, -1, -1, -1, -1)
		f := files{"zarr.json": v3([]int{2, 3}, []int{3, 4}, nil).String(), "c/0/0": chunk}
		wantBytes(t, f, i32(1, 2, 3, 4, 5, 6))
		f["c/0/0"] = i32(1, 2, 3, 4, 5, 6)
		damaged(t, f, errTruncated)
	}},
	{16, "dimension of length 0, in the chunks too", func(t *testing.T) {
		for _, c := range []struct{ shape, chunks []int }{
			{[]int{0}, []int{1}}, {[]int{0}, []int{0}}, {[]int{3, 0}, []int{2, 0}}, {[]int{0, 3}, []int{2, 2}},
		} {
			for _, f := range []files{
				{".zarray": v2(c.shape, c.chunks, nil).String()},
				{"zarr.json": v3(c.shape, c.chunks, nil).String()},
			} {
				st := newCounting(f.store())
				a := open(t, st, "")
				st.chunks()
				if res := read(t, a); len(res.Data) != 0 || !slices.Equal(res.Shape, c.shape) {
					t.Errorf("%v: read %v", c, res)
				}
				if keys := st.chunks(); len(keys) > 0 {
					t.Errorf("%v: asked for %q", c, keys)
				}
			}
		}
		refused[*zarr.InvalidMetadataError](t, files{".zarray": v2([]int{3}, []int{0}, nil).String()}, "chunks")
		refused[*zarr.InvalidMetadataError](t, files{"zarr.json": v3([]int{3}, []int{0}, nil).String()}, "chunk")
	}},
	{17, "array of no dimensions", func(t *testing.T) {
		wantBytes(t, files{".zarray": v2(nil, nil, nil).String(), "0": i32(7)}, i32(7))
		wantBytes(t, files{"zarr.json": v3(nil, nil, nil).String(), "c": i32(7)}, i32(7))
		keys := doc{"chunk_key_encoding": named("v2", doc{"separator": "."})}
		wantBytes(t, files{"zarr.json": v3(nil, nil, keys).String(), "0": i32(7)}, i32(7))
	}},
	{18, "folders for dimensions without dimension_separator", folders},
	{19, "dimension_separator that is not the one of the chunks is believed", func(t *testing.T) {
		for _, separators := range []string{"./", "/."} {
			named, other := separators[:1], separators[1:]
			st := newCounting(files{
				"a/.zarray":           v2([]int{2, 2}, []int{1, 1}, doc{"dimension_separator": named, "fill_value": 9}).String(),
				"a/0" + named + "1":   i32(2),
				"a/1" + other + "0":   i32(3),
				"a/0" + other + "1":   i32(4),
				"a/1" + other + "1/x": "",
			}.store())
			a := open(t, st, "a")
			st.chunks()
			want[int32](t, read(t, a), 9, 2, 9, 9)
			if keys := st.chunks(); len(keys) != 4 {
				t.Errorf("asked for %q", keys)
			}
		}
	}},
	{20, "empty chunk object", func(t *testing.T) {
		for _, compressor := range []any{nil, doc{"id": "zlib"}, doc{"id": "gzip"}, doc{"id": "zstd"}, doc{"id": "blosc"}, doc{"id": "lz4"}} {
			f := files{".zarray": v2([]int{4}, []int{4}, doc{"compressor": compressor}).String(), "0": ""}
			damaged(t, f, errTruncated)
		}
		damaged(t, files{"zarr.json": v3([]int{4}, []int{4}, nil).String(), "c/0": ""}, errTruncated)
	}},
	{21, "chunk that was cut", func(t *testing.T) {
		data := i32(1, 2, 3, 4)
		for id, chunk := range map[string]string{
			"": data, "zlib": codectest.Zlib(data), "gzip": gzipped(data), "zstd": zstdFrame(data), "lz4": lz4Sized(data),
			"blosc": blosc(bloscNoSplit|bloscLZ4, 4, len(data), []string{data}),
		} {
			var compressor any
			if id != "" {
				compressor = doc{"id": id}
			}
			f := files{".zarray": v2([]int{4}, []int{4}, doc{"compressor": compressor}).String()}
			for n := range len(chunk) {
				f["0"] = chunk[:n]
				damaged(t, f, errTruncated)
			}
		}
	}},
	{22, "chunk at the edge that was stored without what is outside", func(t *testing.T) {
		damaged(t, files{".zarray": v2([]int{3}, []int{2}, nil).String(), "0": i32(1, 2), "1": i32(3)}, errTruncated)
		f := files{"zarr.json": v3([]int{3}, []int{2}, nil).String(), "c/0": i32(1, 2), "c/1": i32(3)}
		damaged(t, f, errTruncated)
		bounded := doc{"chunk_grid": named("zarrs.regular_bounded", doc{"chunk_shape": []int{2}})}
		f["zarr.json"] = v3([]int{3}, []int{2}, bounded).String()
		wantBytes(t, f, i32(1, 2, 3))
		n5 := files{"c/0": string([]byte{0, 0, 0, 1}) + be(uint32(2)) + be[int32](1, 2), "c/1": string([]byte{0, 0, 0, 1}) + be(uint32(1)) + be[int32](3)}
		n5["zarr.json"] = v3([]int{3}, []int{2}, doc{"codecs": list{named("n5_default", doc{
			"codecs": list{named("transpose", doc{"order": []int{0}}), bigEndian},
		})}}).String()
		wantBytes(t, n5, i32(1, 2, 3))
	}},
	{70, "shape beyond 2^53, product beyond 2^64", func(t *testing.T) {
		const far = 1 << 60
		meta := v3([]int{far, far}, []int{1 << 30, 1}, doc{"data_type": "uint8", "codecs": list{"bytes", named("gzip", doc{"level": 1})}})
		st := newCounting(files{"zarr.json": meta.String()}.store())
		a := open(t, st, "")
		st.chunks()
		res := read(t, a, cut(far-1, far), grid.At(-1))
		want[uint8](t, res, 0)
		if keys := st.chunks(); !slices.Equal(keys, []string{"c/1073741823/1152921504606846975"}) {
			t.Errorf("asked for %q", keys)
		}
		var limit *codec.LimitError
		if _, err := a.Read(t.Context(), nil, zarr.ReadOptions{}); !errors.As(err, &limit) || limit.Limit != "OutputBytes" {
			t.Errorf("all of it: %v", err)
		}
		if keys := st.chunks(); len(keys) > 0 {
			t.Errorf("asked for %q in vain", keys)
		}
	}},
	{74, "rectilinear list [4,2] and runs [[4,2]]", func(t *testing.T) {
		meta := func(edges any, length int) string {
			return v3([]int{length}, nil, doc{"chunk_grid": named("rectilinear", doc{"kind": "inline", "chunk_shapes": list{edges}})}).String()
		}
		wantBytes(t, files{"zarr.json": meta([]int{4, 2}, 6), "c/0": i32(1, 2, 3, 4), "c/1": i32(5, 6)}, i32(1, 2, 3, 4, 5, 6))
		wantBytes(t, files{"zarr.json": meta(list{[]int{4, 2}}, 8), "c/0": i32(1, 2, 3, 4), "c/1": i32(5, 6, 7, 8)}, i32(1, 2, 3, 4, 5, 6, 7, 8))
		refused[*zarr.InvalidMetadataError](t, files{"zarr.json": meta([]int{4, 2}, 8)}, "chunk_shapes")
	}},
	{76, "keys of negative chunks, chunks that only consolidated metadata knows of", func(t *testing.T) {
		f := files{".zarray": v2([]int{4}, []int{2}, nil).String(), "-1": i32(9, 9), "0": i32(1, 2), "2": i32(9, 9)}
		wantBytes(t, f, i32(1, 2, 0, 0))
		meta := doc{"zarr_consolidated_format": 1, "metadata": doc{".zgroup": doc{"zarr_format": 2}, "a/.zarray": v2([]int{4}, []int{2}, doc{"fill_value": 5})}}
		want[int32](t, read(t, open(t, files{".zmetadata": meta.String()}.store(), "a")), 5, 5, 5, 5)
	}},
}

// folders reads an array whose metadata names no separator, and whose chunks are in folders.
func folders(t *testing.T) {
	key := func(i, j string) string { return "a/" + i + "/" + j }
	f := files{
		"a/.zarray":   v2([]int{2, 2}, []int{1, 1}, doc{"fill_value": 9}).String(),
		key("0", "1"): i32(2), key("1", "0"): i32(3),
	}
	st := newCounting(f.store())
	a := open(t, st, "a")
	st.chunks()
	// The first chunk is in neither place, which decides nothing for the others.
	want[int32](t, read(t, a), 9, 2, 3, 9)
	want[int32](t, read(t, a, grid.At(1), grid.At(0)), 3)
	st.chunks()
	want[int32](t, read(t, a, grid.At(0), grid.At(1)), 2)
	if keys := st.chunks(); !slices.Equal(keys, []string{key("0", "1")}) {
		t.Errorf("what was found is not remembered: asked for %q", keys)
	}
	if res, err := a.ReadChunk(t.Context(), []int64{1, 0}, zarr.ReadOptions{}); err != nil {
		t.Error(err)
	} else {
		want[int32](t, res, 3)
	}

	// The error names the key that was read.
	f[key("0", "1")] = "cut"
	_, err := open(t, f.store(), "a").Read(t.Context(), []grid.Item{grid.At(0), grid.At(1)}, zarr.ReadOptions{})
	var damaged *zarr.CodecPipelineError
	if !errors.As(err, &damaged) || damaged.Key != key("0", "1") {
		t.Errorf("%v", err)
	}

	// If all chunks are in place, no request is wasted.
	right := files{"a/.zarray": f["a/.zarray"]}
	for i, k := range []string{"0 0", "0 1", "1 0"} {
		right["a/"+strings.Replace(k, " ", ".", 1)] = i32(int32(i))
	}
	st = newCounting(right.store())
	a = open(t, st, "a")
	st.chunks()
	want[int32](t, read(t, a, grid.At(0), grid.At(0)), 0)
	want[int32](t, read(t, a), 0, 1, 2, 9)
	if keys := st.chunks(); len(keys) != 1+4 {
		t.Errorf("asked for %q", keys)
	}
}

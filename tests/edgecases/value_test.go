package edgecases

import (
	"math"
	"strings"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/store/memstore"
	"github.com/zarr-wasm/zarr-wasm/tests/codectest"
	"github.com/zarr-wasm/zarr-wasm/tests/naive"
	"github.com/zarr-wasm/zarr-wasm/zarr"
)

// wantFill compares an array's fill value, given as JSON, with the bytes of an element.
func wantFill(t *testing.T, format int, dtype any, fill, want string) {
	t.Helper()
	if res := readFill(t, format, dtype, fill); string(res.Data) != want {
		t.Errorf("v%d %v: fill %s is % x, want % x", format, dtype, fill, res.Data, want)
	}
}

// wantFillText is wantFill for types of variable length.
func wantFillText(t *testing.T, format int, dtype any, fill, want string) {
	t.Helper()
	if res := readFill(t, format, dtype, fill); len(res.Items) != 1 || string(res.Items[0]) != want {
		t.Errorf("v%d %v: fill %s is %q, want %q", format, dtype, fill, res.Items, want)
	}
}

func readFill(t *testing.T, format int, dtype any, fill string) *zarr.Result {
	t.Helper()
	f := fillFiles(format, dtype, fill)
	a, err := hierarchy(f.store()).OpenArray(t.Context(), "")
	if err != nil {
		t.Errorf("v%d %v, fill %s: %v", format, dtype, fill, err)
		return &zarr.Result{}
	}
	return read(t, a)
}

func fillFiles(format int, dtype any, fill string) files {
	const mark = `"the fill"`
	meta := v2([]int{1}, []int{1}, doc{"dtype": dtype, "fill_value": "the fill"})
	if dtype == "|O" {
		meta["filters"] = list{doc{"id": "vlen-utf8"}}
	}
	name := ".zarray"
	if format == 3 {
		meta = v3([]int{1}, []int{1}, doc{"data_type": dtype, "fill_value": "the fill"})
		switch dtype {
		case "string":
			meta["codecs"] = list{"vlen-utf8"}
		case "bytes":
			meta["codecs"] = list{"vlen-bytes"}
		}
		name = "zarr.json"
	}
	return files{name: strings.Replace(meta.String(), mark, fill, 1)}
}

const (
	nan32 = 0x7fc00000
	nan64 = 0x7ff8000000000000
)

var valueCases = []edgeCase{
	{34, "v2 order F with filters and texts", func(t *testing.T) {
		// Filters and object codecs see the elements in the chunk's own order, column by column.
		delta := v2([]int{2, 3}, []int{2, 3}, doc{"order": "F", "filters": list{doc{"id": "delta", "dtype": "<i4"}}})
		wantBytes(t, files{".zarray": delta.String(), "0.0": i32(1, 3, -2, 3, -2, 3)}, i32(1, 2, 3, 4, 5, 6))
		texts := v2([]int{2, 3}, []int{2, 3}, doc{"order": "F", "dtype": "|O", "filters": list{doc{"id": "vlen-utf8"}}})
		f := files{".zarray": texts.String(), "0.0": vlen("a", "d", "b", "e", "c", "f")}
		wantItems(t, read(t, open(t, f.store(), "")), "a", "b", "c", "d", "e", "f")
	}},
	{38, "v2 fill_value of null", func(t *testing.T) {
		for dtype, want := range map[string]string{
			"<i4": i32(0), "<f8": le[float64](0), "|b1": "\x00", "|S3": "\x00\x00\x00", "<U2": i32(0, 0), "<M8[s]": le[int64](0), "<c8": le[float32](0, 0),
		} {
			wantFill(t, 2, dtype, "null", want)
		}
		wantFillText(t, 2, "|O", "null", "")
		a := open(t, fillFiles(2, "<i4", "null").store(), "")
		if a.FillDefined {
			t.Error("a fill_value of null counts as defined")
		}
	}},
	{40, "fill of NaN as a text and bare; null is no fill", func(t *testing.T) {
		for _, format := range []int{2, 3} {
			f4, f8 := "<f4", "<f8"
			if format == 3 {
				f4, f8 = "float32", "float64"
			}
			for _, fill := range []string{`"NaN"`, `NaN`} {
				wantFill(t, format, f4, fill, le[uint32](nan32))
				wantFill(t, format, f8, fill, le[uint64](nan64))
			}
		}
		wantFill(t, 3, "float32", "null", le[uint32](0))
		wantFill(t, 2, "<f4", "null", le[uint32](0))
	}},
	{44, "integers beyond 2^53", func(t *testing.T) {
		wantFill(t, 2, "<i8", "-9223372036854775807", le[int64](-math.MaxInt64))
		wantFill(t, 3, "int64", "9007199254740993", le[int64](1<<53+1))
		wantFill(t, 3, "uint64", "18446744073709551615", le[uint64](math.MaxUint64))
		refused[*zarr.InvalidMetadataError](t, fillFiles(3, "uint64", "18446744073709551616"), "18446744073709551616")
		refused[*zarr.InvalidMetadataError](t, fillFiles(3, "int64", "9223372036854775808"), "9223372036854775808")
		a := open(t, files{
			".zarray": v2([]int{1}, []int{1}, nil).String(),
			".zattrs": `{"id": 9007199254740993, "big": 18446744073709551615}`,
		}.store(), "")
		v := a.Metadata().Attributes
		id, ok1 := v.Get("id").Int64()
		big, ok2 := v.Get("big").Uint64()
		if !ok1 || !ok2 || id != 1<<53+1 || big != math.MaxUint64 {
			t.Errorf("attributes %d, %d", id, big)
		}
	}},
	{45, "fill of fixed bytes and structs: base64, 0, list of bytes", func(t *testing.T) {
		fields := list{list{"a", "<i2"}, list{"b", "|S2"}}
		for _, c := range []struct {
			format int
			dtype  any
			fill   string
			want   string
		}{
			{2, "|S3", `"YWJj"`, "abc"},
			{2, "|S3", `"YWI="`, "ab\x00"},
			{2, "|S3", `0`, "\x00\x00\x00"},
			{2, "|V3", `"YWJj"`, "abc"},
			{2, "|V1", `[88]`, "X"},
			{2, "|V2", `0`, "\x00\x00"},
			{2, fields, `"AQB4eQ=="`, "\x01\x00xy"},
			{2, fields, `0`, "\x00\x00\x00\x00"},
			{3, "r16", `[88, 255]`, "X\xff"},
			{3, named("null_terminated_bytes", doc{"length_bytes": 3}), `"YWI="`, "ab\x00"},
			{3, named("raw_bytes", doc{"length_bytes": 2}), `"YWI="`, "ab"},
			{3, named("struct", doc{"fields": list{doc{"name": "a", "data_type": "int16"}, doc{"name": "b", "data_type": "uint8"}}}), `{"a": 1, "b": 2}`, "\x01\x00\x02"},
			{3, named("structured", doc{"fields": list{list{"a", "int16"}, list{"b", "uint8"}}}), `"AQAC"`, "\x01\x00\x02"},
		} {
			wantFill(t, c.format, c.dtype, c.fill, c.want)
		}
	}},
	{46, `texts with a fill of 0, null, "0"`, func(t *testing.T) {
		for fill, want := range map[string]string{`0`: "", `null`: "", `""`: "", `"0"`: "0", `"x"`: "x"} {
			wantFillText(t, 2, "|O", fill, want)
		}
		for fill, want := range map[string]string{`""`: "", `"0"`: "0"} {
			wantFillText(t, 3, "string", fill, want)
		}
		wantFill(t, 2, "<U2", `0`, i32(0, 0))
		wantFill(t, 2, "<U2", `"0"`, i32('0', 0))
	}},
	{47, "fill of datetimes: NaT and integers", func(t *testing.T) {
		datetime := named("numpy.datetime64", doc{"unit": "ns", "scale_factor": 1})
		for fill, want := range map[string]string{`"NaT"`: le[int64](math.MinInt64), `-9223372036854775808`: le[int64](math.MinInt64), `7`: le[int64](7)} {
			wantFill(t, 2, "<M8[ns]", fill, want)
			wantFill(t, 2, ">m8[s]", fill, want)
			wantFill(t, 3, datetime, fill, want)
		}
	}},
	{48, "structs of big-endian fields", func(t *testing.T) {
		data := be[int16](1) + "x" + be[float32](1.5)
		want := le[int16](1) + "x" + le[float32](1.5)
		fields := list{
			doc{"name": "a", "data_type": "int16"}, doc{"name": "b", "data_type": "uint8"}, doc{"name": "c", "data_type": "float32"},
		}
		meta := v3([]int{1}, []int{1}, doc{
			"data_type": named("struct", doc{"fields": fields}), "fill_value": doc{"a": 0, "b": 0, "c": 0}, "codecs": list{bigEndian},
		})
		wantBytes(t, files{"zarr.json": meta.String(), "c/0": data}, want)
		// v2 has an order for each field.
		meta = v2([]int{1}, []int{1}, doc{"dtype": list{list{"a", ">i2"}, list{"b", "|u1"}, list{"c", "<f4"}}})
		wantBytes(t, files{".zarray": meta.String(), "0": be[int16](1) + "x" + le[float32](1.5)}, want)
	}},
	{62, "big-endian bytes of a store are not swapped in place", func(t *testing.T) {
		stored := []byte(be[int32](1, 2, 3))
		for name, meta := range map[string]string{
			".zarray":   v2([]int{3}, []int{3}, doc{"dtype": ">i4"}).String(),
			"zarr.json": v3([]int{3}, []int{3}, doc{"codecs": list{bigEndian}}).String(),
		} {
			st := memstore.New(map[string][]byte{name: []byte(meta), "0": stored, "c/0": stored})
			a := open(t, st, "")
			for range 2 {
				want[int32](t, read(t, a), 1, 2, 3)
				chunk, err := a.ReadChunk(t.Context(), []int64{0}, zarr.ReadOptions{})
				if err != nil {
					t.Fatal(err)
				}
				want[int32](t, chunk, 1, 2, 3)
			}
			if string(stored) != be[int32](1, 2, 3) {
				t.Fatal("the store's bytes were changed")
			}
		}
	}},
	{63, "numbers at odd places of a shard", func(t *testing.T) {
		body := "x" + le(1.5, 2.5) + "yy" + le(3.5, 4.5)
		idx := index(entry{1, 16}, entry{19, 16})
		f := files{"c/0": body + idx + crc32c(idx)}
		f["zarr.json"] = v3([]int{4}, []int{4}, doc{"data_type": "float64", "codecs": list{sharding([]int{2}, nil)}}).String()
		wantBytes(t, f, le(1.5, 2.5, 3.5, 4.5))
	}},
	{66, "float8_e4m3 and float8_e4m3fn are two types", func(t *testing.T) {
		inf, nan := float32(math.Inf(1)), math.Float32frombits(nan32)
		for name, numbers := range map[string][]float32{
			"float8_e4m3":   {240, inf, nan, nan},
			"float8_e4m3fn": {240, 256, 448, nan},
		} {
			meta := v3([]int{4}, []int{4}, doc{"data_type": "float32", "codecs": list{named("cast_value", doc{"data_type": name}), "bytes"}})
			wantBytes(t, files{"zarr.json": meta.String(), "c/0": "\x77\x78\x7e\x7f"}, le(numbers...))
		}
		wantFill(t, 3, "float8_e4m3", `"Infinity"`, "\x78")
		refused[*zarr.InvalidMetadataError](t, fillFiles(3, "float8_e4m3fn", `"Infinity"`), "fill_value")
		wantFill(t, 2, "float8_e4m3fn", `448`, "\x7e") // tensorstore's name in v2
	}},
	{67, "bfloat16 in v2", func(t *testing.T) {
		meta := v2([]int{4}, []int{2}, doc{"dtype": "bfloat16", "fill_value": 1.5})
		f := files{".zarray": meta.String(), "0": le[uint16](0x3f80, 0xc000)}
		wantBytes(t, f, le[uint16](0x3f80, 0xc000, 0x3fc0, 0x3fc0))
		if name := open(t, f.store(), "").DType().Name; name != "bfloat16" {
			t.Errorf("the type is %s", name)
		}
	}},
	{80, "fill of uint64 beyond 2^53", func(t *testing.T) {
		wantFill(t, 2, "<u8", "18446744073709551615", le[uint64](math.MaxUint64))
		wantFill(t, 2, ">u8", "9007199254740993", le[uint64](1<<53+1))
		wantFill(t, 3, "uint64", "9007199254740993", le[uint64](1<<53+1))
	}},
	{81, "NCZarr: numbers as texts, fill as a list of one, +Infinity", func(t *testing.T) {
		meta := v2([]int{4}, []int{4}, doc{
			"filters":    list{doc{"id": "shuffle", "elementsize": "4"}},
			"compressor": doc{"id": "zlib", "level": "1"}, "fill_value": list{0},
		})
		wantBytes(t, files{".zarray": meta.String(), "0": codectest.Zlib(string(naive.Shuffle([]byte(i32(1, 2, 3, 4)), 4)))}, i32(1, 2, 3, 4))
		wantFill(t, 2, "<i4", "[7]", i32(7))
		wantFill(t, 2, "<f4", `["NaN"]`, le[uint32](nan32))
		wantFill(t, 2, "<f4", `"+Infinity"`, le(float32(math.Inf(1))))
		wantFill(t, 2, "<f4", `"-Infinity"`, le(float32(math.Inf(-1))))
	}},
	{85, "fill of floats bit by bit", func(t *testing.T) {
		for _, format := range []int{2, 3} {
			f2, f4, f8 := "<f2", "<f4", "<f8"
			if format == 3 {
				f2, f4, f8 = "float16", "float32", "float64"
			}
			wantFill(t, format, f4, `"0x7fc00001"`, le[uint32](0x7fc00001))
			wantFill(t, format, f4, `"0xffc00000"`, le[uint32](0xffc00000))
			wantFill(t, format, f8, `"0x7ff0000000000001"`, le[uint64](0x7ff0000000000001))
			wantFill(t, format, f2, `5.960464477539063e-08`, le[uint16](1)) // the smallest subnormal
			wantFill(t, format, f2, `"0x0001"`, le[uint16](1))
			wantFill(t, format, f4, `1e-45`, le[uint32](1))
			wantFill(t, format, f8, `-0.0`, le[uint64](1<<63))
			wantFill(t, format, f4, `-0.0`, le[uint32](1<<31))
			wantFill(t, format, f2, `-0.0`, le[uint16](1<<15))
		}
		refused[*zarr.InvalidMetadataError](t, fillFiles(3, "float32", `"0x7fc0"`), "fill_value")
	}},
}

package dtype

import (
	"bytes"
	"reflect"
	"strconv"
	"testing"
)

func TestSwapRanges(t *testing.T) {
	for _, c := range []struct {
		doc  string
		want []Swap
	}{
		{`"|i1"`, nil},
		{`"|S4"`, nil},
		{`"|V8"`, nil},
		{`"<U0"`, nil},
		{`"|O"`, nil},
		{`">i2"`, []Swap{{0, 2, 1, Big}}},
		{`">c16"`, []Swap{{0, 8, 2, Big}}},
		{`"<U3"`, []Swap{{0, 4, 3, Little}}},
		{`[["a", "|u1"], ["b", ">f4"], ["c", ">u4"], ["d", "<u4"], ["e", ">i8"]]`,
			[]Swap{{1, 4, 2, Big}, {9, 4, 1, Little}, {13, 8, 1, Big}}},
		{`[["m", ">i2", [2, 3]], ["n", [["x", "|b1"], ["y", "<f8"]], 2]]`,
			[]Swap{{0, 2, 6, Big}, {13, 8, 1, Little}, {22, 8, 1, Little}}},
	} {
		typ := v2(t, c.doc)
		if got := typ.SwapRanges(); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %v", c.doc, got)
		}
		if typ.HasOrder() != (c.want != nil) {
			t.Errorf("%s: HasOrder %v", c.doc, typ.HasOrder())
		}
	}
	opt := v3(t, `{"name": "optional", "configuration": {"name": "int16"}}`)
	if got := opt.SwapRanges(); !reflect.DeepEqual(got, []Swap{{1, 2, 1, None}}) {
		t.Errorf("optional: %v", got)
	}
}

func ascending(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(i)
	}
	return b
}

func TestToLittle(t *testing.T) {
	for _, c := range []struct {
		doc   string
		order Order
		n     int
		want  []byte
	}{
		{`">i2"`, None, 5, []byte{1, 0, 3, 2, 4}},
		{`"<i2"`, None, 4, []byte{0, 1, 2, 3}},
		{`"<i2"`, Big, 4, []byte{1, 0, 3, 2}},
		{`">i2"`, Little, 4, []byte{0, 1, 2, 3}},
		{`">f4"`, None, 12, []byte{3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8}},
		{`">u8"`, None, 8, []byte{7, 6, 5, 4, 3, 2, 1, 0}},
		{`">c8"`, None, 8, []byte{3, 2, 1, 0, 7, 6, 5, 4}},
		{`">U1"`, None, 4, []byte{3, 2, 1, 0}},
		{`"|S4"`, Big, 4, []byte{0, 1, 2, 3}},
		{`[["a", "|u1"], ["b", ">i2"], ["c", "<i2"]]`, None, 10, []byte{0, 2, 1, 3, 4, 5, 7, 6, 8, 9}},
		{`[["a", "|u1"], ["b", ">i2"], ["c", "<i2"]]`, Big, 10, []byte{0, 2, 1, 4, 3, 5, 7, 6, 9, 8}},
		{`[["m", ">i2", [2]], ["x", "|u1"]]`, None, 10, []byte{1, 0, 3, 2, 4, 6, 5, 8, 7, 9}},
	} {
		data := ascending(c.n)
		v2(t, c.doc).ToLittle(data, c.order)
		if !bytes.Equal(data, c.want) {
			t.Errorf("%s, order %d: %v", c.doc, c.order, data)
		}
	}
	v2(t, `">i4"`).ToLittle(nil, None)
	v2(t, `"<U0"`).ToLittle(ascending(4), Big)
	v3(t, `"string"`).ToLittle(ascending(4), Big)
}

// checkSwaps swaps as SwapRanges says, scalar by scalar, and compares with
// ToLittle.
func checkSwaps(t *testing.T, typ *Type) {
	t.Helper()
	if typ.Size == 0 {
		typ.ToLittle(ascending(9), Big)
		typ.Normalize(ascending(9))
		return
	}
	const elems = 3
	for _, order := range []Order{None, Little, Big} {
		got := ascending(elems*typ.Size + 1)
		want := bytes.Clone(got)
		typ.ToLittle(got, order)
		for e := range elems {
			for _, s := range typ.SwapRanges() {
				o := order
				if o == None {
					o = s.Order
				}
				for i := range s.Count {
					at := e*typ.Size + s.Offset + i*s.Width
					for l, r := at, at+s.Width-1; o == Big && l < r; l, r = l+1, r-1 {
						want[l], want[r] = want[r], want[l]
					}
				}
			}
		}
		if !bytes.Equal(got, want) {
			t.Fatalf("%s, order %d: ToLittle and SwapRanges differ", typ.V2String(), order)
		}
		typ.Normalize(got)
	}
}

func TestToLittleAgreesWithSwapRanges(t *testing.T) {
	for _, doc := range []string{
		`">i2"`, `">u8"`, `">c16"`, `">U7"`, `"|b1"`,
		`[["a", "|u1"], ["b", ">i2"], ["c", "<f8"]]`,
		`[["m", [["x", ">i2", [3]], ["y", "|b1"]], [2, 2]], ["z", ">M8[s]"]]`,
		`[["m", [["x", ">i2"], ["y", ">c8", 2]], 4]]`,
	} {
		checkSwaps(t, v2(t, doc))
	}
	for _, doc := range []string{maybe, maybe2, record, `"complex_bfloat16"`, `"complex_float8_e4m3"`} {
		checkSwaps(t, v3(t, doc))
	}
}

func TestNormalize(t *testing.T) {
	for _, c := range []struct {
		doc      string
		in, want []byte
	}{
		{`"bool"`, []byte{0, 1, 2, 255}, []byte{0, 1, 1, 1}},
		{`"int2"`, []byte{0x01, 0x02, 0x03, 0xfd}, []byte{0x01, 0xfe, 0xff, 0x01}},
		{`"int4"`, []byte{0x07, 0x08, 0xf3}, []byte{0x07, 0xf8, 0x03}},
		{`"uint2"`, []byte{0xff, 0x05}, []byte{0x03, 0x01}},
		{`"uint4"`, []byte{0xff, 0x10}, []byte{0x0f, 0x00}},
		{`"float4_e2m1fn"`, []byte{0x9f}, []byte{0x0f}},
		{`"float6_e3m2fn"`, []byte{0xff}, []byte{0x3f}},
		{`"complex_float4_e2m1fn"`, []byte{0x9f, 0x12}, []byte{0x0f, 0x02}},
		{`"uint8"`, []byte{0xff, 0x10}, []byte{0xff, 0x10}},
		{`"int16"`, []byte{0xff, 0x10}, []byte{0xff, 0x10}},
		{`{"name": "optional", "configuration": {"name": "bool"}}`, []byte{9, 9, 0, 7}, []byte{1, 1, 0, 1}},
		{`{"name": "struct", "configuration": {"fields": [["a", "uint8"], ["b", "int4"]]}}`, []byte{9, 9, 9, 8}, []byte{9, 0xf9, 9, 0xf8}},
	} {
		typ := v3(t, c.doc)
		typ.Normalize(c.in)
		if !bytes.Equal(c.in, c.want) {
			t.Errorf("%s: %v, want %v", c.doc, c.in, c.want)
		}
	}
	sub := v2(t, `[["a", "|b1", [2, 2]], ["c", "|u1"]]`)
	data := []byte{5, 0, 6, 7, 8, 0, 0, 9, 1, 9}
	sub.Normalize(data)
	if !bytes.Equal(data, []byte{1, 0, 1, 1, 8, 0, 0, 1, 1, 9}) {
		t.Errorf("sub-array of bool: %v", data)
	}
}

func BenchmarkToLittle(b *testing.B) {
	data := ascending(1 << 20)
	for _, width := range []int{2, 4, 8} {
		b.Run(strconv.Itoa(width), func(b *testing.B) {
			typ := &Type{Kind: Uint, Size: width, Order: Big}
			b.SetBytes(int64(len(data)))
			for b.Loop() {
				typ.ToLittle(data, None)
			}
		})
	}
}

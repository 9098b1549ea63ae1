package optional

import (
	"bytes"
	"errors"
	"slices"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/tests/codectest"
	"github.com/zarr-wasm/zarr-wasm/tests/must"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
	plain "github.com/zarr-wasm/zarr-wasm/zarr/codec/bytes"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec/inflate"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec/packbits"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec/vlen"
	"github.com/zarr-wasm/zarr-wasm/zarr/dtype"
)

func array(t testing.TB, typ string, shape ...int) codec.Array {
	t.Helper()
	parsed := must.Get(dtype.ParseV3(codectest.JSON(t, typ), dtype.Limits{}))(t)
	return codec.Array{Shape: shape, Type: parsed, Fill: parsed.Zero()}
}

func newCodec(t testing.TB, config string, a codec.Array) (codec.ArrayToBytes, error) {
	t.Helper()
	r := codec.NewRegistry(Codec(), plain.Codec(), packbits.Codec())
	r.Add(inflate.Codecs()...)
	r.Add(vlen.Codecs()...)
	return codectest.As[codec.ArrayToBytes](build(codectest.JSON(t, config), codec.Build{Format: 3, Array: a, Registry: r, Limits: codec.Limits{}.WithDefaults()}))
}

func lengths(mask, data int) string {
	b := make([]byte, 16)
	b[0], b[8] = byte(mask), byte(data)
	return string(b)
}

const (
	u8     = `{"name":"optional","configuration":{"name":"uint8"}}`
	u16    = `{"name":"zarrs.optional","configuration":{"name":"uint16"}}`
	nested = `{"name":"optional","configuration":` + u8 + `}`
	text   = `{"name":"optional","configuration":{"name":"string"}}`

	packed = `"mask_codecs":["packbits"],"data_codecs":["bytes"]`
	deep   = `"mask_codecs":["packbits"],"data_codecs":[{"name":"optional","configuration":{` + packed + `}}]`
	big    = `"mask_codecs":["bytes"],"data_codecs":[{"name":"bytes","configuration":{"endian":"big"}},"zlib"]`
	texts  = `"mask_codecs":["packbits"],"data_codecs":["vlen-utf8"]`
)

func TestFixed(t *testing.T) {
	// Zlib's empty stream, which a writer may put where there are no elements.
	none := codectest.Zlib("")
	for _, c := range []struct{ name, typ, config, src, want string }{
		{"some are there", u8, packed, lengths(1, 3) + "\x0d" + "\x00\x02\x03", "\x01\x00\x00\x00\x01\x02\x01\x03"},
		{"none is there", u8, packed, lengths(1, 0) + "\x00", "\x00\x00\x00\x00\x00\x00\x00\x00"},
		{"all are there", u8, packed, lengths(1, 4) + "\x0f" + "\x01\x02\x03\x04", "\x01\x01\x01\x02\x01\x03\x01\x04"},
		{"mask bytes that are not 1", u16, big, lengths(4, len(codectest.Zlib("\x01\x02"))) + "\x00\x07\x00\x00" + codectest.Zlib("\x01\x02"), "\x00\x00\x00\x01\x02\x01\x00\x00\x00\x00\x00\x00"},
		{"none, encoded", u16, big, lengths(4, len(none)) + "\x00\x00\x00\x00" + none, string(make([]byte, 12))},
		// null, [null], [[2]], [[3]]
		{"nested", nested, deep, lengths(1, 19) + "\x0e" + lengths(1, 2) + "\x06" + "\x02\x03", "\x00\x00\x00\x01\x00\x00\x01\x01\x02\x01\x01\x03"},
	} {
		a := array(t, c.typ, 2, 2)
		codec := must.Get(newCodec(t, "{"+c.config+"}", a))(t)
		got, err := codectest.DecodeArray(codec, a, []byte(c.src))
		if err != nil || string(got.Data) != c.want {
			t.Errorf("%s: %x, %v", c.name, got.Data, err)
		}
	}
}

func TestVariable(t *testing.T) {
	a := array(t, text, 4)
	c := must.Get(newCodec(t, "{"+texts+"}", a))(t)
	data := "\x02\x00\x00\x00\x00\x00\x00\x00\x03\x00\x00\x00abc"
	got := must.Get(codectest.DecodeArray(c, a, []byte(lengths(1, len(data))+"\x06"+data)))(t)
	if got.Items[0] != nil || got.Items[1] == nil || len(got.Items[1]) != 0 || string(got.Items[2]) != "abc" || got.Items[3] != nil {
		t.Errorf("%q", got.Items)
	}
	// As many elements as the mask says, no more and no fewer.
	for _, mask := range []string{"\x07", "\x02"} {
		if _, err := codectest.DecodeArray(c, a, []byte(lengths(1, len(data))+mask+data)); err == nil {
			t.Errorf("mask %x: no error", mask)
		}
	}
}

func TestWrong(t *testing.T) {
	a := array(t, u8, 4)
	c := must.Get(newCodec(t, "{"+packed+"}", a))(t)
	huge := bytes.Repeat([]byte{255}, 8)
	for _, test := range []struct {
		name, src string
		want      error
	}{
		{"nothing", "", codec.ErrTruncated},
		{"half of the lengths", lengths(1, 1)[:15], codec.ErrTruncated},
		{"no elements", lengths(1, 3) + "\x0d", codec.ErrTruncated},
		{"an element is missing", lengths(1, 2) + "\x0d\x01\x02", codec.ErrTruncated},
		{"an element too many", lengths(1, 4) + "\x0d\x01\x02\x03\x04", codec.ErrCorrupt},
		{"bytes at the end", lengths(1, 3) + "\x0d\x01\x02\x03\x04", codec.ErrCorrupt},
		{"no mask", lengths(0, 3) + "\x01\x02\x03", codec.ErrTruncated},
		{"a mask of 2^64-1 bytes", string(huge) + lengths(0, 0)[8:], codec.ErrTruncated},
		{"lengths whose sum is small", string(huge) + "\x02" + lengths(0, 0)[9:] + "\x00", codec.ErrTruncated},
	} {
		if _, err := codectest.DecodeArray(c, a, []byte(test.src)); !errors.Is(err, test.want) {
			t.Errorf("%s: %v, want %v", test.name, err, test.want)
		}
	}
	for _, test := range []struct{ typ, config string }{
		{`"uint8"`, packed}, {u8, `"mask_codecs":["packbits"]`}, {u8, `"data_codecs":["bytes"]`}, {u8, texts}, {u8, `"mask_codecs":["vlen-utf8"],"data_codecs":["bytes"]`},
		{u16, packed}, // bytes without endian
	} {
		if _, err := newCodec(t, "{"+test.config+"}", array(t, test.typ, 4)); err == nil {
			t.Errorf("%s %s: no error", test.typ, test.config)
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte(lengths(1, 3) + "\x0d\x01\x02\x03"))
	f.Add([]byte(lengths(1, 19) + "\x0e" + lengths(1, 2) + "\x06" + "\x02\x03"))
	f.Add([]byte(lengths(1, 15) + "\x06\x02\x00\x00\x00\x00\x00\x00\x00\x03\x00\x00\x00abc"))
	f.Fuzz(func(t *testing.T, src []byte) {
		for _, c := range [][2]string{{u8, packed}, {nested, deep}, {text, texts}} {
			a := array(t, c[0], 4)
			codec := must.Get(newCodec(t, "{"+c[1]+"}", a))(t)
			got, err := codectest.DecodeArray(codec, a, src)
			if err == nil && slices.Contains(got.Data, 0xee) && !bytes.Contains(src, []byte{0xee}) {
				t.Errorf("%s: an element was not written: %x", c[0], got.Data)
			}
		}
	})
}

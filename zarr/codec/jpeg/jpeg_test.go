package jpeg

import (
	"bytes"
	"encoding/base64"
	"errors"
	"image"
	"image/color"
	gojpeg "image/jpeg"
	"slices"
	"strings"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/tests/codectest"
	"github.com/zarr-wasm/zarr-wasm/tests/must"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
)

// picture returns an image of smooth colours, or grey, as the standard library writes it.
func picture(t testing.TB, width, height int, grey bool) []byte {
	t.Helper()
	var img image.Image
	if grey {
		m := image.NewGray(image.Rect(0, 0, width, height))
		for i := range m.Pix {
			m.Pix[i] = byte(i % width * 5)
		}
		img = m
	} else {
		m := image.NewRGBA(image.Rect(0, 0, width, height))
		for i := range width * height {
			m.SetRGBA(i%width, i/width, color.RGBA{byte(3 * (i % width)), byte(4 * (i / width)), 90, 255})
		}
		img = m
	}
	var b bytes.Buffer
	must.Do(t, gojpeg.Encode(&b, img, &gojpeg.Options{Quality: 95}))
	return b.Bytes()
}

func newDecoder(t testing.TB, config string, shape ...int) codec.BytesToBytes {
	t.Helper()
	return must.Get(codectest.As[codec.BytesToBytes](Codec().New(codectest.JSON(t, config), codec.Build{Array: codec.Array{Shape: shape}})))(t)
}

// apart divides an image into its tables and the rest, as TIFF does.
func apart(t testing.TB, src []byte) (tables, rest []byte) {
	t.Helper()
	tables, rest = []byte{0xff, markSOI}, []byte{0xff, markSOI}
	for src = src[2:]; ; {
		kind, segment, _, err := cut(src)
		if err != nil {
			t.Fatal(err)
		}
		if kind == markSOS {
			return append(tables, 0xff, markEOI), append(rest, src...)
		}
		if src = src[len(segment):]; kind == markDHT || kind == markDQT {
			tables = append(tables, segment...)
		} else {
			rest = append(rest, segment...)
		}
	}
}

// A test of the command compares the pixels of many files with those that GDAL reads.
func TestTablesMayBeApart(t *testing.T) {
	for _, grey := range []bool{false, true} {
		src := picture(t, 33, 17, grey)
		shape, colours := []int{17, 33, 3}, `,"colorspace_jpeg":3,"colorspace_data":2`
		if grey {
			shape, colours = []int{1, 17, 33}, ``
		}
		size := codectest.Exact(33 * 17 * map[bool]int{false: 3, true: 1}[grey])
		want := must.Get(codectest.Decode(newDecoder(t, `{}`, shape...), size, src))(t)
		tables, rest := apart(t, src)
		config := `{"tables":"` + base64.StdEncoding.EncodeToString(tables) + `"` + colours + `}`
		got := must.Get(codectest.Decode(newDecoder(t, config, shape...), size, rest))(t)
		if !bytes.Equal(got, want) {
			t.Error("other pixels")
		}
		if _, err := codectest.Decode(newDecoder(t, `{}`, shape...), size, rest); !errors.Is(err, codec.ErrCorrupt) {
			t.Errorf("without tables: %v", err)
		}
	}
}

func TestColoursAreThoseOfThePicture(t *testing.T) {
	src := picture(t, 64, 48, false)
	got := must.Get(codectest.Decode(newDecoder(t, `{}`, 48, 64, 3), codectest.Exact(48*64*3), src))(t)
	for i := range 48 * 64 {
		for k, want := range [3]int{3 * (i % 64), 4 * (i / 64), 90} {
			if d := int(got[3*i+k]) - want; d < -6 || d > 6 {
				t.Fatalf("pixel %d: %v", i, got[3*i:3*i+3])
			}
		}
	}
	// The components themselves, whose first is the brightness.
	raw := must.Get(codectest.Decode(newDecoder(t, `{"colorspace_jpeg":3,"colorspace_data":3}`, 48, 64, 3), codectest.Exact(48*64*3), src))(t)
	for i := range 48 * 64 {
		y, _, _ := color.RGBToYCbCr(got[3*i], got[3*i+1], got[3*i+2])
		if d := int(raw[3*i]) - int(y); d < -2 || d > 2 {
			t.Fatalf("pixel %d: %d, not %d", i, raw[3*i], y)
		}
	}
}

// Adobe's mark with no transform means RGB, and JFIF's means YCbCr.
const (
	adobe = "\xff\xee\x00\x0eAdobe\x00\x64\x00\x00\x00\x00\x00"
	jfif  = "\xff\xe0\x00\x10JFIF\x00\x01\x01\x00\x00\x01\x00\x01\x00\x00"
)

// Tables may begin with marks of their writer, and with an interval of restarts.
func TestOnlyTablesAreTakenOfTables(t *testing.T) {
	tables, rest := apart(t, picture(t, 33, 17, false))
	marked := append([]byte("\xff\xd8"+jfif+"\xff\xdd\x00\x04\x00\x01"), tables[2:]...)
	size := codectest.Exact(33 * 17 * 3)
	var all [2][]byte
	for i, one := range [][]byte{tables, marked} {
		config := `{"tables":"` + base64.StdEncoding.EncodeToString(one) + `","colorspace_jpeg":2}`
		all[i] = must.Get(codectest.Decode(newDecoder(t, config, 17, 33, 3), size, rest))(t)
	}
	if !bytes.Equal(all[0], all[1]) {
		t.Error("other pixels")
	}
}

func TestOtherColoursAreUnsupported(t *testing.T) {
	three := picture(t, 16, 8, false)
	asRGB := append([]byte("\xff\xd8"+adobe), three[2:]...)
	four := bytes.Clone(three)
	i := bytes.Index(four, []byte{0xff, 0xc0})
	four = slices.Concat(four[:i], []byte("\xff\xc0\x00\x14\x08\x00\x08\x00\x10\x04\x01\x11\x00\x02\x11\x00\x03\x11\x00\x04\x11\x00"), four[i+19:])
	for _, c := range []struct {
		config     string
		src        []byte
		components int
	}{
		{`{"colorspace_data":3}`, asRGB, 3},
		{`{"colorspace_jpeg":2,"colorspace_data":"YCBCR"}`, three, 3},
		{`{"colorspace_jpeg":1}`, three, 3},
		{`{"colorspace_jpeg":5}`, four, 4},
		{`{"colorspace_jpeg":3}`, four, 4},
	} {
		var u *codec.UnsupportedError
		if _, err := codectest.Decode(newDecoder(t, c.config, 8, 16, c.components), codectest.Exact(8*16*c.components), c.src); !errors.As(err, &u) {
			t.Errorf("%s: %v", c.config, err)
		}
	}
}

// Ten bytes of a frame header would make the library allocate four bytes for each sample.
func TestCoefficientsAreLimited(t *testing.T) {
	src := picture(t, 16, 8, false)
	src[bytes.Index(src, []byte{0xff, 0xc0})+1] = markSOF2
	for most, limited := range map[int64]bool{16*8*4*3/2 - 1: true, 16 * 8 * 4 * 3 / 2: false} {
		env := codec.NewEnv(t.Context(), codec.Limits{DecoderBytes: most})
		_, err := newDecoder(t, `{}`, 8, 16, 3).Decode(env, codec.Output{Size: codectest.Exact(16 * 8 * 3)}, src)
		var l *codec.LimitError
		if errors.As(err, &l) != limited {
			t.Errorf("%d bytes: %v", most, err)
		}
	}
}

func TestShapesAreChecked(t *testing.T) {
	src := picture(t, 32, 16, false)
	for _, c := range []struct {
		config string
		shape  []int
		want   error
	}{
		{`{}`, []int{16, 32, 3}, nil},
		{`{}`, []int{2, 8, 32, 3}, nil},
		{`{}`, []int{32, 16, 3}, codec.ErrCorrupt},
		{`{}`, []int{16, 96}, codec.ErrCorrupt},
		{`{}`, []int{20, 32, 3}, codec.ErrTruncated},
		{`{}`, []int{8, 32, 3}, codec.ErrCorrupt},
		{`{"short":true}`, []int{20, 32, 3}, nil},
		{`{"short":true}`, []int{8, 32, 3}, codec.ErrCorrupt},
	} {
		n := 1
		for _, m := range c.shape {
			n *= m
		}
		got, err := codectest.Decode(newDecoder(t, c.config, c.shape...), codectest.Exact(n), src)
		if !errors.Is(err, c.want) || err == nil && len(got) != n {
			t.Errorf("%s %v: %d bytes, %v", c.config, c.shape, len(got), err)
		}
		if err == nil && slices.ContainsFunc(got[16*32*3:], func(b byte) bool { return b != 0 }) {
			t.Errorf("%v: no zeros after the image", c.shape)
		}
	}
}

func TestConfigurationsAreChecked(t *testing.T) {
	var config *codec.ConfigError
	var feature *codec.UnsupportedError
	for text, target := range map[string]any{
		`{"tables":5}`: &config, `{"tables":"!"}`: &config, `{"tables":"AAAA"}`: &config, `{"colorspace_jpeg":"x"}`: &config, `{"colorspace_data":-1}`: &config,
		`{"header":"AAAA"}`: &feature, `{"lossless":true}`: &feature, `{"bitspersample":12}`: &feature,
	} {
		if _, err := build(codectest.JSON(t, text), codec.Build{}); !errors.As(err, target) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestEveryDamagedByteHasANamedError(t *testing.T) {
	d := newDecoder(t, `{}`, 9, 17, 3)
	src := picture(t, 17, 9, false)
	for i := range src {
		b := bytes.Clone(src)
		b[i] ^= []byte{1, 0x80, 0xff, 0x10}[i%4]
		_, _ = codectest.Guarded(t, d, 17*9*3, b)
		if _, err := codectest.Guarded(t, d, 17*9*3, src[:i]); err == nil && i < len(src)-2 {
			t.Fatalf("%d of %d bytes are an image", i, len(src))
		}
	}
}

func TestManyScansAreRejected(t *testing.T) {
	src := picture(t, 17, 9, true)
	src = append(src[:len(src)-2], strings.Repeat("\xff\xda\x00\x08\x01\x01\x00\x00\x3f\x00", 100)...)
	var u *codec.UnsupportedError
	if _, err := codectest.Decode(newDecoder(t, `{}`, 9, 17), codectest.Exact(17*9), src); !errors.As(err, &u) {
		t.Error(err)
	}
}

func FuzzDecode(f *testing.F) {
	f.Add(picture(f, 17, 9, false), 17*9*3, byte(3), false)
	f.Add(picture(f, 17, 9, true), 17*9, byte(1), true)
	f.Fuzz(func(t *testing.T, src []byte, n int, components byte, short bool) {
		n &= 1<<14 - 1
		d := decoder{shape: []int{9, 17}, short: short, stored: int(components >> 2 & 3)}
		if components &= 3; components != 1 {
			d.shape = append(d.shape, int(components)|1)
		}
		_, _ = codectest.Guarded(t, d, n, src)
	})
}

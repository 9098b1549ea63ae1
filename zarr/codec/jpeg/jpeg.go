// Package jpeg has the codec imagecodecs_jpeg of the Python package imagecodecs, for version 2. It
// decodes JPEG images of 8 bits, among them those of TIFF, whose tables are stored apart. The
// standard library decodes the components; this package joins the tables, limits the work, and
// makes pixels of the components as libjpeg does.
package jpeg

import (
	"context"
	"encoding/base64"
	"image"
	gojpeg "image/jpeg"
	"io"

	"github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
)

const id = "imagecodecs_jpeg"

// Codec returns the codec. Its members are those of imagecodecs, and one more: short, which is true
// for images that may have fewer rows than the chunk. The other rows are zeros.
func Codec() codec.Entry {
	return codec.Entry{
		IDs: []string{id}, Doc: codec.Doc("JPEG of 8 bits, with the tables of TIFF"),
		Kind: codec.KindBytesToBytes, Cost: codec.Cost{Decode: 10_000}, New: build,
	}
}

// The colours of components, by the numbers of libjpeg.
const (
	asMarked = 0
	rgb      = 2
	ycc      = 3
	ycck     = 5
)

// decoder decodes images of a chunk's shape.
type decoder struct {
	tables []byte // segments of tables
	stored int    // the colours in the image
	raw    bool   // YCbCr stays YCbCr
	short  bool
	shape  []int
}

func build(config json.Value, b codec.Build) (any, error) {
	wrong := func(msg string) (any, error) { return nil, &codec.ConfigError{Codec: id, Msg: msg} }
	d := decoder{shape: b.Array.Shape}
	if v := config.Get("tables"); !v.IsNull() {
		text, ok := v.Text()
		tables, err := base64.StdEncoding.DecodeString(text)
		if ok = ok && err == nil; ok {
			d.tables, ok = tablesOf(tables)
		}
		if !ok {
			return wrong("tables are not a JPEG in base64")
		}
	}
	for _, name := range []string{"header", "lossless"} {
		if v := config.Get(name); !v.IsNull() {
			if on, ok := v.Bool(); !ok || on {
				return nil, &codec.UnsupportedError{Feature: id + " with the member " + name}
			}
		}
	}
	if v := config.Get("bitspersample"); !v.IsNull() {
		if n, _ := v.Int64(); n != 8 {
			return nil, &codec.UnsupportedError{Feature: id + " of other samples than 8 bits"}
		}
	}
	var ok bool
	if d.stored, ok = colours(config.Get("colorspace_jpeg")); !ok {
		return wrong("colorspace_jpeg is not the number of a colour space")
	}
	result, ok := colours(config.Get("colorspace_data"))
	if !ok {
		return wrong("colorspace_data is not the number of a colour space")
	}
	d.raw = result == ycc
	d.short, _ = config.Get("short").Bool()
	return d, nil
}

// colours reads the number or the name of a colour space.
func colours(v json.Value) (int, bool) {
	if v.IsNull() {
		return asMarked, true
	}
	switch text, _ := v.Text(); text {
	case "RGB":
		return rgb, true
	case "YCBCR":
		return ycc, true
	}
	n, ok := v.Int64()
	return int(n), ok && n >= 0 && n < 32
}

// EncodedSize implements codec.BytesToBytes.
func (decoder) EncodedSize(decoded codec.Size) codec.Size { return codec.Compressed(decoded) }

// Decode implements codec.BytesToBytes.
func (d decoder) Decode(env *codec.Env, out codec.Output, src []byte) ([]byte, error) {
	h, stream, err := d.join(env, src)
	if err != nil {
		return nil, err
	}
	size := int64(h.width) * int64(h.height) * int64(h.components)
	whole, err := out.Padded(env, size, d.short)
	switch {
	case err != nil:
		return nil, err
	case !d.fits(h):
		return nil, codec.Corrupt("the image has other rows than the chunk")
	}
	if err := codec.CheckLimit("DecoderBytes", env.Limits.WithDefaults().DecoderBytes, h.coefficients, "a progressive JPEG"); err != nil {
		return nil, err
	}
	img, err := gojpeg.Decode(&reader{env.Ctx, stream})
	if err != nil {
		return nil, named(err)
	}
	dst := out.Grow(env, whole)[:whole]
	clear(dst[size:])
	switch img := img.(type) {
	case *image.Gray:
		rows(dst, img.Pix, img.Stride, h, 1, 0)
	case *image.RGBA:
		if d.raw {
			return nil, &codec.UnsupportedError{Feature: "YCbCr of a JPEG with the colours RGB"}
		}
		rows(dst, img.Pix, img.Stride, h, 4, 0)
	case *image.CMYK: // the library inverts the components
		rows(dst, img.Pix, img.Stride, h, 4, 0xff)
	case *image.YCbCr:
		pixels(dst, img, d.raw)
	default:
		return nil, &codec.UnsupportedError{Feature: "the colours of this JPEG"}
	}
	return dst, nil
}

// fits reports whether the rows of an image are those of the chunk.
func (d decoder) fits(h header) bool {
	shape := d.shape
	if h.components > 1 {
		if len(shape) == 0 || shape[len(shape)-1] != h.components {
			return false
		}
		shape = shape[:len(shape)-1]
	}
	for len(shape) > 0 && shape[len(shape)-1] == 1 && h.width > 1 {
		shape = shape[:len(shape)-1]
	}
	return len(shape) > 0 && shape[len(shape)-1] == h.width
}

// rows copies the components of pixels that have `step` bytes.
func rows(dst, pix []byte, stride int, h header, step int, invert byte) {
	at := 0
	for y := range h.height {
		line := pix[y*stride:]
		for x := range h.width {
			for k := range h.components {
				dst[at] = line[x*step+k] ^ invert
				at++
			}
		}
	}
}

// reader reads an image until its context is cancelled.
type reader struct {
	ctx context.Context
	b   []byte
}

func (r *reader) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	if len(r.b) == 0 {
		return 0, io.EOF
	}
	n := copy(p, r.b)
	r.b = r.b[n:]
	return n, nil
}

// named converts an error of the library.
func named(err error) error {
	switch e := err.(type) {
	case gojpeg.FormatError:
		return codec.Corrupt("the JPEG is damaged: " + string(e))
	case gojpeg.UnsupportedError:
		return &codec.UnsupportedError{Feature: "JPEG: " + string(e)}
	}
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return codec.Truncated("ends inside of the JPEG")
	}
	return err
}

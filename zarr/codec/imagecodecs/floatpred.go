package imagecodecs

import (
	"github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
	"github.com/zarr-wasm/zarr-wasm/zarr/dtype"
)

// floatpred is TIFF's predictor 3 (Adobe Photoshop TIFF Technical Note 3). A line holds the highest
// bytes of all its numbers, then the next ones, and so on. Each byte is the difference from the
// same sample of the pixel before.
type floatpred struct {
	predictor
	big bool // the decoded numbers are big-endian
}

func newFloatpred(config json.Value, _ codec.Build) (any, error) {
	const id = "imagecodecs_floatpred"
	p, t, err := newPredictor(id, config)
	if err != nil {
		return nil, err
	}
	if err := checkDist(id, config); err != nil {
		return nil, err
	}
	if t.Kind != dtype.Float {
		return nil, &codec.UnsupportedError{Feature: id + " of other than floating-point numbers"}
	}
	p.width = t.Size
	return floatpred{p, t.Order == dtype.Big}, nil
}

// Decode implements codec.BytesToBytes.
func (f floatpred) Decode(env *codec.Env, out codec.Output, src []byte) ([]byte, error) {
	dst, err := f.grow(env, out, src)
	if err != nil {
		return nil, err
	}
	for i := 0; i < len(src); i += f.line {
		f.decodeLine(dst[i:i+f.line], src[i:i+f.line])
	}
	return out.Check(dst)
}

// decodeLine decodes a line. The sums run over the planes of bytes in turn, and go on from one to
// the next.
func (f floatpred) decodeLine(dst, src []byte) {
	samples, n := f.step/f.width, len(src)/f.width
	for sample := range samples {
		sum := byte(0)
		plane, at := 0, sample
		for i := sample; i < len(src); i += samples {
			for at >= n {
				at -= n
				plane++
			}
			sum += src[i]
			to := at*f.width + plane
			if !f.big {
				to = at*f.width + f.width - 1 - plane
			}
			dst[to] = sum
			at += samples
		}
	}
}

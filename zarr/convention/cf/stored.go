package cf

import (
	"github.com/zarr-wasm/zarr-wasm/zarr/dtype"
	"github.com/zarr-wasm/zarr-wasm/zarr/ndarray"
)

// Stored returns the type of the stored elements: the array's type after _Unsigned.
func (d *Decoder) Stored() *dtype.Type { return d.from }

// Packing returns the scale_factor and the add_offset of the stored elements, or 1 and 0.
func (d *Decoder) Packing() (scale, offset float64) {
	scale = 1
	if d.scale != nil {
		scale = *d.scale
	}
	if d.offset != nil {
		offset = *d.offset
	}
	return scale, offset
}

// Masks reports whether the attributes declare stored elements missing.
func (d *Decoder) Masks() bool {
	return len(d.missing) > 0 || len(d.pairs) > 0 || d.least != nil || d.most != nil
}

// Mask sets masked for each packed stored element that the attributes declare missing, and clears
// the others. It leaves NaN out. The type must be numeric, and masked has an entry for each
// element.
func (d *Decoder) Mask(src []byte, masked []bool) {
	if d.from.Kind == dtype.Complex {
		for i := range masked {
			re, im := ndarray.Load(src, 2*i, d.from.Elem), ndarray.Load(src, 2*i+1, d.from.Elem)
			masked[i] = false
			for _, p := range d.pairs {
				masked[i] = masked[i] || re.Float() == p[0].Float() && im.Float() == p[1].Float()
			}
		}
		return
	}
	domain := ndarray.DomainOf(d.from)
	var room [ndarray.Batch]ndarray.Number
	for i := 0; i < len(masked); i += ndarray.Batch {
		part := masked[i:min(i+ndarray.Batch, len(masked))]
		nums := room[:len(part)]
		ndarray.LoadAll(nums, src, i, d.from)
		d.mask(nums, domain, part)
	}
}

package cf

import (
	"math"
	"strconv"
	"unicode/utf8"

	"github.com/zarr-wasm/zarr-wasm/zarr/dtype"
	"github.com/zarr-wasm/zarr-wasm/zarr/ndarray"
)

// nan holds the bits of numpy's quiet NaN, which has no payload; math.NaN has one.
const nan ndarray.Number = 0x7ff8 << 48

// Decode decodes packed little-endian numbers and booleans. src holds elements of the stored type,
// and dst room for as many of [Decoder.Type]. Missing elements become NaN. Integer times keep their
// missing values; [Decoder.Times] reports them. The error is an *Error for text and for lengths
// that do not match.
func (d *Decoder) Decode(dst, src []byte) (Counts, error) {
	n, err := d.count(src)
	if err != nil {
		return Counts{}, err
	}
	if d.Form == Text || d.Type.Variable() {
		return Counts{}, &Error{Unsupported: true, Msg: "text is decoded by Texts"}
	}
	if len(dst) != n*d.Type.Size {
		return Counts{}, &Error{Msg: "dst has " + strconv.Itoa(len(dst)) + " bytes, not " + strconv.Itoa(n*d.Type.Size)}
	}
	return d.decode(dst, src, nil), nil
}

// count returns the number of elements in src.
func (d *Decoder) count(src []byte) (int, error) {
	if size := d.from.Size; size == 0 || len(src)%size != 0 {
		return 0, &Error{Msg: strconv.Itoa(len(src)) + " bytes are not elements of " + d.from.Name}
	}
	return len(src) / d.from.Size, nil
}

// decode decodes elements whose lengths have been checked. It sets marks, unless nil, for the
// masked ones.
func (d *Decoder) decode(dst, src []byte, marks []bool) Counts {
	switch {
	case d.Form == Bools:
		ndarray.Cast(dst, d.Type, src, d.from)
		return Counts{}
	case d.from.Kind == dtype.Complex:
		return d.complex(dst, src)
	case d.Form == Same:
		copy(dst, src)
		return Counts{}
	}
	domain := ndarray.DomainOf(d.from)
	integers := isInteger(d.Type)
	checksNaN := domain == ndarray.DomainReal || !finite(d.scale) || !finite(d.offset)
	var counts Counts
	var masked [ndarray.Batch]bool
	at := 0
	ndarray.Batches(dst, d.Type, src, d.from, func(nums []ndarray.Number) {
		before := counts.Masked
		if len(d.missing) > 0 || d.least != nil || d.most != nil {
			counts.Masked += d.mask(nums, domain, masked[:len(nums)])
			if marks != nil {
				copy(marks[at:], masked[:len(nums)])
			}
		}
		at += len(nums)
		if integers {
			counts.Missing = counts.Masked
			return
		}
		ndarray.ConvertAll(nums, domain, ndarray.DomainReal)
		if counts.Masked > before {
			for k, is := range masked[:len(nums)] {
				if is {
					nums[k] = nan
				}
			}
		}
		if d.scale != nil {
			for k, n := range nums {
				nums[k] = ndarray.FloatNumber(n.Float() * *d.scale)
			}
		}
		if d.offset != nil {
			for k, n := range nums {
				nums[k] = ndarray.FloatNumber(n.Float() + *d.offset)
			}
		}
		if !checksNaN {
			counts.Missing = counts.Masked
			return
		}
		for k, n := range nums {
			if math.IsNaN(n.Float()) {
				nums[k] = nan
				counts.Missing++
			}
		}
	})
	return counts
}

func finite(f *float64) bool { return f == nil || !math.IsNaN(*f) && !math.IsInf(*f, 0) }

// mask finds the numbers that the attributes declare missing, and returns their count. It leaves
// NaN out, which is missing by itself.
func (d *Decoder) mask(nums []ndarray.Number, domain ndarray.Domain, masked []bool) (count int64) {
	clear(masked)
	few := d.missing
	if len(few) > 8 { // more values are looked up for each element
		few = nil
		for k, n := range nums {
			if domain == ndarray.DomainReal {
				n = ndarray.FloatNumber(n.Float() + 0)
			}
			_, masked[k] = d.has[n]
		}
	}
	for _, m := range few {
		if domain == ndarray.DomainReal {
			for k, n := range nums {
				if n.Float() == m.Float() {
					masked[k] = true
				}
			}
			continue
		}
		for k, n := range nums {
			if n == m {
				masked[k] = true
			}
		}
	}
	if d.least != nil || d.most != nil {
		for k, n := range nums {
			if d.least != nil && d.least.compare(n, domain) < 0 || d.most != nil && d.most.compare(n, domain) > 0 {
				masked[k] = true
			}
		}
	}
	for _, is := range masked {
		if is {
			count++
		}
	}
	return count
}

// complex decodes complex numbers. A batch holds whole numbers.
func (d *Decoder) complex(dst, src []byte) (counts Counts) {
	ndarray.Batches(dst, elem(d.Type), src, elem(d.from), func(nums []ndarray.Number) {
		for k := 0; k < len(nums); k += 2 {
			re, im := nums[k].Float(), nums[k+1].Float()
			for _, p := range d.pairs {
				if re == p[0].Float() && im == p[1].Float() {
					nums[k], nums[k+1] = nan, nan
					counts.Masked++
				}
			}
			if math.IsNaN(nums[k].Float()) || math.IsNaN(nums[k+1].Float()) {
				counts.Missing++
			}
		}
	})
	return counts
}

// TextShape returns the shape of the result of [Decoder.Texts] for a region of the given shape.
// Joining characters removes the last dimension.
func (d *Decoder) TextShape(shape []int) []int {
	if d.joins && len(shape) > 0 {
		return shape[:len(shape)-1]
	}
	return shape
}

// Texts decodes a region's bytes to strings without trailing NULs. It reads UTF-8, and falls back
// to Latin-1 for invalid UTF-8.
func (d *Decoder) Texts(src []byte, shape []int) ([]string, error) {
	if d.from.Kind != dtype.Char {
		return nil, &Error{Unsupported: true, Msg: d.from.Name + " is not a type of fixed-width bytes"}
	}
	size, n := d.from.Size, 1
	for _, length := range shape {
		n *= length
	}
	if n*size != len(src) {
		return nil, &Error{Msg: strconv.Itoa(len(src)) + " bytes are not of that shape"}
	}
	if d.joins && len(shape) > 0 {
		size, n = size*shape[len(shape)-1], 1
		for _, length := range shape[:len(shape)-1] {
			n *= length
		}
	}
	texts := make([]string, n)
	for i := range texts {
		texts[i] = text(src[i*size : (i+1)*size])
	}
	return texts, nil
}

func text(b []byte) string {
	for len(b) > 0 && b[len(b)-1] == 0 {
		b = b[:len(b)-1]
	}
	if utf8.Valid(b) {
		return string(b)
	}
	runes := make([]rune, len(b))
	for i, c := range b {
		runes[i] = rune(c)
	}
	return string(runes)
}

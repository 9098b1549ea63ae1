package pyramid

import (
	"math"
	"math/bits"

	"github.com/zarr-wasm/zarr-wasm/zarr/convention/cf"
	"github.com/zarr-wasm/zarr-wasm/zarr/dtype"
	"github.com/zarr-wasm/zarr-wasm/zarr/ndarray"
)

// Method is the rule that computes an element of a level from the elements of the level before.
type Method string

// The methods. All but the last ignore missing elements. If all elements are missing, the first one
// is the result.
const (
	MethodMean    Method = "mean"    // rounded half to even for integers
	MethodMode    Method = "mode"    // the most frequent one; the first of several
	MethodMax     Method = "max"     // of unpacked values
	MethodMin     Method = "min"     // of unpacked values
	MethodNearest Method = "nearest" // the first element
)

// reducer halves blocks of one array along some dimensions.
type reducer struct {
	stored *dtype.Type // of the elements, after _Unsigned
	method Method
	halved []bool
	cf     *cf.Decoder // nil if no attribute declares elements missing
	// weights, if set, has the weight of each index along dimension along, for each level.
	weights [][]float64
	along   int
	// coordinate reports the coordinates of a halved dimension. Blocks are whole arrays.
	coordinate bool
}

// isNumeric reports whether elements can be averaged and compared.
func isNumeric(t *dtype.Type) bool {
	return ndarray.DomainOf(t) != ndarray.DomainNone || t.Kind == dtype.Complex
}

// reduced returns the shape of a block after halving. A last odd element stays alone.
func reduced(shape []int, halved []bool) []int {
	out := make([]int, len(shape))
	for d, n := range shape {
		if out[d] = n; halved[d] {
			out[d] = (n + 1) / 2
		}
	}
	return out
}

// reduce returns the next level of a block of a level. from is the block's start along the
// dimension of weights. The block begins at even indices.
func (r *reducer) reduce(in ndarray.Block, level int, from int64) (ndarray.Block, error) {
	shape := reduced(in.Shape, r.halved)
	out := ndarray.New(shape, in.Size, in.Items != nil)
	if r.method == MethodNearest {
		strides := ndarray.Strides(in.Shape)
		for d, half := range r.halved {
			if half {
				strides[d] *= 2
			}
		}
		return out, ndarray.Copy(out, ndarray.Layout{Strides: ndarray.Strides(shape)}, in, ndarray.Layout{Strides: strides}, shape)
	}
	w := r.newRow(in.Shape, shape)
	last := len(in.Shape) - 1
	strides := ndarray.Strides(in.Shape)
	at := make([]int, len(shape))
	for n := 0; n < out.Len(); n += w.out {
		w.clear()
		w.gather(in, strides, at, last, 0, 0, level, from)
		w.put(out.Data, n)
		for d := last - 1; d >= 0; d-- {
			if at[d]++; at[d] < shape[d] {
				break
			}
			at[d] = 0
		}
	}
	if r.coordinate {
		r.extrapolate(out, in)
	}
	return out, nil
}

// extrapolate sets the last coordinate of an odd length to the centre of a whole element. Half of
// that element lies beyond the array. Coordinates remain evenly spaced, as the conventions require.
func (r *reducer) extrapolate(out, in ndarray.Block) {
	n := in.Shape[0]
	if n%2 == 0 || n < 3 {
		return
	}
	domain := r.domain()
	real := func(i int) float64 {
		return ndarray.Convert(ndarray.Load(in.Data, i, r.stored), domain, ndarray.DomainReal).Float()
	}
	x := ndarray.FloatNumber(real(n-1) + (real(n-1)-real(n-2))/2)
	if domain != ndarray.DomainReal {
		x = ndarray.Convert(ndarray.FloatNumber(math.RoundToEven(x.Float())), ndarray.DomainReal, domain)
	}
	ndarray.Store(out.Data, n/2, r.stored, x)
}

// row reduces the input rows of one output row.
type row struct {
	*reducer
	in, out int  // lengths of rows
	half    uint // 1 if the last dimension is halved, else 0
	nums    []ndarray.Number
	masked  []bool
	first   []ndarray.Number // the first element of each output element
	seen    []bool           // whether first is set
	count   []int32          // of elements that are not missing

	sum, weight []float64 // for means of real numbers, and with weights
	low         []uint64  // for means of integers: sums of 128 bits
	high        []int64
	best        []ndarray.Number // for max and min
	all         []ndarray.Number // for mode: up to each elements
	each        int
}

func (r *reducer) newRow(in, out []int) *row {
	last := len(in) - 1
	w := &row{reducer: r, in: in[last], out: out[last], each: 1}
	for _, half := range r.halved {
		if half {
			w.each *= 2
		}
	}
	if r.halved[last] {
		w.half = 1
	}
	parts := 1
	if r.stored.Kind == dtype.Complex {
		parts = 2
	}
	w.nums = make([]ndarray.Number, w.in*parts)
	if r.cf != nil {
		w.masked = make([]bool, w.in)
	}
	w.first, w.seen, w.count = make([]ndarray.Number, w.out*parts), make([]bool, w.out), make([]int32, w.out)
	switch {
	case r.method == MethodMode:
		w.all = make([]ndarray.Number, w.out*w.each)
	case r.method != MethodMean:
		w.best = make([]ndarray.Number, w.out)
	case r.domain() == ndarray.DomainReal || r.weights != nil:
		w.sum, w.weight = make([]float64, w.out*parts), make([]float64, w.out)
	default:
		w.low, w.high = make([]uint64, w.out), make([]int64, w.out)
	}
	return w
}

// domain returns the domain of the numbers, or of the parts of complex numbers.
func (r *reducer) domain() ndarray.Domain {
	if r.stored.Kind == dtype.Complex {
		return ndarray.DomainReal
	}
	return ndarray.DomainOf(r.stored)
}

func (w *row) clear() {
	clear(w.seen)
	clear(w.count)
	clear(w.sum)
	clear(w.weight)
	clear(w.low)
	clear(w.high)
}

// gather adds the input rows of an output row, in C order. d is the dimension to descend into.
func (w *row) gather(in ndarray.Block, strides, at []int, last, d, offset, level int, from int64) {
	if d < last {
		if !w.halved[d] {
			w.gather(in, strides, at, last, d+1, offset+at[d]*strides[d], level, from)
			return
		}
		for i := 2 * at[d]; i < min(2*at[d]+2, in.Shape[d]); i++ {
			below := from
			if d == w.along {
				below += int64(i) // the row's index along the dimension of weights
			}
			w.gather(in, strides, at, last, d+1, offset+i*strides[d], level, below)
		}
		return
	}
	data := in.Data[offset*in.Size : (offset+w.in)*in.Size]
	if w.cf != nil {
		w.cf.Mask(data, w.masked)
	}
	weights := func(int) float64 { return 1 }
	if w.weights != nil {
		all := w.weights[level]
		if weights = func(int) float64 { return all[from] }; w.along == last {
			weights = func(i int) float64 { return all[from+int64(i)] }
		}
	}
	if w.stored.Kind == dtype.Complex {
		ndarray.LoadAll(w.nums, data, 0, w.stored.Elem)
		w.addComplex(weights)
		return
	}
	ndarray.LoadAll(w.nums, data, 0, w.stored)
	for i, n := range w.nums {
		if o := i >> w.half; !w.seen[o] {
			w.first[o], w.seen[o] = n, true
		}
	}
	switch {
	case w.sum != nil:
		w.addReal(weights)
	case w.low != nil:
		w.addIntegers()
	case w.best != nil:
		w.compare()
	default:
		for i, n := range w.nums {
			if o := i >> w.half; !w.missing(i, n) {
				w.all[o*w.each+int(w.count[o])] = n
				w.count[o]++
			}
		}
	}
}

// notATime is the datetime64 and timedelta64 NaT.
const notATime = ndarray.Number(1 << 63)

// missing reports whether the i-th element of the row is missing.
func (w *row) missing(i int, n ndarray.Number) bool {
	if w.masked != nil && w.masked[i] {
		return true
	}
	switch w.stored.Kind {
	case dtype.Float, dtype.MiniFloat:
		f := n.Float()
		return f != f
	case dtype.DateTime, dtype.TimeDelta:
		return n == notATime
	}
	return false
}

func (w *row) addReal(weights func(int) float64) {
	domain := w.domain()
	for i, n := range w.nums {
		if w.missing(i, n) {
			continue
		}
		o := i >> w.half
		f := ndarray.Convert(n, domain, ndarray.DomainReal).Float()
		if w.weights == nil {
			w.sum[o] += f
			w.weight[o]++
		} else {
			of := weights(i)
			w.sum[o] += of * f
			w.weight[o] += of
		}
		w.count[o]++
	}
}

func (w *row) addComplex(weights func(int) float64) {
	for i := range w.in {
		o := i >> w.half
		a, b := w.nums[2*i], w.nums[2*i+1]
		if !w.seen[o] {
			w.first[2*o], w.first[2*o+1], w.seen[o] = a, b, true
		}
		re, im := a.Float(), b.Float()
		if w.masked != nil && w.masked[i] || re != re || im != im {
			continue
		}
		of := weights(i)
		if w.weights != nil {
			re, im = re*of, im*of
		}
		w.sum[2*o] += re
		w.sum[2*o+1] += im
		w.weight[o] += of
		w.count[o]++
	}
}

func (w *row) addIntegers() {
	signed := w.domain() == ndarray.DomainSigned
	for i, n := range w.nums {
		if w.missing(i, n) {
			continue
		}
		o := i >> w.half
		var carry uint64
		w.low[o], carry = bits.Add64(w.low[o], uint64(n), 0)
		w.high[o] += int64(carry)
		if signed && int64(n) < 0 {
			w.high[o]--
		}
		w.count[o]++
	}
}

func (w *row) compare() {
	domain := w.domain()
	for i, n := range w.nums {
		if w.missing(i, n) {
			continue
		}
		o := i >> w.half
		better := w.method == MethodMax && less(w.best[o], n, domain) || w.method == MethodMin && less(n, w.best[o], domain)
		if w.count[o] == 0 || better {
			w.best[o] = n
		}
		w.count[o]++
	}
}

func less(a, b ndarray.Number, domain ndarray.Domain) bool {
	switch domain {
	case ndarray.DomainSigned:
		return int64(a) < int64(b)
	case ndarray.DomainUnsigned:
		return a < b
	}
	return a.Float() < b.Float()
}

// put writes the output row to the elements from the n-th on.
func (w *row) put(data []byte, n int) {
	if w.stored.Kind == dtype.Complex {
		for o := range w.out {
			if w.count[o] > 0 {
				w.first[2*o] = ndarray.FloatNumber(w.sum[2*o] / w.weight[o])
				w.first[2*o+1] = ndarray.FloatNumber(w.sum[2*o+1] / w.weight[o])
			}
		}
		ndarray.StoreAll(data, 2*n, w.stored.Elem, w.first)
		return
	}
	for o, count := range w.count {
		if count > 0 {
			w.first[o] = w.result(o)
		}
	}
	ndarray.StoreAll(data, n, w.stored, w.first)
}

// result returns the o-th element of the output row, which has elements that are not missing.
func (w *row) result(o int) ndarray.Number {
	switch {
	case w.best != nil:
		return w.best[o]
	case w.low != nil:
		return divide(w.high[o], w.low[o], uint64(w.count[o]))
	case w.sum != nil && w.domain() == ndarray.DomainReal:
		if w.weight[o] == 0 {
			return w.first[o]
		}
		return ndarray.FloatNumber(w.sum[o] / w.weight[o])
	case w.sum != nil:
		if w.weight[o] == 0 {
			return w.first[o]
		}
		return ndarray.Convert(ndarray.FloatNumber(math.RoundToEven(w.sum[o]/w.weight[o])), ndarray.DomainReal, w.domain())
	}
	all := w.all[o*w.each : o*w.each+int(w.count[o])]
	best, most := all[0], 0
	for _, n := range all {
		times := 0
		for _, other := range all {
			if other == n {
				times++
			}
		}
		if times > most {
			best, most = n, times
		}
	}
	return best
}

// divide divides a signed sum of 128 bits, and rounds half to even. The quotient has 64 bits.
func divide(high int64, low, by uint64) ndarray.Number {
	negative := high < 0
	hi, lo := uint64(high), low
	if negative {
		var borrow uint64
		lo, borrow = bits.Sub64(0, lo, 0)
		hi, _ = bits.Sub64(0, hi, borrow)
	}
	q, rest := bits.Div64(hi, lo, by)
	if rest > by-rest || rest == by-rest && q&1 == 1 {
		q++
	}
	if negative {
		q = -q
	}
	return ndarray.Number(q)
}

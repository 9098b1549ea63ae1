package cf

import (
	"math"
	"math/big"

	"github.com/zarr-wasm/zarr-wasm/zarr/dtype"
	"github.com/zarr-wasm/zarr-wasm/zarr/ndarray"
)

// Times holds the elements of a variable of the form Time or Timedelta, with their mask. It
// computes dates on demand.
type Times struct {
	Counts  Counts
	typ     *dtype.Type
	data    []byte
	missing []bool
	units   *Units
	unit    unit
}

// Times decodes elements of a variable of the form Time or Timedelta. The error is an *Error for
// other forms, and for a src of the wrong length.
func (d *Decoder) Times(src []byte) (*Times, error) {
	if d.Form != Time && d.Form != Timedelta {
		return nil, &Error{Msg: "the variable has no units of time"}
	}
	n, err := d.count(src)
	if err != nil {
		return nil, err
	}
	t := &Times{typ: d.Type, data: make([]byte, n*d.Type.Size), missing: make([]bool, n), units: d.Units, unit: d.timedelta}
	t.Counts = d.decode(t.data, src, t.missing)
	return t, nil
}

// Len returns the number of elements.
func (t *Times) Len() int { return len(t.missing) }

// Missing reports whether element i is missing.
func (t *Times) Missing(i int) bool {
	return t.missing[i] || t.typ.Kind == dtype.Float && math.IsNaN(t.Value(i))
}

// Value returns the number of element i, as a binary64.
func (t *Times) Value(i int) float64 {
	return ndarray.Convert(ndarray.Load(t.data, i, t.typ), ndarray.DomainOf(t.typ), ndarray.DomainReal).Float()
}

// Date returns the date of element i. It returns false for a missing one. The error is an *Error
// for a time beyond the range of [Date], and for durations.
func (t *Times) Date(i int) (Date, bool, error) {
	if t.units == nil {
		return Date{}, false, &Error{Msg: "durations are not dates"}
	}
	if t.Missing(i) {
		return Date{}, false, nil
	}
	var date Date
	var err error
	switch n := ndarray.Load(t.data, i, t.typ); t.typ.Kind {
	case dtype.Int:
		date, err = t.units.DateInt(int64(n))
	case dtype.Uint:
		date, err = t.units.DateUint(uint64(n))
	default:
		date, err = t.units.Date(n.Float())
	}
	return date, err == nil, err
}

// Microseconds returns the duration of element i, rounded half up. It returns false for a missing
// one or a number of more than 64 bits.
func (t *Times) Microseconds(i int) (int64, bool) {
	if t.units != nil || t.Missing(i) {
		return 0, false
	}
	n := ndarray.Load(t.data, i, t.typ)
	v := new(big.Rat)
	switch t.typ.Kind {
	case dtype.Int:
		v.SetInt64(int64(n))
	case dtype.Uint:
		v.SetUint64(uint64(n))
	default:
		if v.SetFloat64(n.Float()) == nil {
			return 0, false
		}
	}
	v.Mul(v, big.NewRat(t.unit.count, 1)).Mul(v, big.NewRat(microsPerDay, t.unit.perDay))
	micros, rest := new(big.Int).DivMod(v.Num(), v.Denom(), new(big.Int))
	if rest.Lsh(rest, 1).Cmp(v.Denom()) >= 0 {
		micros.Add(micros, big.NewInt(1))
	}
	return micros.Int64(), micros.IsInt64()
}

package cf

import (
	"strconv"
	"strings"

	"github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/zarr/dtype"
	"github.com/zarr-wasm/zarr-wasm/zarr/ndarray"
)

// Flags holds the meanings of flags: flag_values, flag_masks and flag_meanings (CF 3.5).
type Flags struct {
	// Meanings holds the words of flag_meanings.
	Meanings      []string
	values, masks []uint64
	bits          int
}

// parseFlags reads the flags of a variable of integers of bits bits. It returns nil where there are
// none.
func parseFlags(get func(name string) json.Value, bits int) (*Flags, error) {
	text, values, masks := get("flag_meanings"), get("flag_values"), get("flag_masks")
	if !text.Exists() || !values.Exists() && !masks.Exists() {
		return nil, nil
	}
	words, ok := text.Text()
	if !ok {
		return nil, invalid("flag_meanings", "expected a string, not "+shown(text))
	}
	f := &Flags{Meanings: strings.Fields(words), bits: bits}
	integers := func(name string, v json.Value) ([]uint64, error) {
		if !v.Exists() {
			return nil, nil
		}
		list := listed(v)
		if len(list) != len(f.Meanings) {
			return nil, invalid(name, strconv.Itoa(len(list))+" values for "+strconv.Itoa(len(f.Meanings))+" meanings")
		}
		all := make([]uint64, len(list))
		for i, one := range list {
			n, fits, _ := integerOf(one, &dtype.Type{Kind: dtype.Int, Size: 8})
			if !fits {
				n, fits, _ = integerOf(one, &dtype.Type{Kind: dtype.Uint, Size: 8})
			}
			if !fits {
				return nil, invalid(name, "expected an integer, not "+shown(one))
			}
			all[i] = f.low(uint64(n))
		}
		return all, nil
	}
	var err error
	if f.values, err = integers("flag_values", values); err != nil {
		return nil, err
	}
	if f.masks, err = integers("flag_masks", masks); err != nil {
		return nil, err
	}
	return f, nil
}

// low returns the low bits of n, as many as the variable's integers have.
func (f *Flags) low(n uint64) uint64 { return n << (64 - f.bits) >> (64 - f.bits) }

// Of returns the meanings of a value. With flag_values alone that is at most one.
func (f *Flags) Of(value int64) []string {
	bits := f.low(uint64(value))
	has := []string{}
	for i, meaning := range f.Meanings {
		is := false
		switch {
		case f.masks == nil:
			is = bits == f.values[i]
		case f.values == nil:
			is = bits&f.masks[i] != 0
		default:
			is = bits&f.masks[i] == f.values[i]
		}
		if is {
			has = append(has, meaning)
		}
	}
	return has
}

// OfElement returns the meanings of decoded element i. NaN and fractions have none.
func (f *Flags) OfElement(data []byte, i int, t *dtype.Type) []string {
	n := ndarray.Load(data, i, t)
	if ndarray.DomainOf(t) == ndarray.DomainReal {
		v := n.Float()
		if v != float64(int64(v)) {
			return []string{}
		}
		return f.Of(int64(v))
	}
	return f.Of(int64(n))
}

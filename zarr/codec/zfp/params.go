package zfp

import (
	"math"

	"github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
)

// params are the common parameters of all modes of zfp (zfp, "Expert mode").
type params struct {
	minbits int // bits of a block at least: the rest is skipped
	maxbits int // and at most
	maxprec int // bit planes of a block at most
	minexp  int // the exponent of the lowest bit plane, of floating-point values
}

const (
	maxBits = 16658 // no block has more
	maxPrec = 64
	minExp  = -1074
	// most exceeds every valid parameter of a block, so that sums do not overflow.
	most = 1 << 30
)

// reversible reports whether the mode is reversible: its minexp is below all others.
func (p params) reversible() bool { return p.minexp < minExp }

func anyBits() params { return params{minbits: 1, maxbits: maxBits, maxprec: maxPrec, minexp: minExp} }

func reversible() params {
	p := anyBits()
	p.minexp = minExp - 1
	return p
}

func fixedRate(bits int) params {
	p := anyBits()
	p.minbits, p.maxbits = bits, bits
	return p
}

func fixedPrecision(planes int) params {
	p := anyBits()
	p.maxprec = planes
	return p
}

func fixedAccuracy(exp int) params {
	p := anyBits()
	p.minexp = max(exp, minExp)
	return p
}

// valid checks zfp's conditions on the parameters of expert mode, and that a block has a bit.
func (p params) valid() bool {
	return p.minbits >= 0 && p.minbits <= p.maxbits && p.maxbits > 0 && p.maxbits <= most &&
		p.maxprec > 0 && p.maxprec <= maxPrec && p.minexp > -most && p.minexp < most
}

// configure reads the configuration of the codec zfp (zarr-extensions, codecs/zfp).
func (c *serial) configure(config json.Value, a codec.Array) error {
	mode, _ := config.Get("mode").Text()
	integer := func(name string) (int, error) {
		v, ok := config.Get(name).Int64()
		if !ok || v < -most || v > most {
			return 0, c.wrong(name + " is not a number of mode " + mode)
		}
		return int(v), nil
	}
	real := func(name string) (float64, error) {
		v, ok := config.Get(name).Float64()
		if !ok || math.IsNaN(v) || math.IsInf(v, 0) {
			return 0, c.wrong(name + " is not a number of mode " + mode)
		}
		return v, nil
	}
	switch mode {
	case "reversible":
		c.params = reversible()
	case "expert":
		for _, m := range []struct {
			name string
			to   *int
		}{{"minbits", &c.params.minbits}, {"maxbits", &c.params.maxbits}, {"maxprec", &c.params.maxprec}, {"minexp", &c.params.minexp}} {
			v, err := integer(m.name)
			if err != nil {
				return err
			}
			*m.to = v
		}
	case "fixed_precision":
		v, err := integer("precision")
		if err != nil {
			return err
		}
		if v == 0 || v > maxPrec {
			v = maxPrec // as in zfp
		}
		c.params = fixedPrecision(v)
	case "fixed_accuracy":
		v, err := real("tolerance")
		if err != nil {
			return err
		}
		c.params = anyBits()
		if v > 0 {
			_, exp := math.Frexp(v)
			c.params = fixedAccuracy(exp - 1)
		}
	case "fixed_rate":
		v, err := real("rate")
		if err != nil {
			return err
		}
		f := fieldOf(a.Shape)
		bits := math.Floor(math.Ldexp(v, 2*f.rank) + 0.5)
		if bits < 0 || bits > most {
			return c.wrong("rate is out of range")
		}
		least := 0
		if to, ok := formOf(a.Type); ok && to.scalar.float() {
			least = 1 + to.scalar.exponent()
		}
		c.params = fixedRate(max(int(bits), least))
	default:
		return c.wrong("mode is unknown to zfp")
	}
	if !c.params.valid() {
		return c.wrong("the parameters of mode " + mode + " are out of range")
	}
	return nil
}

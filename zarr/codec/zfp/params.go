package zfp

import (
	"math"

	"github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
)

// params are what all modes of zfp come down to (zfp, "Expert mode").
type params struct {
	minbits int // bits of a block at least: what it does not need is skipped
	maxbits int // and at most
	maxprec int // bit planes of a block at most
	minexp  int // the exponent of the lowest bit plane, of floating-point values
}

const (
	maxBits = 16658 // no block has more
	maxPrec = 64
	minExp  = -1074
	// most is more than any block can be told to be, so that sums do not overflow.
	most = 1 << 30
)

// reversible is what a minexp below all others stands for.
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

// valid is what zfp asks of the parameters of expert mode, and that a block has a bit.
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
			v = maxPrec // as zfp does
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
		return c.wrong("mode is none that zfp has")
	}
	if !c.params.valid() {
		return c.wrong("the parameters of mode " + mode + " are out of range")
	}
	return nil
}

package pcodec

import (
	"github.com/zarr-wasm/zarr-wasm/internal/kernel/bitio"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
)

// batch is how many numbers are decoded at a time.
const batch = 256

// chunk is the metadata of n numbers and decodes their page.
type chunk struct {
	number
	n     int
	mode  mode
	delta delta
	// lookbacks exists only with lookback delta, secondary only in the modes of two variables.
	lookbacks, primary, secondary *variable
}

// variables returns the existing variables, in the order of storage.
func (c *chunk) variables() []*variable {
	var list []*variable
	for _, v := range []*variable{c.lookbacks, c.primary, c.secondary} {
		if v != nil {
			list = append(list, v)
		}
	}
	return list
}

// read reads the chunk's metadata.
func (c *chunk) read(f *file) error {
	if err := c.mode.read(f, c.number, c.n); err != nil {
		return err
	}
	if err := c.delta.read(f); err != nil {
		return err
	}
	c.primary = &variable{width: c.width, delta: c.delta.kind != noDelta}
	if c.mode.kind == dict {
		c.primary.width = 32
	}
	if c.mode.kind == intMult || c.mode.kind == floatMult || c.mode.kind == floatQuant {
		c.secondary = &variable{width: c.width, delta: c.delta.secondary}
	}
	if c.delta.kind == lookback {
		c.lookbacks = &variable{width: 32}
	}
	if c.delta.kind == conv && c.primary.width == 64 {
		return codec.Corrupt("convolution of 64-bit numbers")
	}
	for _, v := range c.variables() {
		if err := v.read(&f.Reader); err != nil {
			return err
		}
	}
	f.Align()
	return nil
}

// decode decodes the next page into dst, which has room for the chunk's numbers.
func (c *chunk) decode(r *bitio.Reader, dst []byte) error {
	vars := c.variables()
	for _, v := range vars {
		if err := v.start(r, c); err != nil {
			return err
		}
	}
	r.Align()
	size := int(c.width / 8)
	for at := 0; at < c.n; at += batch {
		left := c.n - at
		k := min(batch, left)
		for _, v := range vars {
			stored := k
			if v.delta || v == c.lookbacks {
				stored = min(k, max(0, left-c.delta.states()))
			}
			if err := v.decode(r, stored); err != nil {
				return err
			}
		}
		if r.Past() {
			return codec.Truncated("ends inside a page")
		}
		for _, v := range vars {
			if !v.delta {
				continue
			}
			if err := c.undo(v, at, k); err != nil {
				return err
			}
		}
		if err := c.join(k); err != nil {
			return err
		}
		put(dst[at*size:], c.number, c.primary.entries[:k])
	}
	r.Align()
	return nil
}

package pcodec

import (
	"github.com/zarr-wasm/zarr-wasm/internal/kernel/bitio"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
)

// deltaKind is the reference of a variable's deltas.
type deltaKind uint8

const (
	noDelta deltaKind = iota
	// The value before, repeated order times.
	consecutive
	lookback // a value that another variable points at
	conv     // a weighted sum of the values before
)

// delta is the delta coding of a chunk.
type delta struct {
	kind      deltaKind
	secondary bool // of the secondary variable, too
	order     int  // of consecutive and conv
	stateLog  uint // of lookback
	windowLog uint
	shift     uint // of conv
	bias      int64
	weights   []int64
}

// states returns the number of values before the deltas of a page.
func (d *delta) states() int {
	if d.kind == lookback {
		return 1 << d.stateLog
	}
	return d.order
}

// read reads the kind and its parameters. Before format 3 there was only an order.
func (d *delta) read(f *file) error {
	if f.major < 3 {
		if d.order = int(f.Bits(3)); d.order > 0 {
			d.kind = consecutive
		}
		return nil
	}
	d.kind = deltaKind(f.Bits(4))
	switch d.kind {
	case noDelta:
	case consecutive:
		d.order = int(f.Bits(3))
		d.secondary = f.Bits(1) == 1
		if d.order == 0 {
			return codec.Corrupt("delta coding of order 0")
		}
	case lookback:
		d.windowLog = uint(f.Bits(5)) + 1
		d.stateLog = uint(f.Bits(4))
		d.secondary = f.Bits(1) == 1
		if d.stateLog > d.windowLog {
			return codec.Corrupt("the state of delta coding is larger than its window")
		}
	case conv:
		d.shift = uint(f.Bits(5))
		// Signed numbers are stored in the order of their type: the smallest one is 0.
		d.bias = int64(f.Bits(64) ^ 1<<63)
		d.order = int(f.Bits(5)) + 1
		for range d.order {
			d.weights = append(d.weights, int64(int32(f.Bits(32)^1<<31)))
		}
	default:
		return codec.Corrupt("unknown delta coding")
	}
	return nil
}

// startDelta reads the values before a variable's deltas.
func (v *variable) startDelta(r *bitio.Reader, c *chunk) error {
	n := c.delta.states()
	if int64(n)*int64(v.width) > r.Left() {
		return codec.Truncated("ends inside the state of delta coding")
	}
	state := make([]uint64, 0, max(n, c.n))
	if c.delta.kind == consecutive {
		state = make([]uint64, 0, n)
	}
	for range n {
		state = append(state, r.Bits(v.width))
	}
	if c.delta.kind == consecutive {
		v.moments = state
	} else {
		v.past = state
	}
	return nil
}

// undo restores k values of a variable's entries, from index at on.
func (c *chunk) undo(v *variable, at, k int) error {
	deltas := v.entries[:v.count]
	mask, middle := v.mask(), v.middle()
	for i := range deltas {
		deltas[i] ^= middle
	}
	var err error
	switch c.delta.kind {
	case consecutive:
		// The last deltas are not stored because nothing depends on them.
		entries := v.entries[:k]
		clear(entries[v.count:])
		for m := len(v.moments) - 1; m >= 0; m-- {
			sum := v.moments[m]
			for i, d := range entries {
				entries[i] = sum
				sum = (sum + d) & mask
			}
			v.moments[m] = sum
		}
		return nil
	case lookback:
		err = c.lookBack(v, deltas)
	case conv:
		c.convolve(v, deltas)
	}
	copy(v.entries[:k], v.past[at:])
	return err
}

// lookBack appends the sums of deltas and the values that the lookbacks select. Zeros precede the
// first value.
func (c *chunk) lookBack(v *variable, deltas []uint64) error {
	mask := v.mask()
	for i, d := range deltas {
		back := c.lookbacks.entries[i]
		if back == 0 || back > 1<<c.delta.windowLog {
			return codec.Corrupt("looks back beyond its window")
		}
		if back <= uint64(len(v.past)) {
			d += v.past[uint64(len(v.past))-back]
		}
		v.past = append(v.past, d&mask)
	}
	return nil
}

// convolve appends the sums of deltas and the weighted sum of the previous values, which is at
// least zero.
func (c *chunk) convolve(v *variable, deltas []uint64) {
	mask := v.mask()
	for _, d := range deltas {
		sum := c.delta.bias
		for j, l := range v.past[len(v.past)-c.delta.order:] {
			sum += c.delta.weights[j] * int64(l)
		}
		v.past = append(v.past, (d+uint64(max(0, sum)>>c.delta.shift))&mask)
	}
}

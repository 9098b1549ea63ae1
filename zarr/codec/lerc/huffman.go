package lerc

import (
	"strconv"

	"github.com/zarr-wasm/zarr-wasm/internal/kernel"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
)

func itoa(n int) string { return strconv.Itoa(n) }

// tree is a binary tree of codes. A node has two others, or a symbol.
type tree []node

type node struct {
	next   [2]int32 // 0 is none
	symbol int32
	leaf   bool
}

// add adds a code of some bits.
func (t *tree) add(code uint32, length int, symbol int32) bool {
	at := int32(0)
	for i := length - 1; i >= 0; i-- {
		if (*t)[at].leaf {
			return false
		}
		to := &(*t)[at].next[code>>i&1]
		if *to == 0 {
			*to = int32(len(*t))
			at = *to
			*t = append(*t, node{})
			continue
		}
		at = *to
	}
	n := &(*t)[at]
	if n.leaf || n.next != [2]int32{} {
		return false
	}
	n.symbol, n.leaf = symbol, true
	return true
}

// words reads bits, the highest first, from little-endian words of four bytes.
type words struct {
	b    []byte
	at   int // the number of bits that are read
	over bool
}

func (w *words) bit() uint32 {
	i := w.at >> 5 << 2
	if i+4 > len(w.b) {
		w.over = true
		return 0
	}
	v := kernel.Load32(w.b, i) << (w.at & 31) >> 31
	w.at++
	return v
}

// huffman reads bytes by their codes. If delta is true, the codes stand for differences from the
// pixel before, or from that above if there is none before.
func (p *picture) huffman(r *reader, delta bool) error {
	t, w, err := readTree(r)
	if err != nil {
		return err
	}
	next := func() (byte, error) {
		at := int32(0)
		for !t[at].leaf {
			at = t[at].next[w.bit()]
			if w.over {
				return 0, codec.Truncated("ends inside of the codes of the LERC image")
			}
			if at == 0 {
				return 0, codec.Corrupt("a code of the LERC image has no symbol")
			}
		}
		v := t[at].symbol
		if p.kind == kindChar {
			v -= 128
		}
		return byte(v), nil
	}
	if !delta {
		for i := range p.rows * p.columns {
			if i%p.columns == 0 && p.env.Ctx.Err() != nil {
				return p.env.Ctx.Err()
			}
			for k := range p.depth {
				if !p.has(i) {
					continue
				}
				if p.at(i, k)[0], err = next(); err != nil {
					return err
				}
			}
		}
		return nil
	}
	for k := range p.depth {
		before := byte(0)
		for y := range p.rows {
			if err := p.env.Ctx.Err(); err != nil {
				return err
			}
			for x := range p.columns {
				i := y*p.columns + x
				if !p.has(i) {
					continue
				}
				v, err := next()
				if err != nil {
					return err
				}
				if (x == 0 || !p.has(i-1)) && y > 0 && p.has(i-p.columns) {
					before = p.at(i-p.columns, k)[0]
				}
				before += v
				p.at(i, k)[0] = before
			}
		}
	}
	return nil
}

// readTree reads the codes of a range of symbols, which may begin anew after the last.
func readTree(r *reader) (tree, *words, error) {
	version, size, from, to := r.int(), r.int(), r.int(), r.int()
	if r.err != nil {
		return nil, nil, r.err
	}
	if version < 2 || size < 1 || size > 1<<15 || from < 0 || to <= from || to-from > size || from >= size {
		return nil, nil, codec.Corrupt("impossible numbers of codes in the LERC image")
	}
	lengths, err := unstuff(r, nil, to-from)
	if err != nil {
		return nil, nil, err
	}
	if len(lengths) != to-from {
		return nil, nil, codec.Truncated("the LERC image has fewer lengths than codes")
	}
	t, w := tree{{}}, &words{b: r.b}
	for i, n := range lengths {
		if n == 0 {
			continue
		}
		if n > 32 {
			return nil, nil, codec.Corrupt("a code of the LERC image has more than 32 bits")
		}
		code := uint32(0)
		for range n {
			code = code<<1 | w.bit()
		}
		if w.over {
			return nil, nil, codec.Truncated("ends inside of the codes of the LERC image")
		}
		if !t.add(code, int(n), int32((from+i)%size)) {
			return nil, nil, codec.Corrupt("the codes of the LERC image contradict each other")
		}
	}
	if len(t) == 1 {
		return nil, nil, codec.Corrupt("the LERC image has no codes")
	}
	w.b, w.at = w.b[min((w.at+31)/32*4, len(w.b)):], 0
	return t, w, nil
}

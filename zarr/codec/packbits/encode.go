package packbits

import (
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
	"github.com/zarr-wasm/zarr-wasm/zarr/dtype"
	"github.com/zarr-wasm/zarr-wasm/zarr/ndarray"
)

// Encode implements codec.ArrayToBytesEncoder (zarr-extensions, codec packbits). It rejects a value
// with bits outside first_bit to last_bit, because it would decode to another one.
func (p packbits) Encode(env *codec.Env, a codec.Array, src ndarray.Block) ([]byte, error) {
	l, err := p.layoutOf(a.Type)
	if err != nil {
		return nil, err
	}
	n, padding := l.packed(a.Len())
	room := int(n)
	if p.before || p.behind {
		room++
	}
	dst := env.Buffer(room)
	clear(dst)
	body := dst
	switch {
	case p.before:
		dst[0] = byte(padding)
		body = dst[1:]
	case p.behind:
		dst[n] = byte(padding)
		body = dst[:n]
	}
	if !l.pack(body, src.Data) {
		return nil, codec.Unfit("an element has bits that are not between first_bit and last_bit")
	}
	return dst, nil
}

// pack writes the components' bits into dst, which is zeros. It reports false if an element would
// decode to another one.
func (l layout) pack(dst, src []byte) bool {
	size, at := l.component.Size, 0
	up := 64 - l.first - l.bits
	full := 8 * size
	if l.component.Bits != 0 {
		full = l.component.Bits
	}
	for i := 0; i < len(src); i += size {
		var v uint64
		for k := range size {
			v |= uint64(src[i+k]) << (8 * k)
		}
		if l.component.Kind == dtype.Bool {
			v = min(v, 1) // any other byte is true
		}
		v = v << (64 - full) >> (64 - full)
		bits := v << up >> up >> l.first
		kept := bits << l.first
		if l.signed {
			kept = uint64(int64(kept<<up) >> up)
		}
		if kept<<(64-full) != v<<(64-full) {
			return false
		}
		put(dst, at, bits)
		at += l.bits
	}
	return true
}

// put sets bits from bit at on.
func put(dst []byte, at int, bits uint64) {
	i, shift := at>>3, at&7
	for b := bits << shift; ; i++ {
		if b != 0 {
			dst[i] |= byte(b)
		}
		b >>= 8
		if b == 0 {
			break
		}
	}
	// The bits that the shift has pushed out at the top.
	if high := bits >> 1 >> (63 - shift); high != 0 {
		dst[at>>3+8] |= byte(high)
	}
}

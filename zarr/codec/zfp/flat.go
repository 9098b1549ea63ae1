package zfp

import (
	"github.com/zarr-wasm/zarr-wasm/internal/kernel/bitio"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
	"github.com/zarr-wasm/zarr-wasm/zarr/dtype"
)

// flat is zfpy in v2. It decodes to the bytes of its own field, whatever the array's type is,
// because filters may follow. If the size in bytes differs from the chunk's but the number of
// elements matches, the array was promoted.
type flat struct {
	elem     *dtype.Type
	promoted form // with a nil demote if elem is of another kind
}

func newFlat(t *dtype.Type) flat {
	f := flat{elem: t}
	f.promoted, _ = formOf(t)
	return f
}

// EncodedSize implements codec.BytesToBytes.
func (flat) EncodedSize(decoded codec.Size) codec.Size {
	return codec.Size{N: bound(decoded.N, 1<<15)}
}

// Decode implements codec.BytesToBytes.
func (f flat) Decode(env *codec.Env, out codec.Output, src []byte) ([]byte, error) {
	if !out.Size.Exact {
		return nil, &codec.UnsupportedError{Feature: "zfpy in front of a codec of variable length"}
	}
	n := out.Size.N
	if n == 0 {
		return out.Buf[:0], nil
	}
	r := bitio.NewReader(src)
	h, err := readHeader(&r)
	if err != nil {
		return nil, err
	}
	to := form{scalar: h.scalar, size: h.scalar.size()}
	if p := f.promoted; p.demote != nil && p.scalar == h.scalar && h.field.len() == n/int64(p.size) {
		to = p
	}
	if n%int64(to.size) != 0 {
		return nil, codec.Corrupt("not a whole number of elements")
	}
	if err := h.field.holds(n / int64(to.size)); err != nil {
		return nil, err
	}
	dst := out.Grow(env, n)[:n]
	if err := to.decode(&r, h.field, h.params, dst); err != nil {
		return nil, err
	}
	if to.demote != nil {
		// The bytes codec that follows expects the type's own order; the swap is the same both ways.
		f.elem.ToLittle(dst, dtype.None)
	}
	return dst, nil
}

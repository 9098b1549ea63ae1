package zfp

import (
	"github.com/zarr-wasm/zarr-wasm/internal/kernel"
	"github.com/zarr-wasm/zarr-wasm/internal/kernel/bitio"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
)

// decode decodes all blocks of a field, in raster order. dst has room for
// exactly the field's elements.
func decode[T word](r *bitio.Reader, to form, f field, p params, dst []byte) error {
	d := &decoder[T]{Reader: r, params: p, scalar: to.scalar, rank: f.rank}
	var at [maxRank]int64
	for at[3] = 0; at[3] < f.n[3]; at[3] += 4 {
		for at[2] = 0; at[2] < f.n[2]; at[2] += 4 {
			for at[1] = 0; at[1] < f.n[1]; at[1] += 4 {
				for at[0] = 0; at[0] < f.n[0]; at[0] += 4 {
					d.block()
					if r.Past() {
						return codec.Truncated("ends inside a block")
					}
					scatter(dst, to, f, at, d.values[:d.size()])
				}
			}
		}
	}
	return nil
}

// scatter writes the block at a place of the field, without what lies outside.
func scatter[T word](dst []byte, to form, f field, at [maxRank]int64, values []T) {
	var n [maxRank]int
	for d := range n {
		n[d] = int(min(4, f.n[d]-at[d]))
	}
	for w := range n[3] {
		for z := range n[2] {
			for y := range n[1] {
				first := (((at[3]+int64(w))*f.n[2]+at[2]+int64(z))*f.n[1]+at[1]+int64(y))*f.n[0] + at[0]
				row := dst[first*int64(to.size):][:n[0]*to.size]
				put(row, to, values[16*(4*w+z)+4*y:][:n[0]])
			}
		}
	}
}

func put[T word](row []byte, to form, values []T) {
	switch {
	case to.demote != nil:
		for i, v := range values {
			bits := to.demote(int64(v))
			for k := range to.size {
				row[i*to.size+k] = byte(bits >> (8 * k))
			}
		}
	case to.size == 4:
		for i, v := range values {
			kernel.Store32(row, 4*i, uint32(v))
		}
	default:
		for i, v := range values {
			kernel.Store64(row, 8*i, uint64(v))
		}
	}
}

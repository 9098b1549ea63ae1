package zarrsvlen

import (
	"math"
	"unicode/utf8"

	"github.com/zarr-wasm/zarr-wasm/internal/kernel"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
	"github.com/zarr-wasm/zarr-wasm/zarr/dtype"
	"github.com/zarr-wasm/zarr-wasm/zarr/ndarray"
)

// Encode implements codec.ArrayToBytesEncoder.
func (v *vlen) Encode(env *codec.Env, a codec.Array, src ndarray.Block) ([]byte, error) {
	size := 0
	for _, item := range src.Items {
		if a.Type.Kind == dtype.String && !utf8.Valid(item) {
			return nil, codec.Unfit("an element is not UTF-8")
		}
		size += len(item)
	}
	if v.offset.Size == 4 && size > math.MaxUint32 {
		return nil, codec.Unfit("the elements have more than 2^32-1 bytes")
	}
	if err := codec.CheckLimit("ChunkBytes", v.limits.ChunkBytes, int64(size), "elements of variable length"); err != nil {
		return nil, err
	}
	about := v.indexArray(len(src.Items))
	offsets, text := env.Block(about), env.Block(dataArray(size))
	at := 0
	v.put(offsets, 0, 0)
	for i, item := range src.Items {
		at += copy(text.Data[at:], item)
		v.put(offsets, i+1, uint64(at))
	}
	index, err := v.index.EncodeInner(env, about, offsets)
	if err != nil {
		return nil, err
	}
	var data []byte
	if size > 0 {
		if data, err = v.data.EncodeInner(env, dataArray(size), text); err != nil {
			return nil, err
		}
	}
	dst := env.Buffer(8 + len(index) + len(data))
	if v.atEnd {
		n := copy(dst, data)
		n += copy(dst[n:], index)
		kernel.Store64(dst, n, uint64(len(index)))
		return dst, nil
	}
	kernel.Store64(dst, 0, uint64(len(index)))
	copy(dst[8+copy(dst[8:], index):], data)
	return dst, nil
}

// put sets the i-th entry of the index.
func (v *vlen) put(offsets ndarray.Block, i int, n uint64) {
	if v.offset.Size == 4 {
		kernel.Store32(offsets.Data, 4*i, uint32(n))
		return
	}
	kernel.Store64(offsets.Data, 8*i, n)
}

// CheckEncode implements codec.EncodeChecker.
func (v *vlen) CheckEncode() error {
	if err := v.index.CheckEncode(); err != nil {
		return err
	}
	return v.data.CheckEncode()
}

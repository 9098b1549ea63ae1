package optional

import (
	"github.com/zarr-wasm/zarr-wasm/internal/kernel"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
	"github.com/zarr-wasm/zarr-wasm/zarr/ndarray"
)

// Encode implements codec.ArrayToBytesEncoder (zarr-extensions, codec optional).
func (o *optional) Encode(env *codec.Env, a codec.Array, src ndarray.Block) ([]byte, error) {
	about := maskArray(a)
	mask := env.Block(about)
	n := 0
	for i := range mask.Data {
		there := false
		if a.Type.Variable() {
			there = src.Items[i] != nil
		} else {
			there = src.Data[i*a.Type.Size] != 0
		}
		mask.Data[i] = 0
		if there {
			mask.Data[i] = 1
			n++
		}
	}
	list := dataArray(a, n)
	there := env.Block(list)
	k := 0
	for i, m := range mask.Data {
		if m == 0 {
			continue
		}
		if a.Type.Variable() {
			there.Items[k] = src.Items[i]
		} else {
			size := list.Type.Size
			copy(there.Data[k*size:(k+1)*size], src.Data[i*a.Type.Size+1:])
		}
		k++
	}
	encodedMask, err := o.mask.EncodeInner(env, about, mask)
	if err != nil {
		return nil, err
	}
	var data []byte
	if n > 0 {
		if data, err = o.data.EncodeInner(env, list, there); err != nil {
			return nil, err
		}
	}
	dst := env.Buffer(16 + len(encodedMask) + len(data))
	kernel.Store64(dst, 0, uint64(len(encodedMask)))
	kernel.Store64(dst, 8, uint64(len(data)))
	copy(dst[16+copy(dst[16:], encodedMask):], data)
	return dst, nil
}

// CheckEncode implements codec.EncodeChecker.
func (o *optional) CheckEncode() error {
	if err := o.mask.CheckEncode(); err != nil {
		return err
	}
	return o.data.CheckEncode()
}

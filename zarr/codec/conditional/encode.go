package conditional

import "github.com/zarr-wasm/zarr-wasm/zarr/codec"

// Encode implements codec.BytesToBytesEncoder. A codec whose encoded size is known beforehand (a
// checksum, a shuffle) is applied to every chunk. Any other codec is applied if it makes the chunk
// shorter.
func (c *conditional) Encode(env *codec.Env, src []byte) ([]byte, error) {
	header := env.Buffer(c.header)
	clear(header)
	for i, s := range c.stages {
		w, ok := s.Codec.(codec.BytesToBytesEncoder)
		if !ok {
			return nil, &codec.UnsupportedError{Feature: "writing with the codec " + s.Name}
		}
		b, err := w.Encode(env, src)
		if err != nil {
			return nil, &codec.Error{Codec: s.Name, Err: err}
		}
		size := codec.Size{N: int64(len(src)), Exact: true}
		if len(b) < len(src) || s.Codec.EncodedSize(size).Exact {
			src = b
			header[i/8] |= 1 << (i % 8)
		}
	}
	dst := env.Buffer(len(header) + len(src))
	copy(dst[copy(dst, header):], src)
	return dst, nil
}

// CheckEncode implements codec.EncodeChecker.
func (c *conditional) CheckEncode() error {
	for _, s := range c.stages {
		if _, ok := s.Codec.(codec.BytesToBytesEncoder); !ok {
			return &codec.UnsupportedError{Feature: "writing with the codec " + s.Name}
		}
		if w, ok := s.Codec.(codec.EncodeChecker); ok {
			if err := w.CheckEncode(); err != nil {
				return err
			}
		}
	}
	return nil
}

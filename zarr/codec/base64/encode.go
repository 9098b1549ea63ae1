package base64

import "github.com/zarr-wasm/zarr-wasm/zarr/codec"

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

// Encode implements codec.BytesToBytesEncoder: the text has no line breaks, and padding at its end.
func (base64) Encode(env *codec.Env, src []byte) ([]byte, error) {
	dst := env.Buffer((len(src) + 2) / 3 * 4)
	to := dst
	for ; len(src) >= 3; src, to = src[3:], to[4:] {
		group := uint32(src[0])<<16 | uint32(src[1])<<8 | uint32(src[2])
		to[0], to[1], to[2], to[3] = alphabet[group>>18], alphabet[group>>12&63], alphabet[group>>6&63], alphabet[group&63]
	}
	switch len(src) {
	case 1:
		to[0], to[1], to[2], to[3] = alphabet[src[0]>>2], alphabet[src[0]&3<<4], '=', '='
	case 2:
		to[0], to[1], to[2], to[3] = alphabet[src[0]>>2], alphabet[src[0]&3<<4|src[1]>>4], alphabet[src[1]&15<<2], '='
	}
	return dst, nil
}

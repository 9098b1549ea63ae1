// Package base64 has numcodecs' codec base64: bytes as text of the standard alphabet (RFC 4648,
// section 4).
//
// It decodes into given memory. Unlike encoding/base64, it accepts white space anywhere and a last
// group without padding.
package base64

import (
	"github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
)

// Codec returns the codec base64. It has no configuration.
func Codec() codec.Entry {
	return codec.Entry{
		Names: []string{"numcodecs.base64", "base64"},
		IDs:   []string{"base64"},
		Doc:   codec.Doc("base64 text, RFC 4648"),
		Kind:  codec.KindBytesToBytes,
		New:   func(json.Value, codec.Build) (any, error) { return base64{}, nil },
	}
}

type base64 struct{}

// EncodedSize implements codec.BytesToBytes. White space may lengthen the text.
func (base64) EncodedSize(decoded codec.Size) codec.Size { return codec.Compressed(decoded) }

// Decode implements codec.BytesToBytes.
func (base64) Decode(env *codec.Env, out codec.Output, src []byte) ([]byte, error) {
	room := min(out.Most(env), int64(len(src))/4*3+3)
	dst := out.Grow(env, room)[:room]
	n, err := decode(dst, src)
	if err == errRoom {
		return nil, out.TooMany(env)
	}
	if err != nil {
		return nil, err
	}
	return out.Check(dst[:n])
}

var errRoom = codec.Corrupt("decodes to more bytes than there is room for")

// decode decodes the text src into dst and returns the length; errRoom if dst is too short.
func decode(dst, src []byte) (int, error) {
	n := 0
	var group uint32 // up to four digits of 6 bits
	digits, ended := 0, false
	for i := 0; i < len(src); i++ {
		c := src[i]
		v := digit(c)
		switch {
		case v < 64 && !ended:
			group = group<<6 | uint32(v)
			if digits++; digits < 4 {
				continue
			}
			if len(dst)-n < 3 {
				return 0, errRoom
			}
			dst[n], dst[n+1], dst[n+2] = byte(group>>16), byte(group>>8), byte(group)
			n += 3
			group, digits = 0, 0
		case c == '=' && (ended || digits >= 2):
			ended = true
		case c == ' ' || c >= '\t' && c <= '\r':
		default:
			return 0, codec.Corrupt("a character that is invalid in base64, or at its place")
		}
	}
	switch digits {
	case 0:
		return n, nil
	case 1:
		return 0, codec.Truncated("ends inside a group of base64 digits")
	}
	if len(dst)-n < digits-1 {
		return 0, errRoom
	}
	group <<= 6 * (4 - digits)
	for k := range digits - 1 {
		dst[n+k] = byte(group >> (16 - 8*k))
	}
	return n + digits - 1, nil
}

// digit returns the value of a digit, or 64 or more for other characters.
func digit(c byte) byte {
	switch {
	case c >= 'A' && c <= 'Z':
		return c - 'A'
	case c >= 'a' && c <= 'z':
		return c - 'a' + 26
	case c >= '0' && c <= '9':
		return c - '0' + 52
	case c == '+':
		return 62
	case c == '/':
		return 63
	}
	return 64
}

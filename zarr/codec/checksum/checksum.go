// Package checksum has numcodecs' codecs that add a little-endian checksum of four bytes: crc32,
// adler32, fletcher32 and jenkins_lookup3. They verify the checksum and remove it. (CRC-32C has its
// own package, because every build needs it.)
package checksum

import (
	"math"

	"github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/internal/kernel"
	"github.com/zarr-wasm/zarr-wasm/internal/lookup3"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
)

// Codecs returns the entries of the family.
func Codecs() []codec.Entry {
	return []codec.Entry{
		{Names: []string{"numcodecs.crc32", "crc32"}, IDs: []string{"crc32"}, Doc: codec.Doc("CRC-32 before the bytes"), Kind: codec.KindBytesToBytes, New: placed("crc32", kernel.CRC32)},
		{Names: []string{"numcodecs.adler32", "adler32"}, IDs: []string{"adler32"}, Doc: codec.Doc("Adler-32 before the bytes"), Kind: codec.KindBytesToBytes, New: placed("adler32", kernel.Adler32)},
		{Names: []string{"numcodecs.fletcher32", "fletcher32"}, IDs: []string{"fletcher32"}, Doc: codec.Doc("Fletcher-32 after the bytes, as HDF5 writes it"), Kind: codec.KindBytesToBytes, New: func(json.Value, codec.Build) (any, error) {
			return sum{"fletcher32", false, fletcher32}, nil
		}},
		{Names: []string{"numcodecs.jenkins_lookup3", "jenkins_lookup3"}, IDs: []string{"jenkins_lookup3"}, Doc: codec.Doc("Jenkins lookup3 after the bytes"), Kind: codec.KindBytesToBytes, New: newJenkins},
	}
}

// sum is any of the checksums.
type sum struct {
	name  string
	start bool // the checksum is in front of the data
	of    func([]byte) uint32
}

// placed makes codecs whose configuration has the place of the checksum: location "start" (the
// default) or "end".
func placed(name string, of func([]byte) uint32) func(json.Value, codec.Build) (any, error) {
	return func(config json.Value, _ codec.Build) (any, error) {
		switch where, _ := config.Get("location").Text(); {
		case where == "start" || config.Get("location").IsNull():
			return sum{name, true, of}, nil
		case where == "end":
			return sum{name, false, of}, nil
		}
		return nil, &codec.ConfigError{Codec: name, Msg: "location is neither start nor end"}
	}
}

// EncodedSize implements codec.BytesToBytes.
func (sum) EncodedSize(decoded codec.Size) codec.Size {
	decoded.N += 4
	return decoded
}

// Decode implements codec.BytesToBytes: it returns a part of src.
func (s sum) Decode(_ *codec.Env, _ codec.Output, src []byte) ([]byte, error) {
	if len(src) < 4 {
		return nil, codec.Truncated("shorter than its checksum")
	}
	cut := len(src) - 4
	data, b := src[:cut:cut], src[cut:]
	if s.start {
		data, b = src[4:], src[:4]
	}
	if s.of(data) != uint32(b[0])|uint32(b[1])<<8|uint32(b[2])<<16|uint32(b[3])<<24 {
		return nil, codec.Mismatch("the " + s.name + " does not match the data")
	}
	return data, nil
}

// fletcher32 is HDF5's variant. It uses big-endian words of 16 bits, and an odd byte is the high
// half of a last word. Sums start at 0 and are folded (not reduced modulo 65535) every 360 words.
func fletcher32(data []byte) uint32 {
	var a, b uint32
	fold := func(v uint32) uint32 { return v&0xffff + v>>16 }
	words := len(data) / 2
	for i := 0; i < words; {
		for end := min(words, i+360); i < end; i++ {
			a += uint32(data[2*i])<<8 | uint32(data[2*i+1])
			b += a
		}
		a, b = fold(a), fold(b)
	}
	if len(data)%2 == 1 {
		a += uint32(data[len(data)-1]) << 8
		b += a
		a, b = fold(a), fold(b)
	}
	return fold(b)<<16 | fold(a)
}

// newJenkins makes Bob Jenkins' lookup3 (hashlittle) of an optional prefix and
// the data.
func newJenkins(config json.Value, _ codec.Build) (any, error) {
	const name = "jenkins_lookup3"
	initval, ok := config.Get("initval").Uint64()
	if !ok && !config.Get("initval").IsNull() || initval > math.MaxUint32 {
		return nil, &codec.ConfigError{Codec: name, Msg: "initval is not an integer of 32 bits"}
	}
	var prefix []byte
	switch v := config.Get("prefix"); v.Kind() {
	case json.Array:
		for _, item := range v.Items() {
			n, ok := item.Int64()
			if !ok || n < 0 || n > 255 {
				return nil, &codec.ConfigError{Codec: name, Msg: "prefix is not a list of bytes"}
			}
			prefix = append(prefix, byte(n))
		}
	case json.String:
		text, _ := v.Text()
		prefix = []byte(text)
	}
	return sum{name, false, func(data []byte) uint32 {
		if len(prefix) > 0 {
			data = append(prefix[:len(prefix):len(prefix)], data...)
		}
		return lookup3.Sum(data, uint32(initval))
	}}, nil
}

package blosc

import (
	"math"
	"slices"
	"strconv"

	"github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/internal/kernel"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
)

// Compressor appends the compressed form of src to dst, at a level from 1 to 9. The result counts
// only if it is shorter than src. A Compressor is safe for concurrent use.
type Compressor func(dst, src []byte, level int) ([]byte, error)

// Writing returns the codec blosc with an encoder that has the given compressors. Their names are
// those of a configuration's cname: lz4, lz4hc, snappy, zlib and zstd. (blosclz is built in.)
//
// The configuration is numcodecs' in v2, and that of Zarr v3, codec blosc 1.0. It has these
// members, with defaults:
//
//   - cname (lz4)
//   - clevel from 0 (stored) to 9 (5)
//   - shuffle ("noshuffle", "shuffle", "bitshuffle" or 0, 1, 2). With -1, and by default in v3,
//     elements of one byte get a bitshuffle, and others a shuffle.
//   - blocksize (0 chooses like c-blosc)
//   - typesize (the size of the chunk's elements)
func Writing(compressors map[string]Compressor) codec.Entry {
	e := Codec()
	read := e.New
	e.New = func(config json.Value, b codec.Build) (any, error) {
		c, err := read(config, b)
		if err != nil {
			return nil, err
		}
		w, err := newSettings(config, b, compressors)
		return encoder{c.(*blosc), w, err}, nil
	}
	return e
}

// encoder is the codec with the settings of a writer, or with the error of its configuration.
type encoder struct {
	*blosc
	settings
	wrong error
}

// settings are the parameters of a new container.
type settings struct {
	name      string
	format    int // in the header
	compress  Compressor
	level     int
	shuffle   byte // flagShuffle, flagBitShuffle or 0
	typesize  int
	blocksize int // 0 means: determined by the level
}

func bad(msg string) error { return &codec.ConfigError{Codec: "blosc", Msg: msg} }

func newSettings(config json.Value, b codec.Build, compressors map[string]Compressor) (settings, error) {
	s := settings{name: "lz4", level: 5, typesize: b.Array.Type.Size}
	if v := config.Get("cname"); !v.IsNull() {
		s.name, _ = v.Text()
	}
	formats := map[string]int{"blosclz": 0, "lz4": 1, "lz4hc": 1, "snappy": 2, "zlib": 3, "zstd": 4}
	format, ok := formats[s.name]
	if !ok {
		return s, bad("cname is not blosclz, lz4, lz4hc, snappy, zlib or zstd: " + strconv.Quote(s.name))
	}
	s.format, s.compress = format, compressors[s.name]
	if s.name == "blosclz" {
		s.compress = compressBlosclz
	}
	if s.compress == nil {
		return s, &codec.UnsupportedError{Feature: "writing with the codec blosc and the compressor " + s.name}
	}
	for _, p := range []struct {
		to          *int
		name        string
		least, most int64
	}{{&s.level, "clevel", 0, 9}, {&s.typesize, "typesize", 0, math.MaxInt32}, {&s.blocksize, "blocksize", 0, math.MaxInt32}} {
		v := config.Get(p.name)
		if v.IsNull() {
			continue
		}
		n, ok := v.Int64()
		if !ok || n < p.least || n > p.most {
			return s, bad(p.name + " is not an integer from " + strconv.FormatInt(p.least, 10) + " to " + strconv.FormatInt(p.most, 10))
		}
		*p.to = int(n)
	}
	if s.typesize < 1 || s.typesize > 255 {
		s.typesize = 1
	}
	return s, s.readShuffle(config.Get("shuffle"), b.Format)
}

func (s *settings) readShuffle(v json.Value, format int) error {
	auto := byte(flagShuffle)
	if s.typesize == 1 {
		auto = flagBitShuffle
	}
	if v.IsNull() {
		s.shuffle = auto
		if format < 3 {
			s.shuffle = flagShuffle
		}
		return nil
	}
	if text, ok := v.Text(); ok {
		switch text {
		case "noshuffle":
			return nil
		case "shuffle":
			s.shuffle = flagShuffle
			return nil
		case "bitshuffle":
			s.shuffle = flagBitShuffle
			return nil
		}
	}
	n, ok := v.Int64()
	if !ok || n < -1 || n > 2 {
		return bad("shuffle is not noshuffle, shuffle or bitshuffle")
	}
	s.shuffle = [4]byte{auto, 0, flagShuffle, flagBitShuffle}[n+1]
	return nil
}

// CheckEncode implements codec.EncodeChecker.
func (w encoder) CheckEncode() error { return w.wrong }

// Encode implements codec.BytesToBytesEncoder.
func (w encoder) Encode(env *codec.Env, src []byte) ([]byte, error) {
	if w.wrong != nil {
		return nil, w.wrong
	}
	if len(src) > math.MaxInt32-headerSize {
		return nil, codec.Unfit("a blosc container has less than 2^31 bytes")
	}
	h := w.header(len(src))
	room := headerSize + 4*h.blocks() + len(src)
	dst := env.Buffer(room + room/64 + 1024)
	if w.level == 0 || len(src) < minStream {
		return stored(dst, h, src), nil
	}
	out, err := w.blocks(env, dst[:headerSize+4*h.blocks()], h, src)
	if err != nil {
		return nil, err
	}
	if len(out) >= headerSize+len(src) {
		return stored(dst, h, src), nil
	}
	h.cbytes = len(out)
	h.put(out)
	return out, nil
}

// minStream is the smallest length of a compressed container and of the streams of a split block.
const minStream = 128

// header returns the header of n bytes, without their compressed size.
func (w encoder) header(n int) header {
	h := header{flags: byte(w.format)<<5 | w.shuffle, typesize: w.typesize, nbytes: n, blocksize: w.blockOf(n)}
	if !w.splits(h.blocksize) {
		h.flags |= flagUnsplit
	}
	return h
}

// splits reports whether blocks have one stream for each byte of an element. c-blosc does so with
// all compressors except zstd.
func (w encoder) splits(blocksize int) bool {
	return w.name != "zstd" && w.typesize <= 16 && blocksize/w.typesize >= minStream
}

// blockOf returns the size of the blocks of n bytes: the configured one, or else c-blosc's choice.
// The latter keeps a block and its compressor's memory in a cache.
func (w encoder) blockOf(n int) int {
	const base = 32 << 10
	size := n
	switch {
	case w.blocksize > 0:
		size = max(w.blocksize, minStream)
	case n >= base:
		size = base
		slow := w.name == "zstd" || w.name == "zlib" || w.name == "lz4hc"
		if slow {
			size *= 2
		}
		size = size * [10]int{1, 2, 4, 8, 16, 16, 32, 32, 32, 32}[w.level] / 4
		if slow && w.level == 9 {
			size *= 2
		}
		if w.splits(size) {
			size = min(max(min(size, 256<<10)*w.typesize, 64<<10), 1<<20)
		}
	}
	size = min(size, n)
	if size > w.typesize {
		size -= size % w.typesize
	}
	return max(size, 1)
}

// put writes the header.
func (h header) put(dst []byte) {
	dst[0], dst[1], dst[2], dst[3] = 2, 1, h.flags, byte(h.typesize)
	kernel.Store32(dst, 4, uint32(h.nbytes))
	kernel.Store32(dst, 8, uint32(h.blocksize))
	kernel.Store32(dst, 12, uint32(h.cbytes))
}

// stored returns a container of uncompressed bytes.
func stored(dst []byte, h header, src []byte) []byte {
	h.flags |= flagStored
	h.cbytes = headerSize + len(src)
	h.put(dst)
	copy(dst[headerSize:], src)
	return dst[:h.cbytes]
}

// blocks appends the compressed blocks to the header and the list of their places.
func (w encoder) blocks(env *codec.Env, out []byte, h header, src []byte) ([]byte, error) {
	shuffled := env.Buffer(h.blocksize)
	for i := range h.blocks() {
		kernel.Store32(out, headerSize+4*i, uint32(len(out)))
		block := src[i*h.blocksize : min((i+1)*h.blocksize, len(src))]
		switch {
		case h.flags&flagShuffle != 0 && h.typesize > 1:
			kernel.Shuffle(shuffled[:len(block)], block, h.typesize)
			block = shuffled[:len(block)]
		case h.flags&flagBitShuffle != 0:
			kernel.BitShuffle(shuffled[:len(block)], block, h.typesize)
			block = shuffled[:len(block)]
		}
		each := len(block) / h.streams(i)
		for ; len(block) > 0; block = block[each:] {
			at := len(out)
			out = append(slices.Grow(out, each+each/64+1024), 0, 0, 0, 0)
			packed, err := w.compress(out, block[:each], w.level)
			if err != nil {
				return nil, err
			}
			if len(packed)-len(out) >= each {
				packed = append(out, block[:each]...)
			}
			kernel.Store32(packed, at, uint32(len(packed)-len(out)))
			out = packed
		}
		if len(out) >= headerSize+len(src) {
			return out, nil // it will be stored
		}
	}
	return out, nil
}

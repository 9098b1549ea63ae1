// Package zstd decodes Zstandard (RFC 8878): any number of consecutive frames and skippable frames.
//
// It first walks over the frames, block header by block header, to find their ends and their
// largest decoded sizes. Truncated, oversized and unsupported input is therefore detected before
// memory is allocated or anything is decoded.
//
// It decodes in one piece, from memory to memory: the output is the window for matches. Decoding
// has layers, a file each: frames, their blocks, the literals of a block, and the sequences that
// combine literals and matches. The loops are in package zstdk.
package zstd

import (
	"sync"

	"github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
)

// Codec returns the codec zstd. Its configuration is for writers only. All arrays that use the
// entry share its decoders.
func Codec() codec.Entry {
	d := &Decoder{}
	return codec.Entry{
		Names: []string{"zstd", "numcodecs.zstd"},
		IDs:   []string{"zstd", "imagecodecs_zstd"},
		Doc:   codec.Doc("Zstandard, RFC 8878"),
		Kind:  codec.KindBytesToBytes,
		Cost:  codec.Cost{Decode: 1400, Encode: 14_000},
		New:   func(json.Value, codec.Build) (any, error) { return d, nil },
	}
}

// Decoder decodes Zstandard. The zero Decoder is ready to use. It is safe for concurrent use, and
// reuses the memory of its last decodes.
type Decoder struct {
	pool sync.Pool
}

// EncodedSize implements codec.BytesToBytes.
func (*Decoder) EncodedSize(decoded codec.Size) codec.Size { return codec.Compressed(decoded) }

// Decode decodes all frames of src. It implements [codec.BytesToBytes].
func (d *Decoder) Decode(env *codec.Env, out codec.Output, src []byte) ([]byte, error) {
	if len(src) == 0 {
		return nil, errHeader
	}
	first, sum, err := measure(src)
	if err != nil {
		return nil, err
	}
	most := out.Most(env)
	if sum.least > uint64(most) {
		return nil, out.TooMany(env)
	}
	room := most
	if !out.Size.Exact && sum.most < uint64(most) {
		room = int64(sum.most)
	}
	buf := out.Grow(env, room)[:room]
	n, err := d.frames(buf, src, first)
	if err == errRoom {
		return nil, out.TooMany(env)
	}
	if err != nil {
		return nil, err
	}
	return out.Check(buf[:n])
}

// DecodeBlock decodes all frames of src into dst and returns the number of bytes written. More
// bytes than dst holds are an error. The rest of dst is arbitrary afterwards. Errors match
// [codec.ErrTruncated], [codec.ErrCorrupt] or [codec.ErrChecksum], or are a *codec.UnsupportedError
// for a frame that needs a dictionary.
func (d *Decoder) DecodeBlock(dst, src []byte) (int, error) {
	first, sum, err := measure(src)
	if err != nil {
		return 0, err
	}
	if sum.least > uint64(len(dst)) {
		return 0, errRoom
	}
	return d.frames(dst, src, first)
}

var errRoom = codec.Corrupt("the zstd frames decode to more bytes than they should")

// measure walks over all frames and adds up their decoded sizes. It also returns the first frame,
// which is usually the only one.
func measure(src []byte) (first, sum frame, err error) {
	for begin := true; len(src) > 0; begin = false {
		f, err := walk(src)
		if err != nil {
			return frame{}, frame{}, err
		}
		if begin {
			first = f
		}
		sum.least += f.least
		sum.most += f.most
		// Each content size may be up to 2^64: this sum must not wrap around.
		if sum.least >= 1<<62 || f.least >= 1<<62 {
			sum.least = 1 << 62
		}
		src = src[f.size:]
	}
	return first, sum, nil
}

// frames decodes all frames of src, after measure.
func (d *Decoder) frames(dst, src []byte, f frame) (int, error) {
	w, _ := d.pool.Get().(*work)
	if w == nil {
		w = &work{}
	}
	defer d.pool.Put(w)
	dst = dst[:len(dst):len(dst)]
	n := 0
	for len(src) > 0 {
		var err error
		if !f.skip {
			if n, err = w.frame(dst, n, src[:f.size], f); err != nil {
				return 0, err
			}
		}
		if src = src[f.size:]; len(src) > 0 {
			if f, err = walk(src); err != nil {
				return 0, err
			}
		}
	}
	return n, nil
}

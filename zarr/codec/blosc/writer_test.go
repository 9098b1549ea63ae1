package blosc

import (
	"encoding/binary"
	"testing"

	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"

	"github.com/zarr-wasm/zarr-wasm/tests/codectest"
	"github.com/zarr-wasm/zarr-wasm/tests/must"
	"github.com/zarr-wasm/zarr-wasm/tests/naive"
)

// writer makes containers with independent encoders and shuffles that take a
// bit or a byte at a time.
type writer struct {
	format    int
	shuffle   byte // flagShuffle, flagBitShuffle or 0
	unsplit   bool
	typesize  int
	blocksize int
}

func (w writer) encode(t testing.TB, data []byte) []byte {
	flags := byte(w.format)<<5 | w.shuffle
	if w.unsplit {
		flags |= flagUnsplit
	}
	h := header{flags: flags, typesize: w.typesize, nbytes: len(data), blocksize: w.blocksize}
	out := []byte{2, 1, flags, byte(w.typesize)}
	out = binary.LittleEndian.AppendUint32(out, uint32(len(data)))
	out = binary.LittleEndian.AppendUint32(out, uint32(w.blocksize))
	out = binary.LittleEndian.AppendUint32(out, 0)
	out = append(out, make([]byte, 4*h.blocks())...)
	for i := range h.blocks() {
		binary.LittleEndian.PutUint32(out[headerSize+4*i:], uint32(len(out)))
		block := data[i*w.blocksize : min(len(data), (i+1)*w.blocksize)]
		switch w.shuffle {
		case flagShuffle:
			block = naive.Shuffle(block, w.typesize)
		case flagBitShuffle:
			block = naive.BitShuffle(block, w.typesize)
		}
		n := h.streams(i)
		each := len(block) / n
		for ; len(block) > 0; block = block[each:] {
			c := compress(t, w.format, block[:each])
			if len(c) >= each {
				c = block[:each]
			}
			out = binary.LittleEndian.AppendUint32(out, uint32(len(c)))
			out = append(out, c...)
		}
	}
	binary.LittleEndian.PutUint32(out[12:], uint32(len(out)))
	return out
}

// compress returns a result longer than data if it cannot shorten it.
func compress(t testing.TB, format int, data []byte) []byte {
	longer := make([]byte, len(data)+1)
	switch format {
	case 0:
		return blosclzOf(data)
	case 1:
		var c lz4.Compressor
		dst := make([]byte, lz4.CompressBlockBound(len(data)))
		n := must.Get(c.CompressBlock(data, dst))(t)
		if n == 0 {
			return longer
		}
		return dst[:n]
	case 2:
		return snappy.Encode(nil, data)
	case 3:
		return codectest.Zlib(data)
	case 4:
		return zstdWriter(t).EncodeAll(data, nil)
	}
	return longer
}

// zstdWriter is created once, because it is expensive.
var zstdWriter = func() func(testing.TB) *zstd.Encoder {
	var z *zstd.Encoder
	return func(t testing.TB) *zstd.Encoder {
		if z == nil {
			var err error
			if z, err = zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1)); err != nil {
				t.Fatal(err)
			}
		}
		return z
	}
}()

// blosclzOf writes runs, whose matches have every length, and literals.
func blosclzOf(data []byte) []byte {
	var out, literals []byte
	flush := func() {
		for len(literals) > 0 {
			n := min(len(literals), 32)
			out = append(append(out, byte(n-1)), literals[:n]...)
			literals = literals[n:]
		}
	}
	for i := 0; i < len(data); {
		n := 0
		for i > 0 && i+n < len(data) && data[i+n] == data[i-1] {
			n++
		}
		if n < 3 {
			literals = append(literals, data[i])
			i++
			continue
		}
		flush()
		i += n
		if n -= 3; n < 6 {
			out = append(out, byte(n+1)<<5, 0)
			continue
		}
		out = append(out, 7<<5)
		for n -= 6; n >= 255; n -= 255 {
			out = append(out, 255)
		}
		out = append(out, byte(n), 0)
	}
	flush()
	return out
}

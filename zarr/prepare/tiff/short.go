package tiff

import (
	"bytes"
	"compress/zlib"
	"context"
	"encoding/binary"

	"github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
	"github.com/zarr-wasm/zarr-wasm/zarr/codecs/writing"
	"github.com/zarr-wasm/zarr-wasm/zarr/prepare/references"
)

// maxInline limits the strips that become inline, in bytes. A short file has a lower limit: few
// bytes can claim to be large strips.
const maxInline = 32 << 20

func (f *file) maxInline() int64 { return min(maxInline, 512<<10+64*f.size) }

// lengthen returns a short strip, followed by rows of zeros, in the same compression. Chunks of
// Zarr have one size. A predictor works on each row alone, so that zeros stay zeros.
func (w *walk) lengthen(p *page, t tile, rows int64) ([]byte, error) {
	full := p.rows * p.rowBytes()
	if w.inline += full + int64(min(t.count, maxInline)); w.inline > w.maxInline() {
		return nil, unsupported(p.name, "short strips of more than %d bytes at the end", w.maxInline())
	}
	stored, err := w.read("a strip", t.offset, int64(t.count))
	if err != nil {
		return nil, err
	}
	id := compressions[p.compression]
	if id == "" {
		return nil, unsupported(p.name, "the compression %d", p.compression)
	}
	list, err := p.codecs()
	if err != nil {
		return nil, err
	}
	decoded, err := decompress(w.codecs(), list[len(list)-1], stored, rows*p.rowBytes())
	if err != nil {
		return nil, damaged(p.name, "the last strip cannot be decoded: %v", err)
	}
	decoded = append(decoded, make([]byte, full-int64(len(decoded)))...)
	switch id {
	case "zlib":
		var out bytes.Buffer
		z := zlib.NewWriter(&out)
		if _, err := z.Write(decoded); err != nil {
			return nil, err
		}
		if err := z.Close(); err != nil {
			return nil, err
		}
		return out.Bytes(), nil
	case "zstd":
		return zstdOf(decoded), nil
	case "imagecodecs_lzw":
		return lzwOf(decoded), nil
	case "imagecodecs_packbits":
		return packbitsOf(decoded), nil
	}
	return nil, unsupported(p.name, "a short strip with the compression %s at the end", id)
}

// codecs returns the codecs, which are made once for a file.
func (w *walk) codecs() *codec.Registry {
	if w.registry == nil {
		w.registry = writing.Codecs()
	}
	return w.registry
}

// decompress undoes a codec.
func decompress(from *codec.Registry, c references.Codec, stored []byte, size int64) ([]byte, error) {
	config, err := json.Parse(references.AppendJSON(nil, map[string]any(c)), json.Limits{})
	if err != nil {
		return nil, err
	}
	id, _ := c["id"].(string)
	return from.Decompress(context.Background(), id, config, stored, size)
}

// zstdOf returns a frame of Zstandard with blocks that are not compressed (RFC 8878, section
// 3.1.1).
func zstdOf(b []byte) []byte {
	const most = 128 << 10
	out := []byte{0x28, 0xb5, 0x2f, 0xfd, 0xa0} // one segment, and a size of four bytes
	out = binary.LittleEndian.AppendUint32(out, uint32(len(b)))
	for more := true; more; {
		n := min(len(b), most)
		head := uint32(n) << 3
		if more = n < len(b); !more {
			head |= 1
		}
		out = append(out, byte(head), byte(head>>8), byte(head>>16))
		out = append(out, b[:n]...)
		b = b[n:]
	}
	return out
}

// lzwOf returns codes of TIFF's LZW that are single bytes. A clear before the table has 511 strings
// keeps the codes at nine bits.
func lzwOf(b []byte) []byte {
	const clear, end, run = 256, 257, 250
	var out []byte
	held, bits := uint32(0), 0
	put := func(code uint32) {
		held = held<<9 | code
		for bits += 9; bits >= 8; bits -= 8 {
			out = append(out, byte(held>>(bits-8)))
		}
	}
	for i, c := range b {
		if i%run == 0 {
			put(clear)
		}
		put(uint32(c))
	}
	put(end)
	if bits > 0 {
		out = append(out, byte(held<<(8-bits)))
	}
	return out
}

// packbitsOf returns runs of PackBits: equal bytes become short, others stay.
func packbitsOf(b []byte) []byte {
	var out []byte
	for len(b) > 0 {
		n := 1
		for n < min(len(b), 128) && b[n] == b[0] {
			n++
		}
		if n > 1 {
			out = append(out, byte(1-n), b[0])
		} else {
			for n < min(len(b), 128) && (n+1 >= len(b) || b[n] != b[n+1]) {
				n++
			}
			out = append(append(out, byte(n-1)), b[:n]...)
		}
		b = b[n:]
	}
	return out
}

// Package bz2 has the codec bz2: consecutive bzip2 streams. The standard library decodes their
// format; this package limits it and converts its errors.
package bz2

import (
	"compress/bzip2"
	"errors"
	"io"
	"strings"

	"github.com/zarr-wasm/zarr-wasm/internal/errtype"
	"github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
)

// Codec returns the codec bz2. Its configuration is for writers only.
func Codec() codec.Entry {
	return codec.Entry{
		Names: []string{"numcodecs.bz2", "bz2"},
		IDs:   []string{"bz2", "imagecodecs_bz2"},
		Doc:   codec.Doc("bzip2"),
		Kind:  codec.KindBytesToBytes,
		Cost:  codec.Cost{Decode: 40_000, Encode: 250_000},
		New:   func(json.Value, codec.Build) (any, error) { return bz2{}, nil },
	}
}

type bz2 struct{}

// EncodedSize implements codec.BytesToBytes.
func (bz2) EncodedSize(decoded codec.Size) codec.Size { return codec.Compressed(decoded) }

// Decode implements codec.BytesToBytes. Like Python, it ignores bytes after the last whole stream,
// unless they begin like another one.
func (bz2) Decode(env *codec.Env, out codec.Output, src []byte) ([]byte, error) {
	most := out.Most(env)
	first := most
	if !out.Size.Exact {
		first = min(most, max(4*int64(len(src)), int64(cap(out.Buf)), 1024))
	}
	buf := out.Grow(env, first)
	buf = buf[:min(int64(cap(buf)), most)]
	n := 0
	r := bzip2.NewReader(&reader{src})
	for {
		if n == len(buf) {
			// Only a read beyond the expected size reaches the end, and verifies the checksums
			// before it.
			var more [1]byte
			got, err := r.Read(more[:])
			if got == 0 && err == nil {
				continue
			}
			if got == 0 {
				return finish(out, buf[:n], err)
			}
			if int64(n) == most {
				return nil, out.TooMany(env)
			}
			if buf, err = out.More(env, buf, int64(n)+1024); err != nil {
				return nil, err
			}
			buf[n] = more[0]
			n++
			continue
		}
		if err := env.Ctx.Err(); err != nil {
			return nil, err
		}
		// Read in steps, so that a read can be cancelled.
		got, err := r.Read(buf[n:min(len(buf), n+1<<20)])
		n += got
		if err != nil {
			return finish(out, buf[:n], err)
		}
	}
}

// finish returns the result of a decode that ended with an error: io.EOF means success.
func finish(out codec.Output, data []byte, err error) ([]byte, error) {
	var wrong bzip2.StructuralError
	switch {
	case err == io.EOF:
	case errors.Is(err, io.ErrUnexpectedEOF):
		return nil, codec.Truncated("ends inside a bzip2 stream")
	case !errtype.As(err, &wrong):
		return nil, err
	case strings.Contains(string(wrong), "continuation"):
	case strings.Contains(string(wrong), "checksum"):
		return nil, codec.Mismatch("the CRC-32 of a bzip2 block or stream does not match the data")
	default:
		return nil, codec.Corrupt(wrong.Error())
	}
	return out.Check(data)
}

// reader supplies the decoder's bytes one by one. Without ReadByte the decoder would allocate a
// buffer.
type reader struct{ src []byte }

func (r *reader) ReadByte() (byte, error) {
	if len(r.src) == 0 {
		return 0, io.EOF
	}
	c := r.src[0]
	r.src = r.src[1:]
	return c, nil
}

// Read implements io.Reader.
func (r *reader) Read(p []byte) (int, error) {
	if len(r.src) == 0 {
		return 0, io.EOF
	}
	n := copy(p, r.src)
	r.src = r.src[n:]
	return n, nil
}

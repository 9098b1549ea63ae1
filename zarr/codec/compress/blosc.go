package compress

import (
	"sync"

	"github.com/klauspost/compress/zlib"

	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec/blosc"
)

// Blosc returns the codec blosc with an encoder and all its compressors. As in c-blosc, level n
// means zlib's level n and zstd's level 2n-1. [Zstd] documents the library's speeds.
func Blosc() codec.Entry {
	l, z := &blocks{}, &levels{}
	return blosc.Writing(map[string]blosc.Compressor{
		"lz4":   l.fastest,
		"lz4hc": l.deeper,
		"snappy": func(dst, src []byte, _ int) ([]byte, error) {
			return snapped{}.encode(dst, src)
		},
		"zlib": z.zlib,
		"zstd": z.zstd,
	})
}

// levels holds the encoders of each level, made at the first use.
type levels struct {
	mu     sync.Mutex
	zlibs  [10]*streams
	frames [10]*frames
}

func (l *levels) zlib(dst, src []byte, level int) ([]byte, error) {
	l.mu.Lock()
	if l.zlibs[level] == nil {
		s, err := newStreams(func() (resetter, error) { return zlib.NewWriterLevel(nil, level) })
		if err != nil {
			l.mu.Unlock()
			return nil, err
		}
		l.zlibs[level] = &s
	}
	s := l.zlibs[level]
	l.mu.Unlock()
	return s.encode(dst, src)
}

func (l *levels) zstd(dst, src []byte, level int) ([]byte, error) {
	l.mu.Lock()
	if l.frames[level] == nil {
		n := 2*level - 1
		if level == 9 {
			n = 22
		}
		f := newFrames(n, false)
		l.frames[level] = &f
	}
	f := l.frames[level]
	l.mu.Unlock()
	return f.encode(dst, src)
}

package codec

import (
	"runtime"
	"sync"
)

// Compressed is the [BytesToBytes] EncodedSize of compressors: their writers
// may have made the data larger, by headers and by what they could not
// compress, but a form several times as large as the data is not one to hold.
func Compressed(decoded Size) Size {
	const most = 1 << 62 // leaves room for what the next codec adds
	if decoded.N > most/8 {
		return Size{N: most}
	}
	return Size{N: 4*decoded.N + 1<<20}
}

// Most is the number of bytes at which a decoder must stop: Size.N, and no more
// than Limits.ChunkBytes where the size is not exact, or a quarter of that where it is [UnknownSize].
func (o Output) Most(env *Env) int64 {
	if o.Size.Exact {
		return o.Size.N
	}
	most := env.Limits.WithDefaults().ChunkBytes
	if o.Size.N >= UnknownSize {
		most /= 4
	}
	return min(o.Size.N, most)
}

// UnknownSize is the size of what may have any, such as elements of variable length. It is not worth the memory of the largest
// chunk, because what is made of it takes as much again.
const UnknownSize = 1 << 32

// More returns a larger buffer for a decoder that has filled old and has not ended, with what is in it, and room for at least
// need bytes in all. The old one is let go. Steps are large, because each leaves garbage behind. For much memory, decodes wait for each
// other (see [Large]). The error is the context's.
func (o Output) More(env *Env, old []byte, need int64) ([]byte, error) {
	return o.Room(env, old, max(need, 8*int64(len(old))))
}

// Room is More for a decoder that knows how many bytes there will be.
func (o Output) Room(env *Env, old []byte, n int64) ([]byte, error) {
	n = min(o.Most(env), n)
	env.begin(n)
	if err := env.Ctx.Err(); err != nil {
		return nil, err
	}
	b := env.Buffer(int(n))
	copy(b, old)
	env.forget(old)
	return b, nil
}

// large is the size of buffers that decodes wait for which share a Large, and veryLarge of those that are collected at once.
const (
	large     = 1 << 20
	veryLarge = 32 << 20
)

// Large is what decodes share that do not know how much memory they will need, where they run one at a time anyway: one that has begun to take
// memory ends before the next one does.
type Large struct{ mu sync.Mutex }

func (e *Env) begin(n int64) {
	if e.Large == nil || n < large {
		return
	}
	if e.taken == 0 {
		e.Large.mu.Lock()
	}
	e.taken = max(e.taken, n)
}

// EndLarge lets the next one begin. The memory of wasm never shrinks, so what one has left behind that failed is collected first.
func (e *Env) EndLarge(failed bool) {
	if e.taken == 0 {
		return
	}
	if failed && e.taken >= veryLarge {
		runtime.GC()
	}
	e.taken = 0
	e.Large.mu.Unlock()
}

// TooMany is the error of a decoder that has reached Most and has not ended. It
// matches [ErrCorrupt], or is a *LimitError where a limit alone says so.
func (o Output) TooMany(env *Env) error {
	if most := o.Most(env); most < o.Size.N {
		return &LimitError{Limit: "ChunkBytes", Max: most, Asked: most + 1, What: "decoded bytes"}
	}
	return Corrupt("decodes to more bytes than the chunk has")
}

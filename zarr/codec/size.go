package codec

import (
	"runtime"
	"sync"
)

// Compressed is the [BytesToBytes] EncodedSize of compressors. Headers and incompressible data may
// make the encoded form larger than the data. A form several times as large is rejected.
func Compressed(decoded Size) Size {
	const most = 1 << 62 // leaves room for the overhead of the next codec
	if decoded.N > most/8 {
		return Size{N: most}
	}
	return Size{N: 4*decoded.N + 1<<20}
}

// Most returns the number of bytes at which a decoder must stop. It is Size.N. If the size is not
// exact, it is at most Limits.ChunkBytes, or a quarter of that for [UnknownSize].
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

// Padded returns the size of the output of an image with size bytes. With short, an image may have
// fewer rows than a chunk of an exact size. The output then has zeros at its end.
func (o Output) Padded(env *Env, size int64, short bool) (int64, error) {
	whole := size
	if short && o.Size.Exact {
		whole = max(size, o.Size.N)
	}
	switch {
	case size > o.Most(env):
		return 0, o.TooMany(env)
	case o.Size.Exact && whole < o.Size.N:
		return 0, Truncated("the image has fewer pixels than the chunk")
	}
	return whole, nil
}

// UnknownSize is the size of data with no bound, such as elements of variable length. Its limit is
// lower than that of the largest chunk, because the elements made of it take as much memory again.
const UnknownSize = 1 << 32

// More returns a larger buffer for a decoder that has filled old before its end. The buffer keeps
// the contents, has room for at least need bytes in all, and replaces old. Steps are large, because
// each leaves garbage behind. Decodes that need much memory wait for each other (see [Large]). The
// error is the context's.
func (o Output) More(env *Env, old []byte, need int64) ([]byte, error) {
	return o.Room(env, old, max(need, 8*int64(len(old))))
}

// Room is More for a decoder that knows its final size in bytes.
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

// Decodes that share a Large wait for buffers from size large on. Garbage from size veryLarge on is
// collected at once.
const (
	large     = 1 << 20
	veryLarge = 32 << 20
)

// Large is shared by decodes that need an unknown amount of memory and run one at a time anyway. A
// decode that has begun to take memory ends before the next one begins.
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

// EndLarge admits the next decode. The memory of wasm never shrinks, so the garbage of a failed
// decode is collected first.
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

// TooMany returns the error for a decoder that has reached Most before its end. It matches
// [ErrCorrupt], or is a *LimitError if only a limit was exceeded.
func (o Output) TooMany(env *Env) error {
	if most := o.Most(env); most < o.Size.N {
		return &LimitError{Limit: "ChunkBytes", Max: most, Asked: most + 1, What: "decoded bytes"}
	}
	return Corrupt("decodes to more bytes than the chunk has")
}

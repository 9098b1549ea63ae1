// Package hostside asks the page for what lives there: the bytes of its stores, its codecs, and the functions that its
// user gave a FetchStore.
//
// A [Page] numbers questions, posts them, and hands each answer, which comes by [Page.Answered], to the goroutine that
// waits for it. What all goroutines ask host stores for until none of them can go on is one message for each store. A
// question whose context has ended is taken back.
//
// [Store] is a store.Source on the page (store.go), [Page.Codec] an entry of a codec registry (codecs.go), and
// [Page.Headers] and [Page.Fetch] are a FetchStore's functions (http.go).
package hostside

import (
	"context"
	"math"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/zarr-wasm/zarr-wasm/internal/guard"
	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/wasm/internal/wire"
)

// Page is what lives on the page, as one Go instance knows it.
type Page struct {
	post func(wire.Object)
	// buffers are those of answers.
	buffers bufferPool

	mu      sync.Mutex
	last    int // question that was numbered
	asks    map[int]*question
	batches []*question
	unasked []*question     // of host stores
	codecs  map[string]bool // names of those that the page has
}

// New returns the page that post sends messages to.
func New(post func(wire.Object)) *Page { return &Page{post: post, asks: map[int]*question{}} }

// question is something that is asked of the page, and waits for its answer.
type question struct {
	number int // 0 until it is asked
	given  bool
	answer chan answer
	// What a host store is asked for.
	store  *Store
	key    string
	extent *store.ByteRange
	mark   int  // the read that it is for, where that is marked
	fresh  bool // past all caches
	// In place of a key: those of a batch, with the answers that are there and how many are not.
	keys  []string
	found []store.Found
	left  int
}

// answer is what the page says: bytes, nil where there are none, and the rest of the message.
type answer struct {
	wire.Object
	bytes   []byte
	version store.Version // of the object that the bytes are of
	err     error
}

// ask asks the page something and waits for the answer. The question's number is the member of that name.
func (p *Page) ask(ctx context.Context, number wire.IntName, about wire.Object) (answer, error) {
	if err := ctx.Err(); err != nil {
		return answer{}, err
	}
	q := &question{answer: make(chan answer, 1)}
	p.mu.Lock()
	n := p.number(q)
	p.mu.Unlock()
	var m wire.Object
	m.AddInt(number, n)
	m = append(m, about...)
	if mark := store.Mark(ctx); mark != 0 {
		m.AddInt(wire.AskMark, mark)
	}
	if err := p.send(m); err != nil {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.forget(q)
		return answer{}, err
	}
	return p.await(ctx, q)
}

// send posts a message. The error is why that could not be.
func (p *Page) send(msg wire.Object) error {
	return guard.Do(func() error { p.post(msg); return nil })
}

// number makes a question one that has been asked; a batch has a number for each key. It is called with the lock held.
func (p *Page) number(q *question) int {
	q.number = p.last + 1
	if p.last += max(1, len(q.keys)); q.keys == nil {
		p.asks[q.number] = q
	} else {
		p.batches = append(p.batches, q)
	}
	return q.number
}

// await waits for an answer.
func (p *Page) await(ctx context.Context, q *question) (answer, error) {
	select {
	case <-ctx.Done():
		p.mu.Lock()
		q.given = true
		n := q.number
		p.forget(q)
		p.mu.Unlock()
		if n != 0 {
			var o wire.Object
			o.AddInt(wire.AbortedAsk, n)
			p.post(o)
		}
		return answer{}, ctx.Err()
	case a := <-q.answer:
		return a, a.err
	}
}

// askAll posts all that host stores are to be asked, a message for each store, for each read that is marked, and for what is
// asked for past caches.
func (p *Page) askAll() error {
	runtime.Gosched() // the other goroutines first: they have questions too
	p.mu.Lock()
	all := p.unasked
	p.unasked = nil
	type message struct {
		wire.Object
		first int
		count int
	}
	var messages []message
	for len(all) > 0 {
		var rest []*question
		h, mark, fresh := all[0].store, all[0].mark, all[0].fresh
		var keys []string
		var ranges []any
		first, alone := p.last+1, false
		for _, q := range all {
			switch {
			case q.given:
				continue
			case q.store != h || q.mark != mark || q.fresh != fresh || alone || len(keys) > 0 && strings.IndexByte(q.key, '\n') >= 0:
				rest = append(rest, q)
				continue
			}
			p.number(q)
			if q.keys != nil {
				keys = append(keys, q.keys...)
				continue
			}
			alone = strings.IndexByte(q.key, '\n') >= 0 // in its message
			keys = append(keys, q.key)
			if q.extent != nil {
				for len(ranges) < 2*len(keys)-2 {
					ranges = append(ranges, 0.0, -1.0)
				}
				// No object reaches beyond what a number can count: its end is far enough.
				from := wire.Number(min(q.extent.Offset, wire.MaxExact))
				if q.extent.Suffix {
					from = -1.0
				}
				ranges = append(ranges, from, wire.Number(min(q.extent.Length, wire.MaxExact)))
			}
		}
		all = rest
		if keys == nil {
			continue
		}
		var m wire.Object
		m.AddInt(wire.KeysAsk, first)
		m.AddInt(wire.KeysStore, h.number)
		m.AddText(wire.KeysKeys, strings.Join(keys, "\n"))
		m.AddInt(wire.KeysCount, len(keys))
		if ranges != nil {
			m.AddNumbers(wire.KeysRanges, ranges)
		}
		if mark != 0 {
			m.AddInt(wire.KeysMark, mark)
		}
		if fresh {
			m.AddFlag(wire.KeysFresh, true)
		}
		messages = append(messages, message{m, first, len(keys)})
	}
	p.mu.Unlock()
	for _, m := range messages {
		err := p.send(m.Object)
		if err == nil {
			continue
		}
		p.mu.Lock()
		for i := range m.count {
			p.give(m.first+i, answer{err: err})
		}
		p.mu.Unlock()
	}
	return nil
}

// Answered takes the answer to a question, or to several.
func (p *Page) Answered(msg wire.Object) {
	if packed := msg.Memory(wire.AnswersBytes); packed != nil {
		count, length := msg.Int(wire.AnswersCount), msg.Int(wire.AnswersLength)
		if count < 0 || length > packed.Len() || count > length/headLength {
			return
		}
		data := make([]byte, length)
		packed.Read(data)
		rest := data[headLength*count:]
		p.mu.Lock()
		defer p.mu.Unlock()
		for i := range count {
			head := data[headLength*i:]
			n, length, size := int(uint32At(head, 0)), int(uint32At(head, 4)), int64(uint32At(head, 8))
			if length == none {
				p.give(n, answer{})
				continue
			}
			if length > len(rest) {
				return
			}
			if size == none {
				size = -1
			}
			modified := uint64(uint32At(head, 12)) | uint64(uint32At(head, 16))<<32
			p.give(n, answer{bytes: rest[:length:length], version: version(size, modified)})
			rest = rest[length:]
		}
		return
	}
	a := answer{Object: msg, version: store.Unknown}
	if text, failed := msg.TextIf(wire.FoundError); failed {
		a.err = &Error{text, msg.Int(wire.FoundAsk)}
	} else if m := msg.Memory(wire.FoundBytes); m != nil {
		a.bytes = p.buffers.take(max(0, min(msg.Int(wire.FoundLength), m.Len())))
		m.Read(a.bytes)
		size, known := msg.Integer(wire.FoundSize)
		if !known {
			size = -1
		}
		modified, _ := msg.Number(wire.FoundModified)
		a.version = version(size, math.Float64bits(modified))
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.give(msg.Int(wire.FoundAsk), a)
}

// none stands for the length of what does not exist, and for a size that is not known.
const none = 1<<32 - 1

// headLength is how many bytes stand before the bytes of all answers of a message, for each.
const headLength = 20

// version is that of an object of the page's: its size, and the bits of the number that changes with it, 0 where the page does
// not know it.
func version(size int64, modified uint64) store.Version {
	v := store.Version{Size: size}
	if modified != 0 {
		v.Modified = strconv.FormatUint(modified, 36)
	}
	return v
}

// Fail ends the questions that a message answers which could not be read.
func (p *Page) Fail(msg wire.Object, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if n := msg.Int(wire.FoundAsk); n != 0 {
		p.give(n, answer{err: err})
		return
	}
	// It had answers to several questions, and which ones cannot be told.
	for n := range p.asks {
		p.give(n, answer{err: err})
	}
	for len(p.batches) > 0 {
		q := p.batches[0]
		p.forget(q)
		q.given = true
		q.answer <- answer{err: err}
	}
}

// give hands an answer to its question. It is called with the lock held.
func (p *Page) give(n int, a answer) {
	q := p.asks[n]
	if q == nil {
		// There are few batches, of many numbers each.
		i := slices.IndexFunc(p.batches, func(q *question) bool { return n >= q.number && n < q.number+len(q.keys) })
		if i < 0 {
			return
		}
		q = p.batches[i]
		q.found[n-q.number] = store.Found{Bytes: a.bytes, Err: a.err}
		if q.left--; q.left > 0 {
			return
		}
		a = answer{} // each key has an error of its own
	}
	p.forget(q)
	q.given = true
	q.answer <- a
}

// forget takes a question from those that wait for answers. It is called with the lock held.
func (p *Page) forget(q *question) {
	if q.keys == nil {
		delete(p.asks, q.number)
	} else if i := slices.Index(p.batches, q); i >= 0 {
		p.batches = slices.Delete(p.batches, i, i+1)
	}
}

func uint32At(b []byte, i int) uint32 {
	return uint32(b[i]) | uint32(b[i+1])<<8 | uint32(b[i+2])<<16 | uint32(b[i+3])<<24
}

// Error is what was thrown in JavaScript.
type Error struct {
	msg string
	// Ask is the number of the question that it answers, by which the page has what was thrown.
	Ask int
}

func (e *Error) Error() string { return e.msg }

// Is makes of what a FetchStore says on the page what it was in Go: only text crosses.
func (e *Error) Is(target error) bool {
	return target == store.ErrRange && strings.HasSuffix(e.msg, store.ErrRange.Error())
}

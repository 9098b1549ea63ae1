// Package hostside asks the page for everything that lives there. This covers the bytes of its
// stores, its codecs, and the functions that its user gave a FetchStore.
//
//	page := hostside.New(post)
//	source := page.Store(description)
//	extent, err := source.Read(ctx, key, store.Ask{})
//
// A [Page] numbers questions and posts them. [Page.Answered] delivers each answer to the waiting
// goroutine. Questions for keys are collected until no goroutine can run; each store then gets one
// message. When a question's context ends, the page is asked to abort it.
//
// [Store] is a store.Source on the page (store.go), [Page.Codec] an entry of a codec registry
// (codecs.go), and [Page.Headers] and [Page.Fetch] call a FetchStore's functions (http.go).
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

// Page is one Go instance's view of the page.
type Page struct {
	post func(wire.Object)
	// buffers holds the buffers of answers.
	buffers bufferPool

	mu      sync.Mutex
	last    int // the last question's number
	asks    map[int]*question
	batches []*question
	unasked []*question     // for host stores
	codecs  map[string]bool // names of the page's codecs
}

// New returns a page. post sends messages to it.
func New(post func(wire.Object)) *Page { return &Page{post: post, asks: map[int]*question{}} }

// question is a question to the page that awaits its answer.
type question struct {
	number int // 0 until posted
	given  bool
	answer chan answer
	// A question to a host store.
	store  *Store
	key    string
	extent *store.ByteRange
	mark   int  // The read that it serves, if marked.
	fresh  bool // Past all caches.
	// A batch has keys in place of a key, the answers so far, and the number of missing ones.
	keys  []string
	found []store.Found
	left  int
}

// answer is an answer of the page: bytes, or nil for a missing object, and the rest of the message.
type answer struct {
	wire.Object
	bytes   []byte
	version store.Version // of the bytes' object
	err     error
}

// ask asks the page and waits for the answer. The question's number is the member of that name.
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

// send posts a message.
func (p *Page) send(msg wire.Object) error {
	return guard.Do(func() error { p.post(msg); return nil })
}

// number assigns numbers to a question that is being posted, one for each key of a batch. The
// caller holds the lock.
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

// askAll posts the collected questions to host stores: a message for each store, each marked read,
// and for reads past caches.
func (p *Page) askAll() error {
	runtime.Gosched() // let other goroutines add their questions first
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
				// No object is larger than a number can count, so its end is far enough.
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
			p.deliver(m.first+i, answer{err: err})
		}
		p.mu.Unlock()
	}
	return nil
}

// Answered delivers the answer to one or several questions.
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
				p.deliver(n, answer{})
				continue
			}
			if length > len(rest) {
				return
			}
			if size == none {
				size = -1
			}
			modified := uint64(uint32At(head, 12)) | uint64(uint32At(head, 16))<<32
			p.deliver(n, answer{bytes: rest[:length:length], version: version(size, modified)})
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
	p.deliver(msg.Int(wire.FoundAsk), a)
}

// none is the length of a missing object, and an unknown size.
const none = 1<<32 - 1

// headLength is the size in bytes of each answer's header, before the bytes of all answers.
const headLength = 20

// version returns the version of a page's object: its size, and the bits of the number that changes
// with it, or 0 if unknown.
func version(size int64, modified uint64) store.Version {
	v := store.Version{Size: size}
	if modified != 0 {
		v.Modified = strconv.FormatUint(modified, 36)
	}
	return v
}

// Fail fails the questions of an answer that could not be read.
func (p *Page) Fail(msg wire.Object, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if n := msg.Int(wire.FoundAsk); n != 0 {
		p.deliver(n, answer{err: err})
		return
	}
	// It answered several questions, which cannot be identified.
	for n := range p.asks {
		p.deliver(n, answer{err: err})
	}
	for len(p.batches) > 0 {
		q := p.batches[0]
		p.forget(q)
		q.given = true
		q.answer <- answer{err: err}
	}
}

// deliver delivers an answer to its question. The caller holds the lock.
func (p *Page) deliver(n int, a answer) {
	q := p.asks[n]
	if q == nil {
		// There are few batches, with many numbers each.
		i := slices.IndexFunc(p.batches, func(q *question) bool { return n >= q.number && n < q.number+len(q.keys) })
		if i < 0 {
			return
		}
		q = p.batches[i]
		q.found[n-q.number] = store.Found{Bytes: a.bytes, Err: a.err}
		if q.left--; q.left > 0 {
			return
		}
		a = answer{} // each key has its own error
	}
	p.forget(q)
	q.given = true
	q.answer <- a
}

// forget removes a question. The caller holds the lock.
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

// Error is an exception thrown in JavaScript.
type Error struct {
	msg string
	// Ask is the number of the answered question, by which the page finds the exception.
	Ask int
}

func (e *Error) Error() string { return e.msg }

// Is restores the identity of Go errors that crossed the page as text.
func (e *Error) Is(target error) bool {
	return target == store.ErrRange && strings.HasSuffix(e.msg, store.ErrRange.Error())
}

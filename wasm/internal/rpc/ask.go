package rpc

import (
	"context"
	"runtime"
	"slices"
	"strings"

	"zarr-wasm/internal/guard"
	"zarr-wasm/store"
)

// question is something that is asked of the page, and waits for its answer.
type question struct {
	number int // 0 until it is asked
	given  bool
	answer chan answer
	// What a host store is asked for.
	store  *hostStore
	key    string
	extent *store.ByteRange
	mark   int // the read that it is for, where that is marked
	// In place of a key: those of a batch, with the answers that are there and how many are not.
	keys  []string
	found []store.Found
	left  int
}

// answer is what the page says: bytes, nil where there are none, and the rest of the message.
type answer struct {
	Object
	bytes []byte
	size  int64 // of all of an object, of which these are a part; -1 where it is not known
	err   error
}

// ask asks the page something and waits for the answer.
func (s *Session) ask(ctx context.Context, about Object) (answer, error) {
	if err := ctx.Err(); err != nil {
		return answer{}, err
	}
	q := &question{answer: make(chan answer, 1)}
	s.mu.Lock()
	n := s.number(q)
	s.mu.Unlock()
	m := append(Object{{"ask", float64(n)}}, about...)
	if mark := store.Mark(ctx); mark != 0 {
		m.addInt("mark", mark)
	}
	if err := s.post(m); err != nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.forget(q)
		return answer{}, err
	}
	return s.await(ctx, q)
}

// post sends a message. The error is why that could not be.
func (s *Session) post(msg Object) error {
	return guard.Do(func() error { s.cfg.Post(msg); return nil })
}

// number makes a question one that has been asked; a batch has a number for each key. It is called with the lock held.
func (s *Session) number(q *question) int {
	q.number = s.lastAsk + 1
	if s.lastAsk += max(1, len(q.keys)); q.keys == nil {
		s.asks[q.number] = q
	} else {
		s.batches = append(s.batches, q)
	}
	return q.number
}

// await waits for an answer.
func (s *Session) await(ctx context.Context, q *question) (answer, error) {
	select {
	case <-ctx.Done():
		s.mu.Lock()
		q.given = true
		n := q.number
		s.forget(q)
		s.mu.Unlock()
		if n != 0 {
			s.cfg.Post(Object{{"aborted", float64(n)}})
		}
		return answer{}, ctx.Err()
	case a := <-q.answer:
		return a, a.err
	}
}

// askAll posts all that host stores are to be asked, a message for each store, and for each read that is marked.
func (s *Session) askAll() error {
	runtime.Gosched() // the other goroutines first: they have questions too
	s.mu.Lock()
	all := s.unasked
	s.unasked = nil
	type message struct {
		Object
		first int
		count int
	}
	var messages []message
	for len(all) > 0 {
		var rest []*question
		h, mark := all[0].store, all[0].mark
		var keys []string
		var ranges []any
		first, alone := s.lastAsk+1, false
		for _, q := range all {
			switch {
			case q.given:
				continue
			case q.store != h || q.mark != mark || alone || len(keys) > 0 && strings.IndexByte(q.key, '\n') >= 0:
				rest = append(rest, q)
				continue
			}
			s.number(q)
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
				from := number(min(q.extent.Offset, mostExact))
				if q.extent.Suffix {
					from = -1.0
				}
				ranges = append(ranges, from, number(min(q.extent.Length, mostExact)))
			}
		}
		all = rest
		if keys == nil {
			continue
		}
		var m Object
		m.addInt("ask", first)
		m.addInt("store", h.number)
		m.add("keys", strings.Join(keys, "\n"))
		m.addInt("count", len(keys))
		if ranges != nil {
			m.add("ranges", ranges)
		}
		if mark != 0 {
			m.addInt("mark", mark)
		}
		messages = append(messages, message{m, first, len(keys)})
	}
	s.mu.Unlock()
	for _, m := range messages {
		err := s.post(m.Object)
		if err == nil {
			continue
		}
		s.mu.Lock()
		for i := range m.count {
			s.give(m.first+i, answer{err: err})
		}
		s.mu.Unlock()
	}
	return nil
}

// answered takes {answers: ArrayBuffer, count, length}: for each a number, a length and the size of the object, uint32
// all, and then the bytes of all; or {ask, bytes?, length?, size?, error?, ...}.
func (s *Session) answered(msg Object) {
	if packed := msg.memory("answers"); packed != nil {
		count, length := msg.number("count"), msg.number("length")
		if count < 0 || length > packed.Len() || count > length/12 {
			return
		}
		data := make([]byte, length)
		packed.Read(data)
		rest := data[12*count:]
		s.mu.Lock()
		defer s.mu.Unlock()
		for i := range count {
			n, length, size := int(uint32At(data, 12*i)), int(uint32At(data, 12*i+4)), int64(uint32At(data, 12*i+8))
			if length == none {
				s.give(n, answer{})
				continue
			}
			if length > len(rest) {
				return
			}
			if size == none {
				size = -1
			}
			s.give(n, answer{bytes: rest[:length:length], size: size})
			rest = rest[length:]
		}
		return
	}
	a := answer{Object: msg, size: -1}
	if text, failed := msg.Get("error").(string); failed {
		a.err = &hostError{text}
	} else if m := msg.memory("bytes"); m != nil {
		a.bytes = s.spare.take(max(0, min(msg.number("length"), m.Len())))
		m.Read(a.bytes)
		if size, known := integer(msg.Get("size")); known {
			a.size = size
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.give(msg.number("ask"), a)
}

// none stands for the length of what does not exist, and for a size that is not known.
const none = 1<<32 - 1

// give hands an answer to who waits for it. It is called with the lock held.
func (s *Session) give(n int, a answer) {
	q := s.asks[n]
	if q == nil {
		// There are few batches, of many numbers each.
		i := slices.IndexFunc(s.batches, func(q *question) bool { return n >= q.number && n < q.number+len(q.keys) })
		if i < 0 {
			return
		}
		q = s.batches[i]
		q.found[n-q.number] = store.Found{Bytes: a.bytes, Err: a.err}
		if q.left--; q.left > 0 {
			return
		}
		a = answer{} // each key has an error of its own
	}
	s.forget(q)
	q.given = true
	q.answer <- a
}

// forget takes a question from those that wait for answers. It is called with the lock held.
func (s *Session) forget(q *question) {
	if q.keys == nil {
		delete(s.asks, q.number)
	} else if i := slices.Index(s.batches, q); i >= 0 {
		s.batches = slices.Delete(s.batches, i, i+1)
	}
}

func uint32At(b []byte, i int) uint32 {
	return uint32(b[i]) | uint32(b[i+1])<<8 | uint32(b[i+2])<<16 | uint32(b[i+3])<<24
}

// hostError is what was thrown in JavaScript.
type hostError struct{ msg string }

func (e *hostError) Error() string { return e.msg }

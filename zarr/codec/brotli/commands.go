package brotli

import "github.com/zarr-wasm/zarr-wasm/internal/kernel"

// Insert and copy lengths: the base and the number of extra bits of each code (section 5).
var (
	insertBase = [24]uint16{0, 1, 2, 3, 4, 5, 6, 8, 10, 14, 18, 26, 34, 50, 66, 98, 130, 194, 322, 578, 1090, 2114, 6210, 22594}
	insertBits = [24]uint8{0, 0, 0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 7, 8, 9, 10, 12, 14, 24}
	copyBase   = [24]uint16{2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 18, 22, 30, 38, 54, 70, 102, 134, 198, 326, 582, 1094, 2118}
	copyBits   = [24]uint8{0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 7, 8, 9, 10, 24}
	// The first codes of each group of 64 command symbols.
	insertCell = [11]uint8{0, 0, 0, 0, 8, 8, 0, 16, 8, 16, 16}
	copyCell   = [11]uint8{0, 8, 0, 8, 0, 8, 16, 0, 16, 8, 16}
)

// Commands below this one repeat the last distance and have no symbol for it.
const firstWithDistance = 128

// decode decodes the commands of a meta-block up to end.
func (w *work) decode(out *sink, end int) error {
	in := &w.in
	for out.n < end {
		if in.over() {
			return errEnd
		}
		if w.commands.left == 0 {
			w.next(&w.commands)
		}
		w.commands.left--
		s := w.symbol(w.cmdCodes[w.commands.kind])
		i := int(insertCell[s>>6]) + s>>3&7
		insert := int(insertBase[i]) + in.read(uint(insertBits[i]))
		i = int(copyCell[s>>6]) + s&7
		size := int(copyBase[i]) + in.read(uint(copyBits[i]))
		if insert > end-out.n {
			return errBeyond
		}
		if err := w.insert(out, insert); err != nil {
			return err
		}
		if out.n == end {
			return nil // the last command may have no copy
		}

		again, dist := true, w.ring[(w.ringAt-1)&3]
		if s >= firstWithDistance {
			if again, dist = w.distance(size); dist <= 0 {
				return errDistance
			}
		}
		window := min(w.window, out.n)
		if dist > window {
			word, err := w.dictionaryWord(size, dist-window-1)
			if err != nil {
				return err
			}
			if len(word) > end-out.n {
				return errBeyond
			}
			if err := out.need(len(word)); err != nil {
				return err
			}
			out.n += copy(out.buf[out.n:], word)
			// A transform may leave an empty word, but not for words at distances without extra
			// bits. Every command therefore takes bits or produces bytes.
			continue
		}
		if !again {
			w.ring[w.ringAt&3] = dist
			w.ringAt++
		}
		if size > end-out.n {
			return errBeyond
		}
		if err := out.need(size); err != nil {
			return err
		}
		out.copy(dist, size)
	}
	return nil
}

// insert decodes count literals. It makes room as they arrive, because their number alone must not
// cause an allocation.
func (w *work) insert(out *sink, count int) error {
	for count > 0 {
		if w.in.over() {
			return errEnd
		}
		if w.literals.left == 0 {
			w.next(&w.literals)
		}
		run := min(count, w.literals.left, 1<<15)
		w.literals.left -= run
		count -= run
		if err := out.need(run); err != nil {
			return err
		}
		w.run(out.buf[:out.n+run], out.n)
		out.n += run
	}
	return nil
}

// run decodes literals of one block: those from at to the end of buf.
func (w *work) run(buf []byte, at int) {
	kind := w.literals.kind & (maxTypes - 1)
	codes := (*[litContexts]uint8)(w.litMap[kind*litContexts:])
	if w.plain[kind] {
		c := w.litCodes[codes[0]]
		for ; at < len(buf); at++ {
			buf[at] = byte(w.symbol(c))
		}
		return
	}
	contexts := &w.contexts[w.modes[kind]&3]
	var last, before byte
	if at > 0 {
		last = buf[at-1]
	}
	if at > 1 {
		before = buf[at-2]
	}
	for ; at < len(buf); at++ {
		c := codes[(contexts[last]|contexts[256+int(before)])&(litContexts-1)]
		last, before = byte(w.symbol(w.litCodes[c])), last
		buf[at] = last
	}
}

// distance reads the distance (section 4) of a copy of size bytes. It also reports whether it
// repeats the last one. An invalid distance is not positive.
func (w *work) distance(size int) (again bool, dist int) {
	if w.distances.left == 0 {
		w.next(&w.distances)
	}
	w.distances.left--
	c := w.distMap[w.distances.kind*distContexts+min(size-2, distContexts-1)]
	s := w.symbol(w.distCodes[c])
	switch {
	case s < 4:
		return s == 0, w.ring[(w.ringAt-1-uint(s))&3]
	case s < 16:
		// Near the last one (4 to 9) or the one before (10 to 15): by -1, +1, -2, ... +3.
		ago := uint(1)
		if s -= 4; s >= 6 {
			ago = 2
			s -= 6
		}
		by := s>>1 + 1
		if s&1 == 0 {
			by = -by
		}
		return false, w.ring[(w.ringAt-ago)&3] + by
	}
	s -= 16
	if s < w.direct {
		return false, s + 1
	}
	s -= w.direct
	low := s & (1<<w.postfix - 1)
	s >>= w.postfix
	extra := uint(s>>1 + 1)
	high := (2+s&1)<<extra - 4 + w.in.read(extra)
	return false, high<<w.postfix + low + w.direct + 1
}

// copy repeats the bytes from dist bytes ago; the caller has made room.
func (s *sink) copy(dist, size int) {
	buf, o := s.buf, s.n
	end, from := o+size, o-dist
	s.n = end
	if dist >= 8 && size <= 64 && len(buf)-end >= 8 {
		// Steps of 8 write at most 7 extra bytes, into existing room.
		for ; o < end; o, from = o+8, from+8 {
			kernel.Store64(buf, o, kernel.Load64(buf, from))
		}
		return
	}
	for o < end {
		o += copy(buf[o:end], buf[from:o])
	}
}

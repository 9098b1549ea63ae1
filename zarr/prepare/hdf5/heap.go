package hdf5

// names is the local heap of a group.
type names []byte

func (f *file) names(address uint64) (names, error) {
	c, err := f.block("a local heap", "HEAP", address, int64(8+2*f.lengths+f.offsets))
	if err != nil {
		return nil, err
	}
	c.version(0, 0)
	c.skip(3)
	size := c.length()
	c.length()
	at := c.address()
	if c.err != nil {
		return nil, c.err
	}
	return f.read("a local heap", at, size)
}

func (n names) at(offset uint64) (string, error) {
	if offset < uint64(len(n)) {
		for end := offset; end < uint64(len(n)); end++ {
			if n[end] == 0 {
				return string(n[offset:end]), nil
			}
		}
	}
	return "", damaged("a name lies outside of its heap")
}

// variable returns an element of variable length in the global heap.
func (f *file) variable(address uint64, index int) ([]byte, error) {
	all, ok := f.collections[address]
	if !ok {
		const what = "a global heap"
		c, err := f.block(what, "GCOL", address, int64(8+f.lengths))
		if err != nil {
			return nil, err
		}
		c.version(1, 1)
		c.skip(3)
		size := c.length()
		if c.err != nil {
			return nil, c.err
		}
		if c, err = f.block(what, "GCOL", address, size); err != nil {
			return nil, err
		}
		c.skip(4 + f.lengths)
		all = map[uint16][]byte{}
		for c.left() >= 8+f.lengths {
			at := uint16(c.u16())
			c.skip(6)
			n := c.length()
			if at == 0 || c.err != nil { // free space
				break
			}
			if n > int64(c.left()) {
				return nil, damaged("%s has an object of %d bytes", what, n)
			}
			all[at] = c.bytes(int(n))
			c.skip(min(int(-n&7), c.left()))
		}
		if f.kept += int(size); f.kept > maxBlock || f.collections == nil {
			f.collections, f.kept = map[uint64]map[uint16][]byte{}, int(size)
		}
		f.collections[address] = all
	}
	b, ok := all[uint16(index)]
	if !ok {
		return nil, damaged("an object of the global heap is missing")
	}
	return b, nil
}

// heap is a fractal heap.
type heap struct {
	f             *file
	idBytes       int
	offsetBytes   int
	lengthBytes   int
	width         uint64 // of the table
	start, direct uint64 // bytes of the smallest and of the largest direct block
	bits          int    // of the offsets
	root          uint64
	rows          int // of the root; 0 for a direct block
	hugeTree      uint64
	hugeDirect    bool
	lastFrom      uint64
	last          []byte
}

func (f *file) heap(address uint64) (*heap, error) {
	const what = "a fractal heap"
	n := int64(4 + 1 + 2 + 2 + 1 + 4 + 12*f.lengths + 3*f.offsets + 2 + 2 + 2 + 2 + 4)
	c, err := f.block(what, "FRHP", address, n)
	if err != nil {
		return nil, err
	}
	h := &heap{f: f}
	c.version(0, 0)
	h.idBytes = c.u16()
	filters := c.u16()
	c.u8()
	managed := uint64(c.u32())
	c.length() // next huge id
	h.hugeTree = c.address()
	c.length() // free space
	c.address()
	for range 8 { // sizes and counts
		c.length()
	}
	h.width = uint64(c.u16())
	h.start = uint64(c.length())
	h.direct = uint64(c.length())
	h.bits = c.u16()
	c.u16() // rows to begin with
	h.root = c.address()
	h.rows = c.u16()
	if c.err != nil {
		return nil, c.err
	}
	if filters != 0 {
		return nil, unsupported("filters of a fractal heap")
	}
	if err := f.verify(what, c.b); err != nil {
		return nil, err
	}
	power := func(n uint64) bool { return n > 0 && n&(n-1) == 0 }
	if !power(h.width) || !power(h.start) || !power(h.direct) || h.start > h.direct || h.direct > maxBlock ||
		h.bits > 64 || h.rows > 64 || h.idBytes < 1 || h.idBytes > 4096 {
		return nil, damaged("the table of %s", what)
	}
	h.offsetBytes = (h.bits + 7) / 8
	h.lengthBytes = min(bytesFor(h.direct), bytesFor(managed))
	h.hugeDirect = h.idBytes-1 >= f.offsets+f.lengths
	return h, nil
}

// object returns the object of an identifier.
func (h *heap) object(id []byte) ([]byte, error) {
	const what = "an object of a fractal heap"
	c := h.f.cursor(what, id)
	first := c.u8()
	switch first >> 4 & 3 {
	case 0:
		offset, length := c.uint(h.offsetBytes), c.uint(h.lengthBytes)
		if c.err != nil {
			return nil, c.err
		}
		return h.managed(offset, length)
	case 1:
		if !h.hugeDirect {
			return h.huge(c.uint(min(h.idBytes-1, h.f.lengths)))
		}
		at, n := c.address(), c.length()
		if c.err != nil {
			return nil, c.err
		}
		return h.f.read(what, at, n)
	case 2:
		n := first&15 + 1
		if h.idBytes > 17 {
			n = (first&15<<8 | c.u8()) + 1
		}
		return c.bytes(n), c.err
	}
	return nil, damaged("%s of an unknown kind", what)
}

// huge finds an object that lies outside of the heap.
func (h *heap) huge(id uint64) (found []byte, err error) {
	err = h.f.tree2(h.hugeTree, 1, func(c *cursor) error {
		at, n := c.address(), c.length()
		if c.uint(h.f.lengths) == id && c.err == nil && found == nil {
			found, c.err = h.f.read("an object of a fractal heap", at, n)
		}
		return c.err
	})
	if err == nil && found == nil {
		err = damaged("an object of a fractal heap is missing")
	}
	return found, err
}

// row returns the offset and the size of the blocks of a row.
func (h *heap) row(r int) (offset, size uint64) {
	if r == 0 {
		return 0, h.start
	}
	return h.width * h.start << (r - 1), h.start << (r - 1)
}

func (h *heap) managed(offset, length uint64) ([]byte, error) {
	const what = "a block of a fractal heap"
	if h.last != nil && offset >= h.lastFrom && offset-h.lastFrom < uint64(len(h.last)) {
		return h.cut(offset, length)
	}
	address, rows, from, size := h.root, h.rows, uint64(0), h.start
	directRows := log2(h.direct) - log2(h.start) + 2
	for depth := 0; rows > 0; depth++ {
		if depth > maxDepth {
			return nil, damaged("%s is nested too deeply", what)
		}
		r := 0
		var rowAt, rowSize uint64
		for ; ; r++ {
			if r >= rows {
				return nil, damaged("an object lies outside of its fractal heap")
			}
			rowAt, rowSize = h.row(r)
			if rowSize == 0 || rowSize > 1<<62/h.width || offset-from < rowAt+rowSize*h.width {
				break
			}
		}
		if rowSize == 0 {
			return nil, damaged("an object lies outside of its fractal heap")
		}
		column := (offset - from - rowAt) / rowSize
		if offset-from < rowAt || column >= h.width {
			return nil, damaged("an object lies outside of its fractal heap")
		}
		entries := uint64(rows) * h.width
		n := int64(5+h.f.offsets+h.offsetBytes) + int64(entries)*int64(h.f.offsets) + 4
		c, err := h.f.checked(what, "FHIB", address, n)
		if err != nil {
			return nil, err
		}
		c.skip(1 + h.f.offsets + h.offsetBytes + int(uint64(r)*h.width+column)*h.f.offsets)
		if address = c.address(); c.err != nil {
			return nil, c.err
		}
		from += rowAt + column*rowSize
		size = rowSize
		if r < directRows {
			break
		}
		if rows = log2(rowSize) - log2(h.start*h.width) + 1; rows < 1 {
			return nil, damaged("%s has a wrong size", what)
		}
	}
	c, err := h.f.block(what, "FHDB", address, int64(min(size, maxBlock+1)))
	if err != nil {
		return nil, err
	}
	h.last, h.lastFrom = c.b, from
	return h.cut(offset, length)
}

// cut returns an object of the last block.
func (h *heap) cut(offset, length uint64) ([]byte, error) {
	at := offset - h.lastFrom
	if at > uint64(len(h.last)) || length > uint64(len(h.last))-at {
		return nil, damaged("an object lies outside of its fractal heap")
	}
	return h.last[at : at+length : at+length], nil
}

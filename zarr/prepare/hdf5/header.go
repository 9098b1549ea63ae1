package hdf5

// signature begins the superblock.
const signature = "\x89HDF\r\n\x1a\n"

// open reads the superblock, and returns the address of the root group.
func (f *file) open() (root uint64, err error) {
	f.offsets, f.lengths = 8, 8
	for at := int64(0); ; at = max(512, 2*at) {
		if at+64 > f.size || at > 1<<40 {
			return 0, damaged("there is no HDF5 signature")
		}
		b, err := f.read("the superblock", uint64(at), 8)
		if err != nil {
			return 0, err
		}
		if string(b) == signature {
			return f.superblock(uint64(at))
		}
	}
}

func (f *file) superblock(at uint64) (root uint64, err error) {
	c, err := f.block("the superblock", signature, at, min(128, f.size-int64(at)))
	if err != nil {
		return 0, err
	}
	version := c.version(0, 3)
	if version < 2 {
		c.skip(4)
	}
	f.offsets, f.lengths = c.u8(), c.u8()
	for _, n := range []int{f.offsets, f.lengths} {
		if c.err == nil && n != 2 && n != 4 && n != 8 {
			return 0, unsupported("addresses or lengths of %d bytes", n)
		}
	}
	if version < 2 {
		c.skip(9)
		if version == 1 {
			c.skip(4)
		}
	} else {
		c.skip(1)
	}
	f.base = c.address()
	if c.err == nil && f.base != at {
		// A user block was put before the file after it was written: addresses count from here.
		f.base = at
	}
	c.address() // free space, or the extension
	c.address() // end of file
	if version < 2 {
		c.address() // driver information
		c.address() // name of the root group
	}
	root = c.address()
	if version >= 2 && c.err == nil {
		c.skip(4)
		if c.err == nil {
			if err := f.verify("the superblock", c.b[:c.at]); err != nil {
				return 0, err
			}
		}
	}
	return root, c.err
}

// The types of messages of object headers.
const (
	msgDataspace   = 0x01
	msgLinkInfo    = 0x02
	msgDatatype    = 0x03
	msgOldFill     = 0x04
	msgFill        = 0x05
	msgLink        = 0x06
	msgExternal    = 0x07
	msgLayout      = 0x08
	msgFilters     = 0x0b
	msgAttribute   = 0x0c
	msgContinue    = 0x10
	msgSymbolTable = 0x11
	msgAttrInfo    = 0x15
)

// message is one message of an object header.
type message struct {
	kind  int
	flags int
	data  []byte
}

// shared reports that the data only say where the message is.
func (m message) shared() bool { return m.flags&2 != 0 }

// header reads the messages of an object header.
func (f *file) header(address uint64) ([]message, error) {
	const what = "an object header"
	b, err := f.read(what, address, 4)
	if err != nil {
		return nil, err
	}
	if string(b) == "OHDR" {
		return f.header2(address)
	}
	b, err = f.read(what, address, 16)
	if err != nil {
		return nil, err
	}
	c := f.cursor(what, b)
	c.version(1, 1)
	c.skip(1)
	count := c.u16()
	c.skip(4)
	size := c.u32()
	if c.err != nil {
		return nil, c.err
	}
	type span struct {
		at uint64
		n  int64
	}
	spans := []span{{address + 16, int64(size)}}
	var all []message
	for i := 0; i < len(spans); i++ {
		if len(spans) > 1<<16 {
			return nil, damaged("%s has too many parts", what)
		}
		b, err := f.read(what, spans[i].at, spans[i].n)
		if err != nil {
			return nil, err
		}
		for c := f.cursor(what, b); c.left() >= 8 && len(all) < count; {
			m := message{kind: c.u16()}
			n := c.u16()
			m.flags = c.u8()
			c.skip(3)
			if m.data = c.bytes(n); c.err != nil {
				return nil, c.err
			}
			if m.kind == msgContinue {
				k := f.cursor(what, m.data)
				spans = append(spans, span{k.address(), k.length()})
				if k.err != nil {
					return nil, k.err
				}
			}
			all = append(all, m)
		}
	}
	return all, nil
}

// header2 reads an object header of version 2.
func (f *file) header2(address uint64) ([]message, error) {
	const what = "an object header"
	b, err := f.read(what, address, 6)
	if err != nil {
		return nil, err
	}
	if b[4] != 2 {
		return nil, unsupported("version %d of %s", b[4], what)
	}
	flags := int(b[5])
	prefix := 6
	if flags&0x20 != 0 {
		prefix += 16
	}
	if flags&0x10 != 0 {
		prefix += 4
	}
	width := 1 << (flags & 3)
	if b, err = f.read(what, address, int64(prefix+width)); err != nil {
		return nil, err
	}
	c := f.cursor(what, b)
	c.skip(prefix)
	size := c.uint(width)
	if size > maxBlock {
		return nil, damaged("%s of %d bytes", what, size)
	}
	block, err := f.checked(what, "OHDR", address, int64(prefix+width)+int64(size)+4)
	if err != nil {
		return nil, err
	}
	block.skip(prefix + width - 4)
	blocks := []*cursor{block}
	var all []message
	for i := 0; i < len(blocks); i++ {
		if len(blocks) > 1<<16 {
			return nil, damaged("%s has too many parts", what)
		}
		head := 4
		if flags&4 != 0 {
			head += 2
		}
		for c := blocks[i]; c.left() >= head; {
			m := message{kind: c.u8()}
			n := c.u16()
			m.flags = c.u8()
			c.skip(head - 4)
			if m.data = c.bytes(n); c.err != nil {
				return nil, c.err
			}
			if m.kind == msgContinue {
				k := f.cursor(what, m.data)
				at, n := k.address(), k.length()
				if k.err != nil {
					return nil, k.err
				}
				next, err := f.checked("a continuation of an object header", "OCHK", at, n)
				if err != nil {
					return nil, err
				}
				blocks = append(blocks, next)
			}
			all = append(all, m)
		}
	}
	return all, nil
}

// resolve returns the data of a message that another object header may hold.
func (f *file) resolve(m message, depth int) ([]byte, error) {
	if !m.shared() {
		return m.data, nil
	}
	if depth > 4 {
		return nil, damaged("shared messages refer to each other")
	}
	c := f.cursor("a shared message", m.data)
	version := c.version(1, 3)
	kind := c.u8()
	if version == 1 {
		c.skip(6)
	}
	if version == 3 && kind == 1 {
		return nil, unsupported("the table of shared messages")
	}
	address := c.address()
	if c.err != nil {
		return nil, c.err
	}
	all, err := f.header(address)
	if err != nil {
		return nil, err
	}
	for _, other := range all {
		if other.kind == m.kind {
			return f.resolve(other, depth+1)
		}
	}
	return nil, damaged("a shared message is missing")
}

// find returns the first message of a kind, or nil.
func (f *file) find(all []message, kind int) ([]byte, error) {
	for _, m := range all {
		if m.kind == kind {
			return f.resolve(m, 0)
		}
	}
	return nil, nil
}

// space is a dataspace. The shape of a scalar is empty.
type space struct {
	shape, most []int64 // most holds the lengths that may be reached; -1 without a limit
	null        bool
}

// elements returns the number of elements, up to a limit.
func (s *space) elements() int64 {
	if s.null {
		return 0
	}
	n := int64(1)
	for _, d := range s.shape {
		if d == 0 {
			return 0
		}
		if n > (1<<62)/d {
			return 1 << 62
		}
		n *= d
	}
	return n
}

func (f *file) space(b []byte) (*space, error) {
	c := f.cursor("a dataspace", b)
	version := c.version(1, 2)
	rank, flags := c.u8(), c.u8()
	s := &space{shape: []int64{}, most: []int64{}}
	if version == 1 {
		c.skip(5)
	} else if kind := c.u8(); kind == 2 {
		s.null = true
	}
	if c.err == nil && rank > 32 {
		return nil, damaged("a dataspace of %d dimensions", rank)
	}
	for range rank {
		s.shape = append(s.shape, c.length())
	}
	for i := range rank {
		most := int64(-1)
		if flags&1 == 0 {
			most = s.shape[i]
		} else if v := c.uint(f.lengths); v < 1<<62 && !(f.lengths < 8 && v == 1<<(8*f.lengths)-1) {
			most = int64(v)
		}
		s.most = append(s.most, most)
	}
	return s, c.err
}

// fill returns the bytes of the fill value, or nil.
func (f *file) fill(all []message) ([]byte, error) {
	b, err := f.find(all, msgFill)
	if err != nil {
		return nil, err
	}
	if b == nil {
		if b, err = f.find(all, msgOldFill); b == nil {
			return nil, err
		}
		c := f.cursor("the fill value", b)
		return c.bytes(c.u32()), c.err
	}
	c := f.cursor("the fill value", b)
	if version := c.version(1, 3); version < 3 {
		c.skip(2)
		if c.u8() == 0 {
			return nil, c.err
		}
		size := c.u32()
		if size == 0 || int32(size) < 0 {
			return nil, c.err
		}
		return c.bytes(size), c.err
	}
	if c.u8()&0x20 == 0 {
		return nil, c.err
	}
	return c.bytes(c.u32()), c.err
}

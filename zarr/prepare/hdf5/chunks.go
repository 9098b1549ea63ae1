package hdf5

import (
	"math"

	"github.com/zarr-wasm/zarr-wasm/zarr/prepare/references"
)

// The classes of layouts.
const (
	layoutCompact    = 0
	layoutContiguous = 1
	layoutChunked    = 2
	layoutVirtual    = 3
)

// The chunk indexes of layout version 4, and the B-tree of earlier ones.
const (
	indexTree1      = 0
	indexSingle     = 1
	indexImplicit   = 2
	indexFixed      = 3
	indexExtensible = 4
	indexTree2      = 5
)

// layout says where the elements of a dataset lie.
type layout struct {
	class   int
	address uint64
	size    int64  // of contiguous storage; -1 when not stored
	data    []byte // of compact storage
	chunk   []int64
	width   int64 // bytes of an element, as the chunks have it
	index   int
	flags   int
	// of a single chunk with filters
	bytes int64
	mask  int
}

func (f *file) layout(b []byte) (*layout, error) {
	c := f.cursor("a layout", b)
	l := &layout{address: undefined, size: -1}
	version := c.version(1, 5)
	if version < 3 {
		rank := c.u8()
		l.class = c.u8()
		c.skip(5)
		if l.class != layoutCompact {
			l.address = c.address()
		}
		for range min(rank, 33) {
			l.chunk = append(l.chunk, int64(c.u32()))
		}
		switch l.class {
		case layoutCompact:
			l.data = c.bytes(c.u32())
		case layoutChunked:
			l.split(c)
		}
		return l, c.err
	}
	l.class = c.u8()
	switch l.class {
	case layoutCompact:
		l.data = c.bytes(c.u16())
	case layoutContiguous:
		l.address, l.size = c.address(), c.length()
	case layoutChunked:
		if version == 3 {
			rank := c.u8()
			l.address = c.address()
			for range min(rank, 33) {
				l.chunk = append(l.chunk, int64(c.u32()))
			}
			l.split(c)
			return l, c.err
		}
		l.flags = c.u8()
		rank, width := c.u8(), c.u8()
		for range min(rank, 33) {
			n := c.uint(width)
			if n > math.MaxInt64 {
				return nil, damaged("a chunk of %d elements", n)
			}
			l.chunk = append(l.chunk, int64(n))
		}
		l.split(c)
		l.index = c.u8()
		switch l.index {
		case indexSingle:
			if l.flags&2 != 0 {
				l.bytes, l.mask = c.length(), c.u32()
			}
		case indexImplicit:
		case indexFixed:
			c.skip(1)
		case indexExtensible:
			c.skip(5)
		case indexTree2:
			c.skip(6)
		default:
			c.fail(unsupported("chunk index %d", l.index))
		}
		l.address = c.address()
	case layoutVirtual:
		c.fail(unsupported("a virtual dataset"))
	default:
		c.fail(unsupported("layout class %d", l.class))
	}
	return l, c.err
}

// split takes the size of an element off the shape of chunks.
func (l *layout) split(c *cursor) {
	n := len(l.chunk)
	if n < 1 {
		c.fail(damaged("chunks without a shape"))
		return
	}
	l.width, l.chunk = l.chunk[n-1], l.chunk[:n-1]
	for _, d := range l.chunk {
		if d < 1 && c.err == nil {
			c.fail(damaged("chunks of length 0"))
		}
	}
}

// index visits the chunks of a dataset.
type index struct {
	f        *file
	l        *layout
	grid     []int64 // chunks in each dimension of the dataset
	most     []int64 // the same for the lengths that may be reached; -1 without a limit
	raw      int64   // bytes of a chunk without filters
	filtered bool
	visit    func(at []int64, address uint64, bytes int64, mask int) error
	at       []int64
}

// chunks visits all stored chunks of a dataset within its shape.
func (f *file) chunks(l *layout, s *space, width int64, filtered bool, visit func(at []int64, address uint64, bytes int64, mask int) error) error {
	x := &index{f: f, l: l, raw: width, filtered: filtered, visit: visit, at: make([]int64, len(s.shape))}
	for i, n := range s.shape {
		c := l.chunk[i]
		if x.raw > math.MaxInt64/c {
			return damaged("chunks of too many elements")
		}
		x.raw *= c
		x.grid = append(x.grid, up(n, c))
		if s.most[i] < 0 {
			x.most = append(x.most, -1)
		} else {
			x.most = append(x.most, max(up(s.most[i], c), up(n, c)))
		}
	}
	if l.address == undefined {
		return nil
	}
	switch l.index {
	case indexTree1:
		return x.tree1()
	case indexSingle:
		n := x.raw
		if l.flags&2 != 0 {
			n = l.bytes
		}
		return x.add(l.address, n, l.mask)
	case indexImplicit:
		return x.implicit()
	case indexFixed:
		return x.fixed()
	case indexExtensible:
		return x.extensible()
	}
	return x.tree2()
}

// up returns n/c, rounded up.
func up(n, c int64) int64 {
	q := n / c
	if n%c != 0 {
		q++
	}
	return q
}

// add visits the chunk at x.at, unless it is not stored or lies outside of the dataset.
func (x *index) add(address uint64, bytes int64, mask int) error {
	if address == undefined {
		return nil
	}
	for i, n := range x.at {
		if n >= x.grid[i] {
			return nil
		}
	}
	return x.visit(x.at, address, bytes, mask)
}

// place sets x.at to the place of a number in C order of the largest grid, in which the dimension
// `first` varies slowest. It returns false beyond the grid.
func (x *index) place(number uint64, first int) bool {
	for i := len(x.at) - 1; i >= 0; i-- {
		if i == first {
			continue
		}
		n := x.most[i]
		if n < 1 {
			return false
		}
		x.at[i] = int64(number % uint64(n))
		number /= uint64(n)
	}
	if first >= 0 {
		if number > math.MaxInt64 {
			return false
		}
		x.at[first] = int64(number)
		return true
	}
	return number == 0
}

// order checks that B-trees visit each chunk once.
func (x *index) order(last []int64) ([]int64, error) {
	if last == nil {
		return append([]int64{}, x.at...), nil
	}
	for i, n := range x.at {
		if n != last[i] {
			if n < last[i] {
				break
			}
			copy(last, x.at)
			return last, nil
		}
	}
	return nil, damaged("the chunks of a B-tree are not in order")
}

func (x *index) tree1() error {
	var last []int64
	rank := len(x.at)
	return x.f.tree1(x.l.address, 1, 8+8*(rank+1), func(key *cursor, child uint64) (err error) {
		bytes, mask := int64(key.u32()), key.u32()
		for i := range x.at {
			offset := key.uint(8)
			if offset%uint64(x.l.chunk[i]) != 0 {
				return damaged("a chunk begins at element %d", offset)
			}
			x.at[i] = int64(offset / uint64(x.l.chunk[i]))
		}
		if key.err != nil {
			return key.err
		}
		if last, err = x.order(last); err != nil {
			return err
		}
		return x.add(child, bytes, mask)
	})
}

func (x *index) tree2() error {
	kind := 10
	if x.filtered {
		kind = 11
	}
	var last []int64
	return x.f.tree2(x.l.address, kind, func(c *cursor) (err error) {
		address, bytes, mask := c.address(), x.raw, 0
		if x.filtered {
			n := c.uint(c.left() - 4 - 8*len(x.at))
			if bytes, mask = int64(n), c.u32(); n > math.MaxInt64 {
				return damaged("a chunk of %d bytes", n)
			}
		}
		for i := range x.at {
			n := c.uint(8)
			if n > math.MaxInt64 {
				return damaged("a chunk at %d", n)
			}
			x.at[i] = int64(n)
		}
		if c.err != nil {
			return c.err
		}
		if last, err = x.order(last); err != nil {
			return err
		}
		return x.add(address, bytes, mask)
	})
}

func (x *index) implicit() error {
	if len(x.at) == 0 {
		return x.add(x.l.address, x.raw, 0)
	}
	for _, n := range x.grid {
		if n == 0 {
			return nil
		}
	}
	at := make([]int64, len(x.grid))
	for more := true; more; more = references.Next(at, x.grid) {
		number := uint64(0)
		for i, n := range at {
			if x.most[i] < 0 || number > math.MaxInt64/uint64(max(x.most[i], 1)) {
				return damaged("the grid of an implicit index has no size")
			}
			number = number*uint64(x.most[i]) + uint64(n)
		}
		if number > math.MaxInt64/uint64(max(x.raw, 1)) {
			return damaged("a chunk lies beyond the end of the file")
		}
		copy(x.at, at)
		if err := x.add(x.l.address+number*uint64(x.raw), x.raw, 0); err != nil {
			return err
		}
	}
	return nil
}

// entries reads elements of a fixed or extensible array, of the chunks from a number on.
func (x *index) entries(c *cursor, n, number uint64, first int) error {
	for i := range n {
		address, bytes, mask := c.address(), x.raw, 0
		if x.filtered {
			size := c.uint(x.entryBytes() - x.f.offsets - 4)
			if bytes, mask = int64(size), c.u32(); size > math.MaxInt64 {
				return damaged("a chunk of %d bytes", size)
			}
		}
		if c.err != nil {
			return c.err
		}
		if address == undefined {
			continue
		}
		if !x.place(number+i, first) {
			return nil // beyond the lengths that may be reached
		}
		if err := x.add(address, bytes, mask); err != nil {
			return err
		}
	}
	return nil
}

func (x *index) entryBytes() int { return int(x.l.size) }

// header reads the beginning of a fixed or extensible array: its version, client and entries.
func (x *index) client(c *cursor) error {
	c.version(0, 0)
	client := c.u8()
	entry := c.u8()
	want := 0
	least := x.f.offsets
	if x.filtered {
		want, least = 1, x.f.offsets+5
	}
	if c.err == nil && (client != want || entry < least || !x.filtered && entry != least || entry > least+8) {
		return damaged("%s has entries of another kind", c.what)
	}
	x.l.size = int64(entry)
	return c.err
}

func (x *index) fixed() error {
	const what = "a fixed array"
	f := x.f
	c, err := f.checked(what, "FAHD", x.l.address, int64(4+1+1+1+1+f.lengths+f.offsets+4))
	if err != nil {
		return err
	}
	if err := x.client(c); err != nil {
		return err
	}
	pageBits := c.u8()
	count, block := uint64(c.length()), c.address()
	switch {
	case c.err != nil:
		return c.err
	case block == undefined:
		return nil
	case pageBits > 30 || count > uint64(f.size):
		return damaged("%s of %d entries", what, count)
	}
	page := uint64(1) << pageBits
	head := int64(4 + 1 + 1 + f.offsets)
	if count <= page {
		c, err := f.checked(what, "FADB", block, head+int64(count)*x.l.size+4)
		if err != nil {
			return err
		}
		c.skip(int(head) - 4)
		return x.entries(c, count, 0, -1)
	}
	pages := (count + page - 1) / page
	bitmap := int64(pages+7) / 8
	if c, err = f.checked(what, "FADB", block, head+bitmap+4); err != nil {
		return err
	}
	c.skip(int(head) - 4)
	return x.pages(what, c.bytes(int(bitmap)), block+uint64(head+bitmap+4), count, page, 0, -1)
}

// pages reads the pages of a block, each with its checksum. The bitmap has those with entries.
func (x *index) pages(what string, bitmap []byte, at, count, page, number uint64, first int) error {
	for i := uint64(0); i*page < count; i++ {
		n := min(page, count-i*page)
		if i/8 < uint64(len(bitmap)) && bitmap[i/8]&(0x80>>(i%8)) != 0 {
			c, err := x.f.checked(what, "", at, int64(n)*x.l.size+4)
			if err != nil {
				return err
			}
			if err := x.entries(c, n, number+i*page, first); err != nil {
				return err
			}
		}
		at += n*uint64(x.l.size) + 4
	}
	return nil
}

// extensible reads an extensible array. Its entries lie in the index block, then in data blocks,
// then in data blocks of secondary blocks, which grow in size.
func (x *index) extensible() error {
	const what = "an extensible array"
	f := x.f
	c, err := f.checked(what, "EAHD", x.l.address, int64(4+1+1+1+5+6*f.lengths+f.offsets+4))
	if err != nil {
		return err
	}
	if err := x.client(c); err != nil {
		return err
	}
	bits, inIndex, least, pointers, pageBits := c.u8(), uint64(c.u8()), uint64(c.u8()), uint64(c.u8()), c.u8()
	for range 6 {
		c.length()
	}
	block := c.address()
	power := func(n uint64) bool { return n > 0 && n&(n-1) == 0 }
	switch {
	case c.err != nil:
		return c.err
	case block == undefined:
		return nil
	case bits < 1 || bits > 64 || !power(least) || !power(pointers) || pointers < 2 || pageBits > 30 || bits < log2(least):
		return damaged("%s has impossible sizes", what)
	}
	first := -1
	for i, n := range x.most {
		if n < 0 {
			if first >= 0 {
				return damaged("%s of a dataset with two unlimited dimensions", what)
			}
			first = i
		}
	}
	a := &extensible{x: x, first: first, offsetBytes: (bits + 7) / 8, page: 1 << pageBits}
	supers := 1 + bits - log2(least)
	direct := 2 * log2(pointers) // of these, the index block has the data blocks
	blocks := 2 * (pointers - 1)
	rest := max(supers-direct, 0)
	head := 4 + 1 + 1 + f.offsets
	n := int64(head) + int64(inIndex)*x.l.size + int64(blocks+uint64(rest))*int64(f.offsets) + 4
	if c, err = f.checked(what, "EAIB", block, n); err != nil {
		return err
	}
	c.skip(head - 4)
	if err := x.entries(c, inIndex, 0, first); err != nil {
		return err
	}
	number := inIndex
	for s := range supers {
		count, size := uint64(1)<<(s/2), least<<((s+1)/2)
		if size == 0 || size > 1<<40 || count > 1<<40 {
			return nil
		}
		if s < direct {
			for range count {
				if err := a.data(c.address(), size, number, nil); err != nil {
					return err
				}
				number += size
			}
		} else {
			if err := a.secondary(c.address(), count, size, number); err != nil {
				return err
			}
			number += count * size
		}
		if c.err != nil {
			return c.err
		}
	}
	return nil
}

type extensible struct {
	x           *index
	first       int
	offsetBytes int
	page        uint64
}

// secondary reads the data blocks of a secondary block.
func (a *extensible) secondary(address, count, size, number uint64) error {
	const what = "a secondary block"
	if address == undefined {
		return nil
	}
	f := a.x.f
	head := int64(4 + 1 + 1 + f.offsets + a.offsetBytes)
	bitmap := int64(0)
	if size > a.page {
		bitmap = int64(size/a.page+7) / 8
	}
	c, err := f.checked(what, "EASB", address, head+int64(count)*(bitmap+int64(f.offsets))+4)
	if err != nil {
		return err
	}
	c.skip(int(head) - 4)
	bitmaps := c.bytes(int(int64(count) * bitmap))
	for i := range int64(count) {
		at := c.address()
		if c.err != nil {
			return c.err
		}
		if err := a.data(at, size, number, bitmaps[i*bitmap:(i+1)*bitmap]); err != nil {
			return err
		}
		number += size
	}
	return nil
}

// data reads a data block of `size` entries.
func (a *extensible) data(address, size, number uint64, bitmap []byte) error {
	const what = "a data block"
	if address == undefined {
		return nil
	}
	f := a.x.f
	head := int64(4 + 1 + 1 + f.offsets + a.offsetBytes)
	if size <= a.page {
		c, err := f.checked(what, "EADB", address, head+int64(size)*a.x.l.size+4)
		if err != nil {
			return err
		}
		c.skip(int(head) - 4)
		return a.x.entries(c, size, number, a.first)
	}
	if _, err := f.checked(what, "EADB", address, head+4); err != nil {
		return err
	}
	return a.x.pages(what, bitmap, address+uint64(head)+4, size, a.page, number, a.first)
}

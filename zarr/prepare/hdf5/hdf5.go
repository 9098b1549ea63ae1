// Package hdf5 indexes HDF5 and NetCDF-4 files: it writes references to their chunks, so that they
// open as Zarr without conversion.
//
// It reads the structures of the file, and no elements but those of small or variable-length data
// that references hold inline. It supports superblocks 0 to 3, object headers 1 and 2, and all
// layouts and chunk indexes but virtual and external ones. An object with a feature that references
// cannot express is left out and reported; the others are still indexed.
//
// A file may be hostile. The work is bounded by the size of the file, and the memory by the limits
// of package references.
package hdf5

import (
	"io"
	"path"
	"strconv"
	"strings"

	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/zarr/prepare/references"
)

// Is reports whether a file begins as HDF5 does. A user block may come before the HDF5 part.
func Is(r io.ReaderAt, size int64) bool {
	f := &file{r: r, size: size, work: 1 << 20}
	for at := int64(0); at+8 <= size && at < 1<<30; at = max(512, 2*at) {
		if b, err := f.read("", uint64(at), 8); err == nil && string(b) == signature {
			return true
		}
	}
	return false
}

// Index adds the groups and datasets of a file.
func Index(r io.ReaderAt, size int64, to *references.Writer) error {
	f := &file{r: r, size: size, work: min(max(8*size, 1<<20), maxWork)}
	return f.index(to)
}

func (f *file) index(to *references.Writer) error {
	root, err := f.open()
	if err != nil {
		return named("", err)
	}
	w := &walk{f: f, to: to, seen: map[uint64]bool{}, dims: map[uint64]*dimension{}, ids: map[int64]*dimension{}}
	if err := w.object("", root, 0); err != nil {
		return err
	}
	return w.write()
}

// walk collects the objects of a file, and then writes them: datasets name dimensions that may come
// after them.
type walk struct {
	f     *file
	to    *references.Writer
	seen  map[uint64]bool
	found []object
	dims  map[uint64]*dimension // by the address of the scale
	ids   map[int64]*dimension  // by netCDF's number
	phony map[string]map[phony]string
	count int
}

// dimension is a dimension that a scale defines. In netCDF all variables have its length, however
// much of them is stored.
type dimension struct {
	name   string
	netCDF bool
	length int64
}

type object struct {
	path       string
	messages   []message
	attributes []attribute
	scales     scales
	dataset    bool
}

// skip reports an object that is left out. It returns the error if nothing else can be read.
func (w *walk) skip(path string, err error) error {
	if w.f.fatal != nil {
		return w.f.fatal
	}
	if path == "" {
		path = "/"
	}
	return w.to.Skip(path, named(path, err))
}

// object reads an object, and the members of a group.
func (w *walk) object(path string, address uint64, depth int) error {
	all, err := w.f.header(address)
	if err != nil {
		if path == "" && w.f.fatal == nil {
			return named("/", err)
		}
		return w.skip(path, err)
	}
	o := object{path: path, messages: all}
	group := path == ""
	for _, m := range all {
		group = group || m.kind == msgSymbolTable || m.kind == msgLinkInfo
		o.dataset = o.dataset || m.kind == msgLayout && path != ""
	}
	if !group && !o.dataset {
		return nil // a named datatype
	}
	if group && !o.dataset {
		if depth > maxDepth {
			return w.skip(path, damaged("groups are nested too deeply"))
		}
		if w.seen[address] {
			return w.skip(path, unsupported("a second link to a group"))
		}
		w.seen[address] = true
	}
	if o.attributes, err = w.f.attributes(all); err != nil {
		if err := w.skip(path, err); err != nil {
			return err
		}
	}
	if o.dataset {
		// netCDF stores a variable under another name if a dimension has its name.
		name := strings.TrimPrefix(base(path), "_nc4_non_coord_")
		o.path = path[:len(path)-len(base(path))] + name
		o.scales = w.f.scales(o.attributes)
		if o.scales.isScale {
			w.dims[address] = &dimension{name: name, netCDF: o.scales.id >= 0}
			if o.scales.id >= 0 {
				w.ids[o.scales.id] = w.dims[address]
			}
		}
	}
	w.found = append(w.found, o)
	if len(w.found) > 1<<20 {
		return &references.LimitError{What: "the number of objects", Max: 1 << 20}
	}
	if o.dataset {
		return nil
	}
	var links []link
	if links, err = w.f.links(all); err != nil {
		if err := w.skip(path, err); err != nil {
			return err
		}
	}
	for _, l := range links {
		child := store.Join(path, l.name)
		if l.kind != "" {
			err = w.skip(child, unsupported("%s", l.kind))
		} else if bad := references.CheckPath(l.name); bad != nil {
			err = w.skip(child, bad)
		} else {
			err = w.object(child, l.address, depth+1)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func base(p string) string { return path.Base(p) }

// link is a link of a group. One that is not hard has a kind.
type link struct {
	name    string
	address uint64
	kind    string
}

// links returns the links of a group, and those before an error.
func (f *file) links(all []message) (list []link, err error) {
	table, err := f.find(all, msgSymbolTable)
	if err != nil {
		return nil, err
	}
	if table != nil {
		return f.symbols(table)
	}
	for _, m := range all {
		if m.kind == msgLink {
			l, err := f.link(m.data)
			if err != nil {
				return list, err
			}
			list = append(list, l)
		}
	}
	info, err := f.find(all, msgLinkInfo)
	if info == nil {
		return list, err
	}
	c := f.cursor("link information", info)
	c.version(0, 0)
	if flags := c.u8(); flags&1 != 0 {
		c.skip(8)
	}
	at, tree := c.address(), c.address()
	if c.err != nil || at == undefined || tree == undefined {
		return list, c.err
	}
	h, err := f.heap(at)
	if err != nil {
		return list, err
	}
	err = f.tree2(tree, 5, func(c *cursor) error {
		c.skip(4)
		id := c.bytes(h.idBytes)
		if c.err != nil {
			return c.err
		}
		b, err := h.object(id)
		if err != nil {
			return err
		}
		l, err := f.link(b)
		list = append(list, l)
		return err
	})
	return list, err
}

func (f *file) link(b []byte) (link, error) {
	c := f.cursor("a link", b)
	c.version(1, 1)
	flags := c.u8()
	kind := 0
	if flags&8 != 0 {
		kind = c.u8()
	}
	if flags&4 != 0 {
		c.skip(8)
	}
	if flags&16 != 0 {
		c.skip(1)
	}
	n := c.uint(1 << (flags & 3))
	l := link{name: string(c.bytes(int(min(n, 1<<30))))}
	switch kind {
	case 0:
		l.address = c.address()
	case 1:
		l.kind = "a soft link"
	case 64:
		l.kind = "a link to another file"
	default:
		l.kind = "a link of kind " + strconv.Itoa(kind)
	}
	return l, c.err
}

// symbols returns the links of a group of the first version.
func (f *file) symbols(table []byte) (list []link, err error) {
	c := f.cursor("a symbol table", table)
	tree, at := c.address(), c.address()
	if c.err != nil {
		return nil, c.err
	}
	heap, err := f.names(at)
	if err != nil {
		return nil, err
	}
	err = f.tree1(tree, 0, f.lengths, func(_ *cursor, child uint64) error {
		const what = "a node of symbols"
		c, err := f.block(what, "SNOD", child, 8)
		if err != nil {
			return err
		}
		c.version(1, 1)
		c.skip(1)
		n := c.u16()
		if c, err = f.block(what, "SNOD", child, 8+int64(n)*int64(2*f.offsets+24)); err != nil {
			return err
		}
		c.skip(4)
		for range n {
			offset := c.uint(f.offsets)
			l := link{address: c.address()}
			if kind := c.u32(); kind == 2 {
				l.kind = "a soft link"
			}
			c.skip(20)
			if c.err != nil {
				return c.err
			}
			if l.name, err = heap.at(offset); err != nil {
				return err
			}
			list = append(list, l)
		}
		return nil
	})
	return list, err
}

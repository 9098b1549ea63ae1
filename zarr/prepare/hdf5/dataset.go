package hdf5

import (
	"math"
	"slices"
	"strconv"

	"github.com/zarr-wasm/zarr-wasm/zarr/prepare/references"
)

// write adds all objects.
func (w *walk) write() error {
	w.phony = map[string]map[phony]string{}
	for i := range w.found {
		w.measure(&w.found[i])
	}
	for i := range w.found {
		o := &w.found[i]
		var err error
		if o.dataset {
			err = w.dataset(o)
		} else {
			var attributes map[string]any
			if attributes, err = w.values(o); err == nil {
				err = w.to.Group(o.path, attributes)
			}
		}
		if err != nil {
			if err = w.skip(o.path, err); err != nil {
				return err
			}
		}
		*o = object{}
	}
	return nil
}

// measure sets the lengths of the dimensions of a dataset to the greatest of all datasets.
func (w *walk) measure(o *object) {
	b, err := w.f.find(o.messages, msgDataspace)
	if !o.dataset || b == nil || err != nil {
		return
	}
	if s, err := w.f.space(b); err == nil {
		for i, n := range s.shape {
			if d := w.dimension(o, i, len(s.shape)); d != nil {
				d.length = max(d.length, n)
			}
		}
	}
}

// dimension returns a dimension of a dataset that a scale defines, or nil.
func (w *walk) dimension(o *object, i, rank int) *dimension {
	switch s := o.scales; {
	case i < len(s.lists) && s.lists[i] != undefined && w.dims[s.lists[i]] != nil:
		return w.dims[s.lists[i]]
	case i < len(s.ids) && w.ids[s.ids[i]] != nil:
		return w.ids[s.ids[i]]
	case s.isScale && rank == 1:
		return &dimension{name: base(o.path)}
	}
	return nil
}

// values returns the attributes of an object. It reports those that cannot be expressed.
func (w *walk) values(o *object) (map[string]any, error) {
	all := map[string]any{}
	for _, a := range o.attributes {
		if hidden[a.name] {
			continue
		}
		v, err := w.f.json(a)
		if err != nil {
			where := o.path + "@" + a.name
			if err := w.to.Skip(where, named(where, err)); err != nil {
				return nil, err
			}
			continue
		}
		all[a.name] = v
	}
	return all, nil
}

// dataset adds a dataset.
func (w *walk) dataset(o *object) error {
	if o.scales.unnamed {
		return nil
	}
	f := w.f
	parts := map[int][]byte{}
	for _, kind := range []int{msgDatatype, msgDataspace, msgLayout} {
		b, err := f.find(o.messages, kind)
		if err == nil && b == nil {
			err = damaged("a dataset without its type, its shape or its layout")
		}
		if err != nil {
			return err
		}
		parts[kind] = b
	}
	if b, err := f.find(o.messages, msgExternal); b != nil || err != nil {
		if err == nil {
			err = unsupported("elements in other files")
		}
		return err
	}
	s, err := f.space(parts[msgDataspace])
	if err != nil {
		return err
	}
	if s.null {
		return unsupported("a dataset without a shape")
	}
	list, err := f.filters(o.messages)
	if err != nil {
		return err
	}
	packed := slices.ContainsFunc(list, func(one filter) bool { return one.id == filterNBit && at(one.values, 1) == 0 })
	t, err := f.datatype(parts[msgDatatype], packed)
	if err != nil {
		return err
	}
	l, err := f.layout(parts[msgLayout])
	if err != nil {
		return err
	}
	if t.size < 1 {
		return unsupported("elements of no bytes")
	}
	for i := range s.shape {
		if one := w.dimension(o, i, len(s.shape)); one != nil && one.netCDF && s.most[i] < 0 && l.class == layoutChunked {
			s.shape[i] = max(s.shape[i], one.length) // the rest is fill
		}
	}
	d := &dataset{w: w, o: o, s: s, t: t, l: l, filters: list}
	return d.write()
}

// dataset is a dataset whose messages are parsed.
type dataset struct {
	w *walk
	o *object
	s *space
	t *datatype
	l *layout

	filters []filter
}

func (d *dataset) write() error {
	f, a := d.w.f, references.Array{Shape: d.s.shape}
	var err error
	if d.t.class == classVariable {
		if !d.t.text {
			return unsupported("elements of variable length that are not strings")
		}
		if a.Attributes, err = d.w.values(d.o); err != nil {
			return err
		}
		a.Dimensions = d.w.dimensions(d.o, d.s.shape)
		return d.strings(a)
	}
	t, tail := d.t, []int64{}
	for t.class == classArray { // its dimensions become those of the dataset
		tail, t = append(tail, t.shape...), t.base
	}
	if a.Type, err = t.dtype(); err != nil {
		return err
	}
	if fill, err := f.fill(d.o.messages); err != nil {
		return err
	} else if len(tail) == 0 {
		if a.Fill, err = t.fillValue(t.widen(fill)); err != nil {
			return err
		}
	} else if slices.ContainsFunc(fill, func(b byte) bool { return b != 0 }) {
		return unsupported("a fill value of an array type")
	}
	if a.Filters, err = codecs(d.filters, t); err != nil {
		return err
	}
	if a.Attributes, err = d.w.values(d.o); err != nil {
		return err
	}
	a.Dimensions = d.w.dimensions(d.o, d.s.shape)
	a.Shape = append(slices.Clone(d.s.shape), tail...)
	if a.Dimensions != nil {
		for i := range tail {
			a.Dimensions = append(a.Dimensions, "array_"+strconv.Itoa(i))
		}
	}
	elements, width := d.s.elements(), int64(d.t.size)
	if elements > math.MaxInt64/width {
		return damaged("a dataset of too many elements")
	}
	total := elements * width
	switch d.l.class {
	case layoutCompact:
		if int64(len(d.l.data)) < total {
			return damaged("compact storage of %d bytes, not %d", len(d.l.data), total)
		}
		a.Chunks = whole(a.Shape)
		c, err := d.w.to.Array(d.o.path, a)
		if err != nil || total == 0 {
			return err
		}
		return c.Inline(make([]int64, len(a.Shape)), d.l.data[:total])
	case layoutContiguous:
		if d.l.address == undefined || total == 0 {
			a.Chunks = whole(a.Shape)
			_, err := d.w.to.Array(d.o.path, a)
			return err
		}
		at, ok := f.within(d.l.address, total)
		if !ok || d.l.size >= 0 && d.l.size < total {
			return damaged("the elements lie beyond the end of the file")
		}
		return d.w.to.Contiguous(d.o.path, a, int64(t.size), at)
	case layoutChunked:
		return d.chunked(a, tail)
	}
	return unsupported("layout class %d", d.l.class)
}

// whole returns the shape of the one chunk of an array.
func whole(shape []int64) []int64 {
	chunks := slices.Clone(shape)
	for i, n := range chunks {
		chunks[i] = max(n, 1)
	}
	return chunks
}

// check compares the chunks with the dataset.
func (d *dataset) check() error {
	switch {
	case len(d.l.chunk) != len(d.s.shape):
		return damaged("chunks of %d dimensions", len(d.l.chunk))
	case d.l.width != int64(d.t.size):
		return damaged("chunks of elements of %d bytes, not %d", d.l.width, d.t.size)
	}
	return nil
}

func (d *dataset) chunked(a references.Array, tail []int64) error {
	if err := d.check(); err != nil {
		return err
	}
	a.Chunks = append(slices.Clone(d.l.chunk), whole(tail)...)
	filtered := len(d.filters) > 0
	if d.l.flags&1 != 0 && filtered {
		for i, n := range d.s.shape {
			if n%d.l.chunk[i] != 0 {
				return unsupported("chunks at the edge without the filters of the others")
			}
		}
	}
	// The index is checked before the array is added: a chunk may have a feature of its own.
	var all []int64
	var inline [][]byte // of chunks whose offset is -1
	rank := len(a.Chunks)
	at := make([]int64, rank)
	err := d.w.f.chunks(d.l, d.s, int64(d.t.size), filtered, func(place []int64, address uint64, bytes int64, mask int) error {
		if skipped := mask & (1<<len(d.filters) - 1); filtered && skipped != 0 {
			b, err := d.stored(address, bytes, skipped)
			if err != nil {
				return err
			}
			inline = append(inline, b)
			copy(at, place)
			all = append(append(all, at...), -1, int64(len(inline)-1))
			return nil
		}
		offset, ok := d.w.f.within(address, bytes)
		if !ok {
			return damaged("the chunk at %v lies beyond the end of the file", place)
		}
		if len(all) > (5<<20)*(rank+2) {
			return &references.LimitError{What: "the number of chunks", Max: 5 << 20}
		}
		copy(at, place)
		all = append(append(all, at...), offset, bytes)
		return nil
	})
	if err != nil {
		return err
	}
	c, err := d.w.to.Array(d.o.path, a)
	if err != nil {
		return err
	}
	for ; len(all) > 0; all = all[rank+2:] {
		if all[rank] < 0 {
			err = c.Inline(all[:rank], inline[all[rank+1]])
		} else {
			err = c.Range(all[:rank], all[rank], all[rank+1])
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// phony identifies a dimension without a name: its length, and its number among equal lengths of
// one dataset.
type phony struct {
	length int64
	nth    int
}

// dimensions returns the names of dimensions: those of scales, else made-up ones, which datasets of
// one group share by length.
func (w *walk) dimensions(o *object, shape []int64) []string {
	names := make([]string, len(shape))
	group := o.path[:len(o.path)-len(base(o.path))]
	used := map[int64]int{}
	for i, n := range shape {
		switch d := w.dimension(o, i, len(shape)); {
		case d != nil:
			names[i] = d.name
		case i < len(o.scales.labels) && o.scales.labels[i] != "":
			names[i] = o.scales.labels[i]
		default:
			if w.phony[group] == nil {
				w.phony[group] = map[phony]string{}
			}
			key := phony{n, used[n]}
			used[n]++
			if w.phony[group][key] == "" {
				w.phony[group][key] = "phony_dim_" + strconv.Itoa(w.count)
				w.count++
			}
			names[i] = w.phony[group][key]
		}
	}
	return names
}

package hdf5

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"io"

	"github.com/zarr-wasm/zarr-wasm/zarr/prepare/references"
)

// maxStrings limits the strings of one dataset, which references hold inline, in bytes.
const maxStrings = 16 << 20

// strings adds a dataset of strings of variable length. They lie in heaps, so that chunks hold them
// inline.
func (d *dataset) strings(a references.Array) error {
	a.Type, a.Filters, a.Fill = "|O", []references.Codec{{"id": "vlen-utf8"}}, ""
	f, width, elements := d.w.f, int64(d.t.size), d.s.elements()
	if elements > maxStrings/width {
		return unsupported("more than %d bytes of strings of variable length", maxStrings)
	}
	type chunk struct {
		at   []int64
		data []byte
	}
	var all []chunk
	total := 0
	add := func(at []int64, b []byte) error {
		text, err := d.encode(b)
		if total += len(text); err == nil && total > maxStrings {
			err = unsupported("more than %d bytes of strings of variable length", maxStrings)
		}
		all = append(all, chunk{append([]int64{}, at...), text})
		return err
	}
	a.Chunks = whole(a.Shape)
	origin := make([]int64, len(a.Shape))
	var err error
	switch bytes := elements * width; {
	case elements == 0:
	case d.l.class == layoutCompact:
		err = add(origin, d.l.data)
	case d.l.class == layoutContiguous && d.l.address != undefined:
		var b []byte
		if b, err = f.read("the strings", d.l.address, bytes); err == nil {
			err = add(origin, b)
		}
	case d.l.class == layoutChunked:
		if err := d.check(); err != nil {
			return err
		}
		a.Chunks = d.l.chunk
		size := width
		for _, n := range a.Chunks {
			if size > maxStrings/n {
				return unsupported("chunks of more than %d bytes of strings of variable length", maxStrings)
			}
			size *= n
		}
		err = f.chunks(d.l, d.s, width, len(d.filters) > 0, func(at []int64, address uint64, bytes int64, mask int) error {
			b, err := f.read("a chunk", address, bytes)
			if err == nil {
				b, err = decode(d.filters, mask, b, size)
			}
			if err != nil {
				return err
			}
			return add(at, b)
		})
	}
	if err != nil {
		return err
	}
	c, err := d.w.to.Array(d.o.path, a)
	if err != nil {
		return err
	}
	for _, one := range all {
		if err := c.Inline(one.at, one.data); err != nil {
			return err
		}
	}
	return nil
}

// encode returns the strings of a chunk as vlen-utf8 has them.
func (d *dataset) encode(b []byte) ([]byte, error) {
	n := len(b) / d.t.size
	out := binary.LittleEndian.AppendUint32(nil, uint32(n))
	for i := range n {
		part, _, err := d.w.f.sequence(d.t, b[i*d.t.size:(i+1)*d.t.size])
		if err != nil {
			return nil, err
		}
		part, _, _ = bytes.Cut(part, []byte{0})
		text := references.Text(part)
		if len(out)+len(text) > maxStrings {
			return nil, unsupported("more than %d bytes of strings of variable length", maxStrings)
		}
		out = append(binary.LittleEndian.AppendUint32(out, uint32(len(text))), text...)
	}
	return out, nil
}

// decode undoes the filters of a chunk of `size` bytes.
func decode(list []filter, mask int, b []byte, size int64) ([]byte, error) {
	for i := len(list) - 1; i >= 0; i-- {
		if mask>>i&1 != 0 {
			continue
		}
		switch one := list[i]; {
		case one.id == filterDeflate:
			z, err := zlib.NewReader(bytes.NewReader(b))
			if err != nil {
				return nil, damaged("a chunk is not zlib: %v", err)
			}
			if b, err = io.ReadAll(io.LimitReader(z, size+5)); err != nil {
				return nil, damaged("a chunk is not zlib: %v", err)
			}
		case one.id == 2 && len(one.values) > 0 && one.values[0] > 0 && one.values[0] <= uint64(len(b)):
			width := int(one.values[0])
			n := len(b) / width
			out := bytes.Clone(b)
			for k := range n * width {
				out[k%n*width+k/n] = b[k]
			}
			b = out
		case one.id == 3 && len(b) >= 4:
			b = b[:len(b)-4]
		default:
			return nil, unsupported("filter %d of strings of variable length", one.id)
		}
	}
	if int64(len(b)) != size {
		return nil, damaged("a chunk of strings has %d bytes, not %d", len(b), size)
	}
	return b, nil
}

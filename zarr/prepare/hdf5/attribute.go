package hdf5

import (
	"encoding/binary"
	"strings"

	"github.com/zarr-wasm/zarr-wasm/zarr/prepare/references"
)

// attribute is an attribute whose value is not parsed yet.
type attribute struct {
	name  string
	typ   *datatype
	space *space
	data  []byte
	err   error // why the type or the space are missing
}

// attributes returns the attributes of an object, by messages and by a dense heap.
func (f *file) attributes(all []message) ([]attribute, error) {
	var list []attribute
	add := func(b []byte) error {
		a, err := f.attribute(b)
		if err != nil && a.name == "" {
			return err
		}
		a.err = err
		list = append(list, a)
		return f.fatal
	}
	for _, m := range all {
		if m.kind != msgAttribute {
			continue
		}
		b, err := f.resolve(m, 0)
		if err == nil {
			err = add(b)
		}
		if err != nil {
			return nil, err
		}
	}
	info, err := f.find(all, msgAttrInfo)
	if info == nil {
		return list, err
	}
	c := f.cursor("attribute information", info)
	c.version(0, 0)
	if flags := c.u8(); flags&1 != 0 {
		c.skip(2)
	}
	at, tree := c.address(), c.address()
	if c.err != nil || at == undefined || tree == undefined {
		return list, c.err
	}
	h, err := f.heap(at)
	if err != nil {
		return nil, err
	}
	err = f.tree2(tree, 8, func(c *cursor) error {
		id := c.bytes(h.idBytes)
		if flags := c.u8(); flags&2 != 0 {
			return unsupported("the table of shared messages")
		}
		if c.err != nil {
			return c.err
		}
		b, err := h.object(id)
		if err != nil {
			return err
		}
		return add(b)
	})
	return list, err
}

func (f *file) attribute(b []byte) (attribute, error) {
	c := f.cursor("an attribute", b)
	version := c.version(1, 3)
	flags := c.u8()
	sizes := [3]int{c.u16(), c.u16(), c.u16()}
	if version == 3 {
		c.skip(1)
	}
	var parts [3][]byte
	for i, n := range sizes {
		parts[i] = c.bytes(n)
		if version == 1 {
			c.skip(-n & 7)
		}
	}
	name, _, _ := strings.Cut(string(parts[0]), "\x00")
	a := attribute{name: references.Text([]byte(name))}
	if c.err != nil {
		return a, c.err
	}
	if version > 1 {
		for i, kind := range []int{msgDatatype, msgDataspace} {
			if flags>>i&1 != 0 {
				shared, err := f.resolve(message{kind, 2, parts[1+i]}, 0)
				if err != nil {
					return a, err
				}
				parts[1+i] = shared
			}
		}
	}
	var err error
	if a.typ, err = f.datatype(parts[1], false); err != nil {
		return a, err
	}
	if a.space, err = f.space(parts[2]); err != nil {
		return a, err
	}
	n := a.space.elements()
	if a.typ.size > 0 && n > int64(c.left()/a.typ.size) {
		return a, damaged("the value of an attribute ends early")
	}
	if a.typ.size == 0 {
		n = min(n, 1<<16)
	}
	a.data = c.bytes(int(n) * a.typ.size)
	return a, c.err
}

// json returns the value of an attribute. A list of one element is that element, as netCDF has it.
func (f *file) json(a attribute) (any, error) {
	switch {
	case a.err != nil:
		return nil, a.err
	case a.space.null:
		return "", nil
	case a.space.elements() == 1 && a.typ.size > 0:
		return f.value(a.typ, a.data)
	case a.typ.class == classReference:
		return nil, unsupported("references in an attribute")
	}
	return f.values(a.typ, a.space.shape, a.data)
}

// hidden are the attributes that describe the storage.
var hidden = map[string]bool{
	"CLASS": true, "NAME": true, "REFERENCE_LIST": true, "DIMENSION_LIST": true, "DIMENSION_LABELS": true,
	"_NCProperties": true, "_Netcdf4Dimid": true, "_Netcdf4Coordinates": true, "_nc3_strict": true,
	"_ARRAY_DIMENSIONS": true,
}

// notVariable begins the NAME of a dimension that has no values.
const notVariable = "This is a netCDF dimension but not a netCDF variable"

// scales holds what attributes say of dimensions.
type scales struct {
	isScale bool
	unnamed bool     // the dimension is no variable
	id      int64    // of the dimension, or -1
	ids     []int64  // of the dimensions of a coordinate variable
	lists   []uint64 // the address of the scale of each dimension, or undefined
	labels  []string
}

func (f *file) scales(all []attribute) scales {
	s := scales{id: -1}
	for _, a := range all {
		if a.err != nil || a.space.null {
			continue
		}
		switch a.name {
		case "CLASS":
			v, _ := f.json(a)
			s.isScale = v == "DIMENSION_SCALE"
		case "NAME":
			v, _ := f.json(a)
			text, _ := v.(string)
			s.unnamed = strings.HasPrefix(text, notVariable)
		case "_Netcdf4Dimid", "_Netcdf4Coordinates":
			if a.typ.class != classInteger || a.typ.size != 4 || a.typ.big {
				continue
			}
			var ids []int64
			for b := a.data; len(b) >= 4; b = b[4:] {
				ids = append(ids, int64(binary.LittleEndian.Uint32(b)))
			}
			if a.name == "_Netcdf4Coordinates" {
				s.ids = ids
			} else if len(ids) > 0 {
				s.id = ids[0]
			}
		case "DIMENSION_LIST":
			if a.typ.class != classVariable || a.typ.base.class != classReference {
				continue
			}
			for i := 0; i+a.typ.size <= len(a.data) && a.typ.size > 0; i += a.typ.size {
				at := uint64(undefined)
				if b, n, err := f.sequence(a.typ, a.data[i:i+a.typ.size]); err == nil && n > 0 {
					c := f.cursor("a reference", b)
					at = c.address()
				}
				s.lists = append(s.lists, at)
			}
		case "DIMENSION_LABELS":
			if a.typ.class == classVariable && a.typ.text && len(a.space.shape) == 1 {
				v, _ := f.values(a.typ, a.space.shape, a.data)
				list, _ := v.([]any)
				for _, one := range list {
					text, _ := one.(string)
					s.labels = append(s.labels, text)
				}
			}
		}
	}
	return s
}

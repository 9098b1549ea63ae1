package hdf5

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"math"
	"slices"
	"strconv"

	"github.com/zarr-wasm/zarr-wasm/zarr/prepare/references"
)

// The classes of datatypes.
const (
	classInteger   = 0
	classFloat     = 1
	classTime      = 2
	classString    = 3
	classBits      = 4
	classOpaque    = 5
	classCompound  = 6
	classReference = 7
	classEnum      = 8
	classVariable  = 9
	classArray     = 10
)

// datatype is a type of elements.
type datatype struct {
	class  int
	size   int
	big    bool
	signed bool
	// precision and offset are the bits of an integer that have a meaning, and those below them.
	precision, offset int

	padding int       // of strings: 0 ends with NUL, 1 is padded with NULs, 2 with spaces
	text    bool      // of class Variable: strings
	fields  []field   // of a compound
	base    *datatype // of an enum, an array, or a variable length
	shape   []int64   // of an array
	names   []string  // of an enum
	values  [][]byte
}

type field struct {
	name   string
	offset int
	*datatype
}

// datatype parses a datatype message. Packed elements are integers whose bits the n-bit filter
// stores: others must have as many bits as their bytes.
func (f *file) datatype(b []byte, packed bool) (*datatype, error) {
	c := f.cursor("a datatype", b)
	c.packed = packed
	count := 0
	t := c.datatype(0, &count)
	return t, c.err
}

func (c *cursor) datatype(depth int, count *int) *datatype {
	if *count++; depth > 16 || *count > 1<<16 {
		c.fail(damaged("a datatype with too many parts"))
	}
	head := c.u8()
	version := head >> 4
	bits := int(c.uint(3))
	t := &datatype{class: head & 15, size: c.u32(), big: bits&1 != 0}
	if c.err != nil {
		return t
	}
	if version < 1 || version > 5 {
		c.fail(unsupported("version %d of a datatype", version))
		return t
	}
	if t.size > 1<<30 {
		c.fail(damaged("a datatype of %d bytes", t.size))
		return t
	}
	switch t.class {
	case classInteger, classBits:
		t.signed = bits&8 != 0 && t.class == classInteger
		t.offset, t.precision = c.u16(), c.u16()
		switch {
		case c.err != nil || t.offset == 0 && t.precision == 8*t.size:
		case !c.packed || depth > 0:
			c.fail(unsupported("integers of %d bits in %d bytes", t.precision, t.size))
		case t.precision < 1 || t.offset+t.precision > 8*t.size:
			c.fail(damaged("integers of %d bits in %d bytes", t.precision, t.size))
		}
	case classFloat:
		c.float(t, bits)
	case classString:
		t.padding = bits & 15
	case classOpaque:
		c.skip(bits & 0xff) // the tag
	case classCompound:
		c.compound(t, version, bits&0xffff, depth, count)
	case classReference:
	case classEnum:
		c.enum(t, version, bits&0xffff, depth, count)
	case classVariable:
		t.text = bits&15 == 1
		t.base = c.datatype(depth+1, count)
	case classArray:
		c.array(t, version, depth, count)
	case classTime:
		c.fail(unsupported("the datatype class of times"))
	default:
		c.fail(unsupported("datatype class %d", t.class))
	}
	return t
}

func (c *cursor) enum(t *datatype, version, n, depth int, count *int) {
	t.base = c.datatype(depth+1, count)
	for range n {
		pad := 8
		if version >= 3 {
			pad = 1
		}
		t.names = append(t.names, c.text(pad))
		if c.err != nil {
			return
		}
	}
	for range n {
		t.values = append(t.values, c.bytes(t.base.size))
	}
	t.big, t.signed = t.base.big, t.base.signed
	if c.err == nil && (t.base.class != classInteger || t.base.size != t.size) {
		c.fail(unsupported("an enumeration of other values than integers"))
	}
}

func (c *cursor) array(t *datatype, version, depth int, count *int) {
	rank := c.u8()
	if version < 3 {
		c.skip(3)
	}
	total := int64(1)
	for range min(rank, 32) {
		n := int64(c.u32())
		t.shape = append(t.shape, n)
		if total *= max(n, 1); total > 1<<30 {
			c.fail(damaged("an array in a datatype of %d elements", total))
			return
		}
	}
	if version < 3 {
		c.skip(4 * rank)
	}
	t.base = c.datatype(depth+1, count)
	if c.err == nil && total*int64(t.base.size) != int64(t.size) {
		c.fail(damaged("an array in a datatype has %d bytes", t.size))
	}
}

// float accepts the formats of IEEE 754 only.
func (c *cursor) float(t *datatype, bits int) {
	if bits&0x40 != 0 {
		c.fail(unsupported("the byte order of VAX"))
		return
	}
	sign := bits >> 8 & 0xff
	offset, precision := c.u16(), c.u16()
	exponentAt, exponentBits, mantissaAt, mantissaBits := c.u8(), c.u8(), c.u8(), c.u8()
	bias := c.u32()
	if c.err != nil {
		return
	}
	got := [8]int{offset, precision, exponentAt, exponentBits, mantissaAt, mantissaBits, bias, sign}
	switch t.size {
	case 2:
		if got == [8]int{0, 16, 10, 5, 0, 10, 15, 15} {
			return
		}
	case 4:
		if got == [8]int{0, 32, 23, 8, 0, 23, 127, 31} {
			return
		}
	case 8:
		if got == [8]int{0, 64, 52, 11, 0, 52, 1023, 63} {
			return
		}
	}
	c.fail(unsupported("floating-point numbers of %d bits in %d bytes that are not of IEEE 754", precision, t.size))
}

func (c *cursor) compound(t *datatype, version, n, depth int, count *int) {
	for range n {
		pad := 8
		if version >= 3 {
			pad = 1
		}
		m := field{name: c.text(pad)}
		var shape []int64
		if version >= 3 {
			m.offset = int(c.uint(bytesFor(uint64(t.size))))
		} else {
			m.offset = c.u32()
		}
		if version == 1 {
			rank := c.u8()
			c.skip(3 + 4 + 4)
			for i := range 4 {
				if d := int64(c.u32()); i < rank {
					shape = append(shape, d)
				}
			}
		}
		m.datatype = c.datatype(depth+1, count)
		if c.err != nil {
			return
		}
		if len(shape) > 0 {
			total := int64(m.datatype.size)
			for _, d := range shape {
				if total *= d; total > 1<<30 {
					c.fail(damaged("an array in a compound of %d bytes", total))
					return
				}
			}
			m.datatype = &datatype{class: classArray, size: int(total), base: m.datatype, shape: shape}
		}
		if m.offset < 0 || m.offset > t.size || m.size > t.size-m.offset {
			c.fail(damaged("field %q lies outside of its compound", m.name))
			return
		}
		t.fields = append(t.fields, m)
	}
	slices.SortStableFunc(t.fields, func(a, b field) int { return a.offset - b.offset })
	for i := 1; i < len(t.fields); i++ {
		if last := t.fields[i-1]; last.offset+last.size > t.fields[i].offset {
			c.fail(unsupported("fields %q and %q of a compound overlap", last.name, t.fields[i].name))
		}
	}
}

// boolean reports whether an enum is the one that h5py writes for booleans.
func (t *datatype) boolean() bool {
	return t.class == classEnum && t.size == 1 && len(t.names) == 2 &&
		t.names[0] == "FALSE" && t.names[1] == "TRUE" && t.values[0][0] == 0 && t.values[1][0] == 1
}

// complex reports whether a compound is the one that h5py writes for complex numbers.
func (t *datatype) complex() bool {
	if t.class != classCompound || len(t.fields) != 2 || t.fields[0].name != "r" || t.fields[1].name != "i" {
		return false
	}
	r, i := t.fields[0], t.fields[1]
	return r.class == classFloat && i.class == classFloat && r.size >= 4 && r.size == i.size && r.big == i.big && r.offset == 0 && 2*r.size == t.size && i.offset == r.size
}

// dtype returns the type as version 2 of Zarr has it: a typestring, or a list of fields.
func (t *datatype) dtype() (any, error) {
	order := "<"
	if t.size == 1 {
		order = "|"
	} else if t.big {
		order = ">"
	}
	size := strconv.Itoa(t.size)
	switch {
	case t.boolean():
		return "|b1", nil
	case t.complex():
		if t.fields[0].big {
			return ">c" + size, nil
		}
		return "<c" + size, nil
	}
	switch t.class {
	case classInteger, classBits, classEnum:
		if t.size != 1 && t.size != 2 && t.size != 4 && t.size != 8 {
			return nil, unsupported("integers of %d bytes", t.size)
		}
		if t.signed {
			return order + "i" + size, nil
		}
		return order + "u" + size, nil
	case classFloat:
		return order + "f" + size, nil
	case classString:
		return "|S" + size, nil
	case classOpaque, classReference:
		return "|V" + size, nil
	case classCompound:
		return t.descr()
	case classArray:
		return nil, unsupported("arrays of arrays")
	case classVariable:
		return nil, unsupported("elements of variable length in a compound or in a chunk")
	}
	return nil, unsupported("datatype class %d", t.class)
}

// descr returns the fields as numpy's descr has them. Gaps become fields of raw bytes.
func (t *datatype) descr() (any, error) {
	list, at := []any{}, 0
	gap := func(to int) {
		if to > at {
			list = append(list, []any{"_gap" + strconv.Itoa(at), "|V" + strconv.Itoa(to-at)})
		}
	}
	for _, m := range t.fields {
		gap(m.offset)
		at = m.offset + m.size
		base, shape := m.datatype, []int64(nil)
		for base.class == classArray {
			shape, base = append(shape, base.shape...), base.base
		}
		typ, err := base.dtype()
		if err != nil {
			return nil, err
		}
		one := []any{m.name, typ}
		if shape != nil {
			one = append(one, shape)
		}
		list = append(list, one)
	}
	gap(t.size)
	if len(list) == 0 {
		return nil, unsupported("a compound without fields")
	}
	return list, nil
}

// fillValue returns the fill value of metadata for its bytes. Zeros are nil.
func (t *datatype) fillValue(b []byte) (any, error) {
	if b == nil || !slices.ContainsFunc(b, func(c byte) bool { return c != 0 }) {
		return nil, nil
	}
	if len(b) != t.size {
		return nil, damaged("a fill value of %d bytes", len(b))
	}
	switch {
	case t.boolean():
		return b[0] != 0, nil
	case t.class == classEnum:
		return t.number(b), nil
	case t.class == classInteger, t.class == classBits:
		return t.number(b), nil
	case t.class == classFloat:
		return references.Fill(t.float(b)), nil
	case t.complex():
		half := t.size / 2
		return []any{references.Fill(t.fields[0].float(b[:half])), references.Fill(t.fields[1].float(b[half:]))}, nil
	}
	return base64.StdEncoding.EncodeToString(b), nil
}

func (t *datatype) bits(b []byte) (v uint64) {
	for i, c := range b {
		if t.big {
			v = v<<8 | uint64(c)
		} else {
			v |= uint64(c) << (8 * i)
		}
	}
	return v
}

func (t *datatype) number(b []byte) any {
	v := t.bits(b)
	if !t.signed {
		return v
	}
	shift := 64 - 8*len(b)
	return int64(v<<shift) >> shift
}

func (t *datatype) float(b []byte) any {
	v := t.bits(b)
	switch len(b) {
	case 2:
		return half(uint16(v))
	case 4:
		return math.Float32frombits(uint32(v))
	}
	return math.Float64frombits(v)
}

// half converts a number of half precision.
func half(v uint16) float32 {
	sign, exponent, mantissa := float64(1), int(v>>10&31), float64(v&0x3ff)
	if v>>15 != 0 {
		sign = -1
	}
	switch exponent {
	case 0:
		return float32(sign * math.Ldexp(mantissa, -24))
	case 31:
		if mantissa != 0 {
			return float32(math.NaN())
		}
		return float32(math.Inf(int(sign)))
	}
	return float32(sign * math.Ldexp(1024+mantissa, exponent-25))
}

// value returns an element as a value of JSON.
func (f *file) value(t *datatype, b []byte) (any, error) {
	switch {
	case t.boolean():
		return b[0] != 0, nil
	case t.complex():
		half := t.size / 2
		return []any{t.fields[0].float(b[:half]), t.fields[1].float(b[half:])}, nil
	}
	switch t.class {
	case classInteger, classBits, classEnum:
		if t.size > 8 {
			return nil, unsupported("integers of %d bytes", t.size)
		}
		return t.number(b), nil
	case classFloat:
		return t.float(b), nil
	case classString:
		return t.string(b), nil
	case classVariable:
		part, n, err := f.sequence(t, b)
		if err != nil || t.text {
			return references.Text(part), err
		}
		return f.values(t.base, []int64{int64(n)}, part)
	case classArray:
		return f.values(t.base, t.shape, b)
	case classCompound:
		all := map[string]any{}
		for _, m := range t.fields {
			v, err := f.value(m.datatype, b[m.offset:m.offset+m.size])
			if err != nil {
				return nil, err
			}
			all[m.name] = v
		}
		return all, nil
	case classOpaque:
		return base64.StdEncoding.EncodeToString(b), nil
	}
	return nil, unsupported("a value of datatype class %d", t.class)
}

// string returns the text of a string of fixed size.
func (t *datatype) string(b []byte) string {
	switch t.padding {
	case 0:
		b, _, _ = bytes.Cut(b, []byte{0})
	case 2:
		b = bytes.TrimRight(b, " ")
	}
	return references.Text(bytes.TrimRight(b, "\x00"))
}

// sequence returns the bytes and the length of an element of variable length.
func (f *file) sequence(t *datatype, b []byte) ([]byte, int, error) {
	if len(b) < 8+f.offsets {
		return nil, 0, damaged("an element of variable length of %d bytes", len(b))
	}
	n := binary.LittleEndian.Uint32(b)
	c := f.cursor("an element of variable length", b[4:])
	address, index := c.address(), c.u32()
	if c.err != nil || n == 0 {
		return nil, 0, c.err
	}
	size := int64(n)
	if !t.text {
		size *= int64(t.base.size)
	}
	part, err := f.variable(address, index)
	if err == nil && (size > int64(len(part)) || t.base.size == 0) {
		err = damaged("an element of variable length ends early")
	}
	if err != nil {
		return nil, 0, err
	}
	if f.work -= size; f.work < 0 {
		return nil, 0, damaged("too many elements of variable length")
	}
	return part[:size:size], int(n), nil
}

// values returns elements as a list, nested for more than one dimension.
func (f *file) values(t *datatype, shape []int64, b []byte) (any, error) {
	if len(shape) == 0 {
		if len(b) < t.size {
			return nil, damaged("a value ends early")
		}
		return f.value(t, b[:t.size])
	}
	list := []any{}
	step := int64(len(b))
	if shape[0] > 0 {
		step /= shape[0]
	}
	if shape[0] > int64(len(b)) {
		return nil, damaged("values end early")
	}
	for i := range shape[0] {
		v, err := f.values(t, shape[1:], b[i*step:(i+1)*step])
		if err != nil {
			return nil, err
		}
		list = append(list, v)
	}
	return list, nil
}

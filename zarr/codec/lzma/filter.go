package lzma

import (
	"github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/internal/kernel"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
)

// The filters, with the numbers of .xz files and Python.
const (
	idDelta    = 0x03
	idX86      = 0x04
	idPowerPC  = 0x05
	idIA64     = 0x06
	idARM      = 0x07
	idARMThumb = 0x08
	idSPARC    = 0x09
	idARM64    = 0x0a
	idRISCV    = 0x0b
	idLZMA2    = 0x21
	idLZMA1    = 0x4000000000000001
)

// maxFilters is the largest length of a chain.
const maxFilters = 4

// filter undoes a writer's filter in place. arg is the distance of delta, and the address of the
// first byte for the others.
type filter struct {
	undo func(data []byte, arg uint32)
	arg  uint32
}

// chain is the chain of filters of a stream or block, in the writer's order; the last was LZMA.
type chain struct {
	filters    [maxFilters - 1]filter
	n          int
	lzma1      bool
	properties properties // of LZMA1
}

// decode decodes one stream from the start of src.
func (ch *chain) decode(d *decoder, out *sink, src []byte) (used int, err error) {
	start := out.n
	if ch.lzma1 {
		d.properties = ch.properties
		d.reset()
		d.base = out.n
		used, err = d.decode(out, src, -1, true, errEnd)
	} else {
		used, err = d.lzma2(out, src)
	}
	if err != nil {
		return 0, err
	}
	for i := ch.n - 1; i >= 0; i-- {
		ch.filters[i].undo(out.buf[start:out.n], ch.filters[i].arg)
	}
	return used, nil
}

// add adds a filter that is not the last one. It reports false for an unknown number or an invalid
// arg.
func (ch *chain) add(id uint64, arg uint32) bool {
	var undo func([]byte, uint32)
	align := uint32(1)
	switch id {
	case idDelta:
		if arg < 1 || arg > 256 {
			return false
		}
		undo = undelta
	case idX86:
		undo = x86
	case idPowerPC:
		undo, align = powerPC, 4
	case idIA64:
		undo, align = ia64, 16
	case idARM:
		undo, align = arm, 4
	case idARMThumb:
		undo, align = armThumb, 2
	case idSPARC:
		undo, align = sparc, 4
	case idARM64:
		undo, align = arm64, 4
	case idRISCV:
		undo, align = riscV, 2
	default:
		return false
	}
	if arg%align != 0 && id != idDelta || ch.n == len(ch.filters) {
		return false
	}
	ch.filters[ch.n] = filter{undo, arg}
	ch.n++
	return true
}

// configured returns the chain of a configuration's list of filters: objects with an id and
// options, in Python's names. LZMA2 needs no options, because its stream contains them.
func configured(v json.Value) (ch chain, err error) {
	list := v.Items()
	if len(list) == 0 || len(list) > maxFilters {
		return ch, &codec.ConfigError{Codec: name, Msg: "a raw stream needs a list of 1 to 4 filters"}
	}
	for i := range list {
		f := options{&list[i], true}
		id := f.number("id", 0)
		last := i == len(list)-1
		switch {
		case id > idRISCV && id != idLZMA1 && id != idLZMA2:
			return ch, &codec.UnsupportedError{Feature: "an LZMA filter of an unknown id"}
		case last != (id == idLZMA1 || id == idLZMA2):
			return ch, &codec.ConfigError{Codec: name, Msg: "only the last filter must be LZMA1 or LZMA2"}
		case id == idLZMA1:
			lc, lp, pb := f.number("lc", 3), f.number("lp", 0), f.number("pb", 2)
			f.ok = f.ok && max(lc, lp, pb) <= 4
			ch.lzma1, ch.properties = true, properties{uint8(lc), uint8(lp), uint8(pb)}
			f.ok = f.ok && ch.properties.valid()
		case last:
		case id == idDelta:
			dist := f.number("dist", 1)
			f.ok = f.ok && dist <= 256 && ch.add(id, uint32(dist))
		default:
			start := f.number("start_offset", 0)
			f.ok = f.ok && start < 1<<32 && ch.add(id, uint32(start))
		}
		if !f.ok {
			return ch, &codec.ConfigError{Codec: name, Msg: "a filter's id or options are not valid"}
		}
	}
	return ch, nil
}

// options reads a filter's options. ok becomes false at one that is not a number.
type options struct {
	of *json.Value
	ok bool
}

func (o *options) number(key string, missing uint64) uint64 {
	v := o.of.Get(key)
	if v.IsNull() {
		return missing
	}
	n, ok := v.Uint64()
	o.ok = o.ok && ok
	return n
}

// parse reads a block header's list of n filters and returns the bytes after it. The header's
// checksum was right, so unknown entries are unsupported, not corrupt.
func (ch *chain) parse(b []byte, n int) ([]byte, error) {
	unsupported := &codec.UnsupportedError{Feature: "a filter of an .xz block, or its options"}
	for i := range n {
		id, k := vli(b)
		b = b[k:]
		size, k2 := vli(b)
		b = b[k2:]
		if k == 0 || k2 == 0 || size > uint64(len(b)) {
			return nil, errBlockHeader
		}
		props := b[:size]
		b = b[size:]
		switch {
		case i == n-1:
			// One byte with the size of the dictionary: 40 is 4 GiB.
			if id != idLZMA2 || size != 1 || props[0] > 40 {
				return nil, unsupported
			}
			continue
		case id == idDelta && size == 1:
			if ch.add(id, uint32(props[0])+1) {
				continue
			}
		case id != idDelta && size == 0:
			if ch.add(id, 0) {
				continue
			}
		case id != idDelta && size == 4:
			if ch.add(id, kernel.Load32(props, 0)) {
				continue
			}
		}
		return nil, unsupported
	}
	return b, nil
}

// undelta adds to each byte the one dist before it.
func undelta(data []byte, dist uint32) {
	if uint64(dist) >= uint64(len(data)) {
		return
	}
	from := data[:len(data)-int(dist)]
	to := data[dist:][:len(from)]
	for i := range from {
		to[i] += from[i]
	}
}

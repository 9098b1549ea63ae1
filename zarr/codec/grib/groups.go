package grib

import (
	"github.com/zarr-wasm/zarr-wasm/internal/grib"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
)

// groups is complex packing: each group of codes has a reference, and codes of its own width.
type groups struct {
	bits       int // of a group's reference
	missing    int // 1: the highest code means no value; 2: the two highest ones
	count      int64
	widthBase  int
	widthBits  int
	lengthBase int64
	lengthStep int64
	lengthLast int64
	lengthBits int
	order      int // of spatial differences
	octets     int // of the numbers before the groups
}

func newGroups(p *packing) *groups {
	b := p.section
	g := &groups{
		bits: p.bits, missing: int(b[22]), count: int64(grib.Uint(b, 32, 35)), widthBase: int(b[35]), widthBits: int(b[36]),
		lengthBase: int64(grib.Uint(b, 38, 41)), lengthStep: int64(b[41]), lengthLast: int64(grib.Uint(b, 43, 46)), lengthBits: int(b[46]),
	}
	if p.template == differences {
		g.order, g.octets = int(b[47]), int(b[48])
	}
	return g
}

func (g *groups) unpack(codes []int64, src []byte) error {
	switch {
	case g.missing > 2:
		return &codec.UnsupportedError{Feature: "this management of missing values in GRIB"}
	case g.order > 2 || g.octets > 4:
		return &codec.UnsupportedError{Feature: "spatial differences in GRIB beyond the second order"}
	case g.widthBits > 32 || g.lengthBits > 32:
		return codec.Corrupt("numbers of groups have more than 32 bits")
	case g.count > int64(len(codes)):
		return codec.Corrupt("more groups than values")
	}
	head := bitReader{src: src}
	var first [2]int64
	least := int64(0)
	if g.order > 0 && g.octets > 0 {
		if len(src) < g.octets*(g.order+1) {
			return short()
		}
		for i := range g.order {
			first[i] = int64(grib.Uint(src, i*g.octets+1, (i+1)*g.octets))
		}
		least = grib.Int(src, g.order*g.octets+1, (g.order+1)*g.octets)
		head.src = src[g.octets*(g.order+1):]
	}
	if err := g.values(codes, head.src); err != nil {
		return err
	}
	if g.order > 0 {
		sum(codes, g.order, first, least)
	}
	return nil
}

// values reads the groups. The references, the widths and the lengths are three lists that begin at
// whole bytes, and the codes follow them.
func (g *groups) values(codes []int64, src []byte) error {
	var r [4]bitReader
	at := int64(0)
	for i, bits := range [3]int{g.bits, g.widthBits, g.lengthBits} {
		if at > int64(len(src)) {
			return short()
		}
		r[i].src = src[at:]
		at += (g.count*int64(bits) + 7) / 8
	}
	if at > int64(len(src)) {
		return short()
	}
	r[3].src = src[at:]
	n := 0
	for k := range g.count {
		reference := int64(r[0].bits(g.bits))
		width := g.widthBase + int(r[1].bits(g.widthBits))
		length := g.lengthBase + g.lengthStep*int64(r[2].bits(g.lengthBits))
		if k == g.count-1 {
			length = g.lengthLast
		}
		switch {
		case width > 32:
			return codec.Corrupt("a group with codes of more than 32 bits")
		case length > int64(len(codes)-n):
			return codec.Corrupt("the groups have more values than the message")
		}
		if err := r[3].have(length * int64(width)); err != nil {
			return err
		}
		g.group(codes[n:n+int(length)], &r[3], reference, width)
		n += int(length)
	}
	if n != len(codes) {
		return codec.Corrupt("the groups have fewer values than the message")
	}
	return nil
}

// group reads a group. One of width 0 has its reference only, which may mean no value.
func (g *groups) group(codes []int64, r *bitReader, reference int64, width int) {
	if width == 0 {
		if top := int64(1)<<g.bits - 1; g.missing > 0 && reference == top || g.missing == 2 && reference == top-1 {
			reference = missing
		}
		for i := range codes {
			codes[i] = reference
		}
		return
	}
	top := int64(1)<<width - 1
	for i := range codes {
		c := int64(r.bits(width))
		if g.missing > 0 && c == top || g.missing == 2 && c == top-1 {
			codes[i] = missing
			continue
		}
		codes[i] = reference + c
	}
}

// sum undoes spatial differences. Missing values are no part of the sequence.
func sum(codes []int64, order int, first [2]int64, least int64) {
	n := 0
	var last, before int64
	for i, c := range codes {
		if c == missing {
			continue
		}
		switch {
		case n < order:
			c = first[n]
		case order == 1:
			c += least + last
		default:
			c += least + 2*last - before
		}
		codes[i] = c
		before, last = last, c
		n++
	}
}

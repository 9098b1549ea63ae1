//go:build !js

package main

import "encoding/binary"

// pack replaces the functions' index and descriptions by columns, which a function expands when the
// module is instantiated. Similar values are adjacent, and compress to less than two thirds. The
// columns replace the runtime's search table.
func (t *functionTable) pack(m *module) error {
	n := len(t.functions)
	index, rows := t.descriptions[:8*n], t.descriptions[8*(n+1):][:4*rowWords*n]
	p := &packer{rows: n, to: t.search, at: t.searchAddress}
	for w := range 2 {
		p.column(index[4*w:], t.address+4*w, 8)
	}
	for w := range rowWords {
		address, stride := t.address+8*(n+1)+4*w, 4*rowWords
		if w == offName/4 {
			p.names(word(m.memory[t.module:], moduleNames), address, stride)
			continue
		}
		p.column(rows[4*w:], address, stride)
	}
	if p.full {
		return errFormat
	}
	clear(index)
	clear(rows)
	return m.start(append([]byte{1, 4, typeI32}, append(p.body, opEnd)...))
}

// packer writes columns of numbers, and the code that reads them.
type packer struct {
	rows int
	to   []byte // where the columns are written
	at   int    // the address of to
	full bool
	body []byte
}

// Locals of the code.
const (
	localFrom  = iota // the position in the column
	localTo           // the position in the table
	localRows         // the remaining rows
	localValue        // the last written value
)

// column packs every stride-th word. It writes nothing for zeros, only the step of an arithmetic
// sequence, and otherwise words or their differences, whichever are smaller, all of one size.
func (p *packer) column(words []byte, address, stride int) {
	values, steps := make([]uint32, p.rows), make([]uint32, p.rows)
	last, same, zero := uint32(0), true, true
	for i := range values {
		values[i] = u32(words, stride*i)
		steps[i] = values[i] - last
		last = values[i]
		same = same && (i == 0 || steps[i] == steps[min(1, p.rows-1)])
		zero = zero && values[i] == 0
	}
	if zero {
		return
	}
	p.set(localTo, address)
	p.set(localRows, p.rows)
	if same {
		step := int(int32(steps[min(1, p.rows-1)]))
		p.set(localValue, int(int32(values[0]))-step)
		p.loop(stride, func() {
			p.op(opLocalGet, localValue, opI32Const)
			p.body = appendInt(p.body, int64(step))
			p.op(opI32Add)
		})
		return
	}
	// Absent values are all ones: adding one makes them the smallest.
	size, add, from := widest(values), uint32(1), values
	if s := widest(steps); s < size {
		size, add, from = s, 0, steps
	}
	if size*p.rows > len(p.to) {
		p.full = true
		return
	}
	p.set(localFrom, p.at)
	for i, v := range from {
		b := binary.LittleEndian.AppendUint32(nil, v+add)
		copy(p.to[size*i:], b[:size])
	}
	p.to, p.at = p.to[size*p.rows:], p.at+size*p.rows
	p.set(localValue, 0)
	p.loop(stride, func() {
		p.op(opLocalGet, localFrom, [...]byte{1: opI32Load8U, 2: opI32Load16U, 4: opI32Load}[size], 0, 0)
		if add == 0 {
			p.op(opLocalGet, localValue, opI32Add)
		} else {
			p.op(opI32Const, 1, opI32Sub)
		}
		p.advance(localFrom, size)
	})
}

// names writes the starts of the functions' names: each after the zero that ends the previous one.
func (p *packer) names(table, address, stride int) {
	p.set(localTo, address)
	p.set(localRows, p.rows)
	p.set(localFrom, 1)
	p.op(opLoop, blockEmpty, opLocalGet, localTo, opLocalGet, localFrom, opI32Store, 0, 0)
	p.op(opLoop, blockEmpty, opLocalGet, localFrom, opI32Load8U, 0)
	p.body = binary.AppendUvarint(p.body, uint64(table))
	p.advance(localFrom, 1)
	p.op(opBrIf, 0, opEnd)
	p.next(stride)
}

// next ends a loop over the rows.
func (p *packer) next(stride int) {
	p.advance(localTo, stride)
	p.op(opLocalGet, localRows, opI32Const, 1, opI32Sub, opLocalTee, localRows, opBrIf, 0, opEnd)
}

// widest returns the bytes that each of these numbers takes after adding one.
func widest(values []uint32) int {
	size := 1
	for _, v := range values {
		switch {
		case v+1 > 0xffff:
			return 4
		case v+1 > 0xff:
			size = 2
		}
	}
	return size
}

// loop writes value's result to each row.
func (p *packer) loop(stride int, value func()) {
	p.op(opLoop, blockEmpty, opLocalGet, localTo)
	value()
	p.op(opLocalTee, localValue, opI32Store, 0, 0)
	p.next(stride)
}

func (p *packer) op(b ...byte) { p.body = append(p.body, b...) }

func (p *packer) set(local byte, v int) {
	p.body = append(appendInt(append(p.body, opI32Const), int64(v)), opLocalSet, local)
}

func (p *packer) advance(local byte, by int) {
	p.op(opLocalGet, local, opI32Const)
	p.body = append(appendInt(p.body, int64(by)), opI32Add, opLocalSet, local)
}

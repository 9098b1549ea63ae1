//go:build !js

package main

import "encoding/binary"

// values is a table from a function's program counters to values. It has pairs of differences, of a
// value and of counters, up to a difference of 0. The last value continues.
type values []int32

// anyValue is the value of a counter that is never looked up.
const anyValue = -2

func readValues(b []byte) values {
	r := reader{b: b}
	var all values
	value := int32(-1)
	for {
		u := uint32(r.uvarint())
		if u == 0 && len(all) > 0 || r.bad {
			return all
		}
		value += int32(u>>1) ^ -int32(u&1)
		for n := r.uvarint(); n > 0; n-- {
			all = append(all, value)
		}
	}
}

// at returns the value at a counter, or -1 for an empty table.
func (v values) at(counter int64) int32 {
	if len(v) == 0 {
		return -1
	}
	return v[min(counter, int64(len(v)-1))]
}

// write returns the table.
func (v values) write() []byte {
	var b []byte
	last := int32(-1)
	for from := 0; from < len(v); {
		value, to := v[from], from+1
		for ; to < len(v) && (value == anyValue || v[to] == anyValue || v[to] == value); to++ {
			if value == anyValue {
				value = v[to]
			}
		}
		if value == anyValue {
			value = max(last, 0)
		}
		count := to - from
		if to == len(v) {
			count = counterMost + 1 - from // the same in many functions
		}
		step := value - last
		b = binary.AppendUvarint(b, uint64(uint32(step<<1)^uint32(step>>31)))
		b = binary.AppendUvarint(b, uint64(count))
		last, from = value, to
	}
	return append(b, 0)
}

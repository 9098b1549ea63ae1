//go:build !js

package main

import "encoding/binary"

// reached reports for each function whether it can be called. Callers are JavaScript, a reachable
// function, or a program counter in such a function or in the data.
//
// A data word with a program counter belongs to a function value that is no closure, and needs a
// pointer to it. Method tables and package initialization tasks also contain program counters,
// which count as used.
func (t *functionTable) reached(m *module) ([]bool, error) {
	live := make([]bool, len(m.bodies))
	var todo []int
	reach := func(k int) {
		if k >= 0 && k < len(live) && !live[k] {
			live[k] = true
			todo = append(todo, k)
		}
	}
	values := map[int64]int{} // function values without a live pointer so far
	refer := func(v int64) {
		if k, ok := values[v]; ok {
			reach(k)
		}
		reach(beginsAt(v))
	}

	md := m.memory[t.module:]
	types, typesEnd := word(md, moduleTypes), word(md, moduleTypesEnd)
	tables := map[int]bool{} // the words of method tables
	for _, itab := range t.itabs(m.memory) {
		for at := itab + itabMethods; at < typesEnd && beginsAt(int64(word(m.memory[at:], 0))) >= 0; at += 8 {
			tables[at] = true
		}
	}
	for at := types; at+8 <= typesEnd; at += 8 {
		if k := beginsAt(int64(word(m.memory[at:], 0))); k >= 0 && !tables[at] {
			values[int64(at)] = k
		}
	}
	for at := types; at+lenMethod <= typesEnd; at += 4 {
		if (region{m.memory, types, typesEnd}).method(at) {
			reach(int(u32(m.memory, at+offCalled)) - firstEntry)
		}
	}
	for at := 0; at+8 <= len(m.memory); at += 8 {
		if _, ok := values[int64(at)]; !ok {
			refer(int64(binary.LittleEndian.Uint64(m.memory[at:])))
		}
	}
	for _, k := range m.exported {
		reach(k - m.imports)
	}
	for len(todo) > 0 {
		k := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if err := refers(m.bodies[k], func(index int) { reach(index - m.imports) }, refer); err != nil {
			return nil, err
		}
	}
	return live, nil
}

// beginsAt returns the index of the function that begins at a program counter, or an invalid index.
// A counter inside a function is a return address, which only that function contains.
func beginsAt(pc int64) int {
	if pc&0xffff != 0 {
		return -1
	}
	return functionAt(pc)
}

// functionAt returns the index of the function that contains a program counter, or an invalid
// index.
func functionAt(pc int64) int {
	if pc>>16 >= 1<<31 {
		return -1
	}
	return int(pc>>16) - firstEntry
}

//go:build !js

package main

// rewriter shortens the compiler's code.
type rewriter struct {
	never  map[int]bool // functions that do not return to their caller
	panics int          // one of them, whose callers' frames are dead
}

// rewrite shortens the functions' bodies and renumbers their counters, also in the table of
// functions, which is not written yet.
func (t *functionTable) rewrite(m *module) error {
	r := rewriter{never: map[int]bool{}, panics: -1}
	for _, f := range t.functions {
		switch f.name {
		case "runtime.sigpanic":
			r.panics = m.imports + f.index
			r.never[r.panics] = true
		case "runtime.morestack", "runtime.morestack_noctxt":
			r.never[m.imports+f.index] = true
		}
	}
	regular, err := m.regular()
	if err != nil {
		return err
	}
	for _, fn := range t.functions {
		b := m.bodies[fn.index]
		if !regular[fn.index] || string(b) == string(traps) {
			continue
		}
		f, err := decode(b)
		if err != nil {
			return err
		}
		f.omitMarks()
		f.jump()
		f.pass()
		f.shortenReturns()
		f.shortenAddresses()
		f.leave(r.never)
		f.number(fn, r.panics)
		f.expand(int64(firstEntry+fn.index) << 16)
		f.push()
		m.bodies[fn.index] = f.encode()
	}
	return nil
}

// regular reports which bodies have the compiler's usual form: one parameter and one result, both
// of 32 bits. Others cannot be suspended.
func (m *module) regular() ([]bool, error) {
	var kinds, all []bool
	for _, s := range m.sections {
		r := reader{b: s.body}
		switch s.id {
		case typeSection:
			for n := r.uint(); n > 0 && !r.bad; n-- {
				kind := r.byte()
				parameters, results := string(r.bytes(r.uint())), string(r.bytes(r.uint()))
				kinds = append(kinds, kind == typeFunction && parameters == string(rune(typeI32)) && results == parameters)
			}
		case functionSection:
			for n := r.uint(); n > 0 && !r.bad; n-- {
				kind := r.uint()
				if kind >= len(kinds) {
					return nil, errFormat
				}
				all = append(all, kinds[kind])
			}
		default:
			continue
		}
		if r.bad {
			return nil, errFormat
		}
	}
	if len(all) != len(m.bodies) {
		return nil, errFormat
	}
	return all, nil
}

//go:build !js

package main

import (
	"errors"
	"regexp"
)

// family is functions that have no work in the package's wasm.
type family struct {
	names string // a regular expression of their whole names
	how   stub
	why   string
}

// stub is what becomes of the body of a function.
type stub []byte

var (
	// traps is for a function that cannot be called. If it is, the instance ends, and the error names the function.
	traps = stub{0, opUnreachable, opEnd}
	// returns is for one that is called, and has nothing to do and nothing to return: it takes the return address
	// off the stack.
	returns = stub{0, opGlobalGet, 0, opI32Const, 8, opI32Add, opGlobalSet, 0, opI32Const, 0, opEnd}
)

// stub replaces the functions of the families, and those that only they called. The tables of both are dropped:
// they are in no stack that the collector looks at, or that a panic unwinds.
//
// A family without a function is an error: Go's functions have other names then.
func (t *functionTable) stub(m *module, families []family) error {
	var errs []error
	for _, family := range families {
		names, err := regexp.Compile(`^(?:` + family.names + `)$`)
		if err != nil {
			return err
		}
		found := false
		for _, f := range t.functions {
			if names.MatchString(f.name) {
				found = true
				f.empty(m, family.how)
			}
		}
		if !found {
			errs = append(errs, errors.New("no function is called "+family.names))
		}
	}
	if errs != nil {
		return errors.Join(errs...)
	}
	live, err := t.reached(m)
	if err != nil {
		return err
	}
	for _, f := range t.functions {
		if !live[f.index] {
			f.empty(m, traps)
		}
	}
	return nil
}

// empty replaces the body of a function.
func (f *function) empty(m *module, body stub) {
	m.bodies[f.index] = body
	f.frame, f.pointers, f.maps = nil, nil, [mapKinds][]byte{}
}

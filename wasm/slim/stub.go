//go:build !js

package main

import (
	"errors"
	"regexp"
)

// family is a set of functions without work in the package's wasm.
type family struct {
	names string // a regular expression that matches whole names
	how   stub
	why   string
}

// stub is the replacement of a function's body.
type stub []byte

var (
	// traps is the stub of functions that cannot be called. A call ends the instance, and the error
	// names the function.
	traps = stub{0, opUnreachable, opEnd}
	// returns is the stub of functions that are called, but have nothing to do or return. It pops
	// the return address.
	returns = stub{0, opGlobalGet, 0, opI32Const, 8, opI32Add, opGlobalSet, 0, opI32Const, 0, opEnd}
)

// stub replaces the functions of the families, and those that only they call. It drops the tables
// of both, since they are on no stack that the collector scans or a panic unwinds.
//
// A family without a function is an error: Go has renamed its functions.
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
			errs = append(errs, errors.New("no function matches "+family.names))
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

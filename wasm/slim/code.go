//go:build !js

package main

// refers calls call with the index of every function that a body calls. It calls number with every
// constant in the body, because constants name functions and data.
func refers(body []byte, call func(index int), number func(v int64)) error {
	f, err := decode(body)
	if err != nil {
		return err
	}
	for _, in := range f.code {
		switch in.op {
		case opCall:
			call(int(in.arg))
		case opI32Const, opI64Const:
			number(in.arg)
		}
	}
	return nil
}

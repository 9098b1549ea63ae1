//go:build !js

package main

// refers calls call with the index of every function that a body calls, and number with every
// constant in it, since functions and data are named by constants.
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

// Package errtype finds errors by their type. errors.As would link reflection: 3 KB of zarr.wasm.
//
//	var limit *limits.Error
//	if errtype.As(err, &limit) {
package errtype

import "errors"

// As finds the first error of type E in the tree of err, and sets target to it, like errors.As.
func As[E error](err error, target *E) bool {
	found, ok := errors.AsType[E](err)
	if ok {
		*target = found
	}
	return ok
}

// Package kernel has the innermost loops and loads of the decoders: what has to
// be fast and needs unsafe or assembly for it. Everything here checks its
// bounds, or says what its caller must have checked.
//
// A loop is there twice: in portable Go, and in assembly for wasm, which gen
// writes. The exported function checks once what the assembly relies on, lets the
// fast loop do as much as it can without looking, and finishes in careful Go.
//
//   - NAME.go: the exported function, and the portable loop nameGo
//   - NAME_wasm.go: the declaration of the assembly; NAME_other.go: name = nameGo
//   - NAME_wasm.s: written by gen/NAME.go
//   - NAME_test.go: both against each other, natively and in wasm
package kernel

//go:generate go run ./gen

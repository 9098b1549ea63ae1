// Package kernel holds the innermost loops and loads of the decoders, which need unsafe or assembly
// for speed. Every function checks its bounds, or documents what its caller must have checked.
//
//	n, fault := kernel.LZ4(dst, 0, block)
//
// Each loop exists twice: in portable Go, and in assembly for wasm, written by gen. The exported
// function checks once what the assembly relies on. The fast loop does as much as it can without
// checks, and careful Go finishes.
//
//   - NAME.go: the exported function, and the portable loop nameGo
//   - NAME_wasm.go: the declaration of the assembly; NAME_other.go: name = nameGo
//   - NAME_wasm.s: written by gen/NAME.go
//   - NAME_test.go: both against each other, natively and in wasm
package kernel

//go:generate go run ./gen

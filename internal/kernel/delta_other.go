//go:build !wasm

package kernel

func delta1(dst, src []byte) { deltaGo(dst, src, 1, 0) }

func delta2(dst, src []byte) { deltaGo(dst, src, 2, 0) }

func delta4(dst, src []byte) { deltaGo(dst, src, 4, 0) }

func delta8(dst, src []byte) { deltaGo(dst, src, 8, 0) }

package kernel

import "unsafe"

//go:noescape
func widenS1(dst, src unsafe.Pointer, n int)

//go:noescape
func widenU1(dst, src unsafe.Pointer, n int)

//go:noescape
func widenS2(dst, src unsafe.Pointer, n int)

//go:noescape
func widenU2(dst, src unsafe.Pointer, n int)

//go:noescape
func widenS4(dst, src unsafe.Pointer, n int)

//go:noescape
func widenU4(dst, src unsafe.Pointer, n int)

//go:noescape
func narrow1(dst, src unsafe.Pointer, n int)

//go:noescape
func narrow2(dst, src unsafe.Pointer, n int)

//go:noescape
func narrow4(dst, src unsafe.Pointer, n int)

//go:noescape
func promote(dst, src unsafe.Pointer, n int)

//go:noescape
func demote(dst, src unsafe.Pointer, n int)

//go:noescape
func scale(dst, src unsafe.Pointer, n int, scale, offset uint64)

//go:noescape
func realS(dst, src unsafe.Pointer, n int)

//go:noescape
func realU(dst, src unsafe.Pointer, n int)

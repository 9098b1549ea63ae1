package kernel

import "unsafe"

//go:noescape
func move1(dst, src unsafe.Pointer, na, da, sa, nb, db, sb int)

//go:noescape
func move2(dst, src unsafe.Pointer, na, da, sa, nb, db, sb int)

//go:noescape
func move4(dst, src unsafe.Pointer, na, da, sa, nb, db, sb int)

//go:noescape
func move8(dst, src unsafe.Pointer, na, da, sa, nb, db, sb int)

//go:noescape
func move16(dst, src unsafe.Pointer, na, da, sa, nb, db, sb int)

//go:noescape
func turn1(dst, src unsafe.Pointer, na, da, nb, sb int)

//go:noescape
func turn2(dst, src unsafe.Pointer, na, da, nb, sb int)

//go:noescape
func turn4(dst, src unsafe.Pointer, na, da, nb, sb int)

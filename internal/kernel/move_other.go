//go:build !wasm

package kernel

import "unsafe"

func move1(dst, src unsafe.Pointer, na, da, sa, nb, db, sb int) {
	moveGo[uint8](dst, src, na, da, sa, nb, db, sb)
}

func move2(dst, src unsafe.Pointer, na, da, sa, nb, db, sb int) {
	moveGo[uint16](dst, src, na, da, sa, nb, db, sb)
}

func move4(dst, src unsafe.Pointer, na, da, sa, nb, db, sb int) {
	moveGo[uint32](dst, src, na, da, sa, nb, db, sb)
}

func move8(dst, src unsafe.Pointer, na, da, sa, nb, db, sb int) {
	moveGo[uint64](dst, src, na, da, sa, nb, db, sb)
}

func move16(dst, src unsafe.Pointer, na, da, sa, nb, db, sb int) {
	moveGo[pair](dst, src, na, da, sa, nb, db, sb)
}

func turn1(dst, src unsafe.Pointer, na, da, nb, sb int) { turn1Go(dst, src, na, da, nb, sb) }
func turn2(dst, src unsafe.Pointer, na, da, nb, sb int) { turn2Go(dst, src, na, da, nb, sb) }
func turn4(dst, src unsafe.Pointer, na, da, nb, sb int) { turn4Go(dst, src, na, da, nb, sb) }

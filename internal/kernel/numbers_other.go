//go:build !wasm

package kernel

import "unsafe"

func widenS1(dst, src unsafe.Pointer, n int) { widenGo[int8](dst, src, n) }
func widenU1(dst, src unsafe.Pointer, n int) { widenGo[uint8](dst, src, n) }
func widenS2(dst, src unsafe.Pointer, n int) { widenGo[int16](dst, src, n) }
func widenU2(dst, src unsafe.Pointer, n int) { widenGo[uint16](dst, src, n) }
func widenS4(dst, src unsafe.Pointer, n int) { widenGo[int32](dst, src, n) }
func widenU4(dst, src unsafe.Pointer, n int) { widenGo[uint32](dst, src, n) }
func narrow1(dst, src unsafe.Pointer, n int) { narrowGo[uint8](dst, src, n) }
func narrow2(dst, src unsafe.Pointer, n int) { narrowGo[uint16](dst, src, n) }
func narrow4(dst, src unsafe.Pointer, n int) { narrowGo[uint32](dst, src, n) }
func promote(dst, src unsafe.Pointer, n int) { promoteGo(dst, src, n) }
func demote(dst, src unsafe.Pointer, n int)  { demoteGo(dst, src, n) }

func realS(dst, src unsafe.Pointer, n int) { realGo[int64](dst, src, n) }
func realU(dst, src unsafe.Pointer, n int) { realGo[uint64](dst, src, n) }

func scale(dst, src unsafe.Pointer, n int, scale, offset uint64) {
	scaleGo(dst, src, n, scale, offset)
}

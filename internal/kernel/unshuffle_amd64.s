#include "textflag.h"

// WEAVE interleaves the bytes, words or longs of a and b. The instruction low gives the first half,
// in a, and high the second one, in t.
#define WEAVE(low, high, a, b, t) \
	MOVO a, t \
	low  b, a \
	high b, t

// func unshuffle2SSE(dst, src *byte, stride, n int)
TEXT ·unshuffle2SSE(SB), NOSPLIT, $0-32
	MOVQ dst+0(FP), DI
	MOVQ src+8(FP), SI
	MOVQ stride+16(FP), R8
	MOVQ n+24(FP), CX

loop:
	MOVOU (SI), X0
	MOVOU (SI)(R8*1), X1
	WEAVE(PUNPCKLBW, PUNPCKHBW, X0, X1, X2)
	MOVOU X0, 0(DI)
	MOVOU X2, 16(DI)
	ADDQ  $16, SI
	ADDQ  $32, DI
	SUBQ  $16, CX
	JNE   loop
	RET

// func unshuffle4SSE(dst, src *byte, stride, n int)
TEXT ·unshuffle4SSE(SB), NOSPLIT, $0-32
	MOVQ dst+0(FP), DI
	MOVQ src+8(FP), SI
	MOVQ stride+16(FP), R8
	MOVQ n+24(FP), CX
	LEAQ (R8)(R8*2), R9

loop:
	MOVOU (SI), X0
	MOVOU (SI)(R8*1), X1
	MOVOU (SI)(R8*2), X2
	MOVOU (SI)(R9*1), X3
	WEAVE(PUNPCKLBW, PUNPCKHBW, X0, X1, X4)
	WEAVE(PUNPCKLBW, PUNPCKHBW, X2, X3, X5)
	WEAVE(PUNPCKLWL, PUNPCKHWL, X0, X2, X1)
	WEAVE(PUNPCKLWL, PUNPCKHWL, X4, X5, X3)
	MOVOU X0, 0(DI)
	MOVOU X1, 16(DI)
	MOVOU X4, 32(DI)
	MOVOU X3, 48(DI)
	ADDQ  $16, SI
	ADDQ  $64, DI
	SUBQ  $16, CX
	JNE   loop
	RET

// func unshuffle8SSE(dst, src *byte, stride, n int)
TEXT ·unshuffle8SSE(SB), NOSPLIT, $0-32
	MOVQ dst+0(FP), DI
	MOVQ src+8(FP), SI
	MOVQ stride+16(FP), R8
	MOVQ n+24(FP), CX
	LEAQ (R8)(R8*2), R9

loop:
	LEAQ  (SI)(R8*4), DX
	MOVOU (SI), X0
	MOVOU (SI)(R8*1), X1
	MOVOU (SI)(R8*2), X2
	MOVOU (SI)(R9*1), X3
	MOVOU (DX), X4
	MOVOU (DX)(R8*1), X5
	MOVOU (DX)(R8*2), X6
	MOVOU (DX)(R9*1), X7
	WEAVE(PUNPCKLBW, PUNPCKHBW, X0, X1, X8)
	WEAVE(PUNPCKLBW, PUNPCKHBW, X2, X3, X9)
	WEAVE(PUNPCKLBW, PUNPCKHBW, X4, X5, X10)
	WEAVE(PUNPCKLBW, PUNPCKHBW, X6, X7, X11)
	WEAVE(PUNPCKLWL, PUNPCKHWL, X0, X2, X1)
	WEAVE(PUNPCKLWL, PUNPCKHWL, X8, X9, X3)
	WEAVE(PUNPCKLWL, PUNPCKHWL, X4, X6, X5)
	WEAVE(PUNPCKLWL, PUNPCKHWL, X10, X11, X7)
	WEAVE(PUNPCKLLQ, PUNPCKHLQ, X0, X4, X2)
	WEAVE(PUNPCKLLQ, PUNPCKHLQ, X1, X5, X6)
	WEAVE(PUNPCKLLQ, PUNPCKHLQ, X8, X10, X9)
	WEAVE(PUNPCKLLQ, PUNPCKHLQ, X3, X7, X12)
	MOVOU X0, 0(DI)
	MOVOU X2, 16(DI)
	MOVOU X1, 32(DI)
	MOVOU X6, 48(DI)
	MOVOU X8, 64(DI)
	MOVOU X9, 80(DI)
	MOVOU X3, 96(DI)
	MOVOU X12, 112(DI)
	ADDQ  $16, SI
	ADDQ  $128, DI
	SUBQ  $16, CX
	JNE   loop
	RET

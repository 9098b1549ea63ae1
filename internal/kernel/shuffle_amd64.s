#include "textflag.h"

// SPLIT moves the even bytes of a and b to even, and the odd ones to a. It overwrites b and t. X15
// has the mask of even bytes.
#define SPLIT(a, b, even, t) \
	MOVO     a, even   \
	MOVO     b, t      \
	PAND     X15, even \
	PAND     X15, t    \
	PACKUSWB t, even   \
	PSRLW    $8, a     \
	PSRLW    $8, b     \
	PACKUSWB b, a

#define EVEN_BYTES       \
	PCMPEQW X15, X15 \
	PSRLW   $8, X15

// func shuffle2SSE(dst, src *byte, stride, n int)
TEXT ·shuffle2SSE(SB), NOSPLIT, $0-32
	MOVQ dst+0(FP), DI
	MOVQ src+8(FP), SI
	MOVQ stride+16(FP), R8
	MOVQ n+24(FP), CX
	EVEN_BYTES

loop:
	MOVOU 0(SI), X0
	MOVOU 16(SI), X1
	SPLIT(X0, X1, X4, X5)
	MOVOU X4, (DI)
	MOVOU X0, (DI)(R8*1)
	ADDQ  $32, SI
	ADDQ  $16, DI
	SUBQ  $16, CX
	JNE   loop
	RET

// func shuffle4SSE(dst, src *byte, stride, n int)
TEXT ·shuffle4SSE(SB), NOSPLIT, $0-32
	MOVQ dst+0(FP), DI
	MOVQ src+8(FP), SI
	MOVQ stride+16(FP), R8
	MOVQ n+24(FP), CX
	LEAQ (R8)(R8*2), R9
	EVEN_BYTES

loop:
	MOVOU 0(SI), X0
	MOVOU 16(SI), X1
	MOVOU 32(SI), X2
	MOVOU 48(SI), X3
	SPLIT(X0, X1, X4, X14) // bytes 0 and 2 of each element in X4, 1 and 3 in X0
	SPLIT(X2, X3, X5, X14)
	SPLIT(X4, X5, X6, X14)
	SPLIT(X0, X2, X7, X14)
	MOVOU X6, (DI)
	MOVOU X7, (DI)(R8*1)
	MOVOU X4, (DI)(R8*2)
	MOVOU X0, (DI)(R9*1)
	ADDQ  $64, SI
	ADDQ  $16, DI
	SUBQ  $16, CX
	JNE   loop
	RET

// func shuffle8SSE(dst, src *byte, stride, n int)
TEXT ·shuffle8SSE(SB), NOSPLIT, $0-32
	MOVQ dst+0(FP), DI
	MOVQ src+8(FP), SI
	MOVQ stride+16(FP), R8
	MOVQ n+24(FP), CX
	LEAQ (R8)(R8*2), R9
	EVEN_BYTES

loop:
	MOVOU 0(SI), X0
	MOVOU 16(SI), X1
	MOVOU 32(SI), X2
	MOVOU 48(SI), X3
	MOVOU 64(SI), X4
	MOVOU 80(SI), X5
	MOVOU 96(SI), X6
	MOVOU 112(SI), X7
	SPLIT(X0, X1, X8, X14)  // even bytes of each element in X8 to X11, odd ones in X0, 2, 4 and 6
	SPLIT(X2, X3, X9, X14)
	SPLIT(X4, X5, X10, X14)
	SPLIT(X6, X7, X11, X14)
	SPLIT(X8, X9, X12, X14) // bytes 0 and 4 in X12 and 13, 2 and 6 in X8 and 10
	SPLIT(X10, X11, X13, X14)
	SPLIT(X0, X2, X1, X14)  // bytes 1 and 5 in X1 and 3, 3 and 7 in X0 and 4
	SPLIT(X4, X6, X3, X14)
	SPLIT(X12, X13, X2, X14)
	SPLIT(X1, X3, X5, X14)
	SPLIT(X8, X10, X6, X14)
	SPLIT(X0, X4, X7, X14)
	LEAQ  (DI)(R8*4), DX
	MOVOU X2, (DI)
	MOVOU X5, (DI)(R8*1)
	MOVOU X6, (DI)(R8*2)
	MOVOU X7, (DI)(R9*1)
	MOVOU X12, (DX)
	MOVOU X1, (DX)(R8*1)
	MOVOU X8, (DX)(R8*2)
	MOVOU X0, (DX)(R9*1)
	ADDQ  $128, SI
	ADDQ  $16, DI
	SUBQ  $16, CX
	JNE   loop
	RET

#include "textflag.h"

// Registers: DI is the walking dst pointer, SI the walking src pointer, CX the
// elements still to do. Y0-Y3 hold dst, Y4-Y7 src, Y8-Y11 scratch; Y14 and Y15
// hold the constants of the kernel, Y13 the lane mask of the tail.

// swapLanes<> reverses the four bytes of each 32-bit lane (a VPSHUFB pattern).
DATA swapLanes<>+0x00(SB)/8, $0x0405060700010203
DATA swapLanes<>+0x08(SB)/8, $0x0c0d0e0f08090a0b
GLOBL swapLanes<>(SB), RODATA|NOPTR, $16

// quietNaN<> is the one NaN that axpy stores.
DATA quietNaN<>+0x00(SB)/4, $0x7fc00000
GLOBL quietNaN<>(SB), RODATA|NOPTR, $4

// tailMask<> holds eight lanes of ones, then eight of zeros: eight lanes read
// from lane 8-n on select the lowest n.
DATA tailMask<>+0x00(SB)/8, $-1
DATA tailMask<>+0x08(SB)/8, $-1
DATA tailMask<>+0x10(SB)/8, $-1
DATA tailMask<>+0x18(SB)/8, $-1
DATA tailMask<>+0x20(SB)/8, $0
DATA tailMask<>+0x28(SB)/8, $0
DATA tailMask<>+0x30(SB)/8, $0
DATA tailMask<>+0x38(SB)/8, $0
GLOBL tailMask<>(SB), RODATA|NOPTR, $64

// One operation on one register each: D = D op S, T is scratch.

#define ADDSWAPPED(D, S, T) \
	VPSHUFB Y15, D, D; \
	VPSHUFB Y15, S, S; \
	VPADDD  S, D, D;   \
	VPSHUFB Y15, D, D

// Multiply and add stay two roundings. A NaN lane (unordered with itself,
// predicate 3) takes the constant, as NaN bits differ between processors.
#define AXPY(D, S, T) \
	VMULPS    S, Y15, S;    \
	VADDPS    S, D, D;      \
	VCMPPS    $3, D, D, T;  \
	VBLENDVPS T, Y14, D, D

// WALK applies OP to CX elements: 32 a turn, then 8 a turn, then the rest under
// a mask. Lanes outside the mask are neither read nor written.
#define WALK(OP) \
	SUBQ    $32, CX;      \
	JLT     few;          \
many: \
	VMOVDQU 0(DI), Y0;    \
	VMOVDQU 32(DI), Y1;   \
	VMOVDQU 64(DI), Y2;   \
	VMOVDQU 96(DI), Y3;   \
	VMOVDQU 0(SI), Y4;    \
	VMOVDQU 32(SI), Y5;   \
	VMOVDQU 64(SI), Y6;   \
	VMOVDQU 96(SI), Y7;   \
	OP(Y0, Y4, Y8);       \
	OP(Y1, Y5, Y9);       \
	OP(Y2, Y6, Y10);      \
	OP(Y3, Y7, Y11);      \
	VMOVDQU Y0, 0(DI);    \
	VMOVDQU Y1, 32(DI);   \
	VMOVDQU Y2, 64(DI);   \
	VMOVDQU Y3, 96(DI);   \
	ADDQ    $128, DI;     \
	ADDQ    $128, SI;     \
	SUBQ    $32, CX;      \
	JGE     many;         \
few: \
	ADDQ    $24, CX;      \
	JLT     tail;         \
one: \
	VMOVDQU (DI), Y0;     \
	VMOVDQU (SI), Y4;     \
	OP(Y0, Y4, Y8);       \
	VMOVDQU Y0, (DI);     \
	ADDQ    $32, DI;      \
	ADDQ    $32, SI;      \
	SUBQ    $8, CX;       \
	JGE     one;          \
tail: \
	ADDQ    $8, CX;       \
	JEQ     done;         \
	TAILMASK;             \
	VPMASKMOVD (DI), Y13, Y0; \
	VPMASKMOVD (SI), Y13, Y4; \
	OP(Y0, Y4, Y8);       \
	VPMASKMOVD Y0, Y13, (DI); \
done: \
	VZEROUPPER

// Y13 = the lowest CX lanes, 0 < CX < 8.
#define TAILMASK \
	LEAQ    tailMask<>+32(SB), AX; \
	SHLQ    $2, CX;                \
	SUBQ    CX, AX;                \
	VMOVDQU (AX), Y13

// SWAPWALK copies CX elements from SI to DI, the bytes of each reversed.
#define SWAPWALK \
	SUBQ    $32, CX;      \
	JLT     few;          \
many: \
	VMOVDQU 0(SI), Y4;    \
	VMOVDQU 32(SI), Y5;   \
	VMOVDQU 64(SI), Y6;   \
	VMOVDQU 96(SI), Y7;   \
	VPSHUFB Y15, Y4, Y4;  \
	VPSHUFB Y15, Y5, Y5;  \
	VPSHUFB Y15, Y6, Y6;  \
	VPSHUFB Y15, Y7, Y7;  \
	VMOVDQU Y4, 0(DI);    \
	VMOVDQU Y5, 32(DI);   \
	VMOVDQU Y6, 64(DI);   \
	VMOVDQU Y7, 96(DI);   \
	ADDQ    $128, SI;     \
	ADDQ    $128, DI;     \
	SUBQ    $32, CX;      \
	JGE     many;         \
few: \
	ADDQ    $24, CX;      \
	JLT     tail;         \
one: \
	VMOVDQU (SI), Y4;     \
	VPSHUFB Y15, Y4, Y4;  \
	VMOVDQU Y4, (DI);     \
	ADDQ    $32, SI;      \
	ADDQ    $32, DI;      \
	SUBQ    $8, CX;       \
	JGE     one;          \
tail: \
	ADDQ    $8, CX;       \
	JEQ     done;         \
	TAILMASK;             \
	VPMASKMOVD (SI), Y13, Y4; \
	VPSHUFB Y15, Y4, Y4;  \
	VPMASKMOVD Y4, Y13, (DI); \
done: \
	VZEROUPPER

// func addBEAVX2(dst, src []byte)
TEXT ·addBEAVX2(SB), NOSPLIT, $0-48
	MOVQ dst_base+0(FP), DI
	MOVQ dst_len+8(FP), CX
	MOVQ src_base+24(FP), SI
	SHRQ $2, CX
	VBROADCASTI128 swapLanes<>(SB), Y15
	WALK(ADDSWAPPED)
	RET

// func putBEAVX2(dst []byte, src []int32)
TEXT ·putBEAVX2(SB), NOSPLIT, $0-48
	MOVQ dst_base+0(FP), DI
	MOVQ src_base+24(FP), SI
	MOVQ src_len+32(FP), CX
	VBROADCASTI128 swapLanes<>(SB), Y15
	SWAPWALK
	RET

// func getBEAVX2(dst []int32, src []byte)
TEXT ·getBEAVX2(SB), NOSPLIT, $0-48
	MOVQ dst_base+0(FP), DI
	MOVQ dst_len+8(FP), CX
	MOVQ src_base+24(FP), SI
	VBROADCASTI128 swapLanes<>(SB), Y15
	SWAPWALK
	RET

// func axpyAVX2(dst []float32, a float32, x []float32)
TEXT ·axpyAVX2(SB), NOSPLIT, $0-56
	MOVQ dst_base+0(FP), DI
	MOVQ dst_len+8(FP), CX
	VBROADCASTSS a+24(FP), Y15
	MOVQ x_base+32(FP), SI
	VBROADCASTSS quietNaN<>(SB), Y14
	WALK(AXPY)
	RET

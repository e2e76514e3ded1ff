#include "textflag.h"

// Registers: DI is the walking dst pointer, SI the walking src pointer, CX the
// elements still to do. Z0-Z3 hold dst, Z4-Z7 src, Z8-Z11 scratch; Z30 and
// Z31 hold the constants of the kernel. K1 is the lane mask of the tail, K2 a mask
// that belongs to the operation. Instructions are AVX512F, except VPSHUFB on a
// whole Z register, which is AVX512BW.

// swapLanes<> reverses the four bytes of each 32-bit lane (a VPSHUFB pattern).
DATA swapLanes<>+0x00(SB)/8, $0x0405060700010203
DATA swapLanes<>+0x08(SB)/8, $0x0c0d0e0f08090a0b
GLOBL swapLanes<>(SB), RODATA|NOPTR, $16

// quietNaN<> is the one NaN that axpy stores.
DATA quietNaN<>+0x00(SB)/4, $0x7fc00000
GLOBL quietNaN<>(SB), RODATA|NOPTR, $4

// One operation on one register each: D = D op S, T is scratch.

#define ADDSWAPPED(D, S, T) \
	VPSHUFB Z31, D, D; \
	VPSHUFB Z31, S, S; \
	VPADDD  S, D, D;   \
	VPSHUFB Z31, D, D

// Multiply and add stay two roundings. A NaN lane (unordered with itself,
// predicate 3) takes the constant, as NaN bits differ between processors.
#define AXPY(D, S, T) \
	VMULPS    S, Z31, S;    \
	VADDPS    S, D, D;      \
	VCMPPS    $3, D, D, K2; \
	VMOVAPS   Z30, K2, D

// WALK applies OP to CX elements: 64 a turn, then 16 a turn, then the rest
// under a mask. Lanes outside the mask are neither read nor written.
#define WALK(OP) \
	SUBQ      $64, CX;       \
	JLT       few;           \
many: \
	VMOVDQU32 0(DI), Z0;     \
	VMOVDQU32 64(DI), Z1;    \
	VMOVDQU32 128(DI), Z2;   \
	VMOVDQU32 192(DI), Z3;   \
	VMOVDQU32 0(SI), Z4;     \
	VMOVDQU32 64(SI), Z5;    \
	VMOVDQU32 128(SI), Z6;   \
	VMOVDQU32 192(SI), Z7;   \
	OP(Z0, Z4, Z8);          \
	OP(Z1, Z5, Z9);          \
	OP(Z2, Z6, Z10);         \
	OP(Z3, Z7, Z11);         \
	VMOVDQU32 Z0, 0(DI);     \
	VMOVDQU32 Z1, 64(DI);    \
	VMOVDQU32 Z2, 128(DI);   \
	VMOVDQU32 Z3, 192(DI);   \
	ADDQ      $256, DI;      \
	ADDQ      $256, SI;      \
	SUBQ      $64, CX;       \
	JGE       many;          \
few: \
	ADDQ      $48, CX;       \
	JLT       tail;          \
one: \
	VMOVDQU32 (DI), Z0;      \
	VMOVDQU32 (SI), Z4;      \
	OP(Z0, Z4, Z8);          \
	VMOVDQU32 Z0, (DI);      \
	ADDQ      $64, DI;       \
	ADDQ      $64, SI;       \
	SUBQ      $16, CX;       \
	JGE       one;           \
tail: \
	ADDQ      $16, CX;       \
	JEQ       done;          \
	TAILMASK;                \
	VMOVDQU32.Z (DI), K1, Z0; \
	VMOVDQU32.Z (SI), K1, Z4; \
	OP(Z0, Z4, Z8);          \
	VMOVDQU32 Z0, K1, (DI);  \
done: \
	VZEROUPPER

// K1 = the lowest CX lanes, 0 < CX < 16.
#define TAILMASK \
	MOVL  $1, AX;  \
	SHLL  CX, AX;  \
	DECL  AX;      \
	KMOVW AX, K1

// SWAPWALK copies CX elements from SI to DI, the bytes of each reversed.
#define SWAPWALK \
	SUBQ      $64, CX;       \
	JLT       few;           \
many: \
	VMOVDQU32 0(SI), Z4;     \
	VMOVDQU32 64(SI), Z5;    \
	VMOVDQU32 128(SI), Z6;   \
	VMOVDQU32 192(SI), Z7;   \
	VPSHUFB   Z31, Z4, Z4;   \
	VPSHUFB   Z31, Z5, Z5;   \
	VPSHUFB   Z31, Z6, Z6;   \
	VPSHUFB   Z31, Z7, Z7;   \
	VMOVDQU32 Z4, 0(DI);     \
	VMOVDQU32 Z5, 64(DI);    \
	VMOVDQU32 Z6, 128(DI);   \
	VMOVDQU32 Z7, 192(DI);   \
	ADDQ      $256, SI;      \
	ADDQ      $256, DI;      \
	SUBQ      $64, CX;       \
	JGE       many;          \
few: \
	ADDQ      $48, CX;       \
	JLT       tail;          \
one: \
	VMOVDQU32 (SI), Z4;      \
	VPSHUFB   Z31, Z4, Z4;   \
	VMOVDQU32 Z4, (DI);      \
	ADDQ      $64, SI;       \
	ADDQ      $64, DI;       \
	SUBQ      $16, CX;       \
	JGE       one;           \
tail: \
	ADDQ      $16, CX;       \
	JEQ       done;          \
	TAILMASK;                \
	VMOVDQU32.Z (SI), K1, Z4; \
	VPSHUFB   Z31, Z4, Z4;   \
	VMOVDQU32 Z4, K1, (DI);  \
done: \
	VZEROUPPER

// func addBEAVX512(dst, src []byte)
TEXT ·addBEAVX512(SB), NOSPLIT, $0-48
	MOVQ dst_base+0(FP), DI
	MOVQ dst_len+8(FP), CX
	MOVQ src_base+24(FP), SI
	SHRQ $2, CX
	VBROADCASTI32X4 swapLanes<>(SB), Z31
	WALK(ADDSWAPPED)
	RET

// func putBEAVX512(dst []byte, src []int32)
TEXT ·putBEAVX512(SB), NOSPLIT, $0-48
	MOVQ dst_base+0(FP), DI
	MOVQ src_base+24(FP), SI
	MOVQ src_len+32(FP), CX
	VBROADCASTI32X4 swapLanes<>(SB), Z31
	SWAPWALK
	RET

// func getBEAVX512(dst []int32, src []byte)
TEXT ·getBEAVX512(SB), NOSPLIT, $0-48
	MOVQ dst_base+0(FP), DI
	MOVQ dst_len+8(FP), CX
	MOVQ src_base+24(FP), SI
	VBROADCASTI32X4 swapLanes<>(SB), Z31
	SWAPWALK
	RET

// func axpyAVX512(dst []float32, a float32, x []float32)
TEXT ·axpyAVX512(SB), NOSPLIT, $0-56
	MOVQ dst_base+0(FP), DI
	MOVQ dst_len+8(FP), CX
	VBROADCASTSS a+24(FP), Z31
	MOVQ x_base+32(FP), SI
	VBROADCASTSS quietNaN<>(SB), Z30
	WALK(AXPY)
	RET

#include "textflag.h"

// Registers: DI is the walking dst pointer, SI the walking src pointer, CX the
// elements still to do. Z0-Z3 hold elements, as float64 eight to a register, and
// Z29-Z31 the constants of the kernel. K1 is the lane mask of the tail, K2 a mask
// that belongs to the operation. Instructions are AVX512F, except those on Y
// registers, which are AVX2.

// minInt32<> is what a conversion to int32 stores for what does not fit.
DATA minInt32<>+0x00(SB)/4, $0x80000000
GLOBL minInt32<>(SB), RODATA|NOPTR, $4

// magnitude<> is all bits of a float32 but its sign.
DATA magnitude<>+0x00(SB)/4, $0x7fffffff
GLOBL magnitude<>(SB), RODATA|NOPTR, $4

// infinity<> is the largest magnitude that is not a NaN.
DATA infinity<>+0x00(SB)/4, $0x7f800000
GLOBL infinity<>(SB), RODATA|NOPTR, $4

// K1 = the lowest CX lanes, 0 < CX < 16.
#define TAILMASK \
	MOVL  $1, AX;  \
	SHLL  CX, AX;  \
	DECL  AX;      \
	KMOVW AX, K1

// The accumulator of T takes bits of S if they are the larger and not a NaN
// (predicate 2: less or equal).
#define LARGER(S, T) \
	VPANDD Z31, S, S;        \
	VPCMPD $2, Z30, S, K2;   \
	VPMAXSD S, T, K2, T

// func quantiseAVX512(dst []int32, src []float32, f float64) (marked bool)
TEXT ·quantiseAVX512(SB), NOSPLIT, $0-57
	MOVQ         dst_base+0(FP), DI
	MOVQ         dst_len+8(FP), CX
	MOVQ         src_base+24(FP), SI
	VBROADCASTSD f+48(FP), Z31
	VPXOR        Y12, Y12, Y12     // the least int32 so far

	SUBQ $32, CX
	JLT  few

many:
	VCVTPS2PD 0(SI), Z0
	VCVTPS2PD 32(SI), Z1
	VCVTPS2PD 64(SI), Z2
	VCVTPS2PD 96(SI), Z3
	VMULPD    Z31, Z0, Z0
	VMULPD    Z31, Z1, Z1
	VMULPD    Z31, Z2, Z2
	VMULPD    Z31, Z3, Z3
	VCVTPD2DQ Z0, Y0
	VCVTPD2DQ Z1, Y1
	VCVTPD2DQ Z2, Y2
	VCVTPD2DQ Z3, Y3
	VMOVDQU   Y0, 0(DI)
	VMOVDQU   Y1, 32(DI)
	VMOVDQU   Y2, 64(DI)
	VMOVDQU   Y3, 96(DI)
	VPMINSD   Y0, Y1, Y1
	VPMINSD   Y2, Y3, Y3
	VPMINSD   Y1, Y12, Y12
	VPMINSD   Y3, Y12, Y12
	ADDQ      $128, SI
	ADDQ      $128, DI
	SUBQ      $32, CX
	JGE       many

few:
	ADDQ $24, CX
	JLT  tail

one:
	VCVTPS2PD (SI), Z0
	VMULPD    Z31, Z0, Z0
	VCVTPD2DQ Z0, Y0
	VMOVDQU   Y0, (DI)
	VPMINSD   Y0, Y12, Y12
	ADDQ      $32, SI
	ADDQ      $32, DI
	SUBQ      $8, CX
	JGE       one

tail:
	ADDQ         $8, CX
	JEQ          done
	TAILMASK
	VMOVUPS.Z    (SI), K1, Z0
	VCVTPS2PD    Y0, Z0
	VMULPD       Z31, Z0, Z0
	VCVTPD2DQ    Z0, Y0            // lanes behind the end are 0, and marked only if f, not finite, marks all
	VMOVDQU32    Z0, K1, (DI)
	VPMINSD      Y0, Y12, Y12

done:
	VPBROADCASTD minInt32<>(SB), Y13
	VPCMPEQD     Y13, Y12, Y12
	VPTEST       Y12, Y12
	SETNE        marked+56(FP)
	VZEROUPPER
	RET

// func meanAVX512(dst []float32, src []int32, divisor float64)
TEXT ·meanAVX512(SB), NOSPLIT, $0-56
	MOVQ         dst_base+0(FP), DI
	MOVQ         dst_len+8(FP), CX
	MOVQ         src_base+24(FP), SI
	VBROADCASTSD divisor+48(FP), Z31

	// Division is slow enough for one register a turn to keep it busy.
	SUBQ $8, CX
	JLT  tail

one:
	VCVTDQ2PD (SI), Z0
	VDIVPD    Z31, Z0, Z0
	VCVTPD2PS Z0, Y0
	VMOVUPS   Y0, (DI)
	ADDQ      $32, SI
	ADDQ      $32, DI
	SUBQ      $8, CX
	JGE       one

tail:
	ADDQ        $8, CX
	JEQ         done
	TAILMASK
	VMOVDQU32.Z (SI), K1, Z0
	VCVTDQ2PD   Y0, Z0
	VDIVPD      Z31, Z0, Z0
	VCVTPD2PS   Z0, Y0
	VMOVUPS     Z0, K1, (DI)

done:
	VZEROUPPER
	RET

// func maxMagnitudeAVX512(src []float32) uint32
TEXT ·maxMagnitudeAVX512(SB), NOSPLIT, $0-28
	MOVQ         src_base+0(FP), SI
	MOVQ         src_len+8(FP), CX
	VPBROADCASTD magnitude<>(SB), Z31
	VPBROADCASTD infinity<>(SB), Z30
	VPXOR        X4, X4, X4
	VPXOR        X5, X5, X5
	VPXOR        X6, X6, X6
	VPXOR        X7, X7, X7

	SUBQ $64, CX
	JLT  few

many:
	VMOVDQU32 0(SI), Z0
	VMOVDQU32 64(SI), Z1
	VMOVDQU32 128(SI), Z2
	VMOVDQU32 192(SI), Z3
	LARGER(Z0, Z4)
	LARGER(Z1, Z5)
	LARGER(Z2, Z6)
	LARGER(Z3, Z7)
	ADDQ      $256, SI
	SUBQ      $64, CX
	JGE       many

few:
	ADDQ $48, CX
	JLT  tail

one:
	VMOVDQU32 (SI), Z0
	LARGER(Z0, Z4)
	ADDQ      $64, SI
	SUBQ      $16, CX
	JGE       one

tail:
	ADDQ        $16, CX
	JEQ         done
	TAILMASK
	VMOVDQU32.Z (SI), K1, Z0
	LARGER(Z0, Z5)

done:
	VPMAXSD       Z5, Z4, Z4
	VPMAXSD       Z7, Z6, Z6
	VPMAXSD       Z6, Z4, Z4
	VEXTRACTI64X4 $1, Z4, Y5
	VPMAXSD       Y5, Y4, Y4
	VEXTRACTI128  $1, Y4, X5
	VPMAXSD       X5, X4, X4
	VPSHUFD       $0x4e, X4, X5 // the halves exchanged
	VPMAXSD       X5, X4, X4
	VPSHUFD       $0xb1, X4, X5 // neighbours exchanged
	VPMAXSD       X5, X4, X4
	VMOVD         X4, AX
	MOVL          AX, ret+24(FP)
	VZEROUPPER
	RET

#include "textflag.h"

// Registers: DI is the walking dst pointer, SI the walking src pointer, CX the
// elements still to do. Y0-Y3 hold elements, as float64 four to a register; Y14
// and Y15 hold the constants of the kernel, Y13 the lane mask of the tail.

// minInt32<> is what a conversion to int32 stores for what does not fit.
DATA minInt32<>+0x00(SB)/4, $0x80000000
GLOBL minInt32<>(SB), RODATA|NOPTR, $4

// magnitude<> is all bits of a float32 but its sign.
DATA magnitude<>+0x00(SB)/4, $0x7fffffff
GLOBL magnitude<>(SB), RODATA|NOPTR, $4

// infinity<> is the largest magnitude that is not a NaN.
DATA infinity<>+0x00(SB)/4, $0x7f800000
GLOBL infinity<>(SB), RODATA|NOPTR, $4

// tailMask<> holds eight lanes of ones, then eight of zeros: lanes read from
// lane 8-n on select the lowest n.
DATA tailMask<>+0x00(SB)/8, $-1
DATA tailMask<>+0x08(SB)/8, $-1
DATA tailMask<>+0x10(SB)/8, $-1
DATA tailMask<>+0x18(SB)/8, $-1
DATA tailMask<>+0x20(SB)/8, $0
DATA tailMask<>+0x28(SB)/8, $0
DATA tailMask<>+0x30(SB)/8, $0
DATA tailMask<>+0x38(SB)/8, $0
GLOBL tailMask<>(SB), RODATA|NOPTR, $64

// Y13 = the lowest CX lanes, 0 < CX < 8.
#define TAILMASK \
	LEAQ    tailMask<>+32(SB), AX; \
	SHLQ    $2, CX;                \
	SUBQ    CX, AX;                \
	VMOVDQU (AX), Y13

// The accumulator of T takes bits of S if they are the larger and not a NaN; U
// is scratch.
#define LARGER(S, T, U) \
	VPAND    Y15, S, S; \
	VPCMPGTD Y14, S, U; \
	VPANDN   S, U, S;   \
	VPMAXSD  S, T, T

// func quantiseAVX2(dst []int32, src []float32, f float64) (marked bool)
TEXT ·quantiseAVX2(SB), NOSPLIT, $0-57
	MOVQ         dst_base+0(FP), DI
	MOVQ         dst_len+8(FP), CX
	MOVQ         src_base+24(FP), SI
	VBROADCASTSD f+48(FP), Y15
	VPXOR        X12, X12, X12     // the least int32 so far

	SUBQ $16, CX
	JLT  few

many:
	VCVTPS2PD  0(SI), Y0
	VCVTPS2PD  16(SI), Y1
	VCVTPS2PD  32(SI), Y2
	VCVTPS2PD  48(SI), Y3
	VMULPD     Y15, Y0, Y0
	VMULPD     Y15, Y1, Y1
	VMULPD     Y15, Y2, Y2
	VMULPD     Y15, Y3, Y3
	VCVTPD2DQY Y0, X0
	VCVTPD2DQY Y1, X1
	VCVTPD2DQY Y2, X2
	VCVTPD2DQY Y3, X3
	VMOVDQU    X0, 0(DI)
	VMOVDQU    X1, 16(DI)
	VMOVDQU    X2, 32(DI)
	VMOVDQU    X3, 48(DI)
	VPMINSD    X0, X1, X1
	VPMINSD    X2, X3, X3
	VPMINSD    X1, X12, X12
	VPMINSD    X3, X12, X12
	ADDQ       $64, SI
	ADDQ       $64, DI
	SUBQ       $16, CX
	JGE        many

few:
	ADDQ $12, CX
	JLT  tail

one:
	VCVTPS2PD  (SI), Y0
	VMULPD     Y15, Y0, Y0
	VCVTPD2DQY Y0, X0
	VMOVDQU    X0, (DI)
	VPMINSD    X0, X12, X12
	ADDQ       $16, SI
	ADDQ       $16, DI
	SUBQ       $4, CX
	JGE        one

tail:
	ADDQ       $4, CX
	JEQ        done
	TAILMASK
	VMASKMOVPS (SI), X13, X0
	VCVTPS2PD  X0, Y0
	VMULPD     Y15, Y0, Y0
	VCVTPD2DQY Y0, X0        // lanes behind the end are 0, and marked only if f, not finite, marks all
	VPMASKMOVD X0, X13, (DI)
	VPMINSD    X0, X12, X12

done:
	VPBROADCASTD minInt32<>(SB), X13
	VPCMPEQD     X13, X12, X12
	VPTEST       X12, X12
	SETNE        marked+56(FP)
	VZEROUPPER
	RET

// func meanAVX2(dst []float32, src []int32, divisor float64)
TEXT ·meanAVX2(SB), NOSPLIT, $0-56
	MOVQ         dst_base+0(FP), DI
	MOVQ         dst_len+8(FP), CX
	MOVQ         src_base+24(FP), SI
	VBROADCASTSD divisor+48(FP), Y15

	// Division is slow enough for one register a turn to keep it busy.
	SUBQ $4, CX
	JLT  tail

one:
	VCVTDQ2PD  (SI), Y0
	VDIVPD     Y15, Y0, Y0
	VCVTPD2PSY Y0, X0
	VMOVUPS    X0, (DI)
	ADDQ       $16, SI
	ADDQ       $16, DI
	SUBQ       $4, CX
	JGE        one

tail:
	ADDQ       $4, CX
	JEQ        done
	TAILMASK
	VPMASKMOVD (SI), X13, X0
	VCVTDQ2PD  X0, Y0
	VDIVPD     Y15, Y0, Y0
	VCVTPD2PSY Y0, X0
	VMASKMOVPS X0, X13, (DI)

done:
	VZEROUPPER
	RET

// func maxMagnitudeAVX2(src []float32) uint32
TEXT ·maxMagnitudeAVX2(SB), NOSPLIT, $0-28
	MOVQ         src_base+0(FP), SI
	MOVQ         src_len+8(FP), CX
	VPBROADCASTD magnitude<>(SB), Y15
	VPBROADCASTD infinity<>(SB), Y14
	VPXOR        Y4, Y4, Y4
	VPXOR        Y5, Y5, Y5
	VPXOR        Y6, Y6, Y6
	VPXOR        Y7, Y7, Y7

	SUBQ $32, CX
	JLT  few

many:
	VMOVDQU 0(SI), Y0
	VMOVDQU 32(SI), Y1
	VMOVDQU 64(SI), Y2
	VMOVDQU 96(SI), Y3
	LARGER(Y0, Y4, Y8)
	LARGER(Y1, Y5, Y9)
	LARGER(Y2, Y6, Y10)
	LARGER(Y3, Y7, Y11)
	ADDQ    $128, SI
	SUBQ    $32, CX
	JGE     many

few:
	ADDQ $24, CX
	JLT  tail

one:
	VMOVDQU (SI), Y0
	LARGER(Y0, Y4, Y8)
	ADDQ    $32, SI
	SUBQ    $8, CX
	JGE     one

tail:
	ADDQ       $8, CX
	JEQ        done
	TAILMASK
	VPMASKMOVD (SI), Y13, Y0
	LARGER(Y0, Y5, Y8)

done:
	VPMAXSD      Y5, Y4, Y4
	VPMAXSD      Y7, Y6, Y6
	VPMAXSD      Y6, Y4, Y4
	VEXTRACTI128 $1, Y4, X5
	VPMAXSD      X5, X4, X4
	VPSHUFD      $0x4e, X4, X5 // the halves exchanged
	VPMAXSD      X5, X4, X4
	VPSHUFD      $0xb1, X4, X5 // neighbours exchanged
	VPMAXSD      X5, X4, X4
	VMOVD        X4, AX
	MOVL         AX, ret+24(FP)
	VZEROUPPER
	RET

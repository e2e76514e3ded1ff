package vm

import (
	"testing"

	"github.com/inalab/inalab/switchd/microcode/isa"
)

// A comparison with a constant holds for the numbers for which the comparison of two numbers does,
// on whichever side the constant is.
func TestSpansAreComparisons(t *testing.T) {
	numbers := []uint64{0, 1, 2, 1<<31 - 1, 1 << 31, 1<<32 - 1, 1 << 32, 1<<63 - 1, 1 << 63, 1<<64 - 2, 1<<64 - 1}
	for op := isa.Equal; op <= isa.GreaterEqual; op++ {
		for _, n := range numbers {
			for _, x := range numbers {
				var thread Thread
				thread.SetRegister(3, x)
				field := operand{reg: 3, mask: ^uint64(0)}
				right, left := compareWith(op, field, constant(n)), compareWith(op, constant(n), field)
				if got, want := right.holds(&thread), Compare(op, x, n); got != want {
					t.Errorf("%#x %v %#x is %v", x, op, n, got)
				}
				if got, want := left.holds(&thread), Compare(op, n, x); got != want {
					t.Errorf("%#x %v %#x is %v, of a constant on the left", n, op, x, got)
				}
			}
		}
	}
}

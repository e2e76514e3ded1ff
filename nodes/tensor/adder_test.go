package tensor

import (
	"slices"
	"testing"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/vec"
)

// message returns a tensor of a generation as it comes by a stream.
func message(gen int, values ...int32) *sansio.Train {
	b := make([]byte, HeaderLen+4*len(values))
	Header{Gen: gen, Kind: 7, Bytes: 4 * len(values)}.Put(b)
	vec.PutBE(b[HeaderLen:], values)
	return &sansio.Train{Body: b}
}

// Slices are ready one by one when the last contributor has brought them, by a stream or not, and
// the next generation starts from zero.
func TestAdder(t *testing.T) {
	a := NewAdder(2, 7, Part{Lo: 100, Hi: 112}, 8)
	var got []int32
	ready := func(s Slice) {
		n := make([]int32, s.Bytes()/4)
		vec.GetBE(n, a.Sums(s))
		got = append(append(got, n...), -1)
	}
	push := make([]byte, 12)
	vec.PutBE(push, []int32{10, 20, 30})
	for gen := range 2 {
		got = nil
		a.Push(1, push, ready)
		t1 := message(gen, 1, 2, 3)
		for i := range t1.Body {
			if f := a.Take(0, &sansio.Train{Body: t1.Body[i : i+1]}, ready); f != NoFault {
				t.Fatalf("byte %d of generation %d: fault %d", i, gen, f)
			}
			if early := i < HeaderLen+7; early != (got == nil) {
				t.Fatalf("after byte %d of generation %d: %d", i, gen, got)
			}
		}
		if want := []int32{11, 22, -1, 33, -1}; !slices.Equal(got, want) {
			t.Errorf("generation %d: slices %d, want %d", gen, got, want)
		}
	}
}

// A stream that starts a generation before the one before is complete is given up, and others are
// not.
func TestAdderOutOfStep(t *testing.T) {
	a, ready := NewAdder(2, 7, Part{Hi: 4}, 8), func(Slice) {}
	for i, want := range []Fault{NoFault, OutOfStep, AfterFault} {
		if f := a.Take(0, message(min(i, 1), 1), ready); f != want {
			t.Errorf("message %d: fault %d, want %d", i, f, want)
		}
	}
	complete := false
	if f := a.Take(1, message(0, 1), func(Slice) { complete = true }); f != NoFault || !complete {
		t.Errorf("the other stream: fault %d, complete %v", f, complete)
	}
}

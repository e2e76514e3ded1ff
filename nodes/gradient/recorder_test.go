package gradient

import (
	"fmt"
	"slices"
	"testing"
)

// plain keeps no floats.
type plain struct{ log *[]string }

func (p plain) Sent(gen int, q []int32) { *p.log = append(*p.log, fmt.Sprint("sent ", gen, q)) }
func (p plain) Delivered(gen int, sums []int32) {
	*p.log = append(*p.log, fmt.Sprint("delivered ", gen, sums))
}

type full struct{ plain }

func (f full) SentFloats(gen, lo int, g []float32) {
	*f.log = append(*f.log, fmt.Sprint("sent ", gen, " at ", lo, g))
}

func (f full) DeliveredFloats(gen, lo int, sums []float32) {
	*f.log = append(*f.log, fmt.Sprint("delivered ", gen, " at ", lo, sums))
}

// All are told of integers, and those who keep floats of floats.
func TestRecorders(t *testing.T) {
	var one, two []string
	var r FloatRecorder = Recorders{plain{&one}, full{plain{&two}}}
	r.SentFloats(3, 62, []float32{1.5})
	r.DeliveredFloats(3, 0, []float32{2})
	r.Sent(3, []int32{1})
	r.Delivered(3, []int32{2})
	if want := []string{"sent 3 [1]", "delivered 3 [2]"}; !slices.Equal(one, want) {
		t.Errorf("%q, want %q", one, want)
	}
	if want := []string{"sent 3 at 62 [1.5]", "delivered 3 at 0 [2]", "sent 3 [1]", "delivered 3 [2]"}; !slices.Equal(two, want) {
		t.Errorf("%q, want %q", two, want)
	}
}

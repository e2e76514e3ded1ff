package parity

import (
	"fmt"

	"github.com/inalab/inalab/harness/check"
)

// Run is one of the two runs.
type Run[T any] struct {
	Name string // for messages: "virtual", "live"
	Of   T
}

// Result is what a comparison came to.
type Result struct {
	Compared  int    // elements or counters that were held against each other; 0 proves nothing
	Different int    // those that differ
	First     string // the first difference, for a person
}

// Shape is how much there is to compare.
type Shape struct {
	Workers     int
	Generations int
	Elements    int // of a tensor
}

// kinds are the two tensors that a worker records of a generation.
var kinds = []struct {
	name string
	read func(t check.Tensors, worker, gen int) ([]int32, error)
}{
	{"sent", check.Tensors.Sent},
	{"delivered", check.Tensors.Delivered},
}

// Tensors compares every element that every worker sent and was given. A worker
// that sent nothing in a generation, in both runs, is the same in both. What went as
// float32 in either run counts once more.
func Tensors(s Shape, a, b Run[check.Tensors]) (Result, error) {
	var r Result
	for gen := range s.Generations {
		for w := range s.Workers {
			for _, k := range kinds {
				x, err := k.read(a.Of, w, gen)
				if err != nil {
					return r, fmt.Errorf("reading what worker %d %s in generation %d of the %s run: %w", w, k.name, gen, a.Name, err)
				}
				y, err := k.read(b.Of, w, gen)
				if err != nil {
					return r, fmt.Errorf("reading what worker %d %s in generation %d of the %s run: %w", w, k.name, gen, b.Name, err)
				}
				at := fmt.Sprintf("generation %d, worker %d, %s", gen, w, k.name)
				r.lengths(s, at, Run[int]{a.Name, len(x)}, Run[int]{b.Name, len(y)})
				r.elements(at, Run[[]int32]{a.Name, x}, Run[[]int32]{b.Name, y})
			}
			if err := r.floats(w, gen, a, b); err != nil {
				return r, err
			}
		}
	}
	return r, nil
}

// lengths wants tensors of one length, which is that of the job or none.
func (r *Result) lengths(s Shape, at string, a, b Run[int]) {
	for _, n := range []Run[int]{a, b} {
		if n.Of != 0 && n.Of != s.Elements {
			r.differs("%s: %d elements in the %s run, but a tensor has %d", at, n.Of, n.Name, s.Elements)
			return
		}
	}
	if a.Of != b.Of {
		r.differs("%s: %d elements in the %s run, %d in the %s run", at, a.Of, a.Name, b.Of, b.Name)
	}
}

func (r *Result) elements(at string, a, b Run[[]int32]) {
	for i := range min(len(a.Of), len(b.Of)) {
		r.Compared++
		if a.Of[i] != b.Of[i] {
			r.differs("%s, element %d: %d in the %s run, %d in the %s run", at, i, a.Of[i], a.Name, b.Of[i], b.Name)
		}
	}
}

// differs counts a difference and keeps the first.
func (r *Result) differs(format string, args ...any) {
	if r.Different++; r.First == "" {
		r.First = fmt.Sprintf(format, args...)
	}
}

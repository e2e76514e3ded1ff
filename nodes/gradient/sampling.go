package gradient

import (
	"errors"
	"fmt"
)

// Sampling says which blocks of a tensor carry values where a run under the
// virtual clock carries unstored values in the others: every Every-th, from the
// first on. What a worker then holds of the tensor are these blocks, one behind
// another. 0 and 1 mean all of them.
type Sampling struct{ Every int }

func (s Sampling) every() int { return max(1, s.Every) }

// Carries reports whether block b carries values.
func (s Sampling) Carries(b int) bool { return s.Every <= 1 || b%s.Every == 0 }

// Held returns where block b, which carries values, stands among those held.
func (s Sampling) Held(b int) int { return b / s.every() }

// Elements returns how many elements of a tensor of n, cut into blocks of size,
// are held.
func (s Sampling) Elements(n, size int) int {
	blocks := (n + size - 1) / size
	if blocks == 0 {
		return 0
	}
	last := blocks - 1
	held := s.Held(last) * size
	if s.Carries(last) {
		return held + n - last*size
	}
	return held + size
}

// Span returns where the values of block b, which carries some, lie among those
// held.
func (s Sampling) Span(b, n, size int) (lo, hi int) {
	lo = s.Held(b) * size
	return lo, lo + min(size, n-b*size)
}

// CheckTensors reports what is wrong with the lengths of the tensors that make up a gradient of n
// elements; none means that it is one tensor.
func (s Sampling) CheckTensors(lengths []int, n int) error {
	sum := 0
	for i, length := range lengths {
		if length < 1 {
			return fmt.Errorf("tensor %d has %d elements: it must have one at least", i, length)
		}
		sum += length
	}
	switch {
	case len(lengths) == 0:
		return nil
	case sum != n:
		return fmt.Errorf("the %d tensors have %d elements, but the gradient %d", len(lengths), sum, n)
	case s.Every > 1:
		return errors.New("a gradient in several tensors carries values in all blocks: do not sample them")
	}
	return nil
}

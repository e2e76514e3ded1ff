package check

import (
	"fmt"

	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/nodes/gradient"
)

// Tensors gives what the workers recorded. A nil slice means that there is none:
// a worker that skipped a generation sent nothing. Slices are valid until the
// next call.
type Tensors interface {
	Sent(worker, gen int) ([]int32, error)
	Delivered(worker, gen int) ([]int32, error)
}

// Contributors says whose integers are in a block; ok is false where the trace
// knows nothing of it.
type Contributors interface {
	Contributors(gen, block int) (mask trace.Mask, ok bool)
}

// Everybody is the mask of systems that wait for all workers.
type Everybody int

// Contributors returns workers 0 to n-1.
func (n Everybody) Contributors(int, int) (mask trace.Mask, ok bool) {
	for w := range int(n) {
		mask.Set(uint8(w))
	}
	return mask, true
}

// Job is what a run was about.
type Job struct {
	Workers     int
	Generations int
	Elements    int // of the tensor that carry values
	Block       int // elements of a block; the tensor is one block where masks do not differ
	Sample      gradient.Sampling

	Gaps  []Gap // when workers were away
	Until int   // of a job that was ended early: generations that every worker finished, which are checked; zero: all

	// Answer is what workers are given for a sum; nil: the sum.
	Answer func(sum int32) int32

	// Saturates says that sums of int32 stop at the ends of their range: one that comes to an end, or
	// has a contributor there, must come as float32. Otherwise sums wrap.
	Saturates bool
}

// Result is the verdict on a run.
type Result struct {
	Checked uint64 // delivered elements that were compared
	Wrong   uint64 // those that differed from the sum
	First   string // the first difference, for a person

	Floats uint64 // of those compared, elements that came as float32

	// Unchecked counts delivered elements whose sum nobody knows: one of their
	// contributors was killed before it had recorded what it sent.
	Unchecked uint64
}

// Sums compares every delivered element of every worker and generation.
func Sums(job Job, tensors Tensors, who Contributors) (Result, error) {
	c := checker{job: job, tensors: tensors, who: who}
	for gen := range job.generations() {
		if err := c.generation(gen); err != nil {
			return c.result, fmt.Errorf("checking generation %d: %w", gen, err)
		}
	}
	return c.result, nil
}

type checker struct {
	job     Job
	tensors Tensors
	who     Contributors
	sent    [][]int32
	want    []int32
	known   []answer     // by block: whether want can be trusted
	masks   []trace.Mask // by block: the contributors
	exact   []int64      // sums of integers that saturate
	clipped []bool       // by element: a contributor's integer was at an end of the range
	float   floats
	result  Result
}

func (c *checker) generation(gen int) error {
	if err := c.load(gen); err != nil {
		return err
	}
	c.expect(gen)
	if err := c.expectFloats(gen); err != nil {
		return err
	}
	for w := range c.job.Workers {
		got, err := c.tensors.Delivered(w, gen)
		if err != nil {
			return err
		}
		if err := c.deliverFloats(w, gen); err != nil {
			return err
		}
		if got != nil || !c.job.Away(w, gen) {
			c.compare(w, gen, got)
		}
	}
	return nil
}

// load copies what every worker sent.
func (c *checker) load(gen int) error {
	if c.sent == nil {
		c.sent = make([][]int32, c.job.Workers)
		c.want = make([]int32, c.job.Elements)
		if c.job.Saturates {
			c.exact, c.clipped = make([]int64, c.job.Elements), make([]bool, c.job.Elements)
		}
	}
	for w := range c.sent {
		q, err := c.tensors.Sent(w, gen)
		if err != nil {
			return err
		}
		c.sent[w] = append(c.sent[w][:0], q...)
	}
	return nil
}

// expect adds up the contributors of each block. A block whose contributors are
// unknown, or of which one sent nothing, has no right answer. One of which a worker
// that was away is a contributor may have any.
func (c *checker) expect(gen int) {
	blocks := (c.job.Elements + c.job.Block - 1) / c.job.Block
	if len(c.known) != blocks {
		c.known, c.masks = make([]answer, blocks), make([]trace.Mask, blocks)
	}
	clear(c.masks)
	clear(c.want)
	clear(c.exact)
	clear(c.clipped)
	for b := range blocks {
		lo, hi := b*c.job.Block, min((b+1)*c.job.Block, c.job.Elements)
		c.known[b] = c.add(gen, b, lo, hi)
	}
	if c.job.Answer != nil {
		for i, sum := range c.want {
			c.want[i] = c.job.Answer(sum)
		}
	}
}

func (c *checker) compare(w, gen int, got []int32) {
	for i := range c.want {
		known := c.known[i/c.job.Block]
		if known == excusing && i < len(got) {
			c.result.Unchecked++
			continue
		}
		c.result.Checked++
		if c.isFloat(i) {
			c.result.Floats++
		}
		if i < len(got) && known == right && c.right(i, got[i]) {
			continue
		}
		c.result.Wrong++
		if c.result.First == "" {
			c.result.First = c.describe(w, gen, i, got)
		}
	}
}

// right reports whether an element of which the contributors are known is right: v, or the float32
// that came in its place.
func (c *checker) right(i int, v int32) bool {
	if c.isFloat(i) {
		return c.rightFloat(i)
	}
	return v == c.want[i] && !c.overflows(i)
}

func (c *checker) describe(w, gen, i int, got []int32) string {
	at := fmt.Sprintf("worker %d, generation %d, block %d, element %d", w, gen, i/c.job.Block, i)
	switch {
	case i >= len(got):
		return at + ": nothing was delivered"
	case c.known[i/c.job.Block] != right:
		return at + ": the trace names no contributors, or one that sent nothing"
	case c.isFloat(i):
		return at + ": " + c.describeFloat(i)
	case c.overflows(i):
		return fmt.Sprintf("%s: delivered %d as int32, but the contributors' sum of %d, or one of them, does not fit", at, got[i], c.exact[i])
	}
	return fmt.Sprintf("%s: delivered %d, the contributors' sum is %d", at, got[i], c.want[i])
}

package check

import (
	"fmt"
	"math"

	"github.com/inalab/inalab/nodes/gradient"
)

// FloatTensors are tensors of workers who were given some sums as float32. Slices are valid until
// the next call.
type FloatTensors interface {
	Tensors
	SentFloats(worker, gen int) ([]gradient.Floats, error)
	DeliveredFloats(worker, gen int) ([]gradient.Floats, error)
}

// floats are the elements of a generation that went as float32. It is empty where none did.
type floats struct {
	want  []float32 // sums of the contributors, in the order of workers
	added []int     // contributors in each
	got   []float32 // what a worker was given
	came  []bool    // got has it
}

// notNumber are the bits of each float32 that is not a number: machines store those.
const notNumber = 0x7fc00000

// floatBits returns the bits that stand for a sum.
func floatBits(v float32) uint32 {
	if v != v {
		return notNumber
	}
	return math.Float32bits(v)
}

// expectFloats adds what contributors sent as float32.
func (c *checker) expectFloats(gen int) error {
	c.float.want = c.float.want[:0]
	t, ok := c.tensors.(FloatTensors)
	if !ok {
		return nil
	}
	for w := range c.job.Workers {
		runs, err := t.SentFloats(w, gen)
		if err != nil {
			return err
		}
		for _, r := range runs {
			if err := c.checkRun(w, r); err != nil {
				return err
			}
			c.addFloats(w, r)
		}
	}
	return nil
}

// checkRun says why what a worker recorded cannot be.
func (c *checker) checkRun(w int, r gradient.Floats) error {
	if r.Lo < 0 || r.Lo+len(r.Values) > c.job.Elements {
		return fmt.Errorf("worker %d recorded elements %d to %d as float32, but the tensor has %d: its record is damaged", w, r.Lo, r.Lo+len(r.Values)-1, c.job.Elements)
	}
	return nil
}

// prepare makes room for the floats of a generation.
func (f *floats) prepare(n int) {
	if len(f.want) == n {
		return
	}
	if cap(f.want) < n {
		*f = floats{want: make([]float32, n), added: make([]int, n), got: make([]float32, n), came: make([]bool, n)}
	}
	f.want = f.want[:n]
	clear(f.want)
	clear(f.added)
}

// addFloats adds what a worker sent, where it is a contributor.
func (c *checker) addFloats(w int, r gradient.Floats) {
	c.float.prepare(c.job.Elements)
	for i, v := range r.Values {
		if at := r.Lo + i; c.masks[at/c.job.Block].Has(uint8(w)) {
			c.float.want[at] += v
			c.float.added[at]++
		}
	}
}

// deliverFloats takes in what a worker was given as float32.
func (c *checker) deliverFloats(w, gen int) error {
	clear(c.float.came)
	t, ok := c.tensors.(FloatTensors)
	if !ok {
		return nil
	}
	runs, err := t.DeliveredFloats(w, gen)
	if err != nil {
		return err
	}
	for _, r := range runs {
		if err := c.checkRun(w, r); err != nil {
			return err
		}
		c.float.prepare(c.job.Elements)
		copy(c.float.got[r.Lo:], r.Values)
		for i := range r.Values {
			c.float.came[r.Lo+i] = true
		}
	}
	return nil
}

// isFloat reports whether the worker at hand was given an element as float32.
func (c *checker) isFloat(i int) bool { return len(c.float.came) > 0 && c.float.came[i] }

// rightFloat reports whether an element is the sum of its contributors, all of whom sent it as
// float32, bit for bit.
func (c *checker) rightFloat(i int) bool {
	f := &c.float
	return f.added[i] == c.masks[i/c.job.Block].Len() && math.Float32bits(f.got[i]) == floatBits(f.want[i])
}

// describeFloat says what is wrong with one.
func (c *checker) describeFloat(i int) string {
	f := &c.float
	if n := c.masks[i/c.job.Block].Len(); f.added[i] != n {
		return fmt.Sprintf("delivered %g as float32, but only %d of %d contributors sent one", f.got[i], f.added[i], n)
	}
	return fmt.Sprintf("delivered %g, the contributors' sum as float32 is %g", f.got[i], f.want[i])
}

// clips notes contributors at an end of the range of int32: they stand for all that is beyond it.
func (c *checker) clips(i int, v int32) {
	if c.exact[i] += int64(v); v == math.MaxInt32 || v == math.MinInt32 {
		c.clipped[i] = true
	}
}

// overflows reports whether a sum, of integers that stop at the ends of their range, may not come as
// one.
func (c *checker) overflows(i int) bool {
	return c.job.Saturates && (c.clipped[i] || c.exact[i] >= math.MaxInt32 || c.exact[i] <= math.MinInt32)
}

package check

import "slices"

// Gap is the time in which a worker is away: of generations From to To-1 it may have
// recorded nothing. It was killed before it had recorded the first of them, and the
// next worker in its place takes part from generation To on.
//
// A gap excuses what is not recorded, and no more: what was recorded in it is compared
// like all else.
type Gap struct{ Worker, From, To int }

// Away reports whether a worker may have recorded nothing of a generation.
func (j *Job) Away(worker, gen int) bool {
	return slices.ContainsFunc(j.Gaps, func(g Gap) bool { return g.Worker == worker && g.From <= gen && gen < g.To })
}

// generations returns how many are checked.
func (j *Job) generations() int {
	if j.Until > 0 {
		return min(j.Until, j.Generations)
	}
	return j.Generations
}

// answer is how far the right answer of a block is known.
type answer uint8

const (
	unknown  answer = iota // the trace names no contributors, or one that sent nothing though it was there
	right                  // the sum of the contributors
	excusing               // one of the contributors was away, and left no record
)

// add adds the contributors of a block from element lo to hi.
func (c *checker) add(gen, block, lo, hi int) answer {
	mask, ok := c.who.Contributors(gen, block*max(1, c.job.Sample.Every))
	if !ok {
		return unknown
	}
	c.masks[block] = mask
	out := right
	for w, q := range c.sent {
		switch {
		case !mask.Has(uint8(w)):
		case len(q) >= hi:
			for i := lo; i < hi; i++ {
				c.want[i] += q[i]
			}
			for i := lo; c.job.Saturates && i < hi; i++ {
				c.clips(i, q[i])
			}
		case len(q) > 0 || !c.job.Away(w, gen):
			return unknown
		default:
			out = excusing
		}
	}
	return out
}

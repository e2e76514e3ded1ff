package change

import (
	"fmt"
	"slices"

	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/reports/compare"
	"github.com/inalab/inalab/reports/stat"
)

// pairs are the old and new runs of a row that belong together.
type pairs struct {
	list   []pair
	absent []string // what has no part, and why
}

// pair is the iteration times of a new and of an old run in ms, iteration by iteration.
type pair []stat.Pair

// pairUp joins the runs of a row by seed; of several runs of one seed, by their order in time.
func pairUp(old, fresh []one) (p pairs) {
	fresh = slices.Clone(fresh)
	for _, a := range old {
		i := slices.IndexFunc(fresh, func(b one) bool { return b.cell.Seed == a.cell.Seed })
		if i < 0 {
			p.absent = append(p.absent, fmt.Sprintf("seed %d of %s has no new run", a.cell.Seed, a.run.Name))
			continue
		}
		b := fresh[i]
		fresh = slices.Delete(fresh, i, i+1)
		p.add(a, b)
	}
	for _, b := range fresh {
		p.absent = append(p.absent, fmt.Sprintf("seed %d of %s has no old run", b.cell.Seed, b.run.Name))
	}
	return p
}

// add takes a pair, if both of it are to be believed.
func (p *pairs) add(a, b one) {
	for _, o := range []one{a, b} {
		if why := Unfit(o.cell); why != "" {
			p.absent = append(p.absent, fmt.Sprintf("seed %d of %s: %s", o.cell.Seed, o.run.Name, why))
			return
		}
	}
	var out pair
	times := map[int]float64{} // of the old run, by iteration; looked up
	for _, i := range compare.Iterations(*a.cell) {
		times[i.Index] = i.Mean
	}
	for _, i := range compare.Iterations(*b.cell) {
		if ms, ok := times[i.Index]; ok && ms > 0 && i.Mean > 0 {
			out = append(out, stat.Pair{X: i.Mean, Y: ms})
		}
	}
	if len(out) == 0 {
		p.absent = append(p.absent, fmt.Sprintf("seed %d of %s and %s: there is no iteration that all workers finished in both", a.cell.Seed, a.run.Name, b.run.Name))
		return
	}
	p.list = append(p.list, out)
}

// Unfit says why a run of a row has no part; empty: it has one.
func Unfit(c *result.Cell) string {
	switch {
	case c.Fidelity.Verdict == result.Invalid:
		return "its fidelity is invalid"
	case c.Wrong > 0:
		return fmt.Sprintf("%d of %d sums were wrong", c.Wrong, c.Checked)
	case c.CheckSums() != nil:
		return "no sum was checked"
	}
	return ""
}

// means are those of a stretch of iterations.
func (p pair) means() stat.Pair {
	var sum stat.Pair
	for _, i := range p {
		sum.X += i.X
		sum.Y += i.Y
	}
	n := float64(len(p))
	return stat.Pair{X: sum.X / n, Y: sum.Y / n}
}

// stretches bounds the parts that a pair of runs is cut into (assumed: stretches of four iterations in a
// run of 40 hardly depend on each other).
const stretches = 10

// cut cuts a pair of runs into stretches of consecutive iterations.
func (p pair) cut() (out []stat.Pair) {
	n := min(stretches, len(p))
	for i := range n {
		out = append(out, p[i*len(p)/n:(i+1)*len(p)/n].means())
	}
	return out
}

// means are those of each pair of runs.
func (p pairs) means() (out []stat.Pair) {
	for _, one := range p.list {
		out = append(out, one.means())
	}
	return out
}

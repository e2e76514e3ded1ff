package explain

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/suggest"
	"github.com/inalab/inalab/internal/units"
)

// Query says which block is to be explained. What it leaves open is chosen: the slowest block that the runs
// have, from its first packet to its last result. One that was never finished is slower than any other.
type Query struct {
	System    string   // empty: any
	StraggleP *float64 // fraction; nil: any
	At        []string // swept keys with their values, as link.loss=1%
	Seed      *uint64  // nil: any
	Iteration *int     // nil: any
	Block     *int     // nil: any
}

// Find returns the life of the block that is asked for.
func Find(runs []Run, q Query) (*Life, error) {
	candidates, err := q.runs(runs)
	if err != nil {
		return nil, err
	}
	if err := q.check(&candidates[0].Traced); err != nil {
		return nil, err
	}
	var run *Run
	var slowest slow
	for i := range candidates {
		if s, ok := q.slowest(&candidates[i]); ok && (run == nil || s.slowerThan(&slowest)) {
			run, slowest = &candidates[i], s
		}
	}
	if run == nil {
		return nil, q.absent(&candidates[0])
	}
	return newLife(run, slowest.iteration, slowest.block), nil
}

// runs returns the runs that the query names.
func (q *Query) runs(all []Run) ([]Run, error) {
	if len(all) == 0 {
		return nil, errors.New("no events were recorded: they are kept of runs of one job in a lab, and not with --events none: run the job alone, or without that option")
	}
	var systems, have []string
	var out []Run
	for _, r := range all {
		if !slices.Contains(systems, r.System) {
			systems = append(systems, r.System)
		}
		have = append(have, title(&r.Traced))
		if (q.System == "" || r.System == q.System) && (q.StraggleP == nil || near(*q.StraggleP, r.StraggleP)) && (q.Seed == nil || *q.Seed == r.Seed) && q.isAt(r.Point) {
			out = append(out, r)
		}
	}
	if blocks := slices.DeleteFunc(slices.Clone(out), func(r Run) bool { return len(r.Engines) == 0 }); len(blocks) > 0 {
		out = blocks // the others have none to explain
	}
	switch {
	case len(out) > 0:
		return out, nil
	case q.System != "" && !slices.Contains(systems, q.System):
		return nil, fmt.Errorf("system %q was not run: there are %s%s", q.System, strings.Join(systems, ", "), suggest.DidYouMean(q.System, systems))
	}
	return nil, fmt.Errorf("there is no such run; there are %s", strings.Join(have, "; "))
}

// isAt reports whether a point of a sweep is the one that is asked for.
func (q *Query) isAt(p result.Point) bool {
	return !slices.ContainsFunc(q.At, func(at string) bool {
		key, value, _ := strings.Cut(at, "=")
		return p.Value(key) != value || value == ""
	})
}

// near compares two fractions as they were written.
func near(a, b float64) bool { return a-b < 1e-9 && b-a < 1e-9 }

// check refuses what no run of the job has.
func (q *Query) check(r *result.Traced) error {
	if b := q.Block; b != nil && (*b < 0 || *b >= r.Blocks) {
		return fmt.Errorf("block %d: the tensor of %s has blocks 0 to %d", *b, r.System, r.Blocks-1)
	}
	if i := q.Iteration; i != nil && (*i < 0 || *i >= r.Iterations) {
		return fmt.Errorf("iteration %d: the run of %s has iterations 0 to %d", *i, r.System, r.Iterations-1)
	}
	return nil
}

type place struct{ iteration, block int }

// slow is a block, and how long it took.
type slow struct {
	place
	from, to units.Time
	sent     bool
	results  int
	missing  bool // the run ended before all had its result
}

func (s *slow) slowerThan(o *slow) bool {
	if s.missing != o.missing {
		return s.missing
	}
	return !s.missing && s.to.Sub(s.from) > o.to.Sub(o.from)
}

// slowest returns the slowest block of a run that the query allows, the first of several.
func (q *Query) slowest(r *Run) (out slow, ok bool) {
	blocks, order := q.blocks(r)
	ends := slices.ContainsFunc(order, func(at place) bool { return blocks[at].results > 0 }) // else hosts do not tell
	for _, at := range order {
		s := blocks[at]
		s.missing = r.Error != "" && ends && s.results < len(r.Workers)
		if !ok || s.slowerThan(&out) {
			out, ok = *s, true
		}
	}
	return out, ok
}

// blocks returns the blocks of a run that the query allows, in the order of their first events.
func (q *Query) blocks(r *Run) (blocks map[place]*slow, order []place) {
	blocks = map[place]*slow{}
	for i := range r.Events {
		e := &r.Events[i]
		at := place{e.Iteration, e.Block}
		if e.Block == result.NoBlock || q.Iteration != nil && *q.Iteration != at.iteration || q.Block != nil && *q.Block != at.block {
			continue
		}
		s := blocks[at]
		if s == nil {
			s = &slow{place: at, from: e.At}
			blocks[at] = s
			order = append(order, at)
		}
		s.take(e)
	}
	return blocks, order
}

// take notes when the first packet left, and when the last result came.
func (s *slow) take(e *result.Event) {
	switch {
	case e.Kind == kindHostSent && !s.sent:
		s.from, s.sent = e.At, true
	case e.Kind == kindResult:
		s.results++
	}
	if e.Kind == kindResult || s.results == 0 {
		s.to = e.At
	}
}

// absent says that nothing was kept of what is asked for, and how to keep it.
func (q *Query) absent(r *Run) error {
	what, again := "any block", "all"
	switch {
	case q.Iteration != nil && q.Block != nil:
		what, again = fmt.Sprintf("block %d of iteration %d", *q.Block, *q.Iteration), fmt.Sprintf("%d/%d", *q.Iteration, *q.Block)
	case q.Iteration != nil:
		what, again = fmt.Sprintf("iteration %d", *q.Iteration), fmt.Sprint(*q.Iteration)
	case q.Block != nil:
		what = fmt.Sprintf("block %d", *q.Block)
	}
	if len(r.Engines) == 0 {
		return fmt.Errorf("%s sends no blocks through a switch program: there is nothing to explain; choose another with --system", title(&r.Traced))
	}
	return fmt.Errorf("no events of %s of %s were kept (kept: %s; %d events left out, %d lost): run it again with --events %s", what, title(&r.Traced), r.Rule, r.LeftOut, r.Lost, again)
}

// title names a run.
func title(r *result.Traced) string {
	return fmt.Sprintf("%s at %s, seed %d", r.System, r.Point.At(r.StraggleP), r.Seed)
}

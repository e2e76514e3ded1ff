package explain

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/suggest"
)

// Query says which block is to be explained. What it leaves open is chosen: the
// first run with a block that was degraded, sent again, dropped, late or never
// finished, and in it the first such block; where there is none, the first block.
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
	for _, interesting := range []bool{true, false} {
		for i := range candidates {
			if at, ok := q.block(&candidates[i], interesting); ok {
				return newLife(&candidates[i], at.iteration, at.block), nil
			}
		}
	}
	return nil, q.absent(&candidates[0])
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

// block returns the first block of a run that the query allows, and that
// something happened to, if that is asked for.
func (q *Query) block(r *Run, interesting bool) (place, bool) {
	results, first := map[place]int{}, map[place]int{}
	var order []place
	for i, e := range r.Events {
		at := place{e.Iteration, e.Block}
		if e.Block == result.NoBlock || q.Iteration != nil && *q.Iteration != at.iteration || q.Block != nil && *q.Block != at.block {
			continue
		}
		if !interesting {
			return at, true
		}
		if _, seen := first[at]; !seen {
			first[at] = i
			order = append(order, at)
		}
		if eventful(&e) {
			return at, true
		}
		if e.Kind == kindResult {
			results[at]++
		}
	}
	if r.Error != "" && len(results) > 0 {
		for _, at := range order {
			if results[at] < len(r.Workers) {
				return at, true
			}
		}
	}
	return place{}, false
}

// eventful reports whether an event is one that asks for an explanation.
func eventful(e *result.Event) bool {
	switch e.Kind {
	case kindAged, kindDropped, kindRetransmit, kindCollided:
		return true
	}
	return e.Degraded
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

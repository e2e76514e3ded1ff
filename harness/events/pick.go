package events

import (
	"cmp"
	"slices"

	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/units"
)

// key is a block of an iteration.
type key struct{ iteration, block int }

// fate is what is known of a block from a first look at all events.
type fate struct {
	span
	events   int
	results  int
	troubled bool
}

// choice is the blocks that are kept.
type choice struct {
	all  bool
	keep map[key]bool
}

// choose looks through all events of a run.
func (r *reader) choose(want Want, unfinishedFirst bool) choice {
	switch want.Mode {
	case All:
		return choice{all: true}
	case One:
		if want.Block >= 0 {
			return choice{keep: map[key]bool{{want.Iteration, want.Block}: true}}
		}
	}
	fates, order, loose := r.fates()
	left := want.limit() - loose
	c := choice{keep: map[key]bool{}}
	take := func(budget int, which func(k key, f *fate) bool) {
		for _, k := range order {
			if f := fates[k]; !c.keep[k] && which(k, f) && f.events <= min(left, budget) {
				c.keep[k], left, budget = true, left-f.events, budget-f.events
			}
		}
	}
	if want.Mode == One {
		take(left, func(k key, _ *fate) bool { return k.iteration == want.Iteration })
		return c
	}
	ends := slices.ContainsFunc(order, func(k key) bool { return fates[k].results > 0 }) // else hosts do not tell
	unfinished := func(_ key, f *fate) bool { return ends && f.results < r.workers }
	if unfinishedFirst {
		take(left, unfinished)
	}
	if slowest, ok := slowestOf(fates, order); ok {
		take(left, func(k key, _ *fate) bool { return k == slowest })
	}
	take(left/2, func(k key, _ *fate) bool { return k.iteration == 0 })
	take(left, func(k key, f *fate) bool { return f.troubled || unfinished(k, f) })
	take(left, func(k key, _ *fate) bool { return k.iteration == 0 })
	return c
}

// slowestOf returns the block that took longest from its first packet to its last result, the first of several.
func slowestOf(fates map[key]*fate, order []key) (slowest key, ok bool) {
	var most units.Duration
	for _, k := range order {
		f := fates[k]
		if took := f.last.Sub(f.first); f.sent && f.taken && (!ok || took > most) {
			slowest, most, ok = k, took, true
		}
	}
	return slowest, ok
}

// fates returns what became of each block, the blocks in order, and the number
// of events that are of no block.
func (r *reader) fates() (fates map[key]*fate, order []key, loose int) {
	fates = map[key]*fate{}
	for e := range r.events() {
		k, ok := r.key(&e)
		if !ok {
			loose++
			continue
		}
		f := fates[k]
		if f == nil {
			f = &fate{}
			fates[k] = f
			order = append(order, k)
		}
		f.events++
		f.take(&e)
		switch e.Kind {
		case trace.ResultIn:
			f.results++
			f.troubled = f.troubled || e.Degraded
		case trace.BlockAged, trace.Dropped, trace.Retransmit, trace.Collided:
			f.troubled = true
		case trace.BlockSent:
			f.troubled = f.troubled || e.Degraded
		}
	}
	slices.SortStableFunc(order, func(a, b key) int { return cmp.Compare(a.iteration, b.iteration) })
	return fates, order, loose
}

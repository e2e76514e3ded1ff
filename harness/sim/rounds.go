package sim

import (
	"cmp"
	"slices"

	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/nodes/worker"
	"github.com/inalab/inalab/topo"
	"github.com/inalab/inalab/topo/plan"
)

// rounds charges all-reduces whose pattern has been simulated already: their
// workers get their results after the times that it took then, and no packet is
// sent.
//
// That is right where a round leaves everything as it found it, so it is done
// only between two cuts, instants at which nothing is on its way, no timer runs
// and all workers are on the way to the same generation; only where the pattern
// of the workers' begins is one that was seen; and never where chance has a say
// (loss, jitter), where something was lost, given up or sent again, or where a
// record lived so long that the phase of a timer could have mattered.
type rounds struct {
	run     *run
	loops   []*worker.Loop
	known   *Patterns
	open    *recording
	charged int
	skipped func() // told of each round that is charged
}

// Patterns are rounds that were simulated. The zero value knows none.
type Patterns struct{ list []*pattern }

// pattern is a round: who begins when, and what that leads to.
type pattern struct {
	order []int            // workers, by the time they begin
	gaps  []units.Duration // before each of them, from the begin of the one before
	rest  []units.Duration // in that gap, how long the network needed to come to rest; 0: it did not
	ends  []units.Duration // by worker, from the last begin of all
}

// recording is a round that is being simulated.
type recording struct {
	pattern
	gen    int
	begins []units.Time // by worker
	next   int          // the next worker, in order, to begin
	ended  []units.Time // by worker
	left   int          // workers that have not ended
	spoilt bool
}

// newRounds returns nil, which charges nothing, where rounds must not be charged.
func newRounds(r *run, p *plan.Plan, known *Patterns) *rounds {
	if chance(p) {
		return nil
	}
	out := &rounds{run: r, known: known}
	for _, w := range r.tenants[0].workers {
		l, ok := w.Job.(*worker.Loop)
		if !ok || !l.Chargeable() {
			return nil
		}
		out.loops = append(out.loops, l)
	}
	return out
}

// chance reports whether links do anything to frames at random, by turn or by name.
func chance(p *plan.Plan) bool {
	for _, sw := range p.Switches {
		specs := []topo.LinkSpec{}
		if sw.Chassis != nil {
			specs = append(specs, sw.Chassis.Fabric)
		}
		for _, port := range sw.Ports {
			specs = append(specs, port.In, port.Out)
		}
		for _, s := range specs {
			if s.Loses() || s.Jitter > 0 || s.Reorder > 0 || s.Duplicate > 0 || s.Marking.On() {
				return true
			}
		}
	}
	return false
}

// count returns how many rounds were charged.
func (r *rounds) count() int {
	if r == nil {
		return 0
	}
	return r.charged
}

// samples takes what ended.
func (r *rounds) samples(list []result.Sample) {
	if r == nil || r.open == nil {
		return
	}
	rec := r.open
	for _, s := range list {
		if s.Iteration != rec.gen || s.Degraded > 0 || s.Retransmits > 0 || !s.Contributed {
			rec.spoilt = true
			continue
		}
		rec.ended[s.Worker] = s.End
		rec.left--
	}
}

// endInstant is called when an instant in which iterations ended is over.
func (r *rounds) endInstant() {
	if r == nil {
		return
	}
	if rec := r.open; rec != nil && rec.left > 0 && !rec.spoilt {
		return // some workers have still to end
	}
	begins, gen, ok := r.cut()
	if !ok {
		if r.open != nil && (r.open.spoilt || r.finished()) {
			r.close(false)
		}
		return
	}
	if r.open != nil {
		r.close(true)
	}
	now := arrange(begins)
	if p := r.find(now); p != nil {
		r.charge(p, begins)
		return
	}
	r.record(now, begins, gen)
}

// finished reports whether the workers are past their last generation.
func (r *rounds) finished() bool {
	return !slices.ContainsFunc(r.loops, func(l *worker.Loop) bool { return !l.Done() })
}

// cut returns when each worker will begin its next round, and which; ok is
// false where this is no cut.
func (r *rounds) cut() (begins []units.Time, gen int, ok bool) {
	gen = r.loops[0].Generation()
	for _, l := range r.loops {
		at, ready := l.Ready()
		if !ready || l.Generation() != gen {
			return nil, 0, false
		}
		begins = append(begins, at)
	}
	return begins, gen, r.run.quiescent() && !r.run.remembers()
}

// arrange returns the pattern of begins.
func arrange(begins []units.Time) pattern {
	p := pattern{order: make([]int, len(begins)), gaps: make([]units.Duration, len(begins)), rest: make([]units.Duration, len(begins))}
	for i := range p.order {
		p.order[i] = i
	}
	slices.SortStableFunc(p.order, func(a, b int) int { return cmp.Compare(begins[a], begins[b]) })
	for i := 1; i < len(p.order); i++ {
		p.gaps[i] = begins[p.order[i]].Sub(begins[p.order[i-1]])
	}
	return p
}

// find returns the known pattern that p is another instance of, or nil.
func (r *rounds) find(p pattern) *pattern {
	for _, k := range r.known.list {
		if k.covers(&p) {
			return k
		}
	}
	return nil
}

// covers reports whether p leads to the same as k. Once the network has come to
// rest, how and when those who had begun by then did so makes no difference any
// more: from the last such gap on, p must be the same to the picosecond.
func (k *pattern) covers(p *pattern) bool {
	last := len(k.rest) - 1
	for last > 0 && k.rest[last] == 0 {
		last--
	}
	if last == 0 {
		return slices.Equal(k.order, p.order) && slices.Equal(k.gaps, p.gaps)
	}
	var span units.Duration
	for _, gap := range p.gaps[:last] {
		span += gap
	}
	return sameSet(k.order[:last], p.order[:last]) && slices.Equal(k.order[last:], p.order[last:]) &&
		slices.Equal(k.gaps[last+1:], p.gaps[last+1:]) && p.gaps[last] > restMargin*(k.rest[last]+span)
}

// restMargin is how many times as long as it took another time the network is
// given to come to rest (assumed: others who begin together need no longer than
// twice that and what lies between their begins).
const restMargin = 4

func sameSet(a, b []int) bool {
	return slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
}

func (r *rounds) charge(p *pattern, begins []units.Time) {
	last := slices.Max(begins)
	for i, l := range r.loops {
		l.Charge(last.Add(p.ends[i]))
	}
	r.charged++
	r.skipped()
}

// record starts to watch a round.
func (r *rounds) record(p pattern, begins []units.Time, gen int) {
	n := len(begins)
	r.open = &recording{pattern: p, gen: gen, begins: begins, ended: make([]units.Time, n), left: n, next: 1}
	for _, sw := range r.run.switches {
		sw.chassis.PhaseMattered() // what was before does not count
	}
	r.await()
}

// await has the network call back before the next worker begins.
func (r *rounds) await() {
	rec := r.open
	for rec.next < len(rec.order) && rec.gaps[rec.next] == 0 {
		rec.next++
	}
	if rec.next < len(rec.order) {
		r.run.net.alarm, r.run.net.onAlarm = rec.begins[rec.order[rec.next]], r.noteRest
	}
}

// noteRest notes whether the network came to rest since the last begin.
func (r *rounds) noteRest() {
	rec := r.open
	if rec == nil {
		return
	}
	before := rec.begins[rec.order[rec.next-1]]
	if r.run.quiescent() {
		rec.rest[rec.next] = max(1, r.run.net.moved.Sub(before))
	}
	rec.next++
	r.await()
}

// close ends the recording; a round that ended at a cut is known from now on,
// unless something speaks against it.
func (r *rounds) close(atCut bool) {
	rec := r.open
	r.open = nil
	r.run.net.alarm = units.Never
	mattered := false
	for _, sw := range r.run.switches {
		mattered = sw.chassis.PhaseMattered() || mattered
	}
	if !atCut || rec.spoilt || mattered || rec.left > 0 {
		return
	}
	last := slices.Max(rec.begins)
	for _, end := range rec.ended {
		if end < last {
			return // somebody did not wait for all: not a round that can be shifted
		}
		rec.ends = append(rec.ends, end.Sub(last))
	}
	r.known.list = append(r.known.list, &rec.pattern)
}

// remembers reports whether a switch holds something from before that changes
// what it does next.
func (r *run) remembers() bool {
	return slices.ContainsFunc(r.switches, func(sw *switchNode) bool { return sw.chassis.Remembers() })
}

// quiescent reports whether nothing is on its way and no timer runs but those of
// the workers' computing.
func (r *run) quiescent() bool {
	for _, sw := range r.switches {
		if sw.chassis.NextDeadline() != units.Never {
			return false
		}
	}
	for _, w := range r.tenants[0].workers {
		if l, ok := w.Job.(*worker.Loop); !ok || w.Machine.NextDeadline() != l.OwnDeadline() {
			return false
		}
	}
	return true
}

package worker_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/nodes/worker"
)

// bus reduces for several loops. A round that misses workers ends when it is old.
type bus struct {
	t       *rapid.T
	now     units.Time
	loops   map[int]*rider // by worker, those that live
	killed  []*rider
	rounds  []*round // by generation
	pending []action
}

type action struct {
	at units.Time
	do func()
}

// round is a generation on the bus.
type round struct {
	given map[int][2]float32 // by worker
	due   units.Time
	mean  *[2]float32 // of the round that is over
}

// Times of the bus: of a round that all take part in, and of one that ages.
const (
	busTrip = units.Millisecond
	busAge  = 7 * units.Millisecond
)

// rider is one worker: the end of the bus at it, and its model.
type rider struct {
	sansio.Untimed
	bus     *bus
	worker  int
	loop    *worker.Loop
	eff     sansio.Effects
	gen     int                // all before it is finished
	results map[int][2]float32 // by generation
	param   [2]float32         // the model
	speed   [2]float32         // its velocity
	at      int                // updates of the model
	history map[int][2]float32 // the model by its number of updates
	samples []result.Sample
}

func (b *bus) ride(w int, cfg worker.LoopConfig) *rider {
	r := &rider{bus: b, worker: w, results: map[int][2]float32{}, history: map[int][2]float32{}}
	cfg.Worker = w
	loop, err := worker.New(cfg, r, r)
	if err != nil {
		b.t.Fatal(err)
	}
	r.loop = loop
	b.loops[w] = r
	r.history[0] = r.param
	return r
}

// Begin contributes.
func (r *rider) Begin(now units.Time, gen int, grad []float32, _ *sansio.Effects) {
	rd := r.bus.round(gen)
	if _, twice := rd.given[r.worker]; twice || rd.mean != nil || gen != r.gen {
		r.bus.t.Fatalf("%v: worker %d contributes to generation %d: twice %v, over %v, itself at %d", now, r.worker, gen, twice, rd.mean != nil, r.gen)
	}
	rd.given[r.worker] = [2]float32(grad)
	if len(rd.given) == 1 {
		rd.due = now.Add(busAge)
	}
	r.bus.settle(now)
}

// round returns the round of a generation.
func (b *bus) round(gen int) *round {
	for len(b.rounds) <= gen {
		b.rounds = append(b.rounds, &round{given: map[int][2]float32{}, due: units.Never})
	}
	return b.rounds[gen]
}

// settle ends rounds soon to which all contributed who live.
func (b *bus) settle(now units.Time) {
	for _, rd := range b.rounds {
		all := rd.mean == nil && len(rd.given) > 0
		for w := range b.loops {
			_, gave := rd.given[w]
			all = all && gave
		}
		if all {
			rd.due = min(rd.due, now.Add(busTrip))
		}
	}
}

// deliver ends a round: everybody who listens is given the mean.
func (b *bus) deliver(gen int, rd *round) {
	rd.due, rd.mean = units.Never, new([2]float32)
	for w := range 8 { // in order: sums are rounded
		if g, ok := rd.given[w]; ok {
			rd.mean[0] += g[0] / float32(len(rd.given))
			rd.mean[1] += g[1] / float32(len(rd.given))
		}
	}
	for w := range 8 {
		if r := b.loops[w]; r != nil && gen >= r.gen {
			r.results[gen] = *rd.mean
			r.loop.Handle(b.now, nil, &r.eff)
			r.carryOut()
		}
	}
}

func (r *rider) Handle(units.Time, []sansio.Arrival, *sansio.Effects) {}
func (r *rider) Counters() []sansio.Count                             { return nil }
func (r *rider) Complete(gen int) bool                                { _, ok := r.results[gen]; return ok }
func (r *rider) Skip(gen int)                                         { r.gen = gen + 1 }

func (r *rider) Finish(gen int) (result.Outcome, func([]float32)) {
	mean, ok := r.results[gen]
	if !ok || gen != r.gen {
		r.bus.t.Fatalf("worker %d finishes generation %d, itself at %d, complete %v", r.worker, gen, r.gen, ok)
	}
	r.gen++
	return result.Outcome{}, func(dst []float32) { copy(dst, mean[:]) }
}

func (r *rider) Params() int { return 2 }

// Gradient depends on the model, the worker and the generation, and rounds.
func (r *rider) Gradient(grad []float32) float64 {
	for i := range grad {
		grad[i] = (r.param[i] + float32(r.worker+1)) / float32(r.at+3+i)
	}
	return 0
}

func (r *rider) Apply(mean []float32) {
	for i, g := range mean {
		r.speed[i] = float32(0.9*r.speed[i]) + g
		r.param[i] -= float32(0.1 * r.speed[i])
	}
	r.at++
	r.history[r.at] = r.param
}

func (r *rider) Accuracy() float64 { return 0 }
func (r *rider) StateLen() int     { return 4 }
func (r *rider) State() []float32  { return append(slices.Clone(r.param[:]), r.speed[:]...) }

func (r *rider) SetState(gen int, state []float32) {
	clear(r.history)
	r.at, r.param, r.speed = gen, [2]float32(state), [2]float32(state[2:])
	r.history[gen] = r.param
}

func (r *rider) carryOut() {
	for _, c := range r.eff.Computes {
		c.Run()
	}
	r.samples = append(r.samples, r.eff.Samples...)
	r.eff.Reset()
}

// next returns when anything is to be done.
func (b *bus) next() units.Time {
	next := units.Never
	for _, r := range b.loops {
		next = min(next, max(b.now, r.loop.NextDeadline()))
	}
	for _, rd := range b.rounds {
		next = min(next, rd.due)
	}
	for _, a := range b.pending {
		next = min(next, a.at)
	}
	return next
}

// run runs all to the end. Rounds come before timers, as arrivals do.
func (b *bus) run() {
	for range 100_000 {
		if b.now = b.next(); b.now == units.Never {
			return
		}
		for gen, rd := range b.rounds {
			if rd.due <= b.now {
				b.deliver(gen, rd)
			}
		}
		for w := range 8 {
			if r := b.loops[w]; r != nil && r.loop.NextDeadline() <= b.now {
				r.loop.Expire(b.now, &r.eff)
				r.carryOut()
			}
		}
		due := b.pending
		b.pending = nil
		for _, a := range due {
			if a.at <= b.now {
				a.do()
			} else {
				b.pending = append(b.pending, a)
			}
		}
	}
	b.t.Fatal("no end")
}

// replace ends a worker, and has another one take its place with the model of a peer.
func (b *bus) replace(w, peer int, cfg worker.LoopConfig, slow units.Duration) (joined *rider, from *int) {
	newest := 0
	for _, r := range b.loops {
		newest = max(newest, r.loop.Generation())
	}
	b.killed = append(b.killed, b.loops[w])
	r := b.ride(w, cfg)
	got := -1
	promised := b.loops[peer].loop.Leave(newest+1, func(gen int, model []float32) {
		got = gen
		b.pending = append(b.pending, action{b.now.Add(slow), func() {
			if err := r.loop.Restore(b.now, gen, model); err != nil {
				b.t.Fatal(err)
			}
		}})
	})
	if promised == worker.TooLate {
		delete(b.loops, w)
		b.settle(b.now)
		return nil, &got
	}
	if promised <= newest {
		b.t.Fatalf("promised generation %d, but %d has begun", promised, newest)
	}
	if err := r.loop.Join(promised); err != nil {
		b.t.Fatal(err)
	}
	return r, &got
}

// Whoever joins, and whoever sleeps meanwhile: from the generation that it is given on,
// a new worker has the model of all others to the last bit, contributes to no
// generation to which the one before it did, and comes to the end.
func TestJoin(t *testing.T) {
	joins := 0
	rapid.Check(t, func(t *rapid.T) {
		b := &bus{t: t, loops: map[int]*rider{}}
		n := rapid.IntRange(2, 4).Draw(t, "workers")
		cfg := worker.LoopConfig{Node: "w", Iterations: rapid.IntRange(3, 20).Draw(t, "iterations"), Points: 2, Compute: 4 * units.Millisecond}
		if rapid.Bool().Draw(t, "pauses") {
			cfg.Times = worker.Times{Start: 3, Every: rapid.IntRange(1, 5).Draw(t, "every"), Off: units.Duration(rapid.Int64Range(1, int64(80*ms)).Draw(t, "off"))}
		}
		for w := range n {
			one := cfg
			one.Delays = make([]units.Duration, one.Iterations*one.Points)
			for range rapid.IntRange(0, 6).Draw(t, "sleeps") {
				one.Delays[rapid.IntRange(0, len(one.Delays)-1).Draw(t, "at")] = units.Duration(rapid.SampledFrom([]units.Time{1, 3 * ms, 40 * ms, 150 * ms}).Draw(t, "for"))
			}
			b.ride(w, one)
		}
		w := rapid.IntRange(0, n-1).Draw(t, "killed")
		peer := (w + rapid.IntRange(1, n-1).Draw(t, "peer")) % n
		slow := units.Duration(rapid.Int64Range(0, int64(20*ms)).Draw(t, "slow"))
		var joined *rider
		from := new(int)
		b.pending = append(b.pending, action{units.Time(rapid.Int64Range(0, int64(100*ms)).Draw(t, "when")), func() {
			joined, from = b.replace(w, peer, cfg, slow)
		}})
		b.run()
		if joined == nil {
			return // too late
		}
		joins++
		checkJoined(t, b, joined, *from, cfg.Iterations)
	})
	if joins == 0 {
		t.Error("nobody ever joined")
	}
}

func checkJoined(t *rapid.T, b *bus, joined *rider, from, iterations int) {
	for _, r := range b.loops {
		if !r.loop.Done() || r.at != iterations {
			t.Fatalf("worker %d has come to %d of %d iterations", r.worker, r.at, iterations)
		}
		for gen := from; gen <= iterations; gen++ {
			if r.history[gen] != joined.history[gen] {
				t.Fatalf("generation %d: the model of worker %d is %v, that of %d, which joined, %v", gen, r.worker, r.history[gen], joined.worker, joined.history[gen])
			}
		}
	}
	for i, s := range joined.samples {
		if s.Iteration != from+i || i > 0 && s.Start < joined.samples[i-1].End {
			t.Fatalf("joined at %d: sample %d is %+v", from, i, s)
		}
	}
	if len(joined.samples) != iterations-from {
		t.Fatalf("joined at %d of %d: %d samples", from, iterations, len(joined.samples))
	}
}

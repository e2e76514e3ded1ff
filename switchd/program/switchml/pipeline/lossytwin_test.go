package pipeline

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/proptest"
	"github.com/inalab/inalab/internal/rng"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/switchd/dataplane"
	"github.com/inalab/inalab/switchd/program/switchml"
)

// drawLosses has both engines lose packets at ports, or none any more there, or begins dice
// anew.
func drawLosses(t *rapid.T, ports int, engines ...dataplane.Lossy) {
	l := dataplane.Loss{
		Port: sansio.Port(rapid.IntRange(0, ports-1).Draw(t, "port")), Leaving: rapid.Bool().Draw(t, "leaving"),
		Probability: rapid.SampledFrom([]float64{0, 1e-9, 0.3, 0.5, 1}).Draw(t, "probability"),
	}
	again, seed := rapid.IntRange(0, 4).Draw(t, "dice begin anew") == 0, rapid.Uint64().Draw(t, "seed of a port")
	for _, e := range engines {
		err := e.Lose(l)
		if again && err == nil {
			err = e.ReseedLosses(l.Port, l.Leaving, seed)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// misplaced is a worker's packet of another size than its job's, or beyond its slots.
func (x *traffic) misplaced() sansio.Arrival {
	v := x.clients[rapid.IntRange(0, len(x.clients)-1).Draw(x.t, "worker of a misplaced packet")].packet(0)
	if rapid.Bool().Draw(x.t, "beyond its slots") {
		v.slot = 1000
	} else {
		v.elements = 64 + 256 - v.elements
	}
	return arrivalOfVector(v)
}

// endLosses ends all of them.
func endLosses(t *rapid.T, e dataplane.Lossy) {
	for _, l := range e.Losses() {
		l.Probability = 0
		if err := e.Lose(l); err != nil {
			t.Fatal(err)
		}
	}
	if l := e.Losses(); l != nil {
		t.Fatalf("left: %v", l)
	}
}

// One seed loses the same packets with either engine, and both count them alike.
func TestDropSimulatorsAreOne(t *testing.T) {
	arrivals, departures := uint64(0), uint64(0)
	proptest.Until(t, func() bool { return arrivals > 0 && departures > 0 }, func(t *rapid.T) {
		cfg := bareConfig()
		cfg.Jobs, cfg.Seed = drawJobs(t, 2), rng.Root(rapid.Uint64().Draw(t, "seed"))
		w := newTwin(t, cfg, Options{Seed: cfg.Seed})
		x := newTraffic(t, cfg.Jobs, true)
		give := func(a sansio.Arrival) []sent { return w.give(a) }
		for range rapid.IntRange(0, 100).Draw(t, "steps") {
			switch rapid.IntRange(0, 19).Draw(t, "beside") {
			case 0:
				drawLosses(t, len(x.clients), w.e, w.ref)
			case 1:
				give(x.misfit())
			case 2:
				give(x.misplaced())
			}
			x.step(give)
		}
		w.agree()
		endLosses(t, w.e)
		endLosses(t, w.ref)
		x.heal(give)
		w.agree()
		arrivals, departures = arrivals+w.count(switchml.DropArrival), departures+w.count(switchml.DropDeparture)
	})
}

// So it is over RoCE.
func TestDropSimulatorsOfRoCEAreOne(t *testing.T) {
	arrivals, departures := uint64(0), uint64(0)
	proptest.Until(t, func() bool { return arrivals > 0 && departures > 0 }, func(t *rapid.T) {
		jobs := drawRDMAJobs(t, 2)
		cfg := rdmaConfig(jobs...)
		cfg.Seed = rng.Root(rapid.Uint64().Draw(t, "seed"))
		w := newRDMATwin(t, cfg, Options{Seed: cfg.Seed})
		x := newRDMATraffic(t, jobs)
		for range rapid.IntRange(0, 100).Draw(t, "steps") {
			switch rapid.IntRange(0, 19).Draw(t, "beside") {
			case 0:
				drawLosses(t, len(x.hosts), w.e, w.ref)
			case 1:
				w.give(x.stray())
			}
			x.step(w.give)
		}
		w.agree()
		arrivals, departures = arrivals+w.count(switchml.DropArrival), departures+w.count(switchml.DropDeparture)
	})
}

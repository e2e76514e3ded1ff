package atp

import (
	"testing"

	"github.com/inalab/inalab/internal/rng"
	"github.com/inalab/inalab/internal/units"
)

// Late copies leave sums in aggregators that packets of the same number meet later. With sweeps all
// sums are right, whatever the seed. Without, or with sweeps that do not wait until leftovers are old
// enough, sums are wrong, or the job stands still.
func TestSweepsKeepLeftoversOutOfSums(t *testing.T) {
	for _, test := range []struct {
		name        string
		aggregators int
		spoil       func(w *sweeps)
		harm        bool
	}{
		{"as it is", 40, func(*sweeps) {}, false},
		{"as it is, with few aggregators", 5, func(*sweeps) {}, false},
		{"no sweeps", 40, func(w *sweeps) { w.table = 0 }, true},
		{"sweeps at once", 40, func(w *sweeps) { w.rest = 0 }, true},
		{"sweeps close to old numbers", 5, func(w *sweeps) { w.lead = w.table }, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			harm, aged := 0, 0
			for seed := 0; seed < 30 && !(test.harm && harm > 0); seed++ {
				p := leftovers(rng.Root(seed))
				p.spoiled = test.harm
				host := p.host
				p.host = func(c *Config) {
					host(c)
					c.Aggregators = test.aggregators
				}
				r := newRig(t, p)
				for _, c := range r.cores {
					test.spoil(&c.streams[0].sweeps)
				}
				if _, err := r.net.Run(units.Time(300 * units.Millisecond)); err != nil {
					t.Fatal(err)
				}
				if r.hosts[0].Done() && r.hosts[1].Done() {
					harm += r.wrong()
				} else {
					harm++
				}
				aged += r.model.aged
			}
			if (harm > 0) != test.harm {
				t.Errorf("%d sums are wrong or missing", harm)
			}
			if !test.harm && aged == 0 {
				t.Error("there was nothing to sweep")
			}
		})
	}
}

// leftovers is a run with many late copies, and numbers that come round five times.
func leftovers(seed rng.Root) params {
	return params{
		n: 2, gens: 5, servers: 1, age: units.Millisecond, seed: seed, again: 0.3, delay: 10 * units.Microsecond,
		host: func(c *Config) {
			c.Tensor, c.Indexing, c.Window = 100*block, ByNumber, 8
		},
	}
}

// A job whose id was used before meets what the job before it left. Its first packets free it.
func TestSweepAtTheStart(t *testing.T) {
	for _, sweep := range []bool{true, false} {
		p := params{n: 2, gens: 1, servers: 1, age: units.Millisecond, host: func(c *Config) {
			c.Indexing, c.Aggregators, c.Sweep = Linear, 16, sweep
		}}
		r := newRig(t, p)
		for i := range r.model.table { // worker 0's packet of every number, of another time
			r.model.table[i] = cell{taken: true, number: uint32(16 + i), set: 1}
			for k := range block {
				r.model.table[i].sums[k] = 1000
			}
		}
		r.model.table[1].number = 1
		for i := range 4 {
			r.model.table[i+1].number = uint32(i + 1)
		}
		r.mustBeDone(t)
		if wrong := r.wrong(); (wrong == 0) != sweep {
			t.Errorf("sweep %v: %d sums are wrong", sweep, wrong)
		}
	}
}

// A half's end, two lifetimes and the age limit lie before the sweep of it. In the halves of 63
// numbers a sweep of 16 begins at packet 63 + 47.
func TestSweepsByHand(t *testing.T) {
	w := sweeps{half: 63, table: 16, lead: 16, rest: 3 * units.Millisecond}
	for _, test := range []struct {
		packet uint64
		index  uint16
		ok     bool
	}{{0, 0, false}, {62, 0, false}, {63, 0, false}, {109, 0, false}, {110, 0, true}, {125, 15, true}, {126, 0, false}, {173, 0, true}} {
		if index, ok := w.index(test.packet); index != test.index || ok != test.ok {
			t.Errorf("packet %d clears %d, %v, want %d, %v", test.packet, index, ok, test.index, test.ok)
		}
	}
	w.advanced(62, 63, 500*us)
	if at, waits := w.opens(110); !waits || at != 3500*us {
		t.Errorf("the sweep opens at %v, %v", at, waits)
	}
	for _, packet := range []uint64{0, 47, 63, 109, 111, 126} {
		if _, waits := w.opens(packet); waits {
			t.Errorf("packet %d waits", packet)
		}
	}
	w.table, w.lead = 0, 20
	if _, waits := w.opens(106); !waits {
		t.Error("without aggregators a stream does not wait where late copies are close")
	}
	if w.ends(126) {
		t.Error("there is no sweep that ends")
	}
	w.table = 16
	for packet, want := range map[uint64]bool{16: false, 63: false, 110: false, 126: true, 127: false, 189: true} {
		if w.ends(packet) != want {
			t.Errorf("packet %d is the first behind a sweep: %v", packet, !want)
		}
	}
	w.used, w.lead = true, 16
	if !w.ends(16) || w.ends(0) {
		t.Error("the sweep at the start does not end at packet 16 alone")
	}
	if index, ok := w.index(15); index != 15 || !ok {
		t.Error("no sweep at the start of a job with a used id")
	}
	if _, ok := w.index(16); ok {
		t.Error("the sweep at the start has no end")
	}
	if at, waits := w.opens(0); !waits || at != 3500*us {
		t.Errorf("the sweep at the start opens at %v, %v", at, waits)
	}
}

package xaggd

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/rng"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
	wire "github.com/inalab/inalab/internal/wire/xagg"
)

const gbit = units.GbitPerSecond

// paperTime is a second of the paper: 1.25 GB are 10 Gbit, of which the tests send one in a thousand, so
// that it is a millisecond.
const paperTime = units.Millisecond

// fig1 is the tree of Fig 1(c): W1 to W3 below server S1, W4 below the PS.
var fig1 = shape{-1, 0, 1, 1, 1, 0}

// fig1Params have packets of 32 values, whose headers and framing are part of the gradient's 10 Gbit, as
// the paper's arithmetic has none.
func fig1Params() params {
	p := params{
		tree: fig1, gens: 1, delay: us, tensor: 32 * 6250, // 6250 frames of 200 bytes are 10 Mbit
		common: func(h int, c *Common) { c.Burst = us },
		worker: func(h int, c *WorkerConfig) {
			if h == 3 {
				c.Egress = 5 * gbit
			}
		},
		ready: func(w, g int) units.Time {
			if w == 2 {
				return units.Time(2 * paperTime)
			}
			return 0
		},
		rate: func(h int) (up, down units.Rate) {
			if h == 3 {
				return 5 * gbit, 10 * gbit
			}
			return 10 * gbit, 10 * gbit
		},
	}
	return p
}

// Fig 1(c): aggregation takes 3 s, where W2 has 5 Gbit/s, and W3 begins 2 s late.
func TestFig1c(t *testing.T) {
	p := fig1Params()
	p.tensor *= 3
	p.ready = func(w, g int) units.Time {
		if w == 2 {
			return units.Time(6 * paperTime)
		}
		return 0
	}
	r := newRig(t, p)
	if err := r.run(); err != nil {
		t.Fatal(err)
	}
	took := r.root.Ended().Seconds() / (3 * paperTime).Seconds()
	t.Logf("aggregation took %.4f s", took)
	if took < 3 || took > 3.06 {
		t.Errorf("aggregation took %.4f s, and the paper has 3 s", took)
	}
}

// A straggler leaves the others at the rates of their links: the server keeps what they send.
func TestAStragglerHoldsNobodyUp(t *testing.T) {
	p := fig1Params()
	ended := map[int]units.Time{}
	r := newRig(t, p)
	r.see = func(now units.Time) {
		for h, w := range r.agents { // ordered: each on its own
			if w.begun && !w.sending.pending() && ended[h] == 0 {
				ended[h] = now
			}
		}
	}
	if err := r.run(); err != nil {
		t.Fatal(err)
	}
	for h, want := range map[int]float64{2: 2, 3: 2, 5: 1, 4: 3} {
		if got := units.Duration(ended[h]).Seconds() / paperTime.Seconds(); got < 0.98*want || got > 1.05*want {
			t.Errorf("W%d had sent all after %.3f s, and %v s are wanted", h-1, got, want)
		}
	}
}

// Inequality (1) holds at all times, whatever becomes of messages, for rates and for the packets
// themselves.
func TestInequality1(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rates := rapid.SliceOfN(rapid.IntRange(1, 10), len(testbed), len(testbed)).Draw(t, "Gbit/s")
		late := rapid.SliceOfN(rapid.IntRange(0, 3000), 7, 7).Draw(t, "late")
		p := params{
			tree: testbed, gens: 2, tensor: 120 * 32, delay: 20 * us,
			seed:  rng.Root(rapid.Uint64().Draw(t, "seed")),
			loss:  rapid.SampledFrom([]float64{0, 0.05, 0.2}).Draw(t, "loss"),
			twice: rapid.SampledFrom([]float64{0, 0.1}).Draw(t, "twice"),
			late:  units.Duration(rapid.SampledFrom([]int{0, 200}).Draw(t, "overtaken")) * us,
			common: func(h int, c *Common) {
				c.Ingress, c.Egress = units.Rate(rates[h])*gbit, units.Rate(rates[(h+1)%len(rates)])*gbit
			},
			ready: func(w, g int) units.Time { return units.Time(late[w]) * units.Time(us) },
		}
		r := newRig(t, p)
		var wrong error
		r.see = func(now units.Time) {
			if err := r.granted(now); err != nil && wrong == nil {
				wrong = err
			}
		}
		if err := r.run(); err != nil {
			t.Fatal(err)
		}
		if wrong != nil {
			t.Fatal(wrong)
		}
	})
}

// granted checks that the children of a node may not send faster than its ingress bandwidth.
func (r *rig) granted(now units.Time) error {
	for h := range r.tree {
		sum, in := units.Rate(0), units.Rate(0)
		for _, c := range r.tree.below(h) {
			if w := r.agents[c]; w != nil {
				sum += w.node.Rate()
			} else if s := r.servers[c]; s != nil {
				sum += s.node.Rate()
			}
		}
		switch {
		case h == 0:
			in = r.root.agent.cfg.Ingress
		case r.servers[h] != nil:
			in = r.servers[h].agent.cfg.Ingress
		}
		if in > 0 && sum > in {
			return fmt.Errorf("at %v the children of host %d may send %v, and its ingress has %v", now, h, sum, in)
		}
	}
	return nil
}

// A worker's packets come at its rate, but for one burst.
func TestPacketsKeepToTheRate(t *testing.T) {
	const burst = 20 * us
	frame := 8 * int64(units.Bytes(wire.FrameLen(32))+units.EthernetFraming)
	r := newRig(t, params{
		tree: star(3), gens: 1, delay: us,
		common: func(h int, c *Common) { c.Burst, c.Ingress, c.Egress = burst, 3*gbit, gbit },
	})
	bits := map[int]int64{}
	r.drop = func(now units.Time, h int, up bool, f sansio.Train) bool {
		if up && h > 0 && inet.IPv4(f.Header[inet.EtherLen:]).Protocol() == wire.Protocol {
			bits[h] += 8 * int64(f.Bytes()+units.EthernetFraming)
			if most := int64(gbit)*int64(now.Sub(0)+burst)/int64(units.Second) + frame; bits[h] > most {
				t.Fatalf("at %v worker %d has sent %d bit, and 1 Gbit/s with a burst are %d", now, h, bits[h], most)
			}
		}
		return false
	}
	if err := r.run(); err != nil {
		t.Fatal(err)
	}
}

package xaggd

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/rng"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/nodes/xagg/conductor"
	"github.com/inalab/inalab/switchd/program/xagg"
)

func TestTreesOfTheManagementPlane(t *testing.T) {
	for mode, want := range map[conductor.Mode]string{
		conductor.Star:    "h0(h1 h2 h3 h4 h5 h6 h7)",
		conductor.KAry:    "h0(h8(h1 h2 h3) h9(h4 h5 h6) h7)",
		conductor.Testbed: "h0(h8(h1 h2 h3) h9(h4 h5 h6) h7)",
		conductor.Plan:    "h0(h8(h1 h2 h3) h9(h4 h5 h6) h7)",
	} {
		t.Run(string(mode), func(t *testing.T) {
			ready := func(w, g int) units.Time { return units.Time(7-w) * units.Time(100*us) } // the first is the slowest
			r := newRig(t, params{tree: star(7), spares: 2, gens: 4, delay: 10 * us, tensor: 200 * 32, first: 0xfffe, ready: ready, conduct: &conductor.Config{Mode: mode, K: 3}})
			if err := r.run(); err != nil {
				t.Fatal(err)
			}
			if got := r.root.Tree(); got != want {
				t.Errorf("tree %s, and %s is wanted", got, want)
			}
		})
	}
}

// A server that dies with half of the gradients leaves its children to the root: they send all again,
// and what it had sent on counts once.
func TestChildrenOfAServerThatDiesSendAllAgain(t *testing.T) {
	r := newRig(t, params{
		tree: star(7), spares: 2, gens: 3, delay: 10 * us, conduct: &conductor.Config{Mode: conductor.Testbed},
		worker: func(h int, c *WorkerConfig) {
			if h == 2 {
				c.Egress = 100 * units.MbitPerSecond // it holds its server back
			}
		},
	})
	var half bool
	r.see = func(now units.Time) {
		tally := r.stores[8].Tally()
		if n := tally[xagg.Sent]; !half && n > 2*2100+500 {
			half = true
			r.nodes[8].dead = true
		}
	}
	if err := r.run(); err != nil {
		t.Fatal(err)
	}
	if !half {
		t.Fatal("the server did not come so far")
	}
	if got, want := r.root.Tree(), "h0(h1 h2 h3 h9(h4 h5 h6) h7)"; got != want {
		t.Errorf("tree %s, and %s is wanted", got, want)
	}
	for _, h := range []int{1, 3} {
		if sent := r.agents[h].count.Get(CountSent); sent != 4*2100 {
			t.Errorf("worker %d sent %d packets first, and 3 gradients and one again are 8400", h, sent)
		}
	}
	tally := r.stores[0].Tally()
	if n := tally[xagg.Duplicate]; n < 3*400 {
		t.Errorf("%d duplicates at the root, where the server had sent on 500 sums of three workers", n)
	}
}

// A server that is overloaded in mid-iteration leaves the tree, though it would go on sending; when it is idle
// again it comes back.
func TestOverloadedServerLeavesAndComesBack(t *testing.T) {
	r := newRig(t, params{
		tree: star(7), spares: 2, gens: 8, delay: 10 * us, tensor: 300 * 32, conduct: &conductor.Config{Mode: conductor.KAry, K: 3},
		common: func(h int, c *Common) { c.Ingress, c.Egress = gbit/8, gbit/8 },
	})
	full := idle
	full.Used = 60 * units.GiB
	left := 0
	r.see = func(units.Time) {
		s := r.servers[8]
		switch {
		case r.root.gen == 1 && r.stores[8].Tally()[xagg.Sent] > 300+50:
			s.SetLoad(full)
		case r.root.gen == 4:
			s.SetLoad(idle)
		}
		if s.node == nil && r.root.gen > 0 {
			left = max(left, r.root.gen)
		}
	}
	if err := r.run(); err != nil {
		t.Fatal(err)
	}
	if got, want := r.root.Tree(), "h0(h9(h4 h5 h6) h7 h8(h1 h2 h3))"; got != want || left < 3 {
		t.Errorf("the server was out of the tree until iteration %d, and the tree is %s in the end, and %s is wanted: %v", left, got, want, r.root.Notes())
	}
	if r.agents[1].count.Get(CountMoves) != 3 {
		t.Errorf("worker 1 moved %d times, and from the root, to the root and back are 3", r.agents[1].count.Get(CountMoves))
	}
}

// Where the server that dies is above other servers, these send again what they had finished.
func TestServersBelowAServerThatDiesSendAllAgain(t *testing.T) {
	r := newRig(t, params{
		tree: star(8), spares: 6, gens: 2, delay: 10 * us, conduct: &conductor.Config{Mode: conductor.KAry, K: 2},
		worker: func(h int, c *WorkerConfig) {
			if h == 1 || h == 8 {
				c.Egress = 100 * units.MbitPerSecond
			}
		},
	})
	victim, below := 0, []*Server{}
	r.see = func(now units.Time) {
		if victim > 0 || r.root.gen == 0 || len(r.root.children) == 0 {
			return
		}
		c := r.root.children[0]
		if h := int(c.bit()); r.stores[h].Tally()[xagg.Sent] > 2100+500 {
			victim = h
			for _, x := range r.servers[h].children {
				below = append(below, r.servers[int(x.bit())])
			}
			r.nodes[h].dead = true
		}
	}
	if err := r.run(); err != nil {
		t.Fatal(err)
	}
	if len(below) != 2 || below[0] == nil || below[1] == nil {
		t.Fatalf("server %d was above %v, and two servers are wanted: %s", victim, below, r.root.Tree())
	}
	for _, s := range below {
		if s.parent.ID != 1 || s.count.Get(CountMoves) == 0 || s.count.Get(CountAgain) < 500 {
			t.Errorf("server %s is below %s and sent %d sums again: %v", s.cfg.Node, s.parent.Node, s.count.Get(CountAgain), s.Counters())
		}
		if n := sansio.CountOf(s.Counters(), "resent-packets"); n != s.count.Get(CountAgain) {
			t.Errorf("server %s sent %d sums again, and counts %d packets", s.cfg.Node, s.count.Get(CountAgain), n)
		}
	}
	tally := r.stores[0].Tally()
	if n := tally[xagg.Resent]; n > 0 {
		t.Errorf("the root sent %d results again for sums that it had", n)
	}
	if n := tally[xagg.Duplicate]; n < 500 {
		t.Errorf("the root refused %d duplicates, and had 500 sums before their server died", n)
	}
}

// Servers die, and some come back without what they knew.
func TestServersFailInMidIteration(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := params{
			tree:    star(rapid.IntRange(4, 8).Draw(t, "workers")),
			spares:  rapid.IntRange(2, 5).Draw(t, "servers"),
			gens:    4,
			delay:   units.Duration(rapid.IntRange(1, 100).Draw(t, "delay")) * us,
			seed:    rng.Root(rapid.Uint64().Draw(t, "seed")),
			loss:    rapid.SampledFrom([]float64{0, 0.01, 0.1}).Draw(t, "loss"),
			twice:   rapid.SampledFrom([]float64{0, 0.1}).Draw(t, "twice"),
			late:    units.Duration(rapid.SampledFrom([]int{0, 500}).Draw(t, "late")) * us,
			first:   rapid.SampledFrom([]uint16{0, 0x7ffe, 0xfffe}).Draw(t, "first iteration"),
			tensor:  rapid.SampledFrom([]int{320, 150 * 32}).Draw(t, "tensor"),
			common:  func(h int, c *Common) { c.Ingress, c.Egress = gbit/2, gbit/8 }, // iterations of milliseconds
			conduct: &conductor.Config{Mode: rapid.SampledFrom([]conductor.Mode{conductor.KAry, conductor.Plan}).Draw(t, "mode"), K: rapid.IntRange(2, 3).Draw(t, "k")},
		}
		r := newRig(t, p)
		dies := map[int]units.Time{}
		down := units.Duration(rapid.SampledFrom([]int{0, 1000, 14000, 30000, 1e9}).Draw(t, "down")) * us
		for i := range p.spares {
			if rapid.Bool().Draw(t, "dies") {
				dies[len(p.tree)+i] = units.Time(rapid.IntRange(0, 8000).Draw(t, "at")) * units.Time(us)
			}
		}
		r.see = func(now units.Time) {
			for h, at := range dies { // ordered: each on its own
				if at <= now {
					r.nodes[h].dead = true
				}
				if at.Add(down) <= now {
					delete(dies, h)
					r.nodes[h].restart(t, h)
				}
			}
		}
		if err := r.run(); err != nil {
			t.Fatal(err)
		}
	})
}

package conductor

import (
	"testing"

	"pgregory.net/rapid"
)

// Limits of a run, in steps of a millisecond.
const (
	faultyFor = 800
	soundFor  = 3000
	wanted    = 3 // iterations after the faults end
)

// fault lets something happen to a server: it dies and starts again, gets slow, busy or deaf, or recovers.
func (r *rig) fault() {
	servers := r.nodes[1+len(r.c.cfg.Workers):]
	if len(servers) == 0 || r.rand.IntN(40) > 0 {
		return
	}
	n := servers[r.rand.IntN(len(servers))]
	switch r.rand.IntN(7) {
	case 0, 1:
		if n.back == 0 {
			n.back = r.step + restartTime + r.rand.IntN(200)
		}
	case 2:
		n.mute = true
	case 3:
		n.full = true
	case 4:
		n.deaf = true
	default:
		n.mute, n.full, n.deaf = false, false, false
	}
}

// heal ends all faults.
func (r *rig) heal() {
	r.faulty = false
	for _, n := range r.nodes {
		n.mute, n.full, n.deaf = false, false, false
		n.back = min(n.back, r.step+restartTime)
	}
}

func drawRig(t *rapid.T) *rig {
	workers := rapid.IntRange(2, 24).Draw(t, "workers")
	servers := rapid.IntRange(0, min(12, 31-workers)).Draw(t, "servers")
	cfg := testConfig(rapid.SampledFrom([]Mode{Plan, KAry, KAry, Star}).Draw(t, "mode"), workers, servers)
	if servers >= workers {
		cfg.K = rapid.IntRange(2, 4).Draw(t, "k")
	}
	return newRig(t.Fatalf, cfg, rapid.Uint64().Draw(t, "seed"))
}

// However packets are lost, late and repeated, and servers die, return, get slow and busy: no
// iteration opens before all nodes have their places in one tree, no sum has a worker's values twice
// or not at all, and once the faults end iterations go on.
func TestAgreementAndSums(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := drawRig(t)
		for range faultyFor {
			r.fault()
			r.tick()
		}
		r.heal()
		for end, last := r.step+soundFor, r.iteration+wanted; r.iteration != last; r.tick() {
			if r.step == end {
				t.Fatalf("iteration %d is not reached from %d, %s: %q: %q", last, r.iteration, r.c.Tree(), r.c.Stall(r.now()), r.notes)
			}
		}
		for range 10 * int(rigPeriod/ms) {
			r.tick()
		}
		if s := r.c.Stall(r.now()); s != "" {
			t.Fatalf("without faults: %s", s)
		}
	})
}

// A server that the root does not hear of, nor it of the root, sends on: its sums are refused, and
// nothing is missing.
func TestSlowServerSendsOn(t *testing.T) {
	cfg := testConfig(KAry, 8, 6)
	cfg.K = 2
	r := newRig(t.Fatalf, cfg, 1)
	r.faulty = false
	for r.iteration != 0 { // 65534, 65535, 0
		r.tick()
	}
	slow := r.node(r.c.named(r.c.tree.Children("ps")[0]).ID)
	slow.mute = true
	for range 8 * int(rigPeriod/ms) {
		r.tick()
	}
	if r.strangers == 0 || !slow.place.In() || slow.in() {
		t.Errorf("%d packets of strangers; %s is in a tree: %v, and in the conductor's: %v", r.strangers, slow.Name, slow.place.In(), slow.in())
	}
	slow.mute = false
	for last := r.iteration + 3; r.iteration != last; r.tick() {
		if r.step > 5000 {
			t.Fatalf("iteration %d, %s: %q", r.iteration, r.c.Stall(r.now()), r.notes)
		}
	}
	if !slow.in() || len(r.c.tree.Servers()) != 6 {
		t.Errorf("%s is not back: %s", slow.Name, r.c.Tree())
	}
}

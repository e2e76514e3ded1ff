package xaggd

import (
	"fmt"
	"testing"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
	wire "github.com/inalab/inalab/internal/wire/xagg"
	"github.com/inalab/inalab/internal/wire/xaggctl"
	"github.com/inalab/inalab/nodes/xagg/conductor"
	"github.com/inalab/inalab/nodes/xagg/rates"
)

// control returns the control message of a frame, if it has one.
func control(f sansio.Train) (m xaggctl.Message, ok bool) {
	_, udp, ok := f.UDP()
	return m, ok && udp.DstPort() == xaggctl.Port && m.Read(f.Payload(0)) == xaggctl.OK
}

// gradient returns the header of a gradient packet or of a result.
func gradientHeader(f sansio.Train) (h wire.Header, ok bool) {
	if inet.IPv4(f.Header[inet.EtherLen:]).Protocol() != wire.Protocol {
		return h, false
	}
	h.Read(f.Body)
	return h, true
}

// Every message has a way to be said again: the first three of its kind that each host sends are lost.
func TestLostControlMessagesOfEveryKind(t *testing.T) {
	for kind := xaggctl.Request; kind <= xaggctl.Round; kind++ {
		t.Run(fmt.Sprint("kind ", kind), func(t *testing.T) {
			p := params{tree: testbed, gens: 3, delay: 10 * us, tensor: 40 * 32, loss: 0.02}
			if kind >= xaggctl.Tree {
				p.tree, p.spares, p.conduct = star(7), 2, &conductor.Config{Mode: conductor.Plan, K: 3}
			}
			r := newRig(t, p)
			lost := map[uint32]int{}
			r.drop = func(_ units.Time, _ int, up bool, f sansio.Train) bool {
				m, ok := control(f)
				if !ok || !up || m.Kind != kind || lost[m.Host] == 3 {
					return false
				}
				lost[m.Host]++
				return true
			}
			if err := r.run(); err != nil {
				t.Fatal(err)
			}
			if len(lost) == 0 {
				t.Error("nothing was lost")
			}
		})
	}
}

// The packets that end groups are lost at first, and so are retransmissions: the final checks find
// what lacks.
func TestLostEndPacketsAndRetransmissions(t *testing.T) {
	for name, pick := range map[string]func(h wire.Header) bool{
		"end of a group": func(h wire.Header) bool { return h.Gradient%wire.Group == 0 },
		"tail":           func(h wire.Header) bool { return h.Gradient > 2*wire.Group },
		"middle":         func(h wire.Header) bool { return h.Gradient%100 == 1 },
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, params{tree: testbed, gens: 2, delay: 10 * us, tensor: 2100 * 32})
			times := map[string]int{}
			r.drop = func(_ units.Time, host int, up bool, f sansio.Train) bool {
				h, ok := gradientHeader(f)
				if !ok || !pick(h) {
					return false
				}
				key := fmt.Sprint(host, up, h.Host, h.Gradient, h.Iteration)
				times[key]++
				return times[key] <= 2 // the packet, and once again
			}
			if err := r.run(); err != nil {
				t.Fatal(err)
			}
			if len(times) == 0 {
				t.Error("nothing was lost")
			}
		})
	}
}

// A worker that is finished answers until the root knows, and so does a server of its children.
func TestFinishedNodesKeepAnswering(t *testing.T) {
	r := newRig(t, params{tree: testbed, gens: 2, delay: 10 * us, tensor: 40 * 32})
	deaf := true
	r.drop = func(_ units.Time, h int, up bool, f sansio.Train) bool {
		m, ok := control(f)
		if deaf && up && r.servers[h] != nil && m.Kind == xaggctl.Request && m.Iteration == 1 && rates.Phase(m.Phase) == rates.Ended {
			t.Errorf("server %d has ended, and was not told that all its sums are there", h)
		}
		return deaf && ok && m.Kind == xaggctl.Complete && m.Iteration == 1
	}
	if err := r.run(); err != nil {
		t.Fatal(err)
	}
	if r.root.Finished() || r.servers[1].taken {
		t.Fatal("the root or a server was told, and all such messages are lost")
	}
	deaf = false
	if _, err := r.net.Run(r.net.Now().Add(100 * ms)); err != nil {
		t.Fatal(err)
	}
	if !r.root.Finished() || r.root.NextDeadline() < r.net.Now().Add(limitOfIdle) {
		t.Errorf("the root is finished: %v, at %v it has a deadline at %v", r.root.Finished(), r.net.Now(), r.root.NextDeadline())
	}
	for h, s := range r.servers { // ordered: each on its own
		if !s.taken || s.NextDeadline() < r.net.Now().Add(limitOfIdle) {
			t.Errorf("server %d: parent has all %v, next deadline %v at %v", h, s.taken, s.NextDeadline(), r.net.Now())
		}
	}
}

// limitOfIdle is when a node that waits for nothing may have something to do.
const limitOfIdle = units.Second

// A worker with 12 ms of negotiation, of which its server takes 5 and the PS 2, sends after that time.
func TestNegotiationTakesTheGivenTime(t *testing.T) {
	for _, c := range []struct {
		tree shape
		want units.Duration
	}{{testbed, 12 * ms}, {star(3), 9 * ms}} {
		r := newRig(t, params{
			tree: c.tree, gens: 1, delay: us, tensor: 40 * 32,
			common: func(h int, c *Common) { c.Initial, c.Update, c.Resend = rates.PaperInitial, rates.PaperUpdate, 50*ms },
		})
		first := units.Never
		r.drop = func(now units.Time, h int, up bool, f sansio.Train) bool {
			if _, ok := gradientHeader(f); ok && up && r.agents[h] != nil && r.tree[h] == r.tree[3] {
				first = min(first, now)
			}
			return false
		}
		if err := r.run(); err != nil {
			t.Fatal(err)
		}
		if got := first.Sub(0); got < c.want || got > c.want+20*us {
			t.Errorf("tree %v: the first packet left at %v, and negotiation takes %v", c.tree, got, c.want)
		}
	}
}

// A worker whose link loses more than 1% has its rate cut, and others have not.
func TestLossCutsTheRateOfAWorker(t *testing.T) {
	r := newRig(t, params{
		tree: testbed, gens: 1, delay: 10 * us, tensor: 10 * 1024 * 32,
		common: func(h int, c *Common) { c.LossPeriod, c.Ingress, c.Egress = ms, 3*gbit, gbit },
	})
	n, least := 0, gbit
	r.drop = func(_ units.Time, h int, up bool, f sansio.Train) bool {
		if _, ok := gradientHeader(f); !ok || h != 4 || !up {
			return false
		}
		n++
		return n%20 == 0
	}
	r.see = func(units.Time) {
		if w := r.agents[4]; w.node.Rate() > 0 {
			least = min(least, w.node.Rate())
		}
		if w := r.agents[6]; w.sending.pending() && w.node.Rate() > 0 && w.node.Rate() < gbit/2 {
			t.Fatalf("a worker that lost nothing has %v", w.node.Rate())
		}
	}
	if err := r.run(); err != nil {
		t.Fatal(err)
	}
	if least > gbit*96/100 || r.servers[1].count.Get(CountCuts) == 0 {
		t.Errorf("a worker that loses one packet of 20 has at least %v of %v: %v", least, gbit, r.servers[1].Counters())
	}
	if n := r.root.count.Get(CountCuts); n > 0 {
		t.Errorf("the root found %d lossy periods of its own workers", n)
	}
}

// A gradient that is lost above delays its result. Workers wait for that before they ask.
func TestWorkersDoNotAskForResultsOfLostGradients(t *testing.T) {
	r := newRig(t, params{
		tree: star(4), gens: 1, delay: 10 * us, tensor: 1900 * 32,
		worker: func(_ int, c *WorkerConfig) { c.Agents = 1 }, // the group's result is there long before the last
	})
	lost := false
	r.drop = func(_ units.Time, h int, up bool, f sansio.Train) bool {
		if x, ok := gradientHeader(f); ok && up && h == 2 && x.Gradient == 1000 && !lost {
			lost = true
			return true
		}
		return false
	}
	if err := r.run(); err != nil {
		t.Fatal(err)
	}
	if n := r.root.count.Get(CountReports); n != 1 {
		t.Errorf("the root sent %d loss reports for one packet", n)
	}
	for h, w := range r.agents { // ordered: each on its own
		if n := w.count.Get(CountReports); n > 0 {
			t.Errorf("worker %d sent %d loss reports", h, n)
		}
	}
}

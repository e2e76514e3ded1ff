package rates

import (
	"testing"

	"github.com/inalab/inalab/internal/units"
)

// A server whose parent lacks sums stays Sending when its children have ended, and its rate is then for
// what it sends again; until then that has what the children leave, or the floor.
func TestServerLingersUntilItsParentHasAllSums(t *testing.T) {
	const gbit = units.GbitPerSecond
	r, err := newRig([]Config{
		{ID: 1, Children: []ID{2}, Ingress: 10 * gbit},
		{ID: 2, Parent: 1, Children: []ID{3, 4}, Ingress: 8 * gbit, Egress: 6 * gbit},
		{ID: 3, Parent: 2, Egress: 4 * gbit}, {ID: 4, Parent: 2, Egress: 4 * gbit},
	})
	if err != nil {
		t.Fatal(err)
	}
	until := func(id ID, call func(n *Node)) {
		t.Helper()
		if err := r.do(id, call); err != nil {
			t.Fatal(err)
		}
		if err := r.run(r.now.Add(100 * units.Millisecond)); err != nil {
			t.Fatal(err)
		}
	}
	server := r.nodes[2]
	until(2, func(n *Node) { n.Linger(r.now, 0) })
	if server.up.phase != Idle {
		t.Fatal("a server asks for a rate although no child has begun")
	}
	until(3, func(n *Node) { n.Begin(r.now, 1) })
	until(4, func(n *Node) { n.Begin(r.now, 1) })
	for _, step := range []struct {
		why   string
		do    func()
		phase Phase
		rate  units.Rate
		spare units.Rate
	}{
		{"its children send", func() {}, Sending, 4 * gbit, DefaultFloor},
		{"it has lost sums to send, also", func() { until(2, func(n *Node) { n.Linger(r.now, gbit) }) }, Sending, 5 * gbit, gbit},
		{"its children have ended", func() {
			until(3, func(n *Node) { n.End(r.now) })
			until(4, func(n *Node) { n.End(r.now) })
		}, Sending, gbit, gbit},
		{"it has sent them", func() { until(2, func(n *Node) { n.Linger(r.now, 0) }) }, Sending, 0, 0},
		{"its parent has all", func() { until(2, func(n *Node) { n.Linger(r.now, -1) }) }, Ended, 0, 0},
	} {
		step.do()
		if server.up.phase != step.phase || server.Rate() != step.rate || server.Spare() != step.spare {
			t.Errorf("%s: phase %d, rate %v, spare %v; %d, %v and %v are wanted", step.why, server.up.phase, server.Rate(), server.Spare(), step.phase, step.rate, step.spare)
		}
	}
	if c := r.nodes[1].child(2); c.phase != Ended || c.peak != 0 {
		t.Errorf("the parent counts a server that ended with %v in phase %d", c.peak, c.phase)
	}
}

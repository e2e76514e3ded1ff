package xaggd

import (
	"testing"

	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/nodes/xagg/rates"
)

// Negotiation takes what a virtual clock is told that it does, and the way of its messages: 12 ms at a worker (XAgg
// §VI-C). A server has its own rate before it has told its children theirs.
func TestNegotiationIsTimed(t *testing.T) {
	p := params{
		tree: testbed, gens: 2, delay: us, tensor: 64 * 32,
		common: func(_ int, c *Common) {
			c.Initial, c.Update, c.Resend = rates.PaperInitial, rates.PaperUpdate, rates.DefaultResend
		},
		ready: func(w, g int) units.Time { return units.Time(g) * units.Time(units.Second) },
	}
	r := newRig(t, p)
	if err := r.run(); err != nil {
		t.Fatal(err)
	}
	mean := func(a *agent, n, sum string) units.Duration {
		if a.count.Get(n) == 0 {
			t.Fatalf("%s has no %s", a.cfg.Node, n)
		}
		return units.Duration(a.count.Get(sum)/a.count.Get(n)) * units.Nanosecond
	}
	way := 30 * us // of some messages, each over two links
	for name, c := range map[string]struct{ got, least, most units.Duration }{
		"a worker's rate":       {mean(&r.agents[3].agent, CountInitials, CountInitialTime), rates.PaperInitial.Worker, rates.PaperInitial.Worker + way},
		"a server's rate":       {mean(&r.servers[1].agent, CountInitials, CountInitialTime), rates.PaperInitial.Root, rates.PaperInitial.Server},
		"an update of a server": {mean(&r.servers[1].agent, CountUpdates, CountUpdateTime), rates.PaperUpdate.Worker - rates.PaperUpdate.Server, rates.PaperUpdate.Worker},
	} {
		if c.got < c.least || c.got > c.most {
			t.Errorf("%s takes %v, want %v to %v", name, c.got, c.least, c.most)
		}
	}
	if n := r.agents[3].count.Get(CountInitials); n != 2 {
		t.Errorf("%d first rates in 2 iterations", n)
	}
}

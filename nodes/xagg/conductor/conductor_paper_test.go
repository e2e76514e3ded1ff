package conductor

import (
	"slices"
	"strings"
	"testing"

	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/xaggctl"
)

// "We adopt the PS architecture for the first round of training, in which the training time t1 and the
// transmission time t2 of each worker is recorded. We then sort t and build an aggregation tree" (§V).
func TestFirstRoundOverThePS(t *testing.T) {
	b := newBench(t, testConfig(Plan, 7, 2))
	b.tree("ps(w1 w2 w3 w4 w5 w6 w7)")
	b.open(0)
	b.report(nil, "s1", "s2")
	if !b.c.Close(b.now, 0) || b.c.MayOpen(1) {
		t.Fatal("iteration 1 may open without a plan")
	}
	b.rounds(units.Second, "w3")
	if got, want := b.c.Stall(b.now), "the plan of the tree lacks the times of iteration 0 from w3"; got != want {
		t.Errorf("stall %q, want %q", got, want)
	}
	b.c.Round(b.now, &xaggctl.Message{Host: b.id("w3"), Times: xaggctl.Times{Training: 2 * units.Second, Transfer: units.Second}})
	b.tree("ps(s1(w3 w1 w2) s2(w4 w5 w6) w7)")
	b.noted("the tree is ps(s1(w3 w1 w2) s2(w4 w5 w6) w7), at most 3 children a server")
	b.open(1)
	if m := b.order("w3"); m.Iteration != 1 || m.Tree != 2 || m.Place.Again || m.Place.Parent.Host != b.id("s1") || m.Place.Parent.Since != 2 {
		t.Errorf("order %+v", m)
	}
	ids := b.id("w3") | b.id("w1") | b.id("w2")
	if m := b.order("ps"); len(m.Place.Children) != 3 || m.Place.Children[0] != (xaggctl.Child{Host: b.id("s1"), Below: ids, Since: 2}) || m.Place.Children[2].Since != 1 {
		t.Errorf("order %+v", m)
	}
	if slices.ContainsFunc(b.orders, func(o Order) bool { return o.To.Name == "w7" && o.Message.Number > 1 }) {
		t.Error("w7 gets an order, and stays where it was")
	}
}

// "If the proportion of communication time is lower than the threshold (e.g., 10%), the model does not
// need to be accelerated and XAgg will exit" (§V).
func TestSkip(t *testing.T) {
	for transfer, want := range map[units.Duration]string{100 * ms: "communication takes 9.", 120 * ms: "the tree is ps(s1("} {
		b := newBench(t, testConfig(Plan, 7, 2))
		b.open(0)
		b.report(nil, "s1", "s2")
		b.rounds(transfer)
		b.c.Close(b.now, 0)
		b.noted(want)
		b.open(1)
		b.c.Close(b.now, 1)
		if skipped := strings.HasPrefix(b.c.Tree(), "ps(w1"); skipped != (transfer == 100*ms) {
			t.Errorf("%v of transfer: %s", transfer, b.c.Tree())
		}
		if b.noted(want); len(b.notes) != 2 {
			t.Errorf("%d notes: %q", len(b.notes), b.notes)
		}
	}
}

// "The management module will remove this server from the aggregation topology, and its child nodes
// will directly point to its parent node. Then, these child nodes will resend the entire gradient to
// the new parent node" (§V).
func TestBurstLoad(t *testing.T) {
	b := running(t, 7, 2, 3)
	b.report(func(l *xaggctl.Load) { l.Used = l.Total }, "s1")
	b.tree("ps(w1 w2 w3 s2(w4 w5 w6) w7)")
	b.noted(`s1 left: overloaded: server "s1" uses 128GiB of 128GiB`)
	b.noted("w1, w2, w3 send all of iteration 0 again, to ps")
	if got := b.answer(); !slices.Equal(got, []string{"ps", "s1", "w1", "w2", "w3"}) {
		t.Errorf("orders to %v", got)
	}
	for _, name := range []string{"w1", "w2", "w3"} {
		if m := b.order(name); !m.Place.Again || m.Iteration != 0 || m.Tree != 2 || m.Place.Parent.Host != b.id("ps") || m.Place.Parent.Addr != b.c.cfg.PS.Addr {
			t.Errorf("order to %s: %+v", name, m)
		}
	}
	if m := b.order("s1"); m.Place.In() {
		t.Errorf("s1 is still in the tree: %+v", m)
	}
	if m := b.order("ps"); m.Place.Again || len(m.Place.Children) != 5 || m.Place.Children[0].Since != 2 || m.Place.Children[4].Since != 1 {
		t.Errorf("order to ps: %+v", m)
	}
}

// "The management module will traverse the load state of servers after each iteration of aggregation
// and determine whether to adjust the aggregation topology" (§V).
func TestAdjustAfterIteration(t *testing.T) {
	b := running(t, 7, 3, 3)
	b.tree("ps(s1(w1 w2 w3) s2(w4 w5 w6) w7)")
	b.report(func(l *xaggctl.Load) { l.Used = l.Total }, "s1")
	b.answer()
	b.c.Close(b.now, 0)
	b.tree("ps(s2(w4 w5 w6) w7 s3(w1 w2 w3))")
	b.noted("s3 joined")
	if b.open(1); b.order("w1").Place.Again || b.order("w1").Iteration != 1 {
		t.Errorf("order %+v", b.order("w1"))
	}
}

package rates

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/proptest"
	"github.com/inalab/inalab/internal/units"
)

// rounds is how often the properties are checked: some faults need many messages to meet.
const rounds = 30

// drawTree draws a tree: node 1 is the root, every other has a parent with a lower id.
func drawTree(t *rapid.T) (configs []Config, workers []ID) {
	n := rapid.IntRange(2, 9).Draw(t, "nodes")
	for id := 1; id <= n; id++ {
		c := Config{
			ID:      ID(id),
			Ingress: units.Rate(rapid.IntRange(1, 200).Draw(t, "ingress")),
			Egress:  units.Rate(rapid.IntRange(1, 120).Draw(t, "egress")),
			Floor:   1,
		}
		if id > 1 {
			c.Parent = ID(rapid.IntRange(1, id-1).Draw(t, "parent"))
			configs[c.Parent-1].Children = append(configs[c.Parent-1].Children, c.ID)
		} else {
			c.Egress = 0
		}
		configs = append(configs, c)
	}
	for _, c := range configs {
		if len(c.Children) == 0 {
			workers = append(workers, c.ID)
		}
	}
	return configs, workers
}

// storm makes the network lose, repeat and delay messages until it is called off.
func storm(t *rapid.T, r *rig) (calm func()) {
	loss := rapid.IntRange(0, 60).Draw(t, "loss in percent")
	seed := rapid.Uint64Min(1).Draw(t, "network")
	bad := true
	draw := func(n uint64) uint64 {
		seed ^= seed << 13
		seed ^= seed >> 7
		seed ^= seed << 17
		return seed % n
	}
	r.fate = func() (int, units.Duration) {
		delay := units.Duration(draw(40)) * units.Millisecond
		switch {
		case bad && draw(100) < uint64(loss):
			return 0, delay
		case bad && draw(5) == 0:
			return 2, delay
		}
		return 1, delay
	}
	return func() { bad = false }
}

// expect adds the rate of every worker below a node whose egress is granted to want, by the
// allocation of one parent at a time.
func (r *rig) expect(id ID, egress units.Rate, want map[ID]units.Rate) {
	n := r.nodes[id]
	if len(n.children) == 0 {
		want[id] = egress
		return
	}
	var demands []units.Rate
	var at []ID
	for _, c := range r.cfg[id].Children {
		switch phase, demand := r.asks(c); phase {
		case Idle:
			egress = -1
		case Sending:
			at, demands = append(at, c), append(demands, demand)
		}
	}
	if id == 1 {
		egress = -1
	}
	for i, rate := range Allocate(n.cfg.Ingress, egress, demands) {
		r.expect(at[i], rate, want)
	}
}

// asks returns what a node wants, from the workers below it.
func (r *rig) asks(id ID) (Phase, units.Rate) {
	n := r.nodes[id]
	if len(n.children) == 0 {
		if n.up.phase == Sending {
			return Sending, n.cfg.Egress
		}
		return n.up.phase, 0
	}
	phases := map[Phase]int{}
	var demands []units.Rate
	for _, c := range r.cfg[id].Children {
		phase, demand := r.asks(c)
		phases[phase]++
		if phase == Sending {
			demands = append(demands, demand)
		}
	}
	switch {
	case phases[Idle] == len(n.children):
		return Idle, 0
	case phases[Ended] == len(n.children):
		return Ended, 0
	case phases[Idle] > 0:
		return Sending, 0
	}
	return Sending, min(n.cfg.Egress, slices.Min(Allocate(n.cfg.Ingress, -1, demands)))
}

// checkSettled compares the rates of all workers with the expected ones.
func (r *rig) checkSettled(t *rapid.T, workers []ID) {
	want := map[ID]units.Rate{}
	r.expect(1, -1, want)
	for _, w := range workers {
		if got := r.nodes[w].Rate(); got != want[w] {
			t.Fatalf("worker %d may send %d bit/s, want %d", w, got, want[w])
		}
	}
	for _, id := range r.ids {
		if d := r.nodes[id].NextDeadline(); d != units.Never {
			t.Fatalf("node %d waits until %v for a confirmation", id, d)
		}
	}
}

// What children are granted fits the ingress bandwidth at all times, whatever is lost, late and
// twice, while workers begin and end; in the end all have their max-min share.
func TestGrantsFitAtAllTimes(t *testing.T) {
	proptest.Rounds(t, rounds, grantsFit)
}

func grantsFit(t *rapid.T) {
	configs, workers := drawTree(t)
	r, err := newRig(configs)
	if err != nil {
		t.Fatal(err)
	}
	r.check = r.granted
	calm := storm(t, r)
	iteration := uint16(65534)
	for range rapid.IntRange(1, 3).Draw(t, "iterations") {
		iteration++
		r.iterate(t, workers, iteration)
		if err := r.run(units.Never); err != nil {
			t.Fatal(err)
		}
		r.checkSettled(t, workers)
		for _, w := range workers {
			must(t, r.do(w, func(n *Node) {
				if n.up.phase == Sending {
					n.End(r.now)
				}
			}))
		}
	}
	calm()
}

func must(t *rapid.T, err error) {
	if err != nil {
		t.Fatal(err)
	}
}

// iterate lets some workers begin, and some of these end, at times of their own.
func (r *rig) iterate(t *rapid.T, workers []ID, iteration uint16) {
	for _, i := range rapid.Permutation(workers).Draw(t, "order") {
		if rapid.IntRange(0, 4).Draw(t, "stays out") == 0 && iteration == 65535 {
			continue
		}
		must(t, r.do(i, func(n *Node) { n.Begin(r.now, iteration) }))
		must(t, r.run(r.now.Add(units.Duration(rapid.IntRange(0, 80).Draw(t, "wait"))*units.Millisecond)))
		if rapid.IntRange(0, 3).Draw(t, "ends") == 0 {
			must(t, r.do(i, func(n *Node) { n.End(r.now) }))
		}
	}
}

// Inequality (1) holds for what nodes send at all times, as long as none has ended.
func TestFlowsFitAtAllTimes(t *testing.T) {
	proptest.Rounds(t, rounds, flowsFit)
}

func flowsFit(t *rapid.T) {
	configs, workers := drawTree(t)
	r, err := newRig(configs)
	if err != nil {
		t.Fatal(err)
	}
	r.check = r.flows
	storm(t, r)
	for _, i := range rapid.Permutation(workers).Draw(t, "order") {
		must(t, r.do(i, func(n *Node) { n.Begin(r.now, 1) }))
		must(t, r.run(r.now.Add(units.Duration(rapid.IntRange(0, 80).Draw(t, "wait"))*units.Millisecond)))
	}
	must(t, r.run(units.Never))
	r.checkSettled(t, workers)
	for range rapid.IntRange(0, 3).Draw(t, "losses") {
		r.lose(t)
		must(t, r.run(r.now.Add(units.Duration(rapid.IntRange(0, 80).Draw(t, "wait"))*units.Millisecond)))
	}
	must(t, r.run(units.Never))
}

// lose reports a loss of some child to its parent.
func (r *rig) lose(t *rapid.T) {
	c := r.cfg[ID(rapid.IntRange(2, len(r.ids)).Draw(t, "child"))]
	lost := rapid.Uint64Range(0, 1000).Draw(t, "lost")
	must(t, r.do(c.Parent, func(n *Node) { n.Loss(r.now, c.ID, r.now, lost, 1000) }))
}

// A notice from before the end of an iteration comes when the next has begun: the parent counts
// on its rate no more, and the child must not take it.
func TestNoticeOfEarlierIterationIsNotTaken(t *testing.T) {
	n, err := New(Config{ID: 2, Parent: 1, Egress: 100})
	if err != nil {
		t.Fatal(err)
	}
	n.Begin(0, 1)
	n.Notice(1, 1, &Notice{Seq: 1, Heard: 1, Rate: 50})
	if n.Rate() != 50 {
		t.Fatalf("the rate is %d", n.Rate())
	}
	n.End(2)
	n.Begin(3, 2)
	n.Notice(4, 1, &Notice{Seq: 2, Heard: 1, Rate: 80})
	if n.Rate() != 0 {
		t.Fatalf("a late notice gives %d bit/s", n.Rate())
	}
	n.Notice(5, 1, &Notice{Seq: 4, Heard: 3, Rate: 60})
	n.Notice(6, 1, &Notice{Seq: 3, Heard: 3, Rate: 70})
	if n.Rate() != 60 {
		t.Fatalf("the rate is %d, and the newest notice says 60", n.Rate())
	}
}

// A period with 1% of loss changes nothing, one with more cuts by the share lost, and once
// (XAgg §IV-C; Fig 21 falls from 60 to 20 Gbit/s).
func TestLossCutsByItsShare(t *testing.T) {
	r, err := newRig([]Config{{ID: 1, Ingress: 60e9, Children: []ID{2}}, {ID: 2, Parent: 1, Egress: 100e9}})
	if err != nil {
		t.Fatal(err)
	}
	begin := func(iteration uint16) {
		_ = r.do(2, func(n *Node) { n.Begin(r.now, iteration) })
		_ = r.run(units.Never)
	}
	lose := func(since units.Time, lost, total uint64, want units.Rate) {
		t.Helper()
		_ = r.do(1, func(n *Node) { n.Loss(r.now, 2, since, lost, total) })
		_ = r.run(units.Never)
		if got := r.nodes[2].Rate(); got != want {
			t.Errorf("%d of %d lost: %v, want %v", lost, total, got, want)
		}
	}
	begin(1)
	lose(r.now, 10, 1000, 60e9)
	start := r.now
	lose(start, 2000, 3000, 20e9)
	lose(start, 2000, 3000, 20e9) // the period began before the cut
	lose(r.now, 11, 1000, 19.78e9)
	lose(r.now, 1000, 1000, DefaultFloor)
	begin(2)
	if got := r.nodes[2].Rate(); got != 60e9 {
		t.Errorf("the next iteration has %v", got)
	}
}

// A server asks for nothing until its last child begins, so that Fig 1(c) comes out: W4 has the
// whole ingress of the PS while S1 waits for W3.
func TestServerThatWaitsTakesNothing(t *testing.T) {
	const g = units.GbitPerSecond
	const ps, s1, w1, w2, w3, w4 = 1, 2, 3, 4, 5, 6
	r, err := newRig([]Config{
		{ID: ps, Ingress: 10 * g, Egress: 10 * g, Children: []ID{s1, w4}},
		{ID: s1, Parent: ps, Ingress: 10 * g, Egress: 10 * g, Children: []ID{w1, w2, w3}},
		{ID: w1, Parent: s1, Egress: 10 * g}, {ID: w2, Parent: s1, Egress: 5 * g}, {ID: w3, Parent: s1, Egress: 10 * g}, {ID: w4, Parent: ps, Egress: 10 * g},
	})
	if err != nil {
		t.Fatal(err)
	}
	begin := func(id ID) { _ = r.do(id, func(n *Node) { n.Begin(r.now, 1) }); _ = r.run(units.Never) }
	end := func(id ID) { _ = r.do(id, func(n *Node) { n.End(r.now) }); _ = r.run(units.Never) }
	want := func(when string, rates map[ID]units.Rate) {
		t.Helper()
		for _, id := range r.ids {
			if want, ok := rates[id]; ok && r.nodes[id].Rate() != want {
				t.Errorf("%s: node %d has %d bit/s, want %d", when, id, r.nodes[id].Rate(), want)
			}
		}
	}
	begin(w1)
	begin(w2)
	begin(w4)
	want("0 to 1 s", map[ID]units.Rate{w1: 5 * g, w2: 5 * g, w4: 10 * g, s1: 0})
	end(w4)
	end(w1)
	end(w2)
	begin(w3)
	want("2 to 3 s", map[ID]units.Rate{w1: 0, w2: 0, w3: 10 * g, s1: 10 * g})
}

package rates

import (
	"testing"

	"github.com/inalab/inalab/internal/units"
)

// server returns a server 2 below the root 1, with workers 3 and 4.
func server(t *testing.T) *Node {
	t.Helper()
	n, err := New(Config{ID: 2, Parent: 1, Ingress: 100, Egress: 10, Children: []ID{3, 4}})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// messages returns the newest notice for each child among the messages of a node, and its request.
func messages(n *Node) (notices map[ID]*Notice, request *Request) {
	notices = map[ID]*Notice{}
	for _, s := range n.Sends() {
		if s.Notice != nil {
			notices[s.To] = s.Notice
		} else {
			request = s.Request
		}
	}
	return notices, request
}

// A worker is answered when the request has been to the root and back (XAgg §IV-C).
func TestWorkerWaitsForTheRoot(t *testing.T) {
	n := server(t)
	n.Request(0, 3, &Request{Seq: 1, Iteration: 1, Phase: Sending, Demand: 40})
	notices, request := messages(n)
	if len(notices) != 0 || request == nil || request.Phase != Sending || request.Demand != 0 {
		t.Fatalf("notices %v, request %+v", notices, request)
	}
	n.Notice(1, 1, &Notice{Seq: 1, Heard: request.Seq})
	if notices, _ = messages(n); notices[3] == nil || notices[3].Rate != 40 || notices[3].Heard != 1 {
		t.Fatalf("notices %v", notices)
	}
}

// The last child to begin is held to the egress bandwidth until another has confirmed that it is;
// and a server confirms a lower rate only when one of its children keeps to it.
func TestReductionsAreConfirmedFirst(t *testing.T) {
	n := server(t)
	n.Request(0, 3, &Request{Seq: 1, Iteration: 1, Phase: Sending, Demand: 40})
	n.Notice(0, 1, &Notice{Seq: 1, Heard: 1})
	n.Request(0, 3, &Request{Seq: 1, Heard: 1, Iteration: 1, Phase: Sending, Demand: 40})
	n.Request(0, 4, &Request{Seq: 1, Iteration: 1, Phase: Sending, Demand: 50})
	if _, request := messages(n); request == nil || request.Demand != 10 {
		t.Fatalf("request %+v", request)
	}
	n.Notice(0, 1, &Notice{Seq: 2, Heard: 2, Rate: 10})
	notices, _ := messages(n)
	if notices[3].Rate != 10 || notices[4].Rate != 10 {
		t.Fatalf("notices %v %v before the reduction is confirmed", notices[3], notices[4])
	}
	n.Request(0, 3, &Request{Seq: 1, Heard: 2, Iteration: 1, Phase: Sending, Demand: 40})
	if notices, _ = messages(n); notices[4] == nil || notices[4].Rate != 50 {
		t.Fatalf("notice %+v after the reduction is confirmed", notices[4])
	}
	n.Notice(0, 1, &Notice{Seq: 3, Heard: 2, Rate: 4})
	notices, request := messages(n)
	if notices[3].Rate != 4 || request != nil {
		t.Fatalf("notice %+v, request %+v before a child keeps to the lower rate", notices[3], request)
	}
	n.Request(0, 3, &Request{Seq: 1, Heard: 3, Iteration: 1, Phase: Sending, Demand: 40})
	if _, request = messages(n); request == nil || request.Heard != 3 {
		t.Fatalf("request %+v when a child keeps to the lower rate", request)
	}
}

// A worker that begins anew without an end has no rate until it is answered.
func TestBeginStops(t *testing.T) {
	n, err := New(Config{ID: 2, Parent: 1, Egress: 100})
	if err != nil {
		t.Fatal(err)
	}
	n.Begin(0, 1)
	n.Notice(0, 1, &Notice{Seq: 1, Heard: 1, Rate: 50})
	n.Begin(0, 2)
	if n.Rate() != 0 {
		t.Errorf("the rate is %d", n.Rate())
	}
}

// A node that moves asks its new parent, and heeds the former one no more; what a child that was
// dropped had goes to the others.
func TestTreeChanges(t *testing.T) {
	r, err := newRig([]Config{
		{ID: 1, Ingress: 100, Children: []ID{2, 5}}, {ID: 2, Parent: 1, Ingress: 100, Egress: 100, Children: []ID{3, 4}},
		{ID: 3, Parent: 2, Egress: 100}, {ID: 4, Parent: 2, Egress: 100}, {ID: 5, Parent: 1, Egress: 100},
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range []ID{3, 4, 5} {
		_ = r.do(w, func(n *Node) { n.Begin(r.now, 1) })
	}
	_ = r.run(units.Never)
	_ = r.do(1, func(n *Node) { n.Drop(r.now, 2) })
	for _, w := range []ID{3, 4} {
		if err := r.nodes[1].Adopt(w, 2); err != nil {
			t.Fatal(err)
		}
		_ = r.do(w, func(n *Node) {
			if err := n.Move(r.now, 1, 2); err != nil || n.Rate() != 0 {
				t.Errorf("moved with %d bit/s (%v)", n.Rate(), err)
			}
		})
		_ = r.do(w, func(n *Node) { n.Notice(r.now, 2, &Notice{Seq: 99, Heard: 99, Rate: 99}) })
		_ = r.do(w, func(n *Node) { n.Notice(r.now, 1, &Notice{Tree: 1, Seq: 99, Heard: 99, Rate: 99}) })
		if d := r.nodes[w].Drops(); d != (Drops{Stranger: 1, OldTree: 1}) || r.nodes[w].Rate() != 0 {
			t.Errorf("drops %+v, rate %d", d, r.nodes[w].Rate())
		}
	}
	r.nodes[2].children = nil // it died, and says nothing more
	_ = r.run(units.Never)
	for _, w := range []ID{3, 4, 5} {
		if got := r.nodes[w].Rate(); got < 33 || got > 34 {
			t.Errorf("worker %d has %d bit/s", w, got)
		}
	}
	if r.nodes[1].Adopt(3, 2) == nil || r.nodes[1].Move(0, 2, 3) == nil || r.nodes[3].Move(0, 3, 3) == nil {
		t.Error("a child is adopted twice, the root moves, or a node moves below itself")
	}
}

func TestNewRefuses(t *testing.T) {
	for _, c := range []Config{
		{Parent: 1, Egress: 1}, {ID: 1}, {ID: 1, Parent: 1, Egress: 1}, {ID: 1, Children: []ID{2}}, {ID: 1, Parent: 2},
		{ID: 1, Ingress: 1, Children: []ID{2, 2}}, {ID: 1, Ingress: 1, Children: make([]ID, 32)},
		{ID: 1, Parent: 2, Egress: 1, LossShare: 1}, {ID: 1, Parent: 2, Egress: 1, Resend: -1},
	} {
		if _, err := New(c); err == nil {
			t.Errorf("%+v is accepted", c)
		}
	}
}

// When the bandwidth of a node falls, the sum of its children does not rise while it is above.
func TestBandwidthFalls(t *testing.T) {
	r, err := newRig([]Config{{ID: 1, Ingress: 90, Children: []ID{2, 3, 4}}, {ID: 2, Parent: 1, Egress: 100}, {ID: 3, Parent: 1, Egress: 20}, {ID: 4, Parent: 1, Egress: 100}})
	if err != nil {
		t.Fatal(err)
	}
	sum := func() units.Rate { return r.nodes[2].Rate() + r.nodes[3].Rate() + r.nodes[4].Rate() }
	for _, w := range []ID{2, 3, 4} {
		_ = r.do(w, func(n *Node) { n.Begin(r.now, 1) })
	}
	_ = r.run(units.Never)
	last := sum()
	if last != 90 {
		t.Fatalf("the sum is %d", last)
	}
	r.check = func() error {
		if s := sum(); s > last && s > 50 {
			t.Errorf("the sum rises from %d to %d", last, s)
		}
		last = sum()
		return nil
	}
	_ = r.do(1, func(n *Node) { n.SetBandwidth(r.now, 50, 50) })
	_ = r.do(2, func(n *Node) { n.SetBandwidth(r.now, 5, 5) })
	_ = r.run(units.Never)
	if got := [3]units.Rate{r.nodes[2].Rate(), r.nodes[3].Rate(), r.nodes[4].Rate()}; got != [3]units.Rate{5, 20, 25} {
		t.Errorf("rates %v in the end", got)
	}
}

// A child that waits for the parent's answer goes on waiting for that of another parent: its iteration is
// not open until the root says so.
func TestMovedNodeLetsNoChildInBeforeItsParentAnswers(t *testing.T) {
	n, err := New(Config{ID: 2, Parent: 1, Tree: 1, Ingress: 100, Egress: 100})
	if err != nil {
		t.Fatal(err)
	}
	if err := n.Adopt(3, 1); err != nil {
		t.Fatal(err)
	}
	asked := func() (up *Request) {
		t.Helper()
		for _, s := range n.Sends() {
			if s.Notice != nil && s.Notice.Heard > 0 {
				t.Fatalf("the child is answered before the parent did: %+v", *s.Notice)
			}
			if s.Request != nil {
				up = s.Request
			}
		}
		return up
	}
	n.Request(0, 3, &Request{Tree: 1, Iteration: 5, Seq: 1, Phase: Sending, Demand: 50})
	if asked() == nil {
		t.Fatal("the parent was not asked")
	}
	if err := n.Move(0, 9, 2); err != nil {
		t.Fatal(err)
	}
	r := asked()
	if r == nil || r.Tree != 2 {
		t.Fatalf("the new parent was asked %+v", r)
	}
	n.Notice(0, 9, &Notice{Tree: 2, Seq: 1, Heard: r.Seq, Rate: 50})
	for _, s := range n.Sends() {
		if s.Notice != nil && s.Notice.Heard == 1 && s.Notice.Rate == 50 {
			return
		}
	}
	t.Error("the child has no rate when the parent has answered")
}

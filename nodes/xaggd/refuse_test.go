package xaggd

import (
	"testing"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/wire/inet"
	"github.com/inalab/inalab/internal/wire/xaggctl"
)

// arrival is a control message of a host to another.
func arrival(from Peer, to Peer, payload []byte, port uint16) sansio.Arrival {
	header := inet.UDPHeader(inet.Flow{SrcMAC: from.MAC, DstMAC: to.MAC, Src: from.Addr, Dst: to.Addr, SrcPort: port, DstPort: port})
	inet.SetUDPBody(header, len(payload))
	return sansio.Arrival{Train: sansio.Train{Header: header, Body: payload}}
}

// refused is a message that counts under a name and does nothing.
type refused struct {
	name string
	from int // whose address
	m    xaggctl.Message
}

func message(kind xaggctl.Kind, host uint32, change func(m *xaggctl.Message)) xaggctl.Message {
	m := xaggctl.Message{Kind: kind, Job: 1, Tree: 1, Host: host, Number: 1, Lost: []uint32{1}}
	if change != nil {
		change(&m)
	}
	return m
}

type countingMachine interface {
	sansio.Machine
	Counters() []sansio.Count
}

// refuse hands messages to an agent and looks at the counters: each counts once, under its name, and is
// not answered.
func refuse(t *testing.T, a countingMachine, self int, list []refused) {
	t.Helper()
	for i := range list {
		c := &list[i]
		before := sansio.CountOf(a.Counters(), c.name)
		var eff sansio.Effects
		a.Handle(0, []sansio.Arrival{arrival(peer(c.from), peer(self), c.m.Append(nil), xaggctl.Port)}, &eff)
		if got := sansio.CountOf(a.Counters(), c.name) - before; got != 1 {
			t.Errorf("message %d of kind %d counts %d times as %s: %v", i, c.m.Kind, got, c.name, a.Counters())
		}
		if len(eff.Sends) > 0 {
			t.Errorf("message %d of kind %d, which counts as %s, is answered", i, c.m.Kind, c.name)
		}
	}
}

func otherJob(m *xaggctl.Message)   { m.Job = 2 }
func oldTree(m *xaggctl.Message)    { m.Tree = 9 }
func early(m *xaggctl.Message)      { m.Iteration = 5 }
func stale(m *xaggctl.Message)      { m.Iteration = 0xfff0 }
func beyond(m *xaggctl.Message)     { m.Lost = []uint32{101} }
func ofRootEdge(m *xaggctl.Message) { m.Tree = 0 }

func TestServerRefuses(t *testing.T) {
	cfg := serverConfig()
	s, err := NewServer(cfg, storeFor(t, cfg.Store()))
	if err != nil {
		t.Fatal(err)
	}
	refuse(t, s, 1, []refused{
		{DropJob, 2, message(xaggctl.Done, 1<<2, otherJob)},
		{DropStranger, 9, message(xaggctl.Done, 1<<9, nil)},
		{DropAddress, 9, message(xaggctl.Done, 1<<2, nil)},
		{DropAddress, 9, message(xaggctl.Notice, 1<<0, nil)},
		{DropKind, 2, message(xaggctl.Complete, 1<<2, nil)},
		{DropKind, 0, message(xaggctl.Done, 1<<0, nil)},
		{DropOldTree, 2, message(xaggctl.Done, 1<<2, oldTree)},
		{DropOldTree, 2, message(xaggctl.Request, 1<<2, oldTree)},
		{DropOldTree, 0, message(xaggctl.Notice, 1<<0, oldTree)},
		{DropOldTree, 0, message(xaggctl.Lost, 1<<0, oldTree)},
		{DropOldTree, 0, message(xaggctl.Complete, 1<<0, oldTree)},
		{DropEarly, 2, message(xaggctl.Done, 1<<2, early)},
		{DropEarly, 0, message(xaggctl.Complete, 1<<0, early)},
		{DropStale, 0, message(xaggctl.Complete, 1<<0, stale)},
		{DropStale, 0, message(xaggctl.Lost, 1<<0, stale)},
		{DropIndex, 0, message(xaggctl.Lost, 1<<0, beyond)},
		{DropStranger, 2, message(xaggctl.Tree, 1<<2, nil)},
		{DropAddress, 2, message(xaggctl.Tree, 1<<0, nil)},
	})
}

func TestWorkerRefuses(t *testing.T) {
	cfg := workerConfig()
	w, err := NewWorker(cfg, storeFor(t, cfg.Store()))
	if err != nil {
		t.Fatal(err)
	}
	refuse(t, w, 1, []refused{
		{DropEarly, 0, message(xaggctl.Lost, 1<<0, nil)},
		{DropEarly, 0, message(xaggctl.Complete, 1<<0, nil)},
		{DropEarly, 0, message(xaggctl.Done, 1<<0, ofRootEdge)},
	})
	var eff sansio.Effects
	w.BeginInts(0, 0, make([]int32, cfg.Tensor), &eff)
	refuse(t, w, 1, []refused{
		{DropJob, 0, message(xaggctl.Notice, 1<<0, otherJob)},
		{DropStranger, 2, message(xaggctl.Notice, 1<<2, nil)},
		{DropAddress, 2, message(xaggctl.Notice, 1<<0, nil)},
		{DropStranger, 2, message(xaggctl.Done, 1<<2, nil)},
		{DropAddress, 2, message(xaggctl.Done, 1<<0, nil)},
		{DropKind, 0, message(xaggctl.Request, 1<<0, nil)},
		{DropOldTree, 0, message(xaggctl.Notice, 1<<0, oldTree)},
		{DropOldTree, 0, message(xaggctl.Lost, 1<<0, oldTree)},
		{DropEarly, 0, message(xaggctl.Lost, 1<<0, early)},
		{DropEarly, 0, message(xaggctl.Done, 1<<0, early)},
		{DropStale, 0, message(xaggctl.Complete, 1<<0, stale)},
		{DropIndex, 0, message(xaggctl.Lost, 1<<0, nil)}, // it was not sent yet
		{DropRepeated, 0, message(xaggctl.Lost, 1<<0, nil)},
		{DropIndex, 0, message(xaggctl.Lost, 1<<0, func(m *xaggctl.Message) { m.Lost = []uint32{4 * 1024} })},
	})
}

func TestRootRefuses(t *testing.T) {
	cfg := rootConfig()
	r, err := NewRoot(cfg, storeFor(t, cfg.Store()))
	if err != nil {
		t.Fatal(err)
	}
	refuse(t, r, 0, []refused{
		{DropJob, 1, message(xaggctl.Request, 1<<1, otherJob)},
		{DropStranger, 2, message(xaggctl.Request, 1<<2, nil)},
		{DropStranger, 2, message(xaggctl.Lost, 1<<2, nil)},
		{DropAddress, 2, message(xaggctl.Request, 1<<1, nil)},
		{DropAddress, 2, message(xaggctl.Complete, 1<<1, nil)},
		{DropKind, 1, message(xaggctl.Notice, 1<<1, nil)},
		{DropKind, 1, message(xaggctl.TreeAck, 1<<1, nil)},
		{DropOldTree, 1, message(xaggctl.Request, 1<<1, oldTree)},
		{DropOldTree, 1, message(xaggctl.Request, 1<<1, func(m *xaggctl.Message) { m.Iteration, m.Tree = 1, 9 })},
		{DropOldTree, 1, message(xaggctl.Complete, 1<<1, nil)},
		{DropEarly, 1, message(xaggctl.Request, 1<<1, early)},
		{DropEarly, 1, message(xaggctl.Complete, 1<<1, func(m *xaggctl.Message) { m.Iteration, m.Tree = 5, 0 })},
		{DropStale, 1, message(xaggctl.Complete, 1<<1, func(m *xaggctl.Message) { m.Iteration, m.Tree = 0xffff, 0 })},
		{DropIndex, 1, message(xaggctl.Lost, 1<<1, func(m *xaggctl.Message) { m.Lost, m.Tree = []uint32{101}, 0 })},
	})
}

func TestForeignPacketsAreCounted(t *testing.T) {
	cfg := workerConfig()
	w, err := NewWorker(cfg, storeFor(t, cfg.Store()))
	if err != nil {
		t.Fatal(err)
	}
	m := message(xaggctl.Notice, 1, nil)
	payload := m.Append(nil)
	var eff sansio.Effects
	w.Handle(0, []sansio.Arrival{
		arrival(peer(0), peer(1), payload, 53),
		arrival(peer(0), peer(2), payload, xaggctl.Port),
		{Train: sansio.NewTrain(make([]byte, 60), 0, sansio.ChecksumAsIs)},
		arrival(peer(0), peer(1), payload[:10], xaggctl.Port),
		arrival(peer(0), peer(1), append([]byte{9}, payload[1:]...), xaggctl.Port),
	}, &eff)
	for name, want := range map[string]uint64{DropForeign: 3, string(xaggctl.Short): 1, string(xaggctl.BadVersion): 1} {
		if got := sansio.CountOf(w.Counters(), name); got != want {
			t.Errorf("%d packets count as %s, and %d are wanted", got, name, want)
		}
	}
}

// A request of the next iteration waits at the root; an older one that overtook it changes nothing.
func TestNewestRequestWaits(t *testing.T) {
	cfg := rootConfig()
	r, err := NewRoot(cfg, storeFor(t, cfg.Store()))
	if err != nil {
		t.Fatal(err)
	}
	for _, number := range []uint32{5, 4, 6, 5} {
		m := message(xaggctl.Request, 1<<1, func(m *xaggctl.Message) { m.Iteration, m.Number = 1, number })
		var eff sansio.Effects
		r.Handle(0, []sansio.Arrival{arrival(peer(1), peer(0), m.Append(nil), xaggctl.Port)}, &eff)
		if len(eff.Sends) > 0 {
			t.Fatal("a request of an iteration that is not open is answered")
		}
	}
	if got := r.children[0].held.Seq; got != 6 {
		t.Errorf("request %d waits, and 6 is the newest", got)
	}
}

// A child that missed the answer to its Done gets one, though the iteration is over here; a worker
// answers the root's likewise.
func TestDoneOfAnIterationThatIsOverIsAnswered(t *testing.T) {
	server := serverConfig()
	s, err := NewServer(server, storeFor(t, server.Store()))
	if err != nil {
		t.Fatal(err)
	}
	cfg := workerConfig()
	w, err := NewWorker(cfg, storeFor(t, cfg.Store()))
	if err != nil {
		t.Fatal(err)
	}
	var eff sansio.Effects
	w.BeginInts(0, 0, make([]int32, cfg.Tensor), &eff)
	for _, c := range []struct {
		to   sansio.Machine
		from int
		tree uint16
	}{{s, 2, 1}, {w, 0, 0}} {
		eff.Reset()
		m := message(xaggctl.Done, 1<<c.from, func(m *xaggctl.Message) { m.Iteration, m.Tree = 0xffff, c.tree })
		c.to.Handle(0, []sansio.Arrival{arrival(peer(c.from), peer(1), m.Append(nil), xaggctl.Port)}, &eff)
		if len(eff.Sends) != 1 {
			t.Fatalf("%d messages answer", len(eff.Sends))
		}
		got, ok := control(eff.Sends[0].Train)
		if !ok || got.Kind != xaggctl.Complete || got.Iteration != 0xffff || got.Tree != c.tree || got.Host != 1<<1 {
			t.Errorf("the answer is %+v", got)
		}
	}
}

// An order that cannot be carried out is not acknowledged, so that the root knows whom it waits for. One
// that came before is acknowledged again.
func TestOrdersThatCannotBe(t *testing.T) {
	server := serverConfig()
	s, err := NewServer(server, storeFor(t, server.Store()))
	if err != nil {
		t.Fatal(err)
	}
	up := xaggctl.Parent{Host: 1 << 0, Addr: peer(0).Addr, MAC: peer(0).MAC, Since: 2}
	for _, c := range []struct {
		number uint32
		place  xaggctl.Place
		answer bool
		parent uint16 // version of the edge that it then has
	}{
		{1, xaggctl.Place{Parent: up, Children: []xaggctl.Child{{Host: 1 << 9, Since: 2}}}, false, 1}, // nobody knows host 9
		{1, xaggctl.Place{Parent: up, Children: []xaggctl.Child{{Host: 1 << 3, Since: 2}, {Host: 1 << 4, Since: 2}}}, true, 2},
		{1, xaggctl.Place{Parent: up, Children: []xaggctl.Child{{Host: 1 << 2, Since: 3}}}, true, 2},
		{0, xaggctl.Place{}, true, 2},
		{2, xaggctl.Place{}, true, 0},
	} {
		var eff sansio.Effects
		m := message(xaggctl.Tree, 1<<0, func(m *xaggctl.Message) { m.Number, m.Tree, m.Place = c.number, 7, c.place })
		s.Handle(0, []sansio.Arrival{arrival(peer(0), peer(1), m.Append(nil), xaggctl.Port)}, &eff)
		if got := len(eff.Sends) > 0; got != c.answer || s.since != c.parent {
			t.Errorf("order %d: answered %v, and the parent is that of version %d: %v", c.number, got, s.since, s.Counters())
			continue
		}
		if !c.answer {
			continue
		}
		if got, ok := control(eff.Sends[0].Train); !ok || got.Kind != xaggctl.TreeAck || got.Number != c.number || got.Tree != 7 {
			t.Errorf("order %d: the answer is %+v", c.number, got)
		}
	}
	if got := s.count.Get(DropOrder); got != 1 {
		t.Errorf("%d orders count as such that cannot be", got)
	}
}

// A server that has lost its place, as by a restart, does not take an order that builds upon it: its
// neighbours go on from numbers that it does not know, and its children do not send again.
func TestOrdersThatBuildUponAPlaceThatWasLost(t *testing.T) {
	up := func(since uint16) xaggctl.Parent {
		return xaggctl.Parent{Host: 1 << 0, Addr: peer(0).Addr, MAC: peer(0).MAC, Since: since}
	}
	below := func(since uint16) []xaggctl.Child {
		return []xaggctl.Child{{Host: 1 << 2, Since: 3}, {Host: 1 << 3, Since: since}}
	}
	for _, c := range []struct {
		place xaggctl.Place
		taken bool
	}{
		{xaggctl.Place{Parent: up(3), Children: below(3)}, true},
		{xaggctl.Place{Parent: up(3), Children: below(2)}, false},
		{xaggctl.Place{Parent: up(2), Children: below(3)}, false},
		{xaggctl.Place{}, true},
	} {
		cfg := serverConfig()
		cfg.Parent, cfg.Children, cfg.Spare = Peer{}, nil, true
		s, err := NewServer(cfg, storeFor(t, cfg.Store()))
		if err != nil {
			t.Fatal(err)
		}
		var eff sansio.Effects
		m := message(xaggctl.Tree, 1<<0, func(m *xaggctl.Message) { m.Tree, m.Place = 3, c.place })
		s.Handle(0, []sansio.Arrival{arrival(peer(0), peer(1), m.Append(nil), xaggctl.Port)}, &eff)
		if taken := len(eff.Sends) > 0 && s.count.Get(DropOrder) == 0; taken != c.taken {
			t.Errorf("%+v is taken: %v", c.place, taken)
		}
	}
}

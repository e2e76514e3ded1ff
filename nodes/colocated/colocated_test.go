package colocated

import (
	"fmt"
	"net/netip"
	"slices"
	"testing"

	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
	"github.com/inalab/inalab/nodes/worker"
)

var (
	_ worker.IntegerCollective = (*Host)(nil)
	_ worker.Waiter            = (*Host)(nil)

	here, elsewhere = netip.MustParseAddr("10.0.0.1"), netip.MustParseAddr("10.0.0.2")
	group, foreign  = netip.MustParseAddr("239.255.0.1"), netip.MustParseAddr("239.255.1.1")
)

func flowTo(to netip.Addr) inet.Flow {
	return inet.Flow{Src: here, Dst: to, SrcPort: 9, DstPort: 9}
}

// machine is a worker or a server that does what the test says, when
// something comes or is due.
type machine struct {
	to      map[netip.Addr][]byte // templates
	due     units.Time
	on      func(how, what string, eff *sansio.Effects)
	heard   []string
	counter string
}

func newMachine(counter string) *machine {
	m := &machine{to: map[netip.Addr][]byte{}, due: units.Never, counter: counter}
	for _, a := range []netip.Addr{here, elsewhere, group, foreign} {
		m.to[a] = inet.UDPHeader(flowTo(a))
	}
	return m
}

var port = []sansio.Port{0}

func (m *machine) send(eff *sansio.Effects, to netip.Addr, what string) {
	body := eff.Body(len(what))
	copy(body, what)
	eff.Emit(port, m.to[to], body)
}

func (m *machine) take(how string, in []sansio.Arrival, eff *sansio.Effects) {
	for i := range in {
		t := in[i].Train
		if _, _, ok := t.UDP(); !ok {
			panic("the headers of a train do not fit it")
		}
		for f := range t.Frames() {
			what := string(t.Payload(f))
			m.heard = append(m.heard, how+" "+what)
			if m.on != nil {
				m.on(how, what, eff)
			}
		}
	}
}

func (m *machine) Handle(_ units.Time, in []sansio.Arrival, eff *sansio.Effects) {
	m.take("net", in, eff)
}

func (m *machine) Local(_ units.Time, in []sansio.Arrival, eff *sansio.Effects) {
	m.take("local", in, eff)
}
func (m *machine) NextDeadline() units.Time { return m.due }
func (m *machine) Expire(_ units.Time, eff *sansio.Effects) {
	m.due = units.Never
	m.on("timer", "", eff)
}
func (m *machine) Begin(_ units.Time, _ int, _ []float32, eff *sansio.Effects) {
	m.on("begin", "", eff)
}
func (m *machine) BeginInts(_ units.Time, _ int, _ []int32, eff *sansio.Effects) {
	m.on("begin", "", eff)
}
func (m *machine) Complete(int) bool                                { return false }
func (m *machine) Sums() []int32                                    { return nil }
func (m *machine) Finish(int) (o result.Outcome, f func([]float32)) { return o, f }
func (m *machine) Returned(int)                                     {}
func (m *machine) Waiting(int) []trace.Wait                         { return nil }
func (m *machine) Counters() []sansio.Count                         { return []sansio.Count{{Name: m.counter, N: 1}} }
func (m *machine) Contributions() (in, alone uint64)                { return 3, 4 }

func newHost(t *testing.T) (*Host, *machine, *machine) {
	t.Helper()
	w, s := newMachine("w"), newMachine("s")
	h, err := New(w, s, Addresses{Server: "s", Host: here, Group: group})
	if err != nil {
		t.Fatal(err)
	}
	return h, w, s
}

// left tells what leaves the host.
func left(eff *sansio.Effects) (out []string) {
	for i := range eff.Sends {
		t := &eff.Sends[i].Train
		ip, _, _ := t.UDP()
		for f := range t.Frames() {
			out = append(out, fmt.Sprintf("%v %s", ip.Dst(), t.Payload(f)))
		}
	}
	return out
}

func same(t *testing.T, what string, got, want []string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s: %q, want %q", what, got, want)
	}
}

// What worker and server send each other stays on the host, also what they answer, and a worker has what its
// server sends to the group; all else leaves in its order.
func TestHandsOver(t *testing.T) {
	h, w, s := newHost(t)
	w.on = func(how, what string, eff *sansio.Effects) {
		switch {
		case how == "begin":
			w.send(eff, elsewhere, "g0")
			w.send(eff, here, "g1")
			w.send(eff, here, "g2")
			w.send(eff, elsewhere, "g3")
		case what == "r1":
			w.send(eff, here, "g4")
		}
	}
	s.on = func(_, what string, eff *sansio.Effects) { s.send(eff, group, "r"+what[1:]) }
	for name, begin := range map[string]func(*sansio.Effects){
		"floats": func(eff *sansio.Effects) { h.Begin(0, 0, nil, eff) }, "integers": func(eff *sansio.Effects) { h.BeginInts(0, 0, nil, eff) },
	} {
		w.heard, s.heard = nil, nil
		var eff sansio.Effects
		begin(&eff)
		same(t, name+": the server took", s.heard, []string{"local g1", "local g2", "local g4"})
		same(t, name+": the worker took", w.heard, []string{"net r1", "net r2", "net r4"})
		same(t, name+": left", left(&eff), []string{"10.0.0.2 g0", "10.0.0.2 g3", "239.255.0.1 r1", "239.255.0.1 r2", "239.255.0.1 r4"})
	}
}

// Packets that join a train are handed over too, once: those that join while the worker takes the
// first, and those that join what an earlier call sent.
func TestHandsOverWhatJoins(t *testing.T) {
	h, w, s := newHost(t)
	w.on = func(_, what string, eff *sansio.Effects) {
		if what == "r1" {
			s.send(eff, group, "r2") // as it would be where nothing came between
		}
	}
	s.due, s.on = 5, func(how, _ string, eff *sansio.Effects) {
		s.send(eff, group, map[string]string{"timer": "r1", "net": "r3"}[how])
	}
	var eff sansio.Effects
	h.Expire(5, &eff)
	in := sansio.Train{Header: inet.UDPHeader(flowTo(here)), Body: []byte("g1")}
	inet.SetUDPBody(in.Header, 2)
	h.Handle(6, []sansio.Arrival{{Train: in}}, &eff)
	if len(eff.Sends) != 1 {
		t.Fatalf("%d trains: they did not join", len(eff.Sends))
	}
	same(t, "the worker took", w.heard, []string{"net r1", "net r2", "net r3"})
	same(t, "left", left(&eff), []string{"239.255.0.1 r1", "239.255.0.1 r2", "239.255.0.1 r3"})
}

// Frames for the host's address are the server's, and those to groups the worker's.
func TestTellsApart(t *testing.T) {
	h, w, s := newHost(t)
	var in []sansio.Arrival
	for _, to := range []netip.Addr{here, foreign, group, here} {
		train := sansio.Train{Header: inet.UDPHeader(flowTo(to)), Body: []byte(to.String())}
		inet.SetUDPBody(train.Header, len(train.Body))
		in = append(in, sansio.Arrival{Train: train})
	}
	var eff sansio.Effects
	h.Handle(0, in, &eff)
	same(t, "the server took", s.heard, []string{"net 10.0.0.1", "net 10.0.0.1"})
	same(t, "the worker took", w.heard, []string{"net 239.255.1.1", "net 239.255.0.1"})
}

// The host has something to do when either has, and both have their counters in its.
func TestIsBoth(t *testing.T) {
	h, w, s := newHost(t)
	w.due, s.due = 7, 5
	if got := h.NextDeadline(); got != 5 {
		t.Errorf("due at %v, want that of the server, 5", got)
	}
	if w.due = 3; h.NextDeadline() != 3 {
		t.Error("the worker's deadline is not the host's")
	}
	if got := fmt.Sprint(h.Counters()); got != "[{s 1} {w 1}]" {
		t.Errorf("counters %s", got)
	}
	if in, alone := h.Contributions(); in != 3 || alone != 4 {
		t.Errorf("contributions %d and %d", in, alone)
	}
	if name, server := h.Beside(); name != "s" || server != Server(s) {
		t.Errorf("server %q beside", name)
	}
	for _, at := range []Addresses{{}, {Host: here}, {Host: here, Group: elsewhere}, {Group: group}} {
		if _, err := New(w, s, at); err == nil {
			t.Errorf("%+v: no error", at)
		}
	}
}

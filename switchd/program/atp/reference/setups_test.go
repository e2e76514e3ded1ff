package reference

import (
	"net/netip"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/proptest"
	wire "github.com/inalab/inalab/internal/wire/atp"
	"github.com/inalab/inalab/internal/wire/inet"
)

// setUp is where the workers of a job are, and under which id, after a worker of it was started again (A.3). All
// hosts know it, and which one holds is what packets tell.
type setUp struct {
	order int
	id    uint8
	racks []int
	rings []positions // by server
}

// positions are those of the second level, by bit.
type positions []position

// newSetUp is the one at hand of a job whose servers are laid out.
func newSetUp(j *tenant) *setUp {
	up := &setUp{id: j.id, racks: slices.Clone(j.racks)}
	for _, s := range j.servers {
		up.rings = append(up.rings, s.layOut(up.racks))
	}
	return up
}

// mostSetUps is how many ids a job has for set-ups beyond the first.
const mostSetUps = 12

// restart has a worker end, and another one be there in its place, in a rack. It knows nothing but about how far the
// others are.
func (n *network) restart(j *tenant, worker, rack int) {
	if j.up.order == mostSetUps {
		return
	}
	order := j.up.order + 1
	j.racks = slices.Clone(j.racks)
	j.racks[worker] = rack
	j.id = 10 + j.name*(mostSetUps+1) + uint8(order)
	j.up = newSetUp(j)
	j.up.order = order
	clear(j.sets)
	for sw := range n.switches {
		n.setUp(j, sw)
	}
	for _, s := range j.servers {
		w := &j.workers[worker].streams[s.place]
		*w = stream{have: map[uint64]bool{}, up: j.up, asks: true, ended: n.now, expected: s.first()}
		for k := range j.workers {
			if other := &j.workers[k].streams[s.place]; k != worker && !other.asks {
				w.expected = min(w.expected, other.expected)
			}
		}
		w.next = w.expected
	}
}

// first returns the earliest packet that is not finished.
func (s *testServer) first() (packet uint64) {
	for e := s.store[packet]; e != nil && e.done; e = s.store[packet] {
		packet++
	}
	return packet
}

// ask sends a packet of a worker that asks where to go on.
func (n *network) ask(worker int, s *testServer) {
	up := s.job.workers[worker].streams[s.place].up
	bit0, bit1 := up.rings[s.place].of(worker)
	h := wire.Header{
		Bitmaps: [2]uint32{1 << bit0, 1 << bit1}, Job: up.id, Sequence: s.numbers.First, FanIns: [2]uint8{1, 1}, Flags: wire.Overflow,
	}
	a := arrival(pkt{h: h, port: port(worker), src: workerAddr(worker), dst: s.addr(), codept: inet.ECT0})
	n.flight = append(n.flight, flying{arrival: a, at: up.racks[worker], server: s, born: n.now, up: up})
}

// meet has a server take what a packet says of set-ups, and reports whether that is all.
func (n *network) meet(f flying, h *wire.Header) bool {
	s := f.server
	if f.up.order > s.up.order {
		s.up = f.up
		for packet, e := range s.store {
			if e.done {
				e.answer.h.Job = s.up.id
			} else {
				delete(s.store, packet)
			}
		}
		n.begun++
		n.goesOn(s)
	}
	switch {
	case h.Flags.Joins(), f.up != s.up && h.Flags.Has(wire.Resend):
		n.goesOn(s)
	case f.up == s.up:
		return false
	}
	return true
}

// goesOn has a server tell all workers from which packet on they send.
func (n *network) goesOn(s *testServer) {
	p := pkt{
		h:    wire.Header{Job: s.up.id, Sequence: s.numbers.Of(s.first()), FanIns: [2]uint8{1, 1}, Flags: wire.GoOn},
		port: portOf(s), src: s.addr(), dst: netip.MustParseAddr("239.255.0.1"), codept: inet.ECT0,
	}
	n.flight = append(n.flight, flying{server: s, packet: s.first(), at: s.home, arrival: arrival(p), born: n.now, up: s.up})
}

// told has a worker take in from which packet on it is to send.
func (n *network) told(f flying) {
	w := &f.server.job.workers[f.worker].streams[f.server.place]
	switch {
	case f.up.order < w.up.order, f.up == w.up && !w.asks:
		return
	case f.packet < w.expected:
		n.t.Fatalf("worker %d is to go on from packet %d, and has all before %d", f.worker, f.packet, w.expected)
	}
	w.up, w.from = f.up, f.packet
	if w.asks {
		n.takenOver += f.packet - w.expected
		w.asks, w.expected = false, f.packet
	}
	w.next = w.expected
}

// nobodysOwn reports whether nobody waits for a packet: its number is finished, or its job is set up anew.
func (f *flying) nobodysOwn() bool {
	e := f.server.store[f.packet]
	return e != nil && e.done || f.up != f.server.up
}

// leftovers counts what is held by packets that came late, and of set-ups that are over, in which workers died. All
// that is held must be one of these.
func (n *network) leftovers() (late, dead int) {
	for sw, e := range n.switches {
		for a := range e.held {
			switch of := n.origins[sw][a.Index]; {
			case of.up != of.server.up:
				dead++
			case of.late:
				late++
			default:
				n.t.Fatalf("aggregator %d of switch %d is held for job %d number %d, which nobody came late with", a.Index, sw, a.Job, a.Sequence)
			}
		}
	}
	return late, dead
}

// When all jobs are done, aggregators are held by late copies, and by what workers that died have left, alone. One
// further job over the same indexes frees them all, once they are as old as the limit.
func TestNothingIsHeldForEver(t *testing.T) {
	late, dead := 0, 0
	proptest.Until(t, func() bool { return late > 0 && dead > 0 }, func(t *rapid.T) {
		n := drawNetwork(t)
		n.keeps = true
		for _, j := range n.jobs {
			j.index = func(_ int, _ uint64, number uint32) uint16 {
				return wire.Index(j.name, number, 0, len(n.switches[0].table))
			}
		}
		var copies []flying // that come when all is done
		for range rapid.IntRange(0, 300).Draw(t, "steps") {
			n.act(t)
			if len(n.flight) > 0 && rapid.IntRange(0, 9).Draw(t, "is there a copy") == 0 {
				copies = append(copies, n.flight[rapid.IntRange(0, len(n.flight)-1).Draw(t, "copied")])
			}
		}
		n.heal()
		n.wantDone()
		n.flight = append(n.flight, copies...)
		n.settle()
		l, d := n.leftovers()
		late, dead = late+l, dead+d
		if l+d != n.held() {
			t.Fatalf("%d and %d of %d aggregators are leftovers", l, d, n.held())
		}
		n.wantSwept()
	})
	if late == 0 || dead == 0 {
		t.Errorf("late copies held %d aggregators, dead workers %d", late, dead)
	}
}

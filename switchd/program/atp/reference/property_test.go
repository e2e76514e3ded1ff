package reference

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/proptest"
	"github.com/inalab/inalab/internal/units"
	wire "github.com/inalab/inalab/internal/wire/atp"
	"github.com/inalab/inalab/internal/wire/inet"
	"github.com/inalab/inalab/switchd/program/atp"
)

// drawNetwork draws racks, and jobs in them.
func drawNetwork(t *rapid.T) *network {
	racks := rapid.IntRange(1, 4).Draw(t, "racks")
	aggregators := rapid.SampledFrom([]int{0, 1, 2, 3, 5, 8, 64}).Draw(t, "aggregators")
	n := newNetwork(t, racks, aggregators)
	for a := range racks {
		for h := range racks {
			if rapid.IntRange(0, 2).Draw(t, "detour") == 0 {
				n.detours[a][h] = rapid.IntRange(0, racks-1).Draw(t, "by way of")
			}
			if n.detours[a][h] == a {
				n.detours[a][h] = h
			}
		}
	}
	for id := range rapid.IntRange(1, 3).Draw(t, "jobs") {
		n.add(drawTenant(t, uint8(id), racks, aggregators))
	}
	return n
}

// drawTenant draws a job. Its workers mostly agree on indexes, which are of one table.
func drawTenant(t *rapid.T, id uint8, racks, aggregators int) *tenant {
	j := &tenant{id: id, packets: rapid.Uint64Range(1, 4).Draw(t, "packets"), window: rapid.Uint64Range(1, 4).Draw(t, "window"), big: rapid.Bool().Draw(t, "near the ends")}
	for range rapid.IntRange(1, 6).Draw(t, "workers") {
		j.racks = append(j.racks, rapid.IntRange(0, racks-1).Draw(t, "rack"))
	}
	for place := range rapid.IntRange(1, 2).Draw(t, "servers") {
		j.servers = append(j.servers, &testServer{place: place, home: rapid.IntRange(0, racks-1).Draw(t, "home")})
	}
	stray := rapid.SampledFrom([]uint64{0, 0, 4}).Draw(t, "one in as many indexes differs")
	j.index = func(worker int, _ uint64, number uint32) uint16 {
		var salt uint16
		if stray > 0 && mix(uint64(worker)<<32|uint64(number))%stray == 0 {
			salt = 1
		}
		return wire.Index(id, number, salt, aggregators)
	}
	return j
}

// act does one thing: hosts send, the network delivers, loses, copies or marks what is in flight in
// any order, and switches forget.
func (n *network) act(t *rapid.T) {
	stream := func() (worker int, s *testServer) {
		j := rapid.SampledFrom(n.jobs).Draw(t, "job")
		return rapid.IntRange(0, len(j.workers)-1).Draw(t, "worker"), rapid.SampledFrom(j.servers).Draw(t, "server")
	}
	some := func() int { return rapid.IntRange(0, len(n.flight)-1).Draw(t, "packet") }
	sw := func() int { return rapid.IntRange(0, len(n.switches)-1).Draw(t, "switch") }
	what := rapid.IntRange(0, 19).Draw(t, "what")
	switch {
	case what < 5:
		n.sendNext(stream())
	case what < 6:
		w, s := stream()
		if lacks := s.lacking(w); len(lacks) > 0 {
			n.gradient(w, s, rapid.SampledFrom(lacks).Draw(t, "packet"), true)
		}
	case what < 16 && len(n.flight) > 0:
		n.deliver(n.take(some()))
	case what == 16 && len(n.flight) > 0:
		n.take(some())
	case what == 17 && len(n.flight) > 0:
		n.flight = append(n.flight, n.flight[some()])
	case what == 18:
		n.now = n.now.Add(rapid.SampledFrom([]units.Duration{0, 1, networkAge, networkAge + 1}).Draw(t, "time"))
	case what == 19 && rapid.IntRange(0, 2).Draw(t, "rare") == 0:
		_, s := stream()
		j, at := s.job, sw()
		switch rapid.IntRange(0, 5).Draw(t, "of the switch") {
		case 4, 5:
			n.restart(j, rapid.IntRange(0, len(j.workers)-1).Draw(t, "worker"), at)
		case 0:
			if !n.keeps {
				n.takeDown(j, at)
			}
		case 1:
			n.setUp(j, at)
		default:
			n.switches[at].Forget(n.now)
		}
	}
}

// Whatever is lost, copied, overtaken, forgotten or in another's way, and wherever workers are started again, every packet and aggregator has the sum of
// exactly the workers that it names, every number is finished with every contribution in it once, and at every worker.
func TestSumsAreExact(t *testing.T) {
	var came [32]uint64
	begun, takenOver := 0, uint64(0)
	needed := []atp.Counter{
		atp.Results, atp.Collisions, atp.Duplicate, atp.Partials, atp.FreedByAge, atp.FreedByResend, atp.FreedByParameter, atp.Forgotten, atp.Saturated, atp.NotHere,
	}
	lacks := func() bool {
		for _, c := range needed {
			if came[c] == 0 {
				return true
			}
		}
		return begun == 0 || takenOver == 0
	}
	proptest.Until(t, func() bool { return !lacks() }, func(t *rapid.T) {
		n := drawNetwork(t)
		for range rapid.IntRange(0, 400).Draw(t, "steps") {
			n.act(t)
		}
		n.heal()
		n.wantDone()
		n.wantSwept()
		begun, takenOver = begun+n.begun, takenOver+n.takenOver
		for _, e := range n.switches {
			for _, c := range needed {
				came[c] += count(e, c)
			}
		}
	})
	for _, c := range needed {
		if came[c] == 0 {
			t.Errorf("%s never came up", c)
		}
	}
	if begun == 0 || takenOver == 0 {
		t.Errorf("%d set-ups, and %d packets were finished before a worker was there", begun, takenOver)
	}
}

func count(e *Engine, c atp.Counter) (out uint64) {
	for id := range 256 {
		out += e.CountsOf(uint8(id))[c]
	}
	return out
}

// heal ends faults and jobs.
func (n *network) heal() {
	for _, j := range n.jobs {
		for sw := range n.switches {
			n.setUp(j, sw)
		}
	}
	n.finish()
}

// wantDone checks that every packet of every stream is finished, and known to every worker.
func (n *network) wantDone() {
	for _, j := range n.jobs {
		for _, s := range j.servers {
			for packet := range j.packets {
				if e := s.store[packet]; e == nil || !e.done {
					n.t.Fatalf("job %d packet %d is not finished", j.id, packet)
				}
			}
			for w := range j.workers {
				if got := j.workers[w].streams[s.place].expected; got != j.packets {
					n.t.Fatalf("job %d: worker %d lacks packet %d", j.id, w, got)
				}
			}
		}
	}
}

// wantSwept checks that no aggregator is held for ever: a further job over all indexes, from the age on,
// frees those that late copies have left.
func (n *network) wantSwept() {
	n.now = n.now.Add(networkAge + 1)
	all := len(n.switches[0].table)
	for home := range n.switches { // one for each switch that may have been a server's
		j := &tenant{id: uint8(100 + home), packets: uint64(all), window: 8, servers: []*testServer{{home: home}}}
		j.index = func(_ int, packet uint64, _ uint32) uint16 { return uint16(packet) }
		for r := range n.switches {
			j.racks = append(j.racks, r)
		}
		n.add(j)
	}
	n.finish()
	n.wantDone()
	if n.held() > 0 {
		n.t.Fatalf("%d aggregators are held for ever", n.held())
	}
}

// Without faults and collisions the server has one packet of each number; without aggregators one of each
// contribution. Marks on any packet are in the result.
func TestOneInOneOut(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := drawNetwork(t)
		all := len(n.switches[0].table)
		contributions := 0
		for i, j := range n.jobs {
			j.index = func(_ int, packet uint64, number uint32) uint16 { // of 2 servers with 4 packets at most
				place := slices.IndexFunc(j.servers, func(s *testServer) bool { return s.numbers.Has(number) })
				return uint16(8*i + 4*place + int(packet))
			}
			contributions += len(j.racks) * len(j.servers) * int(j.packets)
		}
		for range 1000 { // the window opens as parameters come
			n.settle()
			for _, j := range n.jobs {
				for w := range j.workers {
					for _, s := range j.servers {
						n.sendNext(w, s)
					}
				}
			}
			if len(n.flight) == 0 {
				break
			}
		}
		n.wantDone()
		want := n.fragments
		if all < 64 {
			want = -1
		}
		if all == 0 {
			want = contributions
		}
		if want >= 0 && n.atServers != want {
			t.Fatalf("%d packets came to servers, want %d: %d numbers, %d contributions", n.atServers, want, n.fragments, contributions)
		}
		if n.held() != 0 {
			t.Fatalf("%d aggregators are held", n.held())
		}
	})
}

// Marked packets in any place of a sum mark it, at both levels.
func TestMarksReachTheServer(t *testing.T) {
	for marked := range 6 {
		n := newNetwork(t, 2, 4)
		j := &tenant{id: 1, packets: 1, window: 1, racks: []int{0, 0, 0, 1, 1}, servers: []*testServer{{home: 1}}}
		j.index = func(int, uint64, uint32) uint16 { return 1 }
		n.add(j)
		for w := range j.racks {
			n.sendNext(w, j.servers[0])
			if w == marked {
				ip := inet.IPv4(n.flight[w].arrival.Train.Header[inet.EtherLen:])
				ip.SetECN(inet.CE)
			}
		}
		var last flying
		for len(n.flight) > 0 && n.flight[0].at != atServer {
			n.deliver(n.take(0))
		}
		if len(n.flight) != 1 {
			t.Fatalf("%d packets come to the server", len(n.flight))
		}
		last = n.flight[0]
		var h wire.Header
		h.Read(last.arrival.Train.Body, 0)
		ip := inet.IPv4(last.arrival.Train.Header[inet.EtherLen:])
		if got := h.Flags.Has(wire.ECN); got != (marked < 5) || ip.ECN() != inet.ECT0 || !ip.ChecksumOK() {
			t.Errorf("worker %d marked: the sum is %v, its codepoint %d", marked, got, ip.ECN())
		}
	}
}

package reference

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/units"
	wire "github.com/inalab/inalab/internal/wire/atp"
	"github.com/inalab/inalab/internal/wire/inet"
	"github.com/inalab/inalab/switchd/program/atp"
)

// drawNetwork draws racks, and jobs in them.
func drawNetwork(t *rapid.T) *network {
	n := &network{t: t}
	racks := rapid.IntRange(1, 4).Draw(t, "racks")
	aggregators := rapid.SampledFrom([]int{0, 1, 2, 3, 5, 8, 64}).Draw(t, "aggregators")
	for range racks {
		e, err := New(atp.Config{Node: "tor", Aggregators: aggregators, Age: networkAge})
		if err != nil {
			t.Fatal(err)
		}
		n.switches = append(n.switches, e)
	}
	for a := range racks {
		n.detours = append(n.detours, make([]int, racks))
		for h := range racks {
			if n.detours[a][h] = h; rapid.IntRange(0, 2).Draw(t, "detour") == 0 {
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
	j := &tenant{id: id, numbers: rapid.Uint32Range(1, 6).Draw(t, "numbers"), window: rapid.Uint32Range(1, 4).Draw(t, "window"), big: rapid.Bool().Draw(t, "near the ends")}
	for range rapid.IntRange(1, 6).Draw(t, "workers") {
		j.racks = append(j.racks, rapid.IntRange(0, racks-1).Draw(t, "rack"))
	}
	for place := range rapid.IntRange(1, 2).Draw(t, "servers") {
		j.servers = append(j.servers, &testServer{place: place, home: rapid.IntRange(0, racks-1).Draw(t, "home")})
	}
	stray := rapid.SampledFrom([]uint64{0, 0, 4}).Draw(t, "one in as many indexes differs")
	j.index = func(worker int, number uint32) uint16 {
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
	job := func() (j *tenant, worker, server int) {
		j = rapid.SampledFrom(n.jobs).Draw(t, "job")
		return j, rapid.IntRange(0, len(j.workers)-1).Draw(t, "worker"), rapid.IntRange(0, len(j.servers)-1).Draw(t, "server")
	}
	some := func() int { return rapid.IntRange(0, len(n.flight)-1).Draw(t, "packet") }
	sw := func() int { return rapid.IntRange(0, len(n.switches)-1).Draw(t, "switch") }
	what := rapid.IntRange(0, 19).Draw(t, "what")
	switch {
	case what < 5:
		j, w, s := job()
		n.sendNext(j, w, s)
	case what < 6:
		j, w, s := job()
		if lacks := j.lacking(w, s); len(lacks) > 0 {
			n.gradient(j, w, j.servers[s], rapid.SampledFrom(lacks).Draw(t, "number"), true)
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
		j, _, _ := job()
		at := sw()
		switch rapid.IntRange(0, 3).Draw(t, "of the switch") {
		case 0:
			n.takeDown(j, at)
		case 1:
			n.setUp(j, at)
		default:
			n.switches[at].Forget(n.now)
		}
	}
}

// Whatever is lost, copied, overtaken, forgotten or in another's way, every packet and aggregator has the sum of
// exactly the workers that it names, every number is finished with every contribution in it once, and at every worker.
func TestSumsAreExact(t *testing.T) {
	var came [32]uint64
	needed := []atp.Counter{
		atp.Results, atp.Collisions, atp.Duplicate, atp.Partials, atp.FreedByAge, atp.FreedByResend, atp.FreedByParameter, atp.Forgotten, atp.Saturated, atp.NotHere,
	}
	lacks := func() bool {
		for _, c := range needed {
			if came[c] == 0 {
				return true
			}
		}
		return false
	}
	for round := 0; round < 50 && (round == 0 || lacks()); round++ { // what is drawn need not have all that may come up
		rapid.Check(t, func(t *rapid.T) {
			n := drawNetwork(t)
			for range rapid.IntRange(0, 400).Draw(t, "steps") {
				n.act(t)
			}
			n.heal()
			n.wantDone()
			n.wantSwept()
			for _, e := range n.switches {
				for _, c := range needed {
					came[c] += count(e, c)
				}
			}
		})
	}
	for _, c := range needed {
		if came[c] == 0 {
			t.Errorf("%s never came up", c)
		}
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

// wantDone checks that every number is finished, and known to every worker.
func (n *network) wantDone() {
	for _, j := range n.jobs {
		for k, s := range j.servers {
			for number := uint32(1 + k); number <= j.numbers; number += uint32(len(j.servers)) {
				if e := s.store[number]; e == nil || !e.done {
					n.t.Fatalf("job %d number %d is not finished", j.id, number)
				}
				for w := range j.workers {
					if !j.workers[w].have[k][number] {
						n.t.Fatalf("job %d: worker %d lacks number %d", j.id, w, number)
					}
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
		j := &tenant{id: uint8(100 + home), numbers: uint32(all), window: 8, servers: []*testServer{{home: home}}}
		j.index = func(_ int, number uint32) uint16 { return uint16(number - 1) }
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
			j.index = func(_ int, number uint32) uint16 { return uint16(6*i) + uint16(number) } // at most 6 numbers of each of 3 jobs
			contributions += len(j.racks) * int(j.numbers)
		}
		for range 1000 { // the window opens as parameters come
			n.settle()
			for _, j := range n.jobs {
				for w := range j.workers {
					for s := range j.servers {
						n.sendNext(j, w, s)
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
		n := &network{t: t, detours: [][]int{{0, 1}, {0, 1}}}
		for range 2 {
			e, err := New(atp.Config{Node: "tor", Aggregators: 4})
			if err != nil {
				t.Fatal(err)
			}
			n.switches = append(n.switches, e)
		}
		j := &tenant{id: 1, numbers: 1, window: 1, racks: []int{0, 0, 0, 1, 1}, servers: []*testServer{{home: 1}}}
		j.index = func(int, uint32) uint16 { return 1 }
		n.add(j)
		for w := range j.racks {
			n.sendNext(j, w, 0)
			if w == marked {
				ip := inet.IPv4(n.flight[w].arrival.Train.Header[inet.EtherLen:])
				ip.SetECN(inet.CE)
			}
		}
		var last flying
		for len(n.flight) > 0 && n.flight[0].server == nil {
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

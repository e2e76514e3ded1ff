package tofino

import (
	"bytes"
	"encoding/binary"
	"strings"
	"testing"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/wire/inet"
	"github.com/inalab/inalab/switchd/dataplane"
	"github.com/inalab/inalab/switchd/tofino/ir"
	"github.com/inalab/inalab/switchd/tofino/vm"
)

var (
	_ dataplane.Viewed = (*Chip)(nil)
)

// adding makes packets with values come back, and then go to ports.
func adding(b *bench, ports ...int) *bench {
	return b.group(0, ports...).
		route(route{again: true, unicast: true, port: Recirculation(0)}, opAdd, passFirst, 0).
		route(route{multicast: true, group: 0}, opAdd, passBack, 0)
}

// value returns value i of a packet that left.
func value(f []byte, i int) uint32 { return binary.BigEndian.Uint32(f[inet.UDPHeaders+4+4*i:]) }

// Two packets are added in one pass, read in the other, and each result goes to all
// of group 0 under their own addresses.
func TestAddAndMulticast(t *testing.T) {
	b := adding(newBench(t), 0, 1, 2)
	b.handle(0, arrival(0, added(7, 100)))
	b.expect(0, 1, 2)
	b.handle(0, arrival(1, added(7, 1000)))
	for _, s := range b.expect(0, 1, 2) {
		ip := inet.IPv4(s.frame[inet.EtherLen:])
		if ip.Dst() != host(int(s.port)) || !ip.ChecksumOK() || inet.Ether(s.frame).Dst() != (inet.MAC{5: byte(s.port)}) {
			t.Errorf("port %d: to %v, checksum right: %t", s.port, ip.Dst(), ip.ChecksumOK())
		}
		for i := range 64 {
			if got := value(s.frame, i); got != uint32(1100+2*i) {
				t.Fatalf("value %d is %d, want %d", i, got, 1100+2*i)
			}
		}
		if n := s.frame[inet.UDPHeaders+3]; n != 2 || len(s.frame) != len(added(7, 0)) {
			t.Errorf("packet %d of %d bytes", n, len(s.frame))
		}
	}
	b.count(CountPasses, 4)
	b.count(CountCopies, 6)
	if s := b.c.Snapshot(); s.Passes[2] != 2 || s.Inside != 0 {
		t.Errorf("passes %v, %d inside", s.Passes, s.Inside)
	}
}

// Results of a batch leave as one train for each destination, with a body that they
// share.
func TestResultsAreTrains(t *testing.T) {
	b := adding(newBench(t), 0, 1, 2)
	var frames [][]byte
	for slot := range byte(20) {
		frames = append(frames, added(slot, int(slot)))
	}
	b.c.Handle(0, []sansio.Arrival{train(3, frames...)}, &b.eff)
	if len(b.eff.Sends) != 3 {
		t.Fatalf("%d sends, want one for each port", len(b.eff.Sends))
	}
	for i := range b.eff.Sends {
		s := &b.eff.Sends[i]
		if s.Train.Frames() != 20 || &s.Train.Body[0] != &b.eff.Sends[0].Train.Body[0] {
			t.Errorf("port %v: train of %d frames, or a body of its own", s.To, s.Train.Frames())
		}
	}
	b.take(0)
	for i, s := range b.sent {
		if got := value(s.frame, 5); got != uint32(i%20+5) {
			t.Errorf("frame %d at port %d has value %d", i%20, s.port, got)
		}
	}
}

// Everything that can become of a packet, and the name under which it is counted.
func TestFates(t *testing.T) {
	const op = 9
	for name, tc := range map[string]struct {
		route route
		out   []sansio.Port
		drop  string
	}{
		"unicast":           {to(4), []sansio.Port{4}, ""},
		"bypass":            {route{unicast: true, port: FrontPort(4), bypass: true}, []sansio.Port{4}, ""},
		"group 0":           {route{multicast: true}, []sansio.Port{1, 2, 3}, ""},
		"both":              {route{multicast: true, unicast: true, port: FrontPort(9)}, []sansio.Port{1, 2, 3, 9}, ""},
		"rid left out":      {route{multicast: true, rid: 2}, []sansio.Port{1, 3}, ""},
		"xid left out":      {route{multicast: true, xid: 8}, []sansio.Port{2}, ""},
		"no group":          {route{multicast: true, group: 5}, nil, DropNoGroup},
		"nowhere":           {route{}, nil, DropNoDestination},
		"port not there":    {route{unicast: true, port: 500}, nil, DropNoPort},
		"other pipe":        {route{unicast: true, port: FrontPort(20)}, nil, DropNoPort},
		"dropped":           {route{drop: 1, unicast: true, port: FrontPort(4)}, nil, DropProgram},
		"dropped by name":   {route{drop: 1, reason: 2}, nil, "test-two"},
		"reason of no name": {route{drop: 1, reason: 7}, nil, DropProgram},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, func(c *Config) {
				c.DropField, c.DropNames = "meta.reason", []string{"", "test-one", "test-two"}
			}).group(0, 1, 2, 3)
			if err := b.c.SetExclusion(8, []DevPort{FrontPort(1), FrontPort(3)}); err != nil {
				t.Fatal(err)
			}
			b.route(tc.route, op, passFirst, 0).handle(0, arrival(0, packetOf(op, 1)))
			for _, s := range b.sent {
				if want := packetOf(op, 1); !bytes.Equal(s.frame[inet.UDPHeaders:inet.UDPHeaders+2],
					want[inet.UDPHeaders:inet.UDPHeaders+2]) {
					t.Errorf("port %d: %x", s.port, s.frame)
				}
			}
			b.expect(tc.out...)
			if tc.drop != "" {
				b.count(tc.drop, 1)
			}
			if b.c.inside != 0 {
				t.Errorf("%d packets are inside", b.c.inside)
			}
		})
	}
}

// What does not parse, is too short or too long, or came by a port that is not there
// is dropped under its name.
func TestBadPackets(t *testing.T) {
	b := newBench(t)
	arp := make([]byte, 42)
	arp[12], arp[13] = 8, 6
	b.handle(0, arrival(0, arp), arrival(0, packetOf(opAdd, 1)), arrival(0, nil), arrival(77, packetOf(9, 1)),
		arrival(0, make([]byte, MaxFrame+1)))
	b.handle(0, arrival(int(dataplane.Served), packetOf(9, 1)))
	b.expect()
	b.count(string(vm.ParserRejected), 1)
	b.count(string(vm.TooShort), 2)
	b.count(DropNoPort, 2)
	b.count(DropTooLong, 1)
}

// A packet that always comes back is dropped after so many passes.
func TestPassLimit(t *testing.T) {
	b := newBench(t).route(route{again: true, unicast: true, port: Recirculation(2)}, 9, passFirst, 0).
		route(route{again: true, unicast: true, port: FrontPort(loopPort)}, 9, passBack, 0)
	b.handle(0, arrival(0, packetOf(9, 1)))
	b.expect()
	b.count(DropPasses, 1)
	b.count(CountPasses, DefaultPasses)
	for _, p := range b.c.Snapshot().Ports {
		if p.Dev == FrontPort(loopPort) && p.In != DefaultPasses-1 || p.Dev == Recirculation(2) && p.In != 1 {
			t.Errorf("port %v saw %d packets come back", p.Dev, p.In)
		}
	}
}

// Multicast into a port that leads back does not fill the memory.
func TestMulticastStorm(t *testing.T) {
	b := newBench(t, func(c *Config) { c.Passes = 12 })
	if err := b.c.SetGroup(1, []Node{{RID: 50, Ports: []DevPort{Recirculation(0), Recirculation(1)}}}); err != nil {
		t.Fatal(err)
	}
	b.route(route{again: true, multicast: true, group: 1}, 9, passFirst, 0).
		route(route{again: true, multicast: true, group: 1}, 9, passBack, 0)
	b.handle(0, arrival(0, packetOf(9, 1)))
	b.count(DropPasses, 1<<12)
	if b.c.inside != 0 {
		t.Errorf("%d packets are inside", b.c.inside)
	}
}

// A resubmitted packet is as it came; of metadata only meta.resubmit stays.
func TestResubmission(t *testing.T) {
	b := newBench(t).route(route{resubmit: true, again: true}, 9, passFirst, 0).route(to(3), 9, passFirst, 1)
	b.handle(0, arrival(0, packetOf(9, 1)))
	f := b.expect(3)[0].frame
	if n := f[inet.UDPHeaders+3]; n != 2 || len(f) != len(packetOf(9, 1)) {
		t.Errorf("the counter was at %d, the packet has %d bytes: it is counted twice, and has no internal header", n, len(f))
	}
	b.count(CountPasses, 2)
}

// A mirrored copy is the packet as it came, and knows its session; it goes even if
// the packet is dropped. Bit 0 of ig.drop drops, the others do nothing (TNA 5.6).
func TestMirror(t *testing.T) {
	for drop, want := range map[uint64][]sansio.Port{0: {8, 4}, 1: {8}, 2: {8, 4}, 4: {8, 4}, 5: {8}} {
		b := newBench(t).route(route{unicast: true, port: FrontPort(4), mirror: 3, drop: drop}, 9, passFirst, 0)
		if err := b.c.SetMirror(3, Mirror{Port: FrontPort(8)}); err != nil {
			t.Fatal(err)
		}
		b.handle(0, arrival(0, packetOf(9, 1)))
		got := map[sansio.Port]sent{}
		for _, s := range b.sent {
			got[s.port] = s
		}
		if len(got) != len(want) {
			t.Fatalf("drop %d: frames at %d ports, want %v", drop, len(got), want)
		}
		if s, ok := got[8]; ok && (s.frame[inet.EtherLen+8] != 9 || s.frame[inet.UDPHeaders+3] != 0) {
			t.Errorf("drop %d: the mirrored copy is %x", drop, s.frame)
		}
	}
	b := newBench(t).route(route{unicast: true, port: FrontPort(4), mirror: 4}, 9, passFirst, 0)
	b.handle(0, arrival(0, packetOf(9, 1)))
	b.expect(4)
	b.count(DropNoSession, 1)
}

// A mirrored copy that comes back by a loopback port is a packet like any other.
func TestMirrorComesBack(t *testing.T) {
	const loop = 14
	b := newBench(t, func(c *Config) { c.Ports, c.Loopback = FrontPorts(loop), []DevPort{FrontPort(loop)} })
	b.route(route{unicast: true, port: FrontPort(4), mirror: 3}, 9, passFirst, 0).group(0, 1, 2).
		route(route{multicast: true}, 2, passFirst, 0)
	if err := b.c.SetMirror(3, Mirror{Port: FrontPort(loop)}); err != nil {
		t.Fatal(err)
	}
	b.handle(0, arrival(0, packetOf(9, 1)))
	for i, s := range b.expect(1, 2, 4) {
		if op := s.frame[inet.UDPHeaders]; i < 2 && op != 2 || i == 2 && op != 9 {
			t.Errorf("port %d has operation %d", s.port, op)
		}
	}
}

// Copies whose payload the egress makes different are different.
func TestCopiesWithPayloadsOfTheirOwn(t *testing.T) {
	b := newBench(t).route(route{multicast: true, group: 1}, 9, passFirst, 0)
	var nodes []Node
	for rid := range uint16(3) {
		nodes = append(nodes, Node{RID: rid + 1, Ports: []DevPort{FrontPort(int(rid))}})
		if _, err := b.c.AddEntry("copy", ir.Entry{Values: []uint64{uint64(rid) + 1}, Action: "stamp",
			Args: []uint64{uint64(rid) + 100}}); err != nil {
			t.Fatal(err)
		}
	}
	if err := b.c.SetGroup(1, nodes); err != nil {
		t.Fatal(err)
	}
	b.handle(0, arrival(9, packetOf(9, 1, make([]byte, 200)...)))
	for i, s := range b.expect(0, 1, 2) {
		if n := s.frame[inet.UDPHeaders+3]; int(n) != 100+i {
			t.Errorf("port %d has stamp %d", i, n)
		}
	}
}

// Bit 0 of eg.drop drops; bit 2 would stop a mirrored copy (TNA 5.12).
func TestEgressDrops(t *testing.T) {
	for drop, want := range map[uint64][]sansio.Port{0: {1, 2}, 1: {1}, 2: {1, 2}, 4: {1, 2}, 5: {1}} {
		b := newBench(t).group(0, 1, 2).route(route{multicast: true, group: 1}, 9, passFirst, 0)
		if err := b.c.SetGroup(1, []Node{{RID: 1, Ports: []DevPort{FrontPort(1)}}, {RID: 40, Ports: []DevPort{FrontPort(2)}}}); err != nil {
			t.Fatal(err)
		}
		if _, err := b.c.AddEntry("copy", ir.Entry{Values: []uint64{40}, Action: "egress-drop", Args: []uint64{drop}}); err != nil {
			t.Fatal(err)
		}
		b.handle(0, arrival(0, packetOf(9, 1)))
		b.expect(want...)
		b.count(DropEgress, drop&1)
	}
}

// Entries of one pipe are seen by its ports alone, and come and go for all.
func TestEntriesByPipe(t *testing.T) {
	b := newBench(t, func(c *Config) { c.Ports = FrontPorts(32); c.Loopback = nil })
	e := to(1).entry(9, passFirst, 0)
	e.Pipe = 2
	id, err := b.c.AddEntry("route", e)
	if err != nil {
		t.Fatal(err)
	}
	b.handle(0, arrival(0, packetOf(9, 1)), arrival(16, packetOf(9, 1)))
	b.expect(1)
	if _, err := b.c.AddEntry("route", to(1).entry(9, passFirst, 0)); err == nil || !strings.Contains(err.Error(), "pipe 2") {
		t.Errorf("an entry is added over one of pipe 2: %v", err)
	}
	b.handle(0, arrival(0, packetOf(9, 1)))
	b.expect() // nothing is left in pipe 1 of the entry that was refused
	hits, err := b.c.Hits("route")
	if err != nil || len(hits) != 2 || hits[0].Entry != id || hits[0].Packets != 1 || hits[0].Action != "send" ||
		hits[1].Entry != vm.Default || hits[1].Packets != 2 {
		t.Errorf("hits %+v, %v", hits, err)
	}
	if err := b.c.RemoveEntry("route", id); err != nil {
		t.Error(err)
	}
	for _, err := range []error{
		b.c.RemoveEntry("route", id), b.c.RemoveEntry("rout", id), b.c.SetMirror(0, Mirror{}), b.c.SetMirror(1, Mirror{Port: 3}),
		b.c.SetExclusion(0, nil),
		b.c.SetGroup(1, []Node{{Ports: []DevPort{600}}}),
	} {
		if err == nil {
			t.Error("what is wrong is taken")
		}
	}
	if _, err := b.c.Hits("copy"); err == nil {
		t.Error("a table without counters has counted")
	}
}

func TestConfigIsChecked(t *testing.T) {
	for says, change := range map[string]func(*Config){
		"no program":          func(c *Config) { c.Program = nil },
		"5 pipes":             func(c *Config) { c.Pipes = 5 },
		"two uses":            func(c *Config) { c.Loopback = []DevPort{FrontPort(0)} },
		"of 100 Gbit/s":       func(c *Config) { c.Ports[0].Dev = 3 },
		"has pipes 0 to 1":    func(c *Config) { c.Pipes = 2; c.Ports[0].Dev = FrontPort(40) },
		"port 1 of the":       func(c *Config) { c.Ports[0].Front = 1 },
		"passes of a packet":  func(c *Config) { c.Passes = -1 },
		"timing: pass of":     timed(func(t *Timing) { t.Pass = 1 }),
		"timing: a buffer":    timed(func(t *Timing) { t.Queue = 0 }),
		"timing: rates":       timed(func(t *Timing) { t.Loop = 0 }),
		`no field "meta.why"`: func(c *Config) { c.DropField = "meta.why" },
	} {
		cfg := testConfig(t)
		change(&cfg)
		if _, err := New(cfg); err == nil || !strings.Contains(err.Error(), says) || !strings.Contains(err.Error(), "tor0") {
			t.Errorf("%v, want %q", err, says)
		}
	}
}

package tofino

import (
	"fmt"
	"testing"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
)

// A packet takes the time of ingress and egress, and one of PassTime more for every
// further pass (SwitchML §5: 520 ns).
func TestPassesTakeTime(t *testing.T) {
	b := newBench(t, timed()).route(to(3), 8, passFirst, 0).
		route(route{again: true, unicast: true, port: Recirculation(1)}, 9, passFirst, 0).route(to(3), 9, passBack, 0).
		route(route{resubmit: true}, 7, passFirst, 0).route(to(3), 7, passFirst, 1)
	const start = units.Time(units.Microsecond)
	for op, passes := range map[byte]units.Duration{8: 0, 9: 1, 7: 1} {
		b.handle(start, arrival(0, packetOf(op, 1))).expect()
		b.idle()
		if at, want := b.expect(3)[0].at, start.Add(IngressTime+EgressTime+passes*PassTime); at != want {
			t.Errorf("operation %d: it leaves at %v, want %v", op, at, want)
		}
		b = newBench(t, timed()).route(to(3), 8, passFirst, 0).
			route(route{again: true, unicast: true, port: Recirculation(1)}, 9, passFirst, 0).route(to(3), 9, passBack, 0).
			route(route{resubmit: true}, 7, passFirst, 0).route(to(3), 7, passFirst, 1)
	}
}

// The recirculation port of a pipe sends one packet after another at 100 Gbit/s, and
// that of another pipe beside it.
func TestRecirculationIsSerial(t *testing.T) {
	b := adding(newBench(t, timed()), 0).route(route{again: true, unicast: true, port: Recirculation(1)}, 9, passFirst, 0).
		route(to(1), 9, passBack, 0)
	b.handle(0, arrival(0, added(1, 0)), arrival(1, added(2, 0)), arrival(2, packetOf(9, 0))).idle()
	bits := 8 * units.Duration(len(added(1, 0))+1+int(units.EthernetFraming)) // with the internal header
	first := units.Time(IngressTime + EgressTime + PassTime)
	got := map[sansio.Port][]units.Time{}
	for _, s := range b.sent {
		got[s.port] = append(got[s.port], s.at)
	}
	want := map[sansio.Port][]units.Time{0: {first, first.Add(bits * units.Second / (100 * units.Duration(1e9)))}, 1: {first}}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("they leave at %v, want %v", got, want)
	}
	for _, p := range b.c.Snapshot().Ports {
		if p.Dev == Recirculation(0) && (p.In != 2 || len(p.Queues) != 1 || p.Queues[0].Most == 0) {
			t.Errorf("port %v: %+v", p.Dev, p)
		}
	}
}

// A queue that is full drops at its tail, and one that is long marks what can be
// marked; the egress sees its length.
func TestQueuesMarkAndDrop(t *testing.T) {
	b := newBench(t, timed(func(t *Timing) { t.Queue, t.Mark = 5, 3 })).route(to(3), 9, passFirst, 0)
	capable := packetOf(9, 1)
	capable[inet.EtherLen+1] = 2 // ECT(0)
	var in []sansio.Arrival
	for i := range 8 {
		f := capable
		if i == 4 {
			f = packetOf(9, 1) // one cell each: 46 bytes
		}
		in = append(in, arrival(0, f))
	}
	b.handle(0, in...).idle()
	got := ""
	for _, s := range b.expect(3, 3, 3, 3, 3) { // all come at once: five find room
		ip := inet.IPv4(s.frame[inet.EtherLen:])
		got += fmt.Sprintf("%d%t ", ip[1]&3, ip.ChecksumOK())
	}
	if got != "2true 2true 2true 3true 0true " {
		t.Errorf("code points %s", got)
	}
	b.count(DropQueue, 3)
	b.count(CountMarked, 1)
	b.count(CountUnmarked, 1)
	b = newBench(t, timed(func(t *Timing) { t.Buffer = 2 })).route(to(3), 9, passFirst, 0).route(to(4), 8, passFirst, 0)
	b.handle(0, arrival(0, capable), arrival(0, packetOf(8, 0)), arrival(0, capable)).idle()
	b.count(DropBuffer, 1)
}

// Queues of a port take turns.
func TestQueuesTakeTurns(t *testing.T) {
	b := newBench(t, timed()).route(route{unicast: true, port: FrontPort(3), queue: 1}, 9, passFirst, 0).
		route(route{unicast: true, port: FrontPort(3), queue: 6}, 8, passFirst, 0)
	var in []sansio.Arrival
	for _, op := range []byte{9, 9, 9, 8, 8} {
		in = append(in, arrival(0, packetOf(op, 1)))
	}
	b.handle(0, in...).idle()
	got := ""
	for _, s := range b.expect(3, 3, 3, 3, 3) {
		got += fmt.Sprint(s.frame[inet.UDPHeaders])
	}
	if got != "98989" {
		t.Errorf("operations leave as %s", got)
	}
}

// With time or without, the same packets leave where they do not depend on time.
func TestClocksAgree(t *testing.T) {
	instant, slow := adding(newBench(t), 0, 1, 2), adding(newBench(t, timed()), 0, 1, 2)
	for i := range 50 {
		in := arrival(i%3, added(byte(i%4), i))
		at := units.Time(i) * units.Time(10*units.Microsecond)
		instant.handle(at, in)
		slow.handle(at, in).idle()
	}
	if len(instant.sent) != 150 || len(slow.sent) != len(instant.sent) {
		t.Fatalf("%d and %d frames", len(instant.sent), len(slow.sent))
	}
	for i := range instant.sent {
		a, b := instant.sent[i], slow.sent[i]
		if a.port != b.port || string(a.frame) != string(b.frame) {
			t.Fatalf("frame %d: port %d %x, and with time port %d %x", i, a.port, a.frame, b.port, b.frame)
		}
	}
}

// Copies that wait in queues keep their bytes while other packets come and go.
func TestCopiesOutliveTheirPacket(t *testing.T) {
	instant, slow := adding(newBench(t), 0, 1, 2), adding(newBench(t, timed()), 0, 1, 2)
	for i := range 40 {
		in := arrival(i%10, added(byte(i), i))
		instant.handle(0, in)
		slow.handle(units.Time(i)*units.Time(50*units.Nanosecond), in)
	}
	slow.idle()
	for port, want := range instant.ports() {
		if got := slow.ports()[port]; got != want {
			t.Errorf("port %d:\n%s\nwithout time:\n%s", port, got, want)
		}
	}
}

// What is due inside is done before the control plane comes between; what leaves
// waits, and leaves at its own time.
func TestAdvance(t *testing.T) {
	b := newBench(t, timed()).route(route{again: true, unicast: true, port: Recirculation(1)}, 9, passFirst, 0).route(to(3), 9, passBack, 0)
	b.handle(0, arrival(0, packetOf(9, 1))).expect()
	b.c.Advance(units.Time(PassTime - 1))
	if n := b.c.stats.ingress; n != 1 {
		t.Errorf("%d passes before the time of the second", n)
	}
	b.c.Advance(units.Time(PassTime))
	if n := b.c.stats.ingress; n != 2 {
		t.Errorf("%d passes at the time of the second", n)
	}
	b.c.Advance(units.Time(units.Millisecond))
	b.idle()
	if at, want := b.expect(3)[0].at, units.Time(IngressTime+EgressTime+PassTime); at != want {
		t.Errorf("it leaves at %v, want %v", at, want)
	}
	newBench(t).c.Advance(units.Time(units.Second)) // in instant mode nothing is due
}

package tofino

import (
	"testing"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/switchd/tofino/fit"
)

// TNA 7.14: a packet is resubmitted at most once; a second time it is dropped. Where it has been
// recirculated since, it is a new packet.
func TestResubmittedOnce(t *testing.T) {
	for _, change := range []func(*Config){func(*Config) {}, timed()} {
		b := newBench(t, change).route(route{resubmit: true}, 9, passFirst, 0).route(route{resubmit: true}, 9, passFirst, 1)
		b.handle(0, arrival(0, packetOf(9, 1))).idle().expect()
		b.count(DropTwice, 1)
		b.count(CountAgain, 1)
		b.count(CountPasses, 2)
		b = newBench(t, change).route(route{resubmit: true}, 9, passFirst, 0).
			route(route{again: true, unicast: true, port: FrontPort(loopPort)}, 9, passFirst, 1).
			route(route{resubmit: true}, 9, passBack, 0).route(to(3), 9, passBack, 1)
		b.handle(0, arrival(0, packetOf(9, 1))).idle().expect(3)
		b.count(CountAgain, 2)
	}
}

// TNA 7.14: quads 16 and 17 resubmit nothing; front ports do, also those in loopback mode.
func TestResubmittedAtAnInsidePort(t *testing.T) {
	for _, at := range append([]DevPort{Recirculation(0), Recirculation(2), FrontPort(loopPort)}, quads16...) {
		b := newBench(t, withQuads16).route(route{again: true, unicast: true, port: at}, 9, passFirst, 0).
			route(route{resubmit: true}, 9, passBack, 0).route(to(3), 9, passBack, 1)
		b.handle(0, arrival(0, packetOf(9, 1)))
		if at == FrontPort(loopPort) {
			b.expect(3)
			continue
		}
		b.expect()
		b.count(DropInside, 1)
		b.count(CountAgain, 0)
	}
}

// TNA 5.6: of a packet that is resubmitted nothing goes to the traffic manager, not a copy either.
// One that is dropped is not resubmitted, and copied all the same.
func TestResubmittedOrMirrored(t *testing.T) {
	for drop, want := range map[uint64][]sansio.Port{0: {3}, 1: {8}, 2: {3}, 4: {3}} {
		b := newBench(t).route(route{resubmit: true, mirror: 3, drop: drop}, 9, passFirst, 0).route(to(3), 9, passFirst, 1)
		if err := b.c.SetMirror(3, Mirror{Port: FrontPort(8)}); err != nil {
			t.Fatal(err)
		}
		b.handle(0, arrival(0, packetOf(9, 1))).expect(want...)
		b.count(CountMirrors, drop&dropBit)
	}
}

// big is a packet of so many bytes behind its headers, and its time on a line of 100 Gbit/s.
func big(op byte, bytes int) ([]byte, units.Duration) {
	f := packetOf(op, 0, make([]byte, bytes)...)
	return f, PortRate.TimeToSend(units.Bytes(len(f)) + units.EthernetFraming)
}

// resubmitting returns a chip that resubmits every packet once.
func resubmitting(t *testing.T, change ...func(*Config)) *bench {
	return newBench(t, append(change, timed())...).route(route{resubmit: true}, 9, passFirst, 0).route(to(3), 9, passFirst, 1)
}

// seconds remembers when packets entered an ingress for the second time.
type seconds []units.Time

func (s *seconds) Passed(o *Observation) {
	if o.Side == fit.Ingress && o.Passes == 2 {
		*s = append(*s, o.At)
	}
}

// A packet that is resubmitted waits for others of its port, not for those of another.
func TestResubmittedTakeTurns(t *testing.T) {
	f, line := big(9, 1000)
	for second, want := range map[int]units.Duration{0: line, 1: 0} {
		var at seconds
		b := resubmitting(t, func(c *Config) { c.Observer = &at })
		b.handle(0, arrival(0, f), arrival(second, f)).idle().expect(3, 3)
		if at[0] != units.Time(PassTime) || at[1].Sub(at[0]) != want {
			t.Errorf("by ports 0 and %d they enter again at %v, want the second %v after the first", second, at, want)
		}
	}
}

// Fresh and resubmitted packets of a port together have its rate: at half of it all are
// resubmitted, at all of it those that its buffer holds until the end, and the few that come to it
// after the last fresh one.
func TestResubmittedHaveWhatIsLeft(t *testing.T) {
	const packets = 200
	f, line := big(9, 1000)
	for _, apart := range []units.Duration{2 * line, line} {
		b := resubmitting(t)
		at := units.Time(0)
		for range packets {
			b.handle(at, arrival(0, f))
			at = at.Add(apart)
		}
		b.idle()
		least, most := packets, packets
		if apart == line {
			least = int(InputBytes / (units.Bytes(len(f)) + units.EthernetFraming))
			most = least + int(PassTime/line)
		}
		if n := len(b.sent); n < least || n > most {
			t.Errorf("packets come every %v, %v each: %d are resubmitted, want %d to %d", apart, line, n, least, most)
		}
		b.count(DropInput, uint64(packets-len(b.sent)))
	}
}

// mirroring copies packets of operations 8 and 9 to ports 8 and 9.
func mirroring(t *testing.T, pipe1 bool) *bench {
	b := newBench(t, timed(), func(c *Config) {
		if pipe1 {
			c.Ports[1].Dev = FrontPort(PortsPerPipe)
		}
	})
	for _, op := range []uint64{8, 9} {
		b.route(route{unicast: true, port: FrontPort(3), mirror: op}, op, passFirst, 0)
		if err := b.c.SetMirror(uint16(op), Mirror{Port: FrontPort(int(op))}); err != nil {
			t.Fatal(err)
		}
	}
	return b
}

// Copies of a pipe come to the traffic manager one after another, whatever port they go to.
func TestMirroredTakeTurns(t *testing.T) {
	f, line := big(9, 1000)
	g, _ := big(8, 1000)
	for pipe1, want := range map[bool]units.Duration{false: line, true: 0} {
		b := mirroring(t, pipe1)
		b.handle(0, arrival(0, f), arrival(1, g)).idle()
		at := map[sansio.Port]units.Time{}
		for _, s := range b.sent {
			at[s.port] = s.at
		}
		if got := at[8].Sub(at[9]); got != want || at[9] != units.Time(IngressTime+EgressTime) {
			t.Errorf("another pipe %t: the copies leave at %v, want the second %v later", pipe1, at, want)
		}
	}
}

// Copies that a pipe has no room for are not made; their packets go on.
func TestMirroredHaveARate(t *testing.T) {
	const packets = 50
	b := mirroring(t, false)
	f, _ := big(9, 1000)
	for i := range packets {
		b.handle(0, arrival(i%3, f))
	}
	b.idle()
	copies := 1 + int(MirrorBytes/(units.Bytes(len(f))+units.EthernetFraming)) // the first does not wait
	got := map[sansio.Port]int{}
	for _, s := range b.sent {
		got[s.port]++
	}
	if got[3] != packets || got[9] != copies {
		t.Errorf("%d packets and %d copies leave, want %d and %d", got[3], got[9], packets, copies)
	}
	b.count(DropMirror, uint64(packets-copies))
	b.count(CountMirrors, uint64(copies))
}

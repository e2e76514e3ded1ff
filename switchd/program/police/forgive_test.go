package police

import (
	"testing"

	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/switchd/program/middlebox"
	"github.com/inalab/inalab/switchd/trio"
)

const us = units.Time(units.Microsecond)

// inside is more than a packet or a visit of a timer's thread takes.
const inside = 50 * us

// blocked is a PFE with time that has blocked source 1.
func blocked(t *testing.T, timing *trio.Timing) *gate {
	g := newGate(t, Config{Rate: 8 * units.MbitPerSecond, Burst: 2000, Limit: 1, PFE: middlebox.Config{Period: 100 * units.Millisecond, Timing: timing}})
	for range 5 {
		g.send(1, 9)
		g.Until(g.Now + inside)
	}
	g.want(map[string]uint64{SourcesBlocked: 1, DropExceeded: 1, DropBlocked: 1})
	return g
}

// A blocked source may be forgiven while a packet of it comes, at whichever
// instruction of the timer's thread: then it passes with that packet, or it stays
// blocked with it.
func TestForgivenWhileAPacketComes(t *testing.T) {
	timing := trio.DefaultTiming()
	idle := blocked(t, &timing)
	const visits = 25 * ms // between the starts of two of the four timer threads
	for idle.e.Memory().Hash().Len() > 0 {
		idle.Until(idle.Now/visits*visits + visits + inside)
	}
	forgives := (idle.Now / visits * visits).Add(-timing.Packet) // by the thread that starts when a packet of then gets one
	ends := map[bool]int{}
	for at := forgives - 2*us; at < forgives+3*us; at += us / 100 {
		g := blocked(t, &timing)
		g.Until(at)
		before := g.passed
		for range 2 {
			g.send(1, 9)
			g.Until(g.Now + inside)
		}
		through := g.passed - before
		forgiven := g.Count(SourcesForgiven) == 1
		if forgiven != (through == 2) || !forgiven && through != 0 {
			t.Fatalf("a packet comes %v after the visit begins: forgiven %v, and %d of 2 pass", at-forgives, forgiven, through)
		}
		ends[forgiven]++
	}
	if ends[true] == 0 || ends[false] == 0 {
		t.Errorf("%d visits forgive and %d do not: the instants are not those of one", ends[true], ends[false])
	}
}

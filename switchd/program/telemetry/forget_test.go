package telemetry

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/switchd/trio"
)

const (
	us     = units.Time(units.Microsecond)
	visits = period / 4 // between the starts of two of the four timer threads
	inside = 50 * us    // more than a packet or a visit takes
)

// A pair may be forgotten while a packet of it comes, at whichever instruction of
// the timer's thread: then it starts anew with that packet, or it is not forgotten.
func TestForgottenWhileAPacketComes(t *testing.T) {
	timing := trio.DefaultTiming()
	idle := newTap(t, units.MiB, &timing)
	idle.Send(1, 2, 100)
	idle.Until(inside)
	for idle.e.Memory().Hash().Len() > 0 {
		idle.Until(idle.Now + visits)
	}
	forgets := (idle.Now / visits * visits).Add(-timing.Packet) // by the thread that starts when a packet of then gets one
	lives := map[uint64]int{}
	for at := forgets - 2*us; at < forgets+3*us; at += us / 100 {
		p := newTap(t, units.MiB, &timing)
		p.Send(1, 2, 100)
		p.Until(at)
		p.Send(1, 2, 100)
		p.Until(at + inside)
		var got []Pair
		for c := range p.e.Pairs() {
			got = append(got, c)
		}
		if len(got) != 1 || got[0].Src != host(1) || got[0].Bytes != units.Bytes(got[0].Packets)*142 {
			t.Fatalf("a packet comes %v after the visit begins: counted are %+v", at-forgets, got)
		}
		lives[got[0].Packets]++
	}
	if lives[1] == 0 || lives[2] == 0 {
		t.Errorf("of all visits %d forget the pair and %d do not: the instants are not those of one", lives[1], lives[2])
	}
}

// life is what came of a pair since some packet, and before which packet it may have
// been forgotten.
type life []struct {
	bytes units.Bytes
	fresh bool // the pair was silent before it for so long that it may start with it
}

// may reports whether these packets, from one of those on that may be the first,
// make such a count.
func (l life) may(c Pair) bool {
	n, bytes := uint64(0), units.Bytes(0)
	for i := len(l) - 1; i >= 0; i-- {
		n, bytes = n+1, bytes+l[i].bytes
		if l[i].fresh && n == c.Packets && bytes == c.Bytes {
			return true
		}
	}
	return false
}

// Whatever comes around the visits of timer threads: every packet is counted for its
// pair, but those before a silence that a pair is forgotten for.
func TestNoPacketIsForgottenAlone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		timing := trio.DefaultTiming()
		timing.Instruction = units.Duration(rapid.IntRange(1, 1000).Draw(t, "instruction")) * units.Nanosecond
		p := newTap(t, 300, &timing)
		pairs, last := map[[2]byte]life{}, map[[2]byte]units.Time{}
		for range rapid.IntRange(1, 40).Draw(t, "packets") {
			k := [2]byte{byte(rapid.IntRange(1, 2).Draw(t, "from")), byte(rapid.IntRange(3, 5).Draw(t, "to"))}
			before, known := last[k]
			last[k] = p.Now
			bytes := p.Send(k[0], k[1], rapid.IntRange(0, 300).Draw(t, "body"))
			pairs[k] = append(pairs[k], life{{bytes, !known || p.Now-before > period-inside}}...)
			if n := units.Time(rapid.IntRange(0, 8).Draw(t, "visits")); n > 3 {
				p.Until((p.Now/visits+n-3)*visits + units.Time(rapid.IntRange(0, 200).Draw(t, "after the visit begins"))*us/20)
			} else {
				p.Until(p.Now + n*us/10)
			}
		}
		p.Until(p.Now + inside)
		for c := range p.e.Pairs() {
			k := [2]byte{c.Src.As4()[3], c.Dst.As4()[3]}
			if !pairs[k].may(c) {
				t.Fatalf("%+v is counted of %+v", c, pairs[k])
			}
			delete(pairs, k)
		}
		for k := range pairs {
			if p.Now-last[k] < period-inside {
				t.Fatalf("%v is not known %v after its last packet", k, p.Now-last[k])
			}
		}
	})
}

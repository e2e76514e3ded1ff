package xaggd

import (
	"testing"

	"github.com/inalab/inalab/internal/units"
)

// paced drives a pacer that always has something to send, and counts.
type paced struct {
	pacer
	sent int
}

func (p *paced) at(now units.Time, rate units.Rate) {
	p.run(now, rate, func() bool { p.sent++; return true })
}

func newPaced() *paced {
	p := &paced{pacer: newPacer(&Common{Values: 32, Burst: 100 * us})}
	p.size = 125 // a microsecond at 1 Gbit/s
	return p
}

func TestPacerSendsAtTheRateInBursts(t *testing.T) {
	p := newPaced()
	for now := units.Time(0); now < units.Time(10*ms); now = p.due(gbit) {
		p.at(now, gbit)
		if want := int(now.Sub(0)/us) + 100; p.sent != want {
			t.Fatalf("%d packets until %v, and %d are wanted", p.sent, now, want)
		}
	}
	if p.at(units.Time(20*ms), 0); p.due(0) != units.Never {
		t.Error("it is due at rate 0")
	}
}

func TestPacerMakesUpForABurstOnly(t *testing.T) {
	p := newPaced()
	p.at(0, gbit)
	p.sent = 0
	if p.at(units.Time(50*ms), gbit); p.sent != 200 {
		t.Errorf("%d packets leave at once after 50 ms, and two bursts of 100 are wanted", p.sent)
	}
}

func TestPacerPaysWhatHasLeftAtANewRate(t *testing.T) {
	for _, c := range []struct {
		before, after units.Rate
		want          units.Duration
	}{
		{1, gbit, us},                        // a packet takes 1000 s at 1 bit/s
		{gbit, gbit / 10, 1000 * us},         // a burst of 100 packets
		{gbit, 1, 100 * 1000 * units.Second}, // the same, at 1 bit/s
		{1, 1, 1000 * units.Second},          // no change
	} {
		p := newPaced()
		p.at(0, c.before)
		p.at(0, c.after)
		if got := p.next.Sub(0); got < c.want-c.want/100 || got > c.want+c.want/100 {
			t.Errorf("from %d to %d bit/s, the next packet leaves after %v, and %v is wanted", c.before, c.after, got, c.want)
		}
	}
}

// What would take longer than there are times takes for ever, until the rate rises.
func TestPacerBearsAnyRate(t *testing.T) {
	p := newPaced()
	p.at(0, 1000*gbit)
	if p.at(0, 1); p.next != units.Never {
		t.Errorf("packets of 100 Mbit are paid at 1 bit/s until %v", p.next)
	}
}

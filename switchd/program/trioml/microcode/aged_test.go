package microcode

import (
	"testing"

	"github.com/inalab/inalab/internal/units"
	wire "github.com/inalab/inalab/internal/wire/trioml"
	"github.com/inalab/inalab/switchd/program/trioml"
)

// A block that a timer thread sends because it waits for absent sources alone has not aged, even
// where a contribution says that the level below has.
func TestBlocksThatWaitForTheAbsentHaveNotAged(t *testing.T) {
	ended := 0
	for second := range uint32(8) { // visited behind the first one, or before
		p := newPair(t, compiled(t), trioml.Config{Node: "pfe", Threads: 1, Age: trioml.AgeAbsent, Jobs: []trioml.Job{testJob(1, 3)}})
		from1 := func(block uint32, age uint8) {
			p.handle(packet(wire.Header{Job: 1, Block: block, Gen: 1, Source: 1, SrcCnt: 1, AgeOp: age, Degraded: age != 0}, 1))
		}
		p.advance(units.Time(ms))
		from1(100, 0)
		p.advance(12 * units.Time(ms)) // the timer has passed once
		from1(second, wire.AgeTimeout)
		p.advance(21 * units.Time(ms))
		if c := p.mc.jobs.Count(1); c.Results == 2 {
			ended++
			if c.Aged != 1 {
				t.Errorf("%d of 2 blocks have aged, want 1", c.Aged)
			}
		}
	}
	if ended == 0 {
		t.Error("no block was sent behind one that aged")
	}
}

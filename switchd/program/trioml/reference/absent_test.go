package reference

import (
	"testing"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	wire "github.com/inalab/inalab/internal/wire/trioml"
	"github.com/inalab/inalab/switchd/program/trioml"
)

// packets hands single-gradient packets of blocks to the program and returns the
// results that it sends, by block.
func packets(t *testing.T, p *Program, now units.Time, source uint8, gen uint16, blocks ...uint32) map[uint32]wire.Header {
	t.Helper()
	var eff sansio.Effects
	for _, b := range blocks {
		payload := make([]byte, wire.HeaderLen+4)
		wire.Header{Job: 1, Block: b, Source: source, SrcCnt: 1, Gen: gen, Grads: 1}.Put(payload)
		p.packet(now, payload, 0, &eff)
	}
	return results(t, &eff)
}

func results(t *testing.T, eff *sansio.Effects) map[uint32]wire.Header {
	t.Helper()
	out := map[uint32]wire.Header{}
	for _, s := range eff.Sends {
		for f := range s.Train.Frames() {
			h, problem := wire.Parse(s.Train.Payload(f))
			if problem != wire.OK {
				t.Fatal(problem)
			}
			out[h.Block] = h
		}
	}
	return out
}

// The first block that ages out marks its missing source absent: the blocks that
// wait for nobody else go when a timer thread visits them, whether they were
// referenced or not, later ones do not wait, also of the next generation, and the
// source's next packet makes them wait again. Per block, each waits a timeout of
// its own.
func TestAbsentAfterFirst(t *testing.T) {
	for _, policy := range []trioml.AgePolicy{trioml.AgePerBlock, trioml.AgeAbsent} {
		cfg := trioml.Config{Jobs: []trioml.Job{testJob(2)}}
		cfg.Age, cfg.Threads = policy, 1
		p, err := New(cfg)
		if err != nil {
			t.Fatal(err)
		}
		timeout := units.Time(p.cfg.Timeout)
		var eff sansio.Effects
		packets(t, p, 1, 0, 0, 0)
		p.Expire(timeout, &eff)
		packets(t, p, timeout+1, 0, 0, 1) // opened after the first scan: it would age a timeout later
		p.Expire(2*timeout, &eff)
		aged := results(t, &eff)
		later := packets(t, p, 2*timeout+1, 0, 0, 2)
		next := packets(t, p, 2*timeout+2, 0, 1, 0)
		heard := packets(t, p, 2*timeout+3, 1, 1, 0) // of a block that is done, if policy says so
		after := packets(t, p, 2*timeout+4, 0, 1, 2)
		absent := policy == trioml.AgeAbsent
		if len(aged) != map[bool]int{false: 1, true: 2}[absent] || (len(later) == 1) != absent || (len(next) == 1) != absent {
			t.Errorf("%s: %d blocks aged, then %d and %d sent without the source", policy, len(aged), len(later), len(next))
		}
		for _, h := range later {
			if !h.Degraded || h.SrcCnt != 1 {
				t.Errorf("%s: a block without its source is %+v, want degraded, of one worker", policy, h)
			}
		}
		if len(heard) != map[bool]int{false: 1}[absent] || len(after) != 0 {
			t.Errorf("%s: a source that is back is not waited for: %v %v", policy, heard, after)
		}
	}
}

package microcode

import (
	"slices"
	"testing"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/units"
	wire "github.com/inalab/inalab/internal/wire/trioml"
	"github.com/inalab/inalab/switchd/program/trioml"
	"github.com/inalab/inalab/switchd/trio"
)

// traced runs an engine with 4 timer threads for two sources, of which one sends a
// batch of blocks a millisecond after every timeout, until nothing is due any more.
func traced(t *testing.T, cfg trioml.Config, timing *trio.Timing, batches ...[]uint32) events {
	t.Helper()
	var told events
	cfg.Node, cfg.Threads, cfg.Trace, cfg.Jobs = "pfe", 4, &told, []trioml.Job{testJob(1, 2)}
	e, err := New(cfg, Options{Memory: small(), Timing: timing})
	if err != nil {
		t.Fatal(err)
	}
	var eff sansio.Effects
	until := func(at units.Time) {
		for d := e.NextDeadline(); d < at; d = e.NextDeadline() {
			eff.Reset()
			e.Expire(d, &eff)
		}
	}
	for i, blocks := range batches {
		now := ms.Add(units.Duration(i) * trioml.DefaultTimeout)
		until(now)
		for _, b := range blocks {
			e.Handle(now, []sansio.Arrival{arrival(packet(wire.Header{Job: 1, Block: b, SrcCnt: 1}, 1))}, &eff)
		}
	}
	until(units.Never)
	return told
}

// A block that a timer's thread finds referenced is told of, and a period later,
// by the same thread, that it has aged; with time and without.
func TestScansAreTold(t *testing.T) {
	timing := trio.DefaultTiming()
	for name, timing := range map[string]*trio.Timing{"instant": nil, "timed": &timing} {
		t.Run(name, func(t *testing.T) {
			const blocks = 12
			told := traced(t, trioml.Config{}, timing, []uint32{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11})
			threads := map[string]bool{}
			for b := range uint32(blocks) {
				own := slices.DeleteFunc(slices.Clone(told), func(e trace.Event) bool { return e.Block != b })
				var kinds []trace.Kind
				for _, e := range own {
					kinds = append(kinds, e.Kind)
				}
				if !slices.Equal(kinds, []trace.Kind{trace.BlockOpened, trace.Contribution, trace.Scanned, trace.BlockAged, trace.BlockSent}) {
					t.Fatalf("block %d: %v", b, kinds)
				}
				scan, aged := own[2], own[3]
				late := aged.At.Sub(scan.At) - trioml.DefaultTimeout // in time, threads wait for each other
				if scan.Note != aged.Note || late < 0 || late > units.Millisecond || timing == nil && late != 0 {
					t.Errorf("block %d: scan %+v, aged %+v", b, scan, aged)
				}
				if scan.Mask != (trace.Mask{1}) || scan.Degraded || scan.Source != 99 || scan.Count != 1 {
					t.Errorf("block %d: scan %+v", b, scan)
				}
				threads[scan.Note] = true
			}
			if len(threads) < 2 || !threads[trioml.TimerNote(0, 4)] {
				t.Errorf("blocks are visited by %v, want several of 4", threads)
			}
		})
	}
}

// A block that waits for absent sources only is sent by the thread that finds it
// referenced: it does not wait on.
func TestScansOfCoveredBlocks(t *testing.T) {
	told := traced(t, trioml.Config{Age: trioml.AgeAbsent}, nil, []uint32{0, 1, 2, 3}, []uint32{4, 5, 6, 7})
	aged := slices.IndexFunc(told, func(e trace.Event) bool { return e.Kind == trace.BlockAged })
	isScan := func(e trace.Event) bool { return e.Kind == trace.Scanned }
	if aged < 0 || !slices.ContainsFunc(told[:aged], isScan) {
		t.Fatalf("no block was found referenced, and one aged later: %+v", told)
	}
	var covered int
	for _, e := range told[aged:] {
		if isScan(e) {
			t.Errorf("after a block has aged: %+v", e)
		}
		if e.Kind == trace.BlockSent && e.Block > 3 {
			covered++
		}
	}
	if covered != 4 {
		t.Errorf("%d blocks waited for an absent source only, want 4", covered)
	}
}

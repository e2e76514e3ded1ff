package reference

import (
	"testing"

	"github.com/inalab/inalab/internal/units"
	wire "github.com/inalab/inalab/internal/wire/trioml"
	"github.com/inalab/inalab/switchd/program/trioml"
)

// aged returns a program whose block 0 of generation 5 aged out at 20 ms at the
// latest, without source 2.
func aged(t *testing.T, late trioml.LatePolicy) *bench {
	b := newBench(t, trioml.Config{Jobs: []trioml.Job{testJob(3)}, Late: late})
	b.send(packet(wire.Header{Source: 0, Gen: 5}, 1), packet(wire.Header{Source: 1, Gen: 5}, 10))
	if got := wantOne(t, b.advance(20*ms)); got.grads[0] != 11 {
		t.Fatalf("%+v", got)
	}
	return b
}

func TestTombstoneDropsPacketsOfDoneBlocks(t *testing.T) {
	b := aged(t, trioml.LateTombstone)
	b.send(packet(wire.Header{Source: 2, Gen: 5}, 100))
	b.wantCounts(map[string]uint64{trioml.DropLateBlock: 1})
	if b.p.OpenBlocks() != 0 {
		t.Error("a late packet opened a record")
	}
	b.send(packet(wire.Header{Source: 2, Gen: 4}, 100))
	b.wantCounts(map[string]uint64{trioml.DropLateGen: 1})
	b.send(packet(wire.Header{Source: 2, Gen: 6}, 100)) // the next generation is not late
	if b.p.OpenBlocks() != 1 {
		t.Error("the tombstone of one generation covers the next")
	}
}

// Ambiguity trio.late-record: without memory of the block, "a late packet would
// create a fresh one-source record that ages out again and emits a second
// degraded result".
func TestGhostRecord(t *testing.T) {
	for _, late := range []trioml.LatePolicy{trioml.LateStale, trioml.LateNaive} {
		b := aged(t, late)
		b.send(packet(wire.Header{Source: 2, Gen: 5}, 100))
		if b.p.OpenBlocks() != 1 {
			t.Fatalf("%s: the late packet opened no record", late)
		}
		got := wantOne(t, b.advance(60*ms))
		if got.h.SrcCnt != 1 || !got.h.Degraded || got.grads[0] != 100 || got.h.Gen != 5 {
			t.Errorf("%s: ghost result %+v", late, got)
		}
	}
}

// The policies differ in what they make of an older generation.
func TestOlderGenerations(t *testing.T) {
	for late, opens := range map[trioml.LatePolicy]int{trioml.LateTombstone: 0, trioml.LateStale: 0, trioml.LateNaive: 1} {
		b := aged(t, late)
		b.send(packet(wire.Header{Block: 8, Source: 2, Gen: 4}, 100))
		if got := b.p.OpenBlocks(); got != opens {
			t.Errorf("%s: a packet of an older generation opens %d records, want %d", late, got, opens)
		}
		if got := b.count(trioml.DropLateGen); got != uint64(1-opens) {
			t.Errorf("%s: %d dropped", late, got)
		}
	}
}

// A record holds packets of one generation only: newer packets replace it, older
// ones are dropped.
func TestRecordsOfTwoGenerationsDoNotMix(t *testing.T) {
	b := newBench(t, trioml.Config{Jobs: []trioml.Job{testJob(2)}, Late: trioml.LateNaive})
	b.send(packet(wire.Header{Source: 1, Gen: 65535}, 100))
	b.send(packet(wire.Header{Source: 0, Gen: 0}, 1)) // newer, across the wrap
	b.send(packet(wire.Header{Source: 1, Gen: 65535}, 100))
	got := wantOne(t, b.send(packet(wire.Header{Source: 1, Gen: 0}, 2)))
	if got.grads[0] != 3 || got.h.Gen != 0 {
		t.Errorf("%+v, want the sum of generation 0 alone", got)
	}
	b.wantCounts(map[string]uint64{trioml.CountSuperseded: 1, trioml.DropOlderRecord: 1})
	if b.p.OpenBlocks() != 0 || b.p.NextDeadline() != units.Never {
		t.Errorf("%d records are left", b.p.OpenBlocks())
	}
}

// The superseded record's place under block_cnt_max is free again.
func TestSupersededRecordsFreeTheirPlace(t *testing.T) {
	j := testJob(2)
	j.BlockMax = 1
	b := newBench(t, trioml.Config{Jobs: []trioml.Job{j}})
	for gen := range uint16(10) {
		b.send(packet(wire.Header{Source: 0, Gen: gen}, 1))
	}
	b.wantCounts(map[string]uint64{trioml.CountSuperseded: 9, trioml.DropBlockCap: 0})
	if b.p.OpenBlocks() != 1 {
		t.Errorf("%d records", b.p.OpenBlocks())
	}
}

// An aged part that reaches the top level after the top level gave up on it is
// late there: one result, not two.
func TestLatePartOfALowerLevel(t *testing.T) {
	top := testJob(0)
	top.Sources = []uint8{201, 202}
	b := newBench(t, trioml.Config{Jobs: []trioml.Job{top}})
	b.send(packet(wire.Header{Source: 201, SrcCnt: 3}, 3))
	wantOne(t, b.advance(20*ms))
	b.send(packet(wire.Header{Source: 202, SrcCnt: 2, Degraded: true, AgeOp: wire.AgeTimeout}, 2))
	if out := b.advance(100 * ms); len(out) != 0 {
		t.Errorf("a second result: %+v", out)
	}
	b.wantCounts(map[string]uint64{trioml.DropLateBlock: 1})
}

// Memory for done blocks is bounded; beyond the bound blocks are forgotten, and
// that is counted.
func TestTombstonesAreBounded(t *testing.T) {
	b := newBench(t, trioml.Config{Jobs: []trioml.Job{testJob(1)}})
	b.send(packet(wire.Header{Block: 1 << 30}, 1))
	j := b.p.jobs[1]
	for block := range uint32(maxTombstones - 1) {
		j.done.add(block)
	}
	b.send(packet(wire.Header{Block: 1 << 29}, 1))
	b.wantCounts(map[string]uint64{trioml.CountBeyondTombstones: 1, trioml.CountResults: 2})
	if j.done.n != maxTombstones {
		t.Errorf("%d blocks remembered", j.done.n)
	}
	b.send(packet(wire.Header{Block: 1 << 30}, 1))
	b.wantCounts(map[string]uint64{trioml.DropLateBlock: 1})
	b.send(packet(wire.Header{Block: 0, Gen: 1}, 1)) // a new generation starts with all the room
	b.wantCounts(map[string]uint64{trioml.CountBeyondTombstones: 1, trioml.CountResults: 3})
}

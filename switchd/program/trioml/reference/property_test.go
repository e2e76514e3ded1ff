package reference

import (
	"bytes"
	"testing"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/units"
	wire "github.com/inalab/inalab/internal/wire/trioml"
	"github.com/inalab/inalab/switchd/program/trioml"
)

// traffic is what sources send in one run: every packet has a time and is of one
// size but for the last block's, which is shorter.
type traffic struct {
	sources, blocks, gens, grads int

	at      []units.Time
	h       []wire.Header
	payload [][]byte
}

// value is source s's gradient i of a block: any numbers, so that sums wrap.
func value(s, gen, block, i int) int32 {
	return int32(uint32(s+1)*2654435761 + uint32(gen)*97 + uint32(block)*1_000_003 + uint32(i)*40503)
}

func (tr *traffic) size(block int) int {
	if block == tr.blocks-1 {
		return (tr.grads + 1) / 2
	}
	return tr.grads
}

func (tr *traffic) packet(s, gen, block int) (wire.Header, []byte) {
	h := wire.Header{Job: 1, Block: uint32(block), Source: uint8(s), SrcCnt: 1, Gen: uint16(gen), Final: block == tr.blocks-1}
	grads := make([]int32, tr.size(block))
	for i := range grads {
		grads[i] = value(s, gen, block, i)
	}
	return h, packet(h, grads...)
}

// drawTraffic draws packets in any order within a generation, some missing, some
// twice, with pauses; a few come a generation late.
func drawTraffic(t *rapid.T) *traffic {
	tr := &traffic{
		sources: rapid.IntRange(1, 6).Draw(t, "sources"), blocks: rapid.IntRange(1, 5).Draw(t, "blocks"),
		gens: rapid.IntRange(1, 3).Draw(t, "generations"), grads: rapid.IntRange(1, 5).Draw(t, "gradients"),
	}
	now := units.Time(0)
	for gen := range tr.gens {
		var order [][2]int
		for s := range tr.sources {
			for block := range tr.blocks {
				for range rapid.SampledFrom([]int{1, 1, 1, 1, 1, 0, 2}).Draw(t, "copies") {
					order = append(order, [2]int{s, block})
				}
			}
		}
		for _, sb := range rapid.Permutation(order).Draw(t, "order") {
			now += units.Time(rapid.SampledFrom([]int64{0, 0, 0, 0, 1, int64(ms), int64(12 * ms)}).Draw(t, "pause"))
			of := gen - rapid.SampledFrom([]int{0, 0, 0, 0, 0, 0, 1}).Draw(t, "late")
			h, payload := tr.packet(sb[0], max(of, 0), sb[1])
			tr.at, tr.h, tr.payload = append(tr.at, now), append(tr.h, h), append(tr.payload, payload)
		}
		now += units.Time(rapid.SampledFrom([]int64{0, int64(25 * ms)}).Draw(t, "end"))
	}
	return tr
}

// play sends the traffic. joined says of each packet whether it comes in one
// train with the one before, which it can where the sizes allow it.
func (tr *traffic) play(t *rapid.T, late trioml.LatePolicy, joined []bool) *bench {
	b := newBench(t, trioml.Config{Jobs: []trioml.Job{testJob(tr.sources)}, Late: late, Threads: 7})
	for i := 0; i < len(tr.at); {
		b.advance(tr.at[i])
		end := i + 1
		for end < len(tr.at) && tr.at[end] == tr.at[i] && joined[end] &&
			len(tr.payload[end-1]) == len(tr.payload[i]) && len(tr.payload[end]) <= len(tr.payload[i]) {
			end++
		}
		b.handle(arrival(tr.payload[i:end]...))
		i = end
	}
	b.advance(b.now + 50*ms)
	return b
}

// Whatever order, duplicates, gaps and trains: every result is the sum over the
// sources in its mask, and says how many these are; every packet is added once
// or dropped with a reason; under tombstones no block has two results.
func TestResultsAreSumsOfTheirMasks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tr := drawTraffic(t)
		late := rapid.SampledFrom([]trioml.LatePolicy{trioml.LateTombstone, trioml.LateTombstone, trioml.LateStale, trioml.LateNaive}).Draw(t, "late")
		joined := make([]bool, len(tr.at))
		for i := range joined {
			joined[i] = rapid.Bool().Draw(t, "joined")
		}
		b := tr.play(t, late, joined)
		tr.checkSums(t, b)
		if late == trioml.LateTombstone {
			checkOnce(t, b)
		}
		checkConserved(t, b, len(tr.at))

		apart := tr.play(t, late, make([]bool, len(tr.at)))
		if len(apart.out) != len(b.out) || len(apart.events) != len(b.events) {
			t.Fatalf("frames alone give %d results and %d events, in trains %d and %d", len(apart.out), len(apart.events), len(b.out), len(b.events))
		}
		for i := range b.out {
			if a := apart.out[i]; a.at != b.out[i].at || a.h != b.out[i].h || !sameInts(a.grads, b.out[i].grads) {
				t.Fatalf("result %d is %+v alone, %+v in trains", i, a, b.out[i])
			}
		}
		for i := range b.events {
			if apart.events[i] != b.events[i] {
				t.Fatalf("event %d is %+v alone, %+v in trains", i, apart.events[i], b.events[i])
			}
		}
	})
}

// checkSums is the dumb oracle.
func (tr *traffic) checkSums(t *rapid.T, b *bench) {
	sent := 0
	for _, e := range b.events {
		if e.Kind != trace.BlockSent {
			continue
		}
		o := b.out[sent]
		sent++
		gen, block := int(e.Gen), int(e.Block)
		want := make([]int32, tr.size(block))
		n := 0
		for s := range tr.sources {
			if !e.Mask.Has(uint8(s)) {
				continue
			}
			n++
			for i := range want {
				want[i] += value(s, gen, block, i)
			}
		}
		degraded := n < tr.sources
		head := wire.Header{Job: 1, Block: e.Block, Gen: uint16(e.Gen), Source: 99, SrcCnt: uint8(n), Degraded: degraded, Final: block == tr.blocks-1, Grads: uint16(len(want))}
		if degraded {
			head.AgeOp = wire.AgeTimeout
		}
		if o.h != head || !sameInts(o.grads, want) || n == 0 {
			t.Fatalf("result %+v, want %+v %v", o, head, want)
		}
	}
	if sent != len(b.out) {
		t.Fatalf("%d results, %d events say so", len(b.out), sent)
	}
}

func checkOnce(t *rapid.T, b *bench) {
	seen := map[[2]uint32]bool{}
	for _, o := range b.out {
		k := [2]uint32{uint32(o.h.Gen), o.h.Block}
		if seen[k] {
			t.Fatalf("block %d of generation %d has two results", o.h.Block, o.h.Gen)
		}
		seen[k] = true
	}
}

func checkConserved(t *rapid.T, b *bench, packets int) {
	var added, dropped int
	for _, e := range b.events {
		switch e.Kind {
		case trace.Contribution:
			added++
		case trace.Dropped:
			dropped++
			if e.Note == "" {
				t.Fatal("a drop without a reason")
			}
		}
	}
	if added+dropped != packets || b.count(trioml.CountPackets) != uint64(packets) {
		t.Fatalf("%d packets: %d added, %d dropped, %d counted", packets, added, dropped, b.count(trioml.CountPackets))
	}
	behind := 0
	for _, o := range b.out {
		behind += int(o.h.SrcCnt)
	}
	if behind > added || b.count(trioml.CountSuperseded) == 0 && behind != added {
		t.Fatalf("%d contributions, results speak of %d, %d records superseded", added, behind, b.count(trioml.CountSuperseded))
	}
	if b.p.OpenBlocks() != 0 || b.p.NextDeadline() != units.Never {
		t.Fatalf("%d records are left at the end", b.p.OpenBlocks())
	}
}

// On time and complete, the order cannot be told from the results.
func TestAnyOrderSameSums(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tr := &traffic{sources: rapid.IntRange(1, 8).Draw(t, "sources"), blocks: 4, grads: 3}
		var payloads [][]byte
		for s := range tr.sources {
			for block := range tr.blocks {
				_, p := tr.packet(s, 0, block)
				payloads = append(payloads, p)
			}
		}
		b := newBench(t, trioml.Config{Jobs: []trioml.Job{testJob(tr.sources)}})
		b.send(rapid.Permutation(payloads).Draw(t, "order")...)
		if len(b.out) != tr.blocks || b.count(trioml.CountDegraded) != 0 {
			t.Fatalf("%d results for %d blocks", len(b.out), tr.blocks)
		}
		tr.checkSums(t, b)
	})
}

// Arrivals are borrowed: overwriting them afterwards changes no sum, and what was
// emitted does not change when the next batch comes, before Reset.
func TestNothingIsBorrowedPastHandle(t *testing.T) {
	b := newBench(t, trioml.Config{Jobs: []trioml.Job{testJob(2)}})
	for s := range uint8(2) {
		a := arrival(packet(wire.Header{Source: s}, 7, 8))
		b.p.Handle(0, []sansio.Arrival{a}, &b.eff)
		copy(a.Train.Body, bytes.Repeat([]byte{0xdb}, len(a.Train.Body)))
	}
	b.p.Handle(0, []sansio.Arrival{arrival(packet(wire.Header{Block: 1, Source: 0}, 100, 100))}, &b.eff) // reuses the buffer
	b.collect()
	if got := wantOne(t, b.out); !sameInts(got.grads, []int32{14, 16}) {
		t.Errorf("sums %v", got.grads)
	}
}

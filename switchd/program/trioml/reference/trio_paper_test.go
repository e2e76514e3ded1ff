package reference

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
	wire "github.com/inalab/inalab/internal/wire/trioml"
	"github.com/inalab/inalab/switchd/dataplane"
	"github.com/inalab/inalab/switchd/program/trioml"
)

// Sentences of the Trio paper (SIGCOMM 2022) as tests; each quotes what it holds
// the program to.

// §4: "Trio-ML creates a block record when it receives a packet with a new
// block_id from a server."
func TestRecordIsCreatedOnFirstPacket(t *testing.T) {
	b := newBench(t, trioml.Config{Jobs: []trioml.Job{testJob(2)}})
	if b.p.OpenBlocks() != 0 || b.p.NextDeadline() != units.Never {
		t.Fatal("a program that saw no packet has records or deadlines")
	}
	b.send(packet(wire.Header{Block: 7, Source: 0}, 5))
	if b.p.OpenBlocks() != 1 {
		t.Fatalf("%d records after the first packet", b.p.OpenBlocks())
	}
	b.send(packet(wire.Header{Block: 8, Source: 0}, 5))
	if b.p.OpenBlocks() != 2 {
		t.Fatalf("%d records after packets of two blocks", b.p.OpenBlocks())
	}
}

// §4: "The Microcode program removes the block record when the block
// aggregation is complete and the block's result has been generated." "Every
// block produces one aggregation Result packet."
func TestRecordIsRemovedOnCompletion(t *testing.T) {
	b := newBench(t, trioml.Config{Jobs: []trioml.Job{testJob(3)}})
	for s := range uint8(2) {
		if out := b.send(packet(wire.Header{Block: 7, Source: s}, 1, 2)); len(out) != 0 {
			t.Fatalf("a result with %d of 3 sources", s+1)
		}
	}
	wantOne(t, b.send(packet(wire.Header{Block: 7, Source: 2}, 1, 2)))
	if b.p.OpenBlocks() != 0 || b.p.NextDeadline() != units.Never {
		t.Errorf("%d records after completion, deadline %v", b.p.OpenBlocks(), b.p.NextDeadline())
	}
	if out := b.advance(100 * ms); len(out) != 0 {
		t.Errorf("a block that was sent ages out: %+v", out)
	}
}

// §4: "a new packet, whose IP/UDP and Trio-ML headers are reconstructed from the
// block and job records, and whose data (gradients) come from the aggregation
// buffer".
func TestResultPacket(t *testing.T) {
	b := newBench(t, trioml.Config{Jobs: []trioml.Job{testJob(2)}})
	b.send(packet(wire.Header{Block: 1 << 31, Source: 0, Gen: 500}, 5, -7, math.MaxInt32))
	got := wantOne(t, b.send(packet(wire.Header{Block: 1 << 31, Source: 1, Gen: 500, Final: true}, 10, 3, 1)))
	if want := (wire.Header{Job: 1, Block: 1 << 31, Final: true, Source: 99, SrcCnt: 2, Gen: 500, Grads: 3}); got.h != want {
		t.Errorf("header %+v, want %+v", got.h, want)
	}
	if want := []int32{15, -4, math.MinInt32}; !sameInts(got.grads, want) { // additions wrap
		t.Errorf("sums %v, want %v", got.grads, want)
	}
}

// §5: "REF flags are set when a record is created and whenever it is referenced
// by a lookup." Each packet here looks the record up and is dropped; the record
// still lives on.
func TestREFIsSetByEveryLookup(t *testing.T) {
	for name, again := range map[string][]byte{
		"duplicate":            packet(wire.Header{Source: 0, Gen: 5}, 1),
		"other gradient count": packet(wire.Header{Source: 1, Gen: 5}, 1, 2),
		"older generation":     packet(wire.Header{Source: 1, Gen: 4}, 1),
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, trioml.Config{Jobs: []trioml.Job{testJob(2)}, Late: trioml.LateNaive})
			b.now = ms
			b.send(packet(wire.Header{Source: 0, Gen: 5}, 1))
			last := b.now
			for range 10 {
				if out := b.advance(last + 9*ms); len(out) != 0 {
					t.Fatalf("aged at %v though referenced at %v", out[0].at, last)
				}
				last = b.now
				b.send(again)
			}
			got := wantOne(t, b.advance(last+20*ms))
			if age := got.at - last; age <= 10*ms {
				t.Errorf("aged %v after the last lookup", age)
			}
			if b.count(trioml.CountPackets) != 11 || b.count(trioml.CountAged) != 1 {
				t.Errorf("counters %+v", b.p.Counters())
			}
		})
	}
}

// The same with contributions: the interval starts again with every arrival.
func TestArrivalsRestartTheInterval(t *testing.T) {
	b := newBench(t, trioml.Config{Jobs: []trioml.Job{testJob(12)}})
	for s := range uint8(11) {
		b.send(packet(wire.Header{Source: s}, 1))
		if out := b.advance(b.now + 9*ms); len(out) != 0 {
			t.Fatalf("aged after source %d", s)
		}
	}
	if got := wantOne(t, b.advance(b.now+11*ms)); got.h.SrcCnt != 11 {
		t.Errorf("src_cnt %d, want 11", got.h.SrcCnt)
	}
}

// §5: "If the flag is not set, it means the record has not been accessed for at
// least the duration of the timer interval." Since a flag is visited once an
// interval, a record ages more than T and at most 2T after its last packet,
// whatever its block, the number of threads and the phase.
func TestRecordsAgeBetweenOneAndTwoTimeouts(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		threads := rapid.SampledFrom([]int{1, 2, 3, 7, 100}).Draw(rt, "threads")
		timeout := units.Duration(rapid.Int64Range(int64(units.Microsecond), int64(30*units.Millisecond)).Draw(rt, "timeout"))
		b := newBench(rt, trioml.Config{Jobs: []trioml.Job{testJob(3)}, Timeout: timeout, Threads: threads})
		b.now = units.Time(rapid.Int64Range(0, int64(100*units.Millisecond)).Draw(rt, "first"))
		block := rapid.Uint32().Draw(rt, "block")
		b.send(packet(wire.Header{Block: block, Source: 0}, 1))
		if rapid.Bool().Draw(rt, "second packet") {
			b.advance(b.now.Add(units.Duration(rapid.Int64Range(0, int64(timeout)).Draw(rt, "gap"))))
			b.send(packet(wire.Header{Block: block, Source: 2}, 1))
		}
		last := b.now
		got := wantOne(rt, b.advance(last.Add(3*timeout)))
		if age := got.at.Sub(last); age <= timeout || age > 2*timeout {
			rt.Fatalf("aged %v after its last packet at %v, timeout %v", age, last, timeout)
		}
	})
}

// §5: "we deploy N periodic threads operating in parallel. ... the interarrival
// interval between back-to-back threads is 1/N of the desired timeout interval.
// Every triggered thread scans 1/N of the aggregation table".
func TestThreadsScanAnNthEach(t *testing.T) {
	for _, n := range []int{1, 3, 10, 100} {
		t.Run(fmt.Sprintf("N=%d", n), func(t *testing.T) {
			const blocks = 4096
			b := newBench(t, trioml.Config{Jobs: []trioml.Job{testJob(2)}, Threads: n})
			b.now = 20*ms - 1 // one picosecond before thread 0 fires
			for i := range uint32(blocks) {
				b.send(packet(wire.Header{Block: i, Source: 0}, 1))
			}
			share := map[units.Time]int{}
			var firings []units.Time
			for _, o := range b.advance(60 * ms) {
				if share[o.at]++; share[o.at] == 1 {
					firings = append(firings, o.at)
				}
			}
			if len(firings) != n {
				t.Fatalf("records age at %d instants, want one for each thread", len(firings))
			}
			slices.Sort(firings)
			for k, at := range firings { // flags are cleared from 20 ms on, records age from 30 ms on
				if want := 30*ms + 10*ms*units.Time(k)/units.Time(n); at != want {
					t.Errorf("thread %d fires at %v, want %v", k, at, want)
				}
				if got, fair := share[at], blocks/n; got < fair/2 || got > 2*fair {
					t.Errorf("thread %d scans %d records of %d, a fair share is %d", k, got, blocks, fair)
				}
			}
		})
	}
}

// Every record is visited once an interval and no oftener: the deadlines with
// one open record are T apart, and the first is at most T away.
func TestOneVisitAnInterval(t *testing.T) {
	b := newBench(t, trioml.Config{Jobs: []trioml.Job{testJob(2)}})
	for block := range uint32(50) {
		b.send(packet(wire.Header{Block: block, Source: 0, Gen: 1}, 1))
		first := b.p.NextDeadline()
		if first <= b.now || first > b.now+10*ms {
			t.Fatalf("block %d opened at %v is visited first at %v", block, b.now, first)
		}
		b.now = first
		b.p.Expire(first, &b.eff)
		if second := b.p.NextDeadline(); second != first+10*ms {
			t.Fatalf("block %d is visited at %v, then at %v", block, first, second)
		}
		b.collect()
		wantOne(t, b.advance(first+10*ms))
		b.advance(b.now + 137*us)
	}
}

// §5: "Trio-ML gives up on the straggling source(s) and sends a partial
// aggregation result to all the workers, including the straggler(s), along with
// the number of sources participating". "age_op ... to indicate whether a block
// has aged out". "the degraded field is set on the Result packet".
func TestPartialResult(t *testing.T) {
	b := newBench(t, trioml.Config{Jobs: []trioml.Job{testJob(4)}})
	for _, s := range []uint8{0, 1, 3} {
		b.send(packet(wire.Header{Block: 2, Source: s, Gen: 3}, int32(10*s), 1))
	}
	got := wantOne(t, b.advance(20*ms))
	if want := (wire.Header{Job: 1, Block: 2, AgeOp: wire.AgeTimeout, Degraded: true, Source: 99, SrcCnt: 3, Gen: 3, Grads: 2}); got.h != want {
		t.Errorf("header %+v, want %+v", got.h, want)
	}
	if !sameInts(got.grads, []int32{40, 3}) {
		t.Errorf("sums %v", got.grads)
	}
	if b.p.OpenBlocks() != 0 {
		t.Error("the record of the aged block is still there")
	}
	b.wantCounts(map[string]uint64{trioml.CountResults: 1, trioml.CountDegraded: 1, trioml.CountAged: 1, trioml.CountPackets: 3})
}

// §4: "src_id identifies the sender of each packet, enabling the aggregator to
// keep track of which servers have contributed their data to the block and to
// recognize retransmissions by the servers." There is no shadow copy, so this
// holds while the block is open (ambiguity trio.recovery-vs-text).
func TestDuplicatesAreNotAddedTwice(t *testing.T) {
	b := newBench(t, trioml.Config{Jobs: []trioml.Job{testJob(2)}})
	b.send(packet(wire.Header{Source: 0}, 5))
	b.send(packet(wire.Header{Source: 0}, 5), packet(wire.Header{Source: 0}, 1000))
	got := wantOne(t, b.send(packet(wire.Header{Source: 1}, 7)))
	if got.grads[0] != 12 || got.h.SrcCnt != 2 {
		t.Errorf("sum %d of %d, want 12 of 2", got.grads[0], got.h.SrcCnt)
	}
	b.wantCounts(map[string]uint64{trioml.DropDuplicate: 2})
}

// "gen_id is used to distinguish blocks in consecutive iterations of the model
// aggregation": the same block of the next generation starts afresh.
func TestGenerationsAreDistinct(t *testing.T) {
	b := newBench(t, trioml.Config{Jobs: []trioml.Job{testJob(2)}})
	for gen := range uint16(5) {
		b.send(packet(wire.Header{Source: 0, Gen: gen}, int32(gen)))
		got := wantOne(t, b.send(packet(wire.Header{Source: 1, Gen: gen}, 1)))
		if got.h.Gen != gen || got.grads[0] != int32(gen)+1 {
			t.Errorf("generation %d: %+v", gen, got)
		}
	}
}

// gen_id has 16 bits: 65535 is followed by 0.
func TestGenerationWraps(t *testing.T) {
	b := newBench(t, trioml.Config{Jobs: []trioml.Job{testJob(2)}})
	for _, gen := range []uint16{65533, 65534, 65535, 0, 1} {
		b.send(packet(wire.Header{Source: 0, Gen: gen}, 3))
		wantOne(t, b.send(packet(wire.Header{Source: 1, Gen: gen}, 4)))
		b.send(packet(wire.Header{Source: 1, Gen: gen - 1}, 4)) // late by a generation
	}
	b.wantCounts(map[string]uint64{trioml.CountResults: 5, trioml.DropLateGen: 5})
}

// §4, Fig 9: "multiple aggregation jobs are present concurrently, and each job
// directs multiple blocks to aggregate in parallel"; the key is (job, block).
func TestJobsAreSeparate(t *testing.T) {
	one, two := testJob(2), testJob(3)
	two.ID, two.OutSource = 2, 55
	b := newBench(t, trioml.Config{Jobs: []trioml.Job{one, two}})
	for s := range uint8(2) {
		b.send(packet(wire.Header{Job: 2, Block: 4, Source: s, Gen: 100}, 100))
	}
	b.send(packet(wire.Header{Job: 1, Block: 4, Source: 0}, 1))
	if got := wantOne(t, b.send(packet(wire.Header{Job: 1, Block: 4, Source: 1}, 1))); got.h.Job != 1 || got.grads[0] != 2 {
		t.Errorf("job 1: %+v", got)
	}
	if got := wantOne(t, b.send(packet(wire.Header{Job: 2, Block: 4, Source: 2, Gen: 100}, 100))); got.h.Source != 55 || got.grads[0] != 300 {
		t.Errorf("job 2: %+v", got)
	}
}

// §4: "provided that a job record with the specified job_id exists"; "bitmasks
// indicating which sources (workers) are participating in the job".
func TestUnknownJobAndSource(t *testing.T) {
	b := newBench(t, trioml.Config{Jobs: []trioml.Job{testJob(2)}})
	b.send(packet(wire.Header{Job: 2, Source: 0}, 1), packet(wire.Header{Source: 2}, 1), packet(wire.Header{Source: 255}, 1))
	if b.p.OpenBlocks() != 0 {
		t.Errorf("%d records opened", b.p.OpenBlocks())
	}
	b.wantCounts(map[string]uint64{trioml.DropUnknownJob: 1, trioml.DropUnknownSource: 2, trioml.CountPackets: 3})
}

// §4: job records "control memory sharing across jobs by capping the maximum
// number of concurrent aggregation blocks (block_cnt_max) and the maximum number
// of gradients per block (block_grad_max) for a given job".
func TestJobCaps(t *testing.T) {
	capped, free := testJob(2), testJob(2)
	capped.BlockMax, capped.GradMax = 2, 3
	free.ID = 2
	b := newBench(t, trioml.Config{Jobs: []trioml.Job{capped, free}})
	b.send(packet(wire.Header{Block: 0, Source: 0}, 1, 2, 3, 4))
	b.wantCounts(map[string]uint64{trioml.DropTooManyGrads: 1})
	for block := range uint32(3) {
		b.send(packet(wire.Header{Block: block, Source: 0}, 1, 2, 3), packet(wire.Header{Job: 2, Block: block, Source: 0}, 1, 2, 3, 4))
	}
	b.wantCounts(map[string]uint64{trioml.DropBlockCap: 1})
	if b.p.OpenBlocks() != 2+3 {
		t.Errorf("%d records, want 2 of the capped job and 3 of the other", b.p.OpenBlocks())
	}
	wantOne(t, b.send(packet(wire.Header{Block: 0, Source: 1}, 1, 2, 3))) // frees one
	b.send(packet(wire.Header{Block: 2, Source: 0}, 1, 2, 3))
	b.wantCounts(map[string]uint64{trioml.DropBlockCap: 1})
	b.advance(20 * ms) // so does ageing
	b.send(packet(wire.Header{Block: 5, Source: 0}, 1), packet(wire.Header{Block: 6, Source: 0}, 1))
	b.wantCounts(map[string]uint64{trioml.DropBlockCap: 1})
}

// The default cap is the evaluation's window, though 12 bits hold only 4095
// (ambiguity trio.block_cnt_max-width).
func TestDefaultCapHoldsTheWindow(t *testing.T) {
	b := newBench(t, trioml.Config{Jobs: []trioml.Job{testJob(2)}})
	for i := range uint32(4097) {
		b.send(packet(wire.Header{Block: i, Source: 0}, 1))
	}
	b.wantCounts(map[string]uint64{trioml.DropBlockCap: 1})
	if b.p.OpenBlocks() != 4096 {
		t.Errorf("%d records", b.p.OpenBlocks())
	}
}

// Fig 17, 18: four masks of 64 bits. src_cnt has 8 bits, so 255 sources take part.
func TestAllSources(t *testing.T) {
	b := newBench(t, trioml.Config{Jobs: []trioml.Job{testJob(255)}})
	var sum int32
	for s := range 255 {
		sum += int32(s)
		out := b.send(packet(wire.Header{Source: uint8(s)}, int32(s)))
		if (len(out) == 1) != (s == 254) {
			t.Fatalf("%d results after source %d", len(out), s)
		}
	}
	if got := b.out[0]; got.h.SrcCnt != 255 || got.grads[0] != sum || got.h.Degraded {
		t.Errorf("%+v, want the sum %d of 255", got, sum)
	}
}

// §4: "The top-level PFE sees lower-level PFEs as individual sources and
// aggregates them in the same way as a single-level aggregator does." Workers
// divide by src_cnt, so the top level adds up the workers, and a degraded part
// makes the whole degraded (ambiguity trio.hier-timeout).
func TestHierarchy(t *testing.T) {
	leaf := func(id uint8, sources ...uint8) *bench {
		j := testJob(0)
		j.Sources, j.OutSource = sources, id
		return newBench(t, trioml.Config{Jobs: []trioml.Job{j}})
	}
	top := testJob(0)
	top.Sources = []uint8{201, 202}
	pfe1, pfe2, pfe4 := leaf(201, 0, 1, 2), leaf(202, 3, 4, 5), newBench(t, trioml.Config{Jobs: []trioml.Job{top}, Timeout: 30 * units.Millisecond})
	up := func(o output) []output { return pfe4.send(packet(o.h, o.grads...)) }

	for s := range uint8(3) {
		pfe1.send(packet(wire.Header{Source: s}, 1))
		pfe2.send(packet(wire.Header{Source: 3 + s}, 10))
	}
	if out := up(wantOne(t, pfe1.out)); len(out) != 0 {
		t.Fatalf("the top level sends with one of two PFEs: %+v", out)
	}
	got := wantOne(t, up(wantOne(t, pfe2.out)))
	if got.h.SrcCnt != 6 || got.h.Degraded || got.h.AgeOp != wire.AgeNone || got.grads[0] != 33 {
		t.Errorf("all workers: %+v", got)
	}

	for s := range uint8(3) {
		pfe1.send(packet(wire.Header{Source: s, Gen: 1}, 1))
	}
	pfe2.send(packet(wire.Header{Source: 3, Gen: 1}, 10), packet(wire.Header{Source: 5, Gen: 1}, 10))
	up(pfe1.out[1])
	partial := wantOne(t, pfe2.advance(20*ms))
	pfe4.advance(20 * ms)
	got = wantOne(t, up(partial))
	if got.h.SrcCnt != 5 || !got.h.Degraded || got.h.AgeOp != wire.AgeTimeout || got.grads[0] != 23 {
		t.Errorf("five of six workers: %+v", got)
	}

	up(output{h: wire.Header{Job: 1, Source: 201, SrcCnt: 3, Gen: 2}, grads: []int32{3}})
	got = wantOne(t, pfe4.advance(100*ms))
	if got.h.SrcCnt != 3 || !got.h.Degraded {
		t.Errorf("a PFE without any awake worker: %+v", got)
	}
}

// One degraded part makes the whole degraded, whichever comes first.
func TestDegradedIsOred(t *testing.T) {
	for _, parts := range [][2]wire.Header{
		{{Source: 0, SrcCnt: 2, Degraded: true, AgeOp: wire.AgeTimeout}, {Source: 1, SrcCnt: 3}},
		{{Source: 0, SrcCnt: 3}, {Source: 1, SrcCnt: 2, Degraded: true, AgeOp: wire.AgeTimeout}},
	} {
		b := newBench(t, trioml.Config{Jobs: []trioml.Job{testJob(2)}})
		b.send(packet(parts[0], 1))
		got := wantOne(t, b.send(packet(parts[1], 1)))
		if !got.h.Degraded || got.h.AgeOp != wire.AgeTimeout || got.h.SrcCnt != 5 {
			t.Errorf("%+v", got.h)
		}
		b.wantCounts(map[string]uint64{trioml.CountDegraded: 1, trioml.CountAged: 0})
	}
}

// src_cnt has 8 bits: more workers than it can say are counted, not wrapped.
func TestSrcCntStopsAt255(t *testing.T) {
	b := newBench(t, trioml.Config{Jobs: []trioml.Job{testJob(2)}})
	b.send(packet(wire.Header{Source: 0, SrcCnt: 200}, 1))
	if got := wantOne(t, b.send(packet(wire.Header{Source: 1, SrcCnt: 100}, 1))); got.h.SrcCnt != 255 {
		t.Errorf("src_cnt %d", got.h.SrcCnt)
	}
	b.wantCounts(map[string]uint64{trioml.CountOverCount: 1})
}

// §4: packets are recognised by the "pre-defined destination port (e.g., 12000)".
func TestClaims(t *testing.T) {
	b := newBench(t, trioml.Config{Jobs: []trioml.Job{testJob(2)}})
	for port, want := range map[uint16]bool{12000: true, 12001: false, 0: false, 48864: false} {
		flow := resultFlow()
		flow.SrcPort, flow.DstPort = 12000, port
		h := inet.UDPHeader(flow)
		l, _ := inet.Parse(h)
		frame := dataplane.Frame{Own: true, Header: h, Layout: l}
		if got := b.p.Claims(frame) == dataplane.Mine; got != want {
			t.Errorf("port %d: claimed %v", port, got)
		}
		frame.Layout.Proto = inet.ProtoTCP
		if b.p.Claims(frame) != dataplane.NotMine {
			t.Errorf("TCP to port %d is claimed", port)
		}
	}
	if b.p.Wants() != (dataplane.Wants{}) {
		t.Error("it is asked about frames to others")
	}
}

func TestNoAging(t *testing.T) {
	b := newBench(t, trioml.Config{Jobs: []trioml.Job{testJob(2)}, NoAging: true})
	b.send(packet(wire.Header{Source: 0}, 1))
	if d := b.p.NextDeadline(); d != units.Never {
		t.Errorf("deadline %v", d)
	}
	b.p.Expire(1000*ms, &b.eff)
	if len(b.eff.Sends) != 0 || b.p.OpenBlocks() != 1 {
		t.Error("a block aged though ageing is off")
	}
}

// A driver that comes late visits each record once, not once for every firing it
// missed: REF would be cleared and found clear at one instant.
func TestLateDriver(t *testing.T) {
	b := newBench(t, trioml.Config{Jobs: []trioml.Job{testJob(2)}})
	b.send(packet(wire.Header{Source: 0}, 1))
	b.now = 95 * ms
	b.p.Expire(b.now, &b.eff)
	if b.collect(); len(b.out) != 0 {
		t.Fatal("aged at the first visit")
	}
	got := wantOne(t, b.advance(120*ms))
	if got.at <= 95*ms || got.at > 105*ms {
		t.Errorf("aged at %v", got.at)
	}
}

// The timer threads that are due come before packets of the same instant, in
// Handle as in Expire.
func TestHandleRunsTimersFirst(t *testing.T) {
	b := newBench(t, trioml.Config{Jobs: []trioml.Job{testJob(2)}, Threads: 1})
	b.now = 5 * ms
	b.send(packet(wire.Header{Source: 0}, 1))
	b.now = 20 * ms // firings at 10 and 20 ms; a late driver makes one visit of them
	if out := b.send(packet(wire.Header{Source: 1}, 1)); len(out) != 1 || out[0].h.Degraded {
		t.Fatalf("%+v", out)
	}
	b.send(packet(wire.Header{Source: 0, Gen: 1}, 1))
	b.advance(30 * ms)
	b.now = 40 * ms
	out := b.send(packet(wire.Header{Source: 1, Gen: 1}, 1))
	if got := wantOne(t, out); !got.h.Degraded {
		t.Errorf("%+v: the record was due before the packet came", got)
	}
	b.wantCounts(map[string]uint64{trioml.DropLateBlock: 1})
}

func TestEarlyExpireIsHarmless(t *testing.T) {
	b := newBench(t, trioml.Config{Jobs: []trioml.Job{testJob(2)}})
	b.send(packet(wire.Header{Source: 0}, 1))
	for range 1000 {
		b.p.Expire(b.now, &b.eff)
	}
	if got := wantOne(t, b.advance(20*ms)); got.at <= 10*ms {
		t.Errorf("aged at %v", got.at)
	}
}

func TestResultsOfOneBatchAreOneTrain(t *testing.T) {
	b := newBench(t, trioml.Config{Jobs: []trioml.Job{testJob(1)}})
	var in []sansio.Arrival
	for block := range uint32(10) {
		in = append(in, arrival(packet(wire.Header{Block: block}, 1, 2)))
	}
	b.p.Handle(0, in, &b.eff)
	if len(b.eff.Sends) != 1 || b.eff.Sends[0].Train.Frames() != 10 {
		t.Errorf("%d sends", len(b.eff.Sends))
	}
}

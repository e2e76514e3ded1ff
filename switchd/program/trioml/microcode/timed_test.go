package microcode

import (
	"encoding/binary"
	"testing"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	wire "github.com/inalab/inalab/internal/wire/trioml"
	"github.com/inalab/inalab/switchd/program/trioml"
	"github.com/inalab/inalab/switchd/trio"
)

// race is a PFE with time, whose threads meet: timers fire while packets are
// inside, all sources send at once, and latencies are drawn.
type race struct {
	e       *Engine
	eff     sansio.Effects
	sources int
	size    int
	now     units.Time
	packets uint64
	results map[[2]uint32]int
	workers int // behind all results
}

func drawRace(t *rapid.T, cfg trioml.Config, opts Options) *race {
	latency := func(name string) units.Duration {
		return units.Duration(rapid.IntRange(1, 2000).Draw(t, name)) * units.Nanosecond
	}
	timing := trio.DefaultTiming()
	timing.Instruction = units.Duration(rapid.IntRange(1, 100).Draw(t, "instruction")) * units.Nanosecond
	opts.Timing = &timing
	opts.PPEs = trio.MinPPEs
	opts.Threads = rapid.IntRange(1, 8).Draw(t, "threads")
	opts.Memory = smallFor(opts.Program)
	opts.Memory.Records = rapid.SampledFrom([]int{9, 32}).Draw(t, "records")
	opts.Memory.Engines = rapid.SampledFrom([]int{1, 3, 12}).Draw(t, "engines")
	opts.Memory.SRAMLatency, opts.Memory.DRAMLatency = latency("SRAM"), latency("DRAM")
	opts.Memory.HashLatency = latency("hash")
	r := &race{
		sources: rapid.IntRange(1, 6).Draw(t, "sources"), results: map[[2]uint32]int{},
		size: rapid.SampledFrom([]int{2, 40, 60, 100}).Draw(t, "gradients"),
	}
	first := testJob(1, r.sources)
	first.BlockMax = opts.Memory.Records - 1 - 2*len(cfg.Jobs) // the others have one block each
	cfg.Jobs = append([]trioml.Job{first}, cfg.Jobs...)
	var err error
	if r.e, err = New(cfg, opts); err != nil {
		t.Fatal(err)
	}
	return r
}

// send gives the packet of a source in: gradient i is 1<<source, plus a pattern
// that must come as often as there are sources.
func (r *race) send(t *rapid.T, source int, gen uint16, block uint32) {
	grads := make([]int32, r.size)
	for i := range grads {
		grads[i] = 1<<source | 0x100
	}
	h := wire.Header{Job: 1, Block: block, Source: uint8(source), SrcCnt: 1, Gen: gen}
	r.e.Handle(r.now, []sansio.Arrival{arrival(packet(h, grads...))}, &r.eff)
	r.packets++
	r.collect(t)
}

// until lets the time go on.
func (r *race) until(t *rapid.T, to units.Time) {
	for d := r.e.NextDeadline(); d <= to; d = r.e.NextDeadline() {
		r.now = max(r.now, d)
		r.e.Expire(r.now, &r.eff)
		r.collect(t)
	}
	r.now = to
}

// collect checks every result: all its gradients are the sum over one set of
// sources, as many as src_cnt says.
func (r *race) collect(t *rapid.T) {
	for _, s := range r.eff.Sends {
		for f := range s.Train.Frames() {
			body := s.Train.Payload(f)
			h, problem := wire.Parse(body)
			if problem != wire.OK || int(h.Grads) != r.size {
				t.Fatalf("result %+v: %q", h, problem)
			}
			first := binary.BigEndian.Uint32(body[wire.HeaderLen:])
			for i := range int(h.Grads) {
				if v := binary.BigEndian.Uint32(body[wire.HeaderLen+4*i:]); v != first {
					t.Fatalf("result %+v: gradient 0 is %#x, gradient %d %#x", h, first, i, v)
				}
			}
			n := 0
			for s := range r.sources {
				n += int(first >> s & 1)
			}
			if uint32(n) != first>>8 || n != int(h.SrcCnt) || n == 0 || h.Degraded != (n < r.sources) {
				t.Fatalf("result %+v of sum %#x", h, first)
			}
			r.results[[2]uint32{uint32(h.Gen), h.Block}]++
			r.workers += n
		}
	}
	r.eff.Reset()
}

// settled wants nothing left inside: no record but the job's, every buffer zero,
// every packet added or dropped.
func (r *race) settled(t *rapid.T) {
	if n := r.e.OpenBlocks(); n != 0 {
		t.Fatalf("%d blocks are open at the end", n)
	}
	j, _ := r.e.Job(1)
	if j.BlockCurrCnt != 0 || r.e.NextDeadline() != units.Never {
		t.Fatalf("no block is open: block_curr_cnt %d, next deadline %v", j.BlockCurrCnt, r.e.NextDeadline())
	}
	r.buffersAreZero(t)
	var superseded, dropped, in uint64
	for _, c := range r.e.Counters() {
		switch c.Name {
		case trioml.CountSuperseded:
			superseded = c.N
		case trioml.CountPackets:
			in = c.N
		case trioml.DropDuplicate, trioml.DropLateBlock, trioml.DropLateGen, trioml.DropOlderRecord, "trioml-table-full":
			dropped += c.N
		}
	}
	if in != r.packets || superseded == 0 && uint64(r.workers)+dropped != in {
		t.Fatalf("%d packets, %d counted, %d in results, %d dropped: %v", r.packets, in, r.workers, dropped, r.e.Counters())
	}
}

// Threads that meet at every XTXN agree: whatever the latencies, duplicates and
// ageing in the middle of things, each result is the whole of some sources, no
// block has two, and nothing is left behind.
func TestThreadsAgree(t *testing.T) {
	programs := everyWidth(t)
	rapid.Check(t, func(t *rapid.T) {
		prog := rapid.SampledFrom(programs).Draw(t, "program")
		cfg := trioml.Config{
			Node: "pfe", Timeout: units.Duration(rapid.SampledFrom([]int64{2, 10, 50, 1000}).Draw(t, "timeout")) * units.Microsecond,
			Threads: rapid.IntRange(1, 8).Draw(t, "timer threads"),
			Age:     rapid.SampledFrom([]trioml.AgePolicy{"", trioml.AgeAbsent}).Draw(t, "age"),
		}
		drawRace(t, cfg, Options{Program: prog}).run(t, 0, 0, 0, 10, 300, 2000, 20000)
	})
}

// They also do where jobs have different timeouts, and timers write into records that they leave open.
func TestThreadsAgreeOnTimeouts(t *testing.T) {
	prog := compiled(t)
	rapid.Check(t, func(t *rapid.T) {
		other := waiting(2, units.Duration(rapid.IntRange(2, 9).Draw(t, "other timeout"))*units.Millisecond)
		other.BlockMax = 1
		cfg := trioml.Config{
			Node: "pfe", Timeout: 3 * units.Millisecond, Threads: rapid.IntRange(1, 8).Draw(t, "timer threads"), Jobs: []trioml.Job{other},
			Age: rapid.SampledFrom([]trioml.AgePolicy{"", trioml.AgeAbsent}).Draw(t, "age"),
		}
		drawRace(t, cfg, Options{Program: prog}).run(t, 0, 0, 0, 300, 20_000, 990_000, 1_000_000, 2_500_000)
	})
}

// run has sources send packets, now and then late ones, with gaps of some of these nanoseconds.
func (r *race) run(t *rapid.T, gaps ...int64) {
	blocks := rapid.IntRange(1, 6).Draw(t, "blocks")
	for gen := range uint16(rapid.IntRange(1, 3).Draw(t, "generations")) {
		for range rapid.IntRange(1, 40).Draw(t, "packets") {
			gap := rapid.SampledFrom(gaps).Draw(t, "gap")
			r.until(t, r.now+units.Time(gap)*units.Time(units.Nanosecond))
			of := gen - uint16(rapid.SampledFrom([]int{0, 0, 0, 0, 0, 1}).Draw(t, "late"))
			if gen == 0 {
				of = 0
			}
			r.send(t, rapid.IntRange(0, r.sources-1).Draw(t, "source"), of, uint32(rapid.IntRange(0, blocks-1).Draw(t, "block")))
		}
	}
	r.until(t, r.now+20*ms)
	r.settled(t)
	for k, n := range r.results {
		if n > 1 {
			t.Fatalf("block %d of generation %d has %d results", k[1], k[0], n)
		}
	}
}

// On time, every source once, all at the same instant: every block has its whole
// sum.
func TestAllAtOnce(t *testing.T) {
	prog := compiled(t)
	rapid.Check(t, func(t *rapid.T) {
		r := drawRace(t, trioml.Config{Node: "pfe", NoAging: true}, Options{Program: prog})
		const blocks = 8
		for block := range uint32(blocks) {
			for s := range r.sources {
				r.send(t, s, 0, block)
			}
		}
		r.until(t, 100*ms)
		r.settled(t)
		if len(r.results) != blocks || r.workers != blocks*r.sources {
			t.Fatalf("%d results of %d workers, want %d of %d", len(r.results), r.workers, blocks, blocks*r.sources)
		}
	})
}

package trio

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/switchd/microcode/isa"
	"github.com/inalab/inalab/switchd/microcode/vm"
	"github.com/inalab/inalab/switchd/trio/mem"
)

// pieces adds LMEM to memory, from where a packet says and as much as it says, %[1]d bytes at a
// time, twice if the packet is of kind 0, and then tells memory. Packets of one flow leave in order.
const pieces = `
dram buffers[65536];
sram told[8];
register u8 *from;
register u8 *limit;
register u32 to; // in units of 4 bytes
lmem u8 chunk[256];
packet entry start;
timer tick entry look;
start: begin from = (u8 *)pkt->body.arg; to = pkt->body.value; end
begin limit = from + pkt->body.count; to = to + (buffers << 1); end
add:
begin
    const : was = from;
    async MemAdd32(to[31:1], to[0:0], from, %[1]d);
    to += %[1]d / 4;
    from += %[1]d;
    if (was < limit) goto add;
end
begin async MemAdd32(told, 0, from, 4); if (pkt->body.kind == 0) goto start_again; end
begin XtxnWait(); end
begin MemRead(told, chunk, 64); end
begin Forward(1); exit; end
start_again: begin pkt->body.kind = 1; goto start; end
look: begin MemRead(buffers, chunk, 64); end
begin async MemAdd32(told + 1, 0, &chunk[4], 4); exit; end
`

// tails does the same with a tail, from where a packet says, 64 bytes at a time.
const tails = `
dram buffers[65536];
sram told[8];
register u8 *from;
register u32 off;
register u32 limit;
register u32 to; // in units of 4 bytes
lmem u8 chunk[64];
packet entry start;
timer tick entry look;
start: begin off = pkt->body.arg; to = pkt->body.value; end
begin limit = off + pkt->body.count; to = to + (buffers << 1); end
tail:
begin
    TailRead(off, chunk, 64);
    from = chunk;
    off += 64;
end
add:
begin
    const : was = from;
    async MemAdd32(to[31:1], to[0:0], from, %[1]d);
    to += %[1]d / 4;
    from += %[1]d;
    if (was != &chunk[64 - %[1]d]) goto add;
    if (off < limit) goto tail;
end
begin async MemAdd32(told, 0, chunk, 4); if (pkt->body.kind == 0) goto start_again; end
begin XtxnWait(); end
begin Forward(1); exit; end
start_again: begin pkt->body.kind = 1; goto start; end
look: begin MemRead(buffers, chunk, 64); end
begin async MemAdd32(told + 1, 0, &chunk[4], 4); exit; end
`

// witness is told how each thread ends, and what memory held then.
type witness struct {
	NopObserver
	p    *PFE
	ends []string
}

func (w *witness) Ended(now units.Time, t *vm.Thread, f Fate) {
	var registers [isa.Registers]uint64
	for n := range registers {
		registers[n] = t.Register(n)
	}
	told, _ := w.p.Memory().Load(0)
	w.ends = append(w.ends, fmt.Sprintf("%v: %v at %d after %d, fault %q, XTXNs %v, told %x, registers %x, LMEM %x",
		now, f, t.PC(), t.Executed, t.Fault(), t.Issued, told, registers, t.LMEM))
}

// stepper is a witness for whom all instructions are executed one by one.
type stepper struct{ witness }

func (*stepper) Started(units.Time, *vm.Thread, Work)              {}
func (*stepper) Executed(*vm.Thread, int, bool)                    {}
func (*stepper) Served(units.Time, units.Time, *vm.Thread, uint64) {}
func (*stepper) Gone(units.Time, *vm.Thread, bool, string)         {}
func (*stepper) Failed(units.Time, *vm.Thread, int, string)        {}
func (*stepper) Refused(units.Time, uint64, string)                {}
func (*stepper) Left(units.Time, uint64, bool)                     {}
func (w *stepper) Ended(now units.Time, t *vm.Thread, f Fate)      { w.witness.Ended(now, t, f) }

// drawAdding draws a PFE that is short of something: of engines, pages, threads, time.
func drawAdding(t *rapid.T) Config {
	bytes := rapid.SampledFrom([]int{4, 4, 8, 64}).Draw(t, "bytes of an add")
	loop := rapid.SampledFrom([]string{pieces, tails}).Draw(t, "program")
	m := small()
	m.AddBytes = bytes
	m.Engines = rapid.SampledFrom([]int{1, 2, 12}).Draw(t, "engines")
	m.Granule = units.Bytes(8 << rapid.IntRange(0, 3).Draw(t, "granule"))
	m.AddTime = units.Duration(rapid.IntRange(1, 30).Draw(t, "add time")) * units.Nanosecond
	m.QueueTime = units.Duration(rapid.SampledFrom([]int{1, 16, 256}).Draw(t, "queue time")) * units.Nanosecond
	m.Resident = rapid.SampledFrom([]units.Bytes{0, 5 * mem.PageBytes}).Draw(t, "resident")
	return Config{
		Program: compileFor(t, isa.Machine{AddBytes: bytes}, "loop", fmt.Sprintf(loop, bytes)),
		Timing: timed(func(c *Timing) {
			c.Instruction = units.Duration(rapid.SampledFrom([]int{2, 20, 21}).Draw(t, "instruction")) * units.Nanosecond
			c.Issue = units.Duration(rapid.SampledFrom([]int{1, 1, 3}).Draw(t, "issue")) * units.Nanosecond
			c.Packet = units.Duration(rapid.SampledFrom([]int{0, 100}).Draw(t, "packet")) * units.Nanosecond
		}),
		PPEs: MinPPEs, Threads: rapid.IntRange(1, 3).Draw(t, "threads"), Memory: m,
		Instructions: uint64(rapid.SampledFrom([]int{30, 1000}).Draw(t, "instructions")),
		Timers:       []Timer{{Name: "tick", Period: 700 * units.Nanosecond, Threads: 2}},
	}
}

// drawPieces draws a packet for pieces and tails.
func drawPieces(t *rapid.T) sansio.Arrival {
	body := payload(byte(rapid.IntRange(0, 1).Draw(t, "again")), byte(rapid.SampledFrom([]int{0, 1, 81, 100, 255}).Draw(t, "from")),
		uint16(rapid.SampledFrom([]int{0, 16, 100, 400, 1300}).Draw(t, "bytes")), rapid.SampledFrom([]int{0, 170, 300, 1001}).Draw(t, "rest"))
	to := rapid.SampledFrom([]uint32{0, 1, 2000, 4090, 60000, 64<<18 - 20, 1<<32 - 1<<26 - 40}).Draw(t, "to")
	body[4], body[5], body[6], body[7] = byte(to>>24), byte(to>>16), byte(to>>8), byte(to)
	return train(rapid.IntRange(0, 2).Draw(t, "flow"), body)
}

// A PFE that does the adds of loops ahead of their instructions is one that executes them: it sends
// the same at the same times, its threads end in the same state, and all that is measured is the same.
func TestAddsOfLoopsAreInstructions(t *testing.T) {
	var loops int
	rapid.Check(t, func(t *rapid.T) {
		cfg := drawAdding(t)
		seen, told := &witness{}, &stepper{}
		cfg.Observer = seen
		fused := newBench(t, cfg)
		cfg.Observer = told
		stepped := newBench(t, cfg)
		seen.p, told.p = fused.p, stepped.p
		for range rapid.IntRange(1, 40).Draw(t, "packets") {
			in, gap := drawPieces(t), units.Time(rapid.SampledFrom([]int{0, 0, 10, 300, 3333}).Draw(t, "gap"))*ns/3
			fused.handle(in).at(fused.now + gap)
			stepped.handle(in).at(stepped.now + gap)
			for i := range fused.p.clock.adding {
				if fused.p.clock.adding[i].owner != nil {
					loops++
				}
			}
		}
		fused.at(fused.now + 60*us)
		stepped.at(stepped.now + 60*us)
		if diff := cmp.Diff(stepped.take(), fused.take(), cmp.AllowUnexported(sent{})); diff != "" {
			t.Errorf("what is sent (-instructions +loops):\n%s", diff)
		}
		if diff := cmp.Diff(told.ends, seen.ends); diff != "" {
			t.Errorf("how threads end (-instructions +loops):\n%s", diff)
		}
		if diff := cmp.Diff(stepped.p.Counters(), fused.p.Counters()); diff != "" {
			t.Errorf("what is counted (-instructions +loops):\n%s", diff)
		}
		if diff := cmp.Diff(stepped.p.Snapshot(), fused.p.Snapshot(), cmp.AllowUnexported(Latency{}, Level{})); diff != "" {
			t.Errorf("what is measured (-instructions +loops):\n%s", diff)
		}
		wantMemory(t, stepped.p, fused.p)
	})
	if loops == 0 {
		t.Error("no thread was in a loop")
	}
}

// wantMemory compares what was written.
func wantMemory(t *rapid.T, want, got *PFE) {
	l := want.Memory().Layout()
	for _, r := range []mem.Range{l.SRAM, l.DRAM} {
		for part := range want.Memory().Written(r) {
			for a := part.Start; a < part.End; a++ {
				w, _ := want.Memory().Load(a)
				if g, _ := got.Memory().Load(a); g != w {
					t.Fatalf("word %#x is %#x, want %#x", a, g, w)
				}
			}
		}
	}
}

// A program that is replaced while its threads are in such a loop adds nothing more, and frees its
// threads.
func TestRetiredAddsNothing(t *testing.T) {
	m := small()
	program := compileFor(t, isa.Machine{}, "pieces", fmt.Sprintf(pieces, 4))
	cfg := Config{Program: program, Timing: timed(), Memory: m, Timers: []Timer{{Name: "tick", Period: units.Second, Threads: 1}}}
	x := newTogether(t, true, cfg, cfg)
	body := payload(1, 0, 1000, 0)
	body[7] = 0
	x[0].handle(train(1, body))
	x.until(2 * us)
	if !slices.ContainsFunc(x[0].p.clock.adding, func(a adding) bool { return a.owner == x[0].p }) {
		t.Fatal("the thread is in no loop")
	}
	x[0].p.Retire()
	before := x[0].p.clock.engines.Stats().Requests
	x[1:].until(units.Time(units.Second))
	x[1].at(us)
	if after := x[0].p.clock.engines.Stats().Requests; after != before {
		t.Errorf("%d requests after it was replaced", after-before)
	}
	if n := x[1].p.Snapshot().PPEsBusy[0]; n != x[1].p.cfg.PPEs {
		t.Errorf("%d of %d PPEs are idle", n, x[1].p.cfg.PPEs)
	}
}

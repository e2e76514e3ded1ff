package trio

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/switchd/microcode/isa"
	"github.com/inalab/inalab/switchd/microcode/vm"
	"github.com/inalab/inalab/switchd/microcode/vm/idiom"
	"github.com/inalab/inalab/switchd/trio/mem"
)

// movers is a program of three loops: %[1]d bytes of a tail are added to memory in
// chunks, memory is written to the tail of a new packet, and memory is filled.
const movers = `
register u32 sum = %[2]d;
register u32 off = %[3]d;
register u32 left = %[1]d;
register u32 from = %[4]d;
register u32 to = %[5]d;
register u32 rest = %[1]d;
register u32 clear = %[6]d;
register u32 more = %[1]d;
lmem u8 chunk[256];
lmem u8 pattern[64];
packet entry add;
add:
begin
    TailRead(off, chunk, %[7]d);
    off += %[7]d;
end
begin
    const : was = left;
    async MemAdd32(sum, %[8]d, chunk, %[7]d);
    sum += %[7]d / 8;
    left -= %[7]d;
    if (was > %[7]d) goto add;
end
begin
    PacketCreate(60);
end
send:
begin
    async MemRead(from, chunk, %[7]d);
end
begin
    async MemRead(from + %[7]d / 8, &chunk[%[7]d], %[7]d);
    from += %[7]d / 4;
end
begin
    XtxnWait();
end
begin
    const : was = rest;
    TailWrite(to, chunk, was < 2 * %[7]d ? was : 2 * %[7]d);
    to += 2 * %[7]d;
    rest -= 2 * %[7]d;
    if (was > 2 * %[7]d) goto send;
end
begin
    Forward(1);
    pattern[3] = 7;
end
fill:
begin
    const : was = more;
    async MemWrite(clear, pattern, %[7]d);
    clear += %[7]d / 8;
    more -= %[7]d;
    if (was > %[7]d) goto fill;
end
begin
    exit;
end
`

// stepped hides that a handler can stream.
type stepped struct{ vm.Handler }

// anyStart draws an address, most often before the end of the first of the two
// pages that each range has.
func anyStart(t *rapid.T) uint32 {
	const words = 8192 // of a page
	edge := rapid.SampledFrom([]int64{words, words, words, isa.DRAMStart + words, isa.DRAMStart + words, isa.DRAMStart + words,
		2 * words, isa.DRAMStart + 2*words, isa.HashRecords, 1 << 32}).Draw(t, "edge")
	return uint32(edge - int64(rapid.SampledFrom([]int{0, 1, 5, 77, 256, 300, 500, 525, 600}).Draw(t, "before")))
}

func anyOf(t *rapid.T, list ...int) int { return rapid.SampledFrom(list).Draw(t, "one of") }

// A thread that streams leaves the PFE as one that steps: memory, packets, what is
// lent, counts, and the thread itself.
func TestStreamedIsStepped(t *testing.T) {
	streamed := 0
	rapid.Check(t, func(t *rapid.T) {
		length := anyOf(t, 1, 64, 200, 1000, 2048, 3944, 4200)
		prog := compileFor(t, wide, "movers", fmt.Sprintf(movers, length, anyStart(t), anyOf(t, 0, 0, 40, 1<<32-64),
			anyStart(t), anyOf(t, 0, 0, 70, 62000, 65000, 1<<32-64), anyStart(t), anyOf(t, 8, 24, 40, 64, 64), anyOf(t, 0, 1)))
		cfg := Config{
			Program: prog,
			Memory: mem.Config{
				SRAM: 128 * units.KiB, DRAM: 128 * units.KiB, Records: 64, RecordsIn: mem.DRAM, AddBytes: prog.Adds(),
				Resident: units.Bytes(rapid.IntRange(1, 34).Draw(t, "pages")) * mem.PageBytes,
			},
			PacketMemory: units.Bytes(anyOf(t, 64, 1024)) * units.KiB,
			Instructions: uint64(anyOf(t, 8, 20, 21, 60, 97, 140, 200, 1<<20, 1<<20, 1<<20)),
		}
		payload := bytes.Repeat(rapid.SliceOfN(rapid.Byte(), 400, 440).Draw(t, "payload"), rapid.SampledFrom([]int{1, 10}).Draw(t, "times"))
		a, b := newBench(t, cfg), newBench(t, cfg)
		if n := len(idiom.Attach(a.p.code, prog)); n != 3 {
			t.Fatalf("%d of 3 loops are streams", n)
		}
		for range 2 { // sums are not of zeros the second time
			arrival := train(1, payload)
			a.now, b.now = a.now+ns, b.now+ns
			a.handle(arrival)
			b.p.enter(b.now, &b.eff)
			b.p.source = &arrival.Train
			b.p.count.Add(CountPackets, 1)
			x := &b.p.single
			x.current.arrive(&arrival.Train, 0, arrival.Port, b.p.now)
			b.p.prepare(&x.thread, work{packet: &x.current, since: b.p.now})
			x.thread.stop = x.thread.Run(stepped{x})
			b.p.conclude(&x.thread)
			b.p.leave()
			b.collect()
			samePFE(t, a, b)
		}
		if a.p.single.thread.Issued[isa.MemAdd32] > 2 {
			streamed++
		}
	})
	if streamed == 0 {
		t.Error("no thread had a loop to stream")
	}
}

func samePFE(t *rapid.T, got, want *bench) {
	t.Helper()
	a, b := &got.p.single.thread, &want.p.single.thread
	if a.stop != b.stop || a.reason != b.reason || a.fate != b.fate || a.Executed != b.Executed || a.Issued != b.Issued ||
		a.PC() != b.PC() || a.Fault() != b.Fault() {
		t.Fatalf("streamed: stop %d %q %v after %d at %d %q, %v; stepped: stop %d %q %v after %d at %d %q, %v",
			a.stop, a.reason, a.fate, a.Executed, a.PC(), a.Fault(), a.Issued, b.stop, b.reason, b.fate, b.Executed, b.PC(),
			b.Fault(), b.Issued)
	}
	for r := range isa.Registers {
		if a.Register(r) != b.Register(r) {
			t.Fatalf("r%d is %#x, want %#x", r, a.Register(r), b.Register(r))
		}
	}
	if a.LMEM != b.LMEM {
		t.Fatal("LMEM differs")
	}
	if diff := cmp.Diff(want.take(), got.take(), cmp.AllowUnexported(sent{})); diff != "" {
		t.Fatalf("sent (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(want.p.Counters(), got.p.Counters()); diff != "" {
		t.Fatalf("counters (-want +got):\n%s", diff)
	}
	if got.p.used != want.p.used || got.p.Memory().Resident() != want.p.Memory().Resident() {
		t.Fatalf("lent: %v of packets, %v of memory, want %v, %v", got.p.used, got.p.Memory().Resident(), want.p.used,
			want.p.Memory().Resident())
	}
	l := got.p.Memory().Layout()
	for _, r := range []mem.Range{l.SRAM, l.DRAM, l.Records} {
		x, y := make([]byte, r.Bytes()), make([]byte, r.Bytes())
		got.p.Memory().ReadRange(r.Start, x)
		want.p.Memory().ReadRange(r.Start, y)
		if !bytes.Equal(x, y) {
			t.Fatalf("memory from %#x on differs", r.Start)
		}
	}
}

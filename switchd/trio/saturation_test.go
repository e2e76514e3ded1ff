package trio

import (
	"bytes"
	"encoding/binary"
	"testing"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
	"github.com/inalab/inalab/switchd/trio/mem"
)

// adder adds the tail of a packet to memory in chunks of 64 bytes, and the head's
// gradients before: what is hot in Trio-ML (trio §4).
const adder = `
dram buffers[65536];
lmem u8 chunk[64];
struct loop_t { offset : 32; left : 32; };
register loop_t loop;
register u32 aggr; // in units of 4 bytes
register u8 *from;
packet entry start;
start: begin loop.left = pkt->body.count; aggr = buffers + pkt->body.arg * 512; end
begin aggr = aggr << 1; if (loop.left == 0) goto done; end
tail:
begin
    TailRead(loop.offset, chunk, 64);
    loop.offset += 64;
    from = chunk;
end
add:
begin
    const : was = from;
    async MemAdd32(aggr[31:1], aggr[0:0], from, ADD_BYTES);
    aggr += ADD_BYTES / 4;
    from += ADD_BYTES;
    if (was != &chunk[64 - ADD_BYTES]) goto add;
end
begin
    const : was = loop.left;
    loop.left = was - 1;
    if (was > 1) goto tail;
end
done: begin XtxnWait(); end
begin exit; end
`

// flood is adder without tails: nothing but adds, the widest that there are.
const flood = `
dram buffers[65536];
lmem u8 chunk[64];
register u32 n;
register u32 aggr;
packet entry start;
start: begin n = pkt->body.count; aggr = buffers + pkt->body.arg * 512; end
loop: begin if (n == 0) goto done; async MemAdd32(aggr, 0, chunk, 64); n = n - 1; aggr += 8; end
begin goto loop; end
done: begin XtxnWait(); end
begin exit; end
`

func flooded(t *testing.T) Config {
	return Config{Program: compileFor(t, wide, "flood", flood), Timing: timed(), Memory: mem.Config{AddBytes: wide.AddBytes}}
}

// Twelve engines of two clocks an add at 1 GHz are 6 billion adds a second (trio
// §6.3): what the threads offer beyond that is pushed back.
func TestAddsReachThePlateau(t *testing.T) {
	b := newBench(t, flooded(t))
	const packets, chunks = 2000, 60
	for i := range packets {
		b.handle(train(i%250, payload(0, byte(i), chunks, 0)))
	}
	b.idle()
	adds := float64(packets * chunks * 16)
	if rate := adds / b.now.Seconds(); rate < 5.8e9 || rate > 6e9 {
		t.Errorf("%.3g adds a second, want just below 6e9", rate)
	}
	s := b.p.Snapshot()
	for i, l := range s.Memory.Engines {
		if u := float64(l.Busy) / float64(b.now); u < 0.96 || u > 1 {
			t.Errorf("engine %d was busy %.3f of the time", i, u)
		}
	}
	if s.Memory.Requests.Held == 0 {
		t.Error("nothing was pushed back")
	}
}

// Far below saturation, the rate follows the offer.
func TestAddsBelowThePlateau(t *testing.T) {
	b := newBench(t, flooded(t))
	const packets, chunks = 400, 60
	for i := range packets {
		b.at(units.Time(i) * 320 * ns).handle(train(i%250, payload(0, byte(i), chunks, 0))) // 3e9 adds a second
	}
	if s := b.p.Snapshot(); s.Memory.Requests.Held != 0 {
		t.Errorf("%d requests were pushed back at half the rate of the engines", s.Memory.Requests.Held)
	}
	if d := b.p.Snapshot().Work[0].Inside.Max; d > 4*units.Microsecond {
		t.Errorf("a packet took %v", d)
	}
}

// aggregate is a packet of 1024 gradients: 38 in the head, the rest in 62 chunks of
// the tail.
func aggregate(flow int) sansio.Arrival { return train(flow, payload(0, byte(flow), 62, 4098)) }

// BenchmarkInstantAdder is a 4 KB packet in live mode.
func BenchmarkInstantAdder(b *testing.B) {
	p := newBench(b, Config{Program: compile(b, "adder", adder)})
	in := []sansio.Arrival{aggregate(1)}
	var eff sansio.Effects
	b.ReportAllocs()
	for b.Loop() {
		p.p.Handle(0, in, &eff)
		eff.Reset()
	}
}

// BenchmarkTimedAdder is the same under the virtual clock, 256 at a time.
func BenchmarkTimedAdder(b *testing.B) {
	p := newBench(b, Config{Program: compile(b, "adder", adder), Timing: timed()})
	var in []sansio.Arrival
	for i := range 256 {
		in = append(in, aggregate(i))
	}
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		p.p.Handle(p.now, in, &p.eff)
		p.eff.Reset()
		for d := p.p.NextDeadline(); d != units.Never; d = p.p.NextDeadline() {
			p.now = d
			p.p.Expire(d, &p.eff)
			p.eff.Reset()
		}
		n += len(in)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(n), "ns/packet")
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(p.p.Instructions()), "ns/instr")
}

// BenchmarkInstantForward is a small packet that is sent on.
func BenchmarkInstantForward(b *testing.B) {
	p := newBench(b, Config{Program: compile(b, "spin", spin)})
	in := []sansio.Arrival{train(1, payload(0, 0, 0, 0))}
	var eff sansio.Effects
	b.ReportAllocs()
	for b.Loop() {
		p.p.Handle(0, in, &eff)
		eff.Reset()
	}
}

// In the long run neither mode takes memory.
func TestNothingIsAllocatedInTheLongRun(t *testing.T) {
	modes(t, func(t *testing.T, timing *Timing) {
		b := newBench(t, Config{Program: compile(t, "adder", adder), Timing: timing})
		forward := newBench(t, Config{Program: compile(t, "ways", ways), Timing: timing})
		adds := []sansio.Arrival{aggregate(1), aggregate(2), aggregate(3)}
		mixed := []sansio.Arrival{
			train(1, payload(0, 0, 0, 500)), train(2, payload(2, 0, 0, 500)), train(3, payload(4, 1, 0, 500)),
			train(1, payload(1, 1, 0, 500)),
		}
		round := func(b *bench, in []sansio.Arrival) {
			b.p.Handle(b.now, in, &b.eff)
			b.eff.Reset()
			for d := b.p.NextDeadline(); d != units.Never; d = b.p.NextDeadline() {
				b.now = d
				b.p.Expire(d, &b.eff)
				b.eff.Reset()
			}
		}
		for range 10 {
			round(b, adds)
			round(forward, mixed)
		}
		if n := testing.AllocsPerRun(100, func() { round(b, adds); round(forward, mixed) }); n != 0 {
			t.Errorf("%v allocations in a round", n)
		}
	})
}

// What the adder leaves in memory is the sum of the tails.
func TestAdderAddsTails(t *testing.T) {
	modes(t, func(t *testing.T, timing *Timing) {
		b := newBench(t, Config{Program: compile(t, "adder", adder), Timing: timing})
		in := aggregate(2)
		b.handle(in, in).idle()
		buffers, _ := b.p.cfg.Program.Symbol("buffers")
		tail := append(bytes.Clone(in.Train.Body[206-inet.UDPHeaders:]), make([]byte, 64)...)
		for i := range 62 * 8 {
			first, second := binary.BigEndian.Uint32(tail[8*i:]), binary.BigEndian.Uint32(tail[8*i+4:])
			want := uint64(2*first)<<32 | uint64(2*second)
			if got, f := b.p.Memory().Load(mem.Addr(buffers.Value) + 2*512 + mem.Addr(i)); got != want {
				t.Fatalf("word %d is %#x, want %#x (%v)", i, got, want, f)
			}
		}
	})
}

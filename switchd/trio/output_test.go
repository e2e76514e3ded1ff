package trio

import (
	"testing"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
)

// A program that rewrites addresses need not mend sums.
func TestSumsFollowRewrittenHeaders(t *testing.T) {
	modes(t, func(t *testing.T, timing *Timing) {
		b := newBench(t, Config{Timing: timing, Program: compile(t, "rewrite", `packet entry start;
start: begin pkt->ip.dst = 0x0a636363; pkt->ip.ttl = 9; end
begin pkt->eth.dmac[31:0] = 0x12345678; Forward(1); exit; end`)})
		got := b.handle(train(1, payload(0, 0, 0, 500))).idle().take()
		if len(got) != 1 {
			t.Fatalf("sent %v", frames(got))
		}
		frame := []byte(got[0].frame)
		ip := inet.IPv4(frame[inet.EtherLen:])
		if !ip.ChecksumOK() || ip.TTL() != 9 || ip.Dst().String() != "10.99.99.99" {
			t.Errorf("IP header %x", frame[14:34])
		}
		udp := inet.UDP(frame[34:42])
		want := inet.PseudoSum(ip, udp.Len())
		if got := uint16(udp[6])<<8 | uint16(udp[7]); got != want {
			t.Errorf("partial UDP checksum %#x, want %#x", got, want)
		}
	})
}

// made makes packets: with a gap in the tail, and an identification.
const made = `
lmem u8 chunk[64];
register u32 n;
packet entry start;
start: begin PacketCreate(42); n = pkt->body.count; end
begin pkt->ip.id = n; pkt->ip.len = 28 + 40; end
begin pkt->udp.len = 8 + 40; if (pkt->body.kind == 1) goto full; end
begin chunk[0] = 7; TailWrite(39, chunk, 1); goto out; end
full: begin TailRead(0, chunk, 64); end
begin TailWrite(0, chunk, 40); end
out: begin Forward(1); exit; end
`

// What lies between two pieces of a tail is zero, whatever its memory held before.
func TestGapsInTailsAreZero(t *testing.T) {
	modes(t, func(t *testing.T, timing *Timing) {
		b := newBench(t, Config{Timing: timing, Program: compile(t, "made", made)})
		for range 4 {
			b.handle(train(1, payload(1, 0, 0, 500))).idle().take() // fills memory
			got := b.handle(train(1, payload(0, 0, 0, 500))).idle().take()
			if len(got) != 1 || got[0].frame[42:] != string(make([]byte, 39))+"\x07" {
				t.Errorf("sent %v", frames(got))
			}
		}
	})
}

// Every created packet has the identification that its thread gave it, though
// trains count theirs on.
func TestIdentificationsAreKept(t *testing.T) {
	b := newBench(t, Config{Program: compile(t, "made", made)})
	got := b.handle(train(1, payload(1, 0, 5, 500), payload(1, 0, 5, 500), payload(1, 0, 0, 500), payload(1, 0, 0, 500))).take()
	for i, want := range []uint16{5, 5, 0, 0} {
		if id := inet.IPv4(got[i].frame[14:]).ID(); id != want {
			t.Errorf("packet %d has identification %d, want %d", i, id, want)
		}
	}
}

// Tails are read at so many bytes a clock by all threads together.
func TestTailsShareABandwidth(t *testing.T) {
	b := newBench(t, Config{
		Program: compile(t, "tails", "lmem u8 chunk[64]; packet entry start; start: begin TailRead(0, chunk, 64); end begin exit; end"),
		Timing:  timed(func(t *Timing) { t.TailBytesPerCycle = 1; t.Dispatch = 0 }),
	})
	var in []sansio.Arrival
	for i := range 10 {
		in = append(in, train(i, payload(0, 0, 0, 500)))
	}
	b.handle(in...).at(10 * us)
	want := 2*instruction + TailLatency + 10*64*units.Nanosecond
	if got := b.p.Snapshot().Work[0].Inside.Max; got != want {
		t.Errorf("the last of ten reads of 64 bytes, a byte a clock, took %v, want %v", got, want)
	}
}

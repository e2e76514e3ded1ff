package trio

import (
	"slices"
	"testing"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
)

// spin executes 2 x count instructions, and then does what arg says: 0 forwards, 1
// drops, 2 consumes, 3 sends a copy before the packet.
const spin = `
register u32 n;
register u32 what;
packet entry start;
start: begin n = pkt->body.count; what = pkt->body.arg; end
loop: begin if (n == 0) goto done; n = n - 1; end
begin goto loop; end
done: begin switch (what) { case 0: goto pass; case 1: goto drop; case 3: goto copy; default: goto absorb; } end
copy: begin PacketCreate(42); end
begin pkt->ip.len = 28; pkt->udp.len = 8; end
begin Forward(2); end
pass: begin Forward(1); exit; end
drop: begin Drop(1); exit; end
absorb: begin exit; end
`

func TestReorderEngineKeepsFlows(t *testing.T) {
	b := newBench(t, Config{Program: compile(t, "spin", spin), Timing: timed()})
	send := func(flow int, tag byte, count uint16) sansio.Arrival {
		return train(flow, append(payload(0, 0, count, 0), tag))
	}
	b.handle(send(1, 'a', 500), send(1, 'b', 1), send(2, 'x', 10), send(1, 'c', 100), send(2, 'y', 1))
	b.at(15 * us)
	if s := b.p.Snapshot(); s.Reorder != 2 || s.Flows != 1 {
		t.Errorf("%d packets of %d flows wait, want 2 of 1", s.Reorder, s.Flows)
	}
	var got string
	var times []units.Time
	for _, s := range b.idle().take() {
		got += s.frame[len(s.frame)-1:]
		times = append(times, s.at)
	}
	if got != "xyabc" {
		t.Errorf("packets left in the order %q, want xyabc", got)
	}
	if times[3] != times[4] || times[3].Sub(times[2]) != CrossbarLatency {
		t.Errorf("b and c were done before a, and should leave when its thread has ended: %v", times)
	}
	if s := b.p.Snapshot(); s.Reorder != 0 || s.Flows != 0 || s.PacketMemory != 0 {
		t.Errorf("left behind: %d waiting, %d flows, %v", s.Reorder, s.Flows, s.PacketMemory)
	}
}

// A packet that is consumed or dropped lets those behind it go; created packets do
// not wait.
func TestReorderPassesWhatDoesNotLeave(t *testing.T) {
	b := newBench(t, Config{Program: compile(t, "spin", spin), Timing: timed()})
	b.handle(train(1, payload(0, 2, 400, 0)), train(1, payload(0, 1, 200, 0)), train(1, payload(0, 3, 0, 1)))
	got := b.idle().take()
	if len(got) != 3 || len(got[0].frame) != 42 || got[2].port != 1 {
		t.Fatalf("sent %v, want a created packet by two ports, then the third", frames(got))
	}
	if got[0].at > 5*us || got[2].at < 16*us {
		t.Errorf("the created packet left at %v and the third at %v", got[0].at, got[2].at)
	}
}

func TestThreadsRunOutAndPacketsQueue(t *testing.T) {
	const threads = 16
	b := newBench(t, Config{Program: compile(t, "spin", spin), Timing: timed(), PPEs: 16, Threads: 1, Queue: 8})
	var in []sansio.Arrival
	for i := range 30 {
		in = append(in, train(i, payload(0, 0, 50, 0)))
	}
	b.handle(in...)
	s := b.p.Snapshot()
	if s.InUse.Now != threads || s.Queue.Now != 8 {
		t.Errorf("%d threads in use and %d packets queued, want %d and 8", s.InUse.Now, s.Queue.Now, threads)
	}
	b.wantCount(DropQueue, 6)
	got := b.idle().take()
	if len(got) != 24 {
		t.Fatalf("%d packets left, want 24", len(got))
	}
	// 2 + 2x50 + 2 instructions, and the way in and out.
	// A thread ends when it knows that its packet was taken.
	want := units.Time(DispatchDelay + OutputDelay + 104*instruction)
	end := want.Add(CrossbarLatency - OutputDelay)
	if first, last := got[0].at, got[23].at; first != want || last != end+want {
		t.Errorf("first left at %v and last at %v, want %v, and that after the end of a thread at %v", first, last, want, end)
	}
	if s := b.p.Snapshot(); s.InUse.Now != 0 || s.InUse.Max != threads || s.Queue.Max != 8 || s.Wait.N != 24 {
		t.Errorf("afterwards: in use %+v, queue %+v, %d started", s.InUse, s.Queue, s.Wait.N)
	}
}

func TestPacketMemoryLimit(t *testing.T) {
	b := newBench(t, Config{Program: compile(t, "spin", spin), Timing: timed(), PacketMemory: 64 * units.KiB})
	for i := range 20 {
		b.handle(train(i, payload(0, 0, 50, 4000)))
	}
	b.wantCount(DropMemory, 6) // 14 of 4050 bytes fit into seven eighths
	if got := len(b.idle().take()); got != 14 {
		t.Errorf("%d packets left, want 14", got)
	}
	if n := b.p.Snapshot().PacketMemory; n != 0 {
		t.Errorf("%v are still in use", n)
	}
}

// Packets that arrive leave room for those that threads create: a thread that had begun
// something would leave it behind.
func TestCreatedPacketsHaveRoom(t *testing.T) {
	const full = 64 * units.KiB
	b := newBench(t, Config{Program: compile(t, "late", late), Timing: timed(), PacketMemory: full})
	for i := range 200 {
		b.handle(train(i, payload(0, 0, 0, 3000)))
	}
	if n := b.p.Snapshot().PacketMemory; n > full-full/packetReserve || n < full/2 {
		t.Errorf("%v are in use, of %v", n, full-full/packetReserve)
	}
	kept := 200 - int(b.count(DropMemory))
	b.idle()
	b.wantCount(DropNoRoom, 0)
	b.wantCount(CountCreated, uint64(kept))
}

// late creates a packet of 260 bytes for each that arrives, some time later.
const late = `
lmem u8 chunk[256];
register u32 n = 200;
packet entry start;
start: begin const : was = n; n = n - 1; if (was > 1) goto start; end
begin PacketCreate(60); end
begin TailWrite(0, chunk, 200); end
begin Forward(1); exit; end
`

// Dispatch spreads threads over the PPEs before it gives any a second one.
func TestDispatchTakesTheIdlest(t *testing.T) {
	p := newPPEs(16, 3)
	var got []int
	for range 18 {
		got = append(got, p.take())
	}
	if want := append([]int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}, 0, 1); !slices.Equal(got, want) {
		t.Errorf("PPEs %v, want %v", got, want)
	}
	p.free(7)
	p.free(9)
	if a, b, c := p.take(), p.take(), p.take(); a != 7 || b != 9 || c != 2 {
		t.Errorf("then PPEs %d %d %d, want 7, 9, 2", a, b, c)
	}
}

// A PPE with few threads runs each at its own pace; with more threads than an
// instruction has clocks it executes one instruction a clock.
func TestPPEIssuesOneInstructionAClock(t *testing.T) {
	for _, c := range []struct {
		threads int
		want    units.Duration // of 1000 instructions of every thread
	}{{1, 20 * units.Microsecond}, {20, 20 * units.Microsecond}, {40, 40 * units.Microsecond}, {64, 64 * units.Microsecond}} {
		b := newBench(t, Config{
			Program: compile(t, "spin", spin), PPEs: 16, Threads: 64,
			Timing: timed(func(t *Timing) { t.Instruction, t.Dispatch, t.Output = 20*units.Nanosecond, 0, 0 }),
		})
		for i := range 16 * c.threads {
			b.handle(train(i, payload(0, 2, 498, 0))) // 1000 instructions
		}
		b.idle()
		if got := b.now.Sub(0); got != c.want {
			t.Errorf("%d threads on each PPE took %v, want %v", c.threads, got, c.want)
		}
	}
}

// Simple forwarding keeps line rate beside a heavy program (trio §1): as long as
// threads are free, nobody waits for the threads of others.
func TestForwardingKeepsLineRateBesideAHeavyProgram(t *testing.T) {
	b := newBench(t, Config{Program: compile(t, "spin", spin), Timing: timed()})
	for i := range 2000 {
		b.handle(train(i%250, payload(0, 2, 2000, 0))) // 80 us each
	}
	const size, packets = 1500, 600  // 72 us
	gap := units.Time(size * 8 * 10) // ps at 100 Gbps
	for i := range packets {
		b.at(units.Time(i) * gap).handle(train(255, payload(0, 0, 0, size-50)))
	}
	b.at(b.now + 3*us)
	got := b.take()
	if len(got) != packets {
		t.Fatalf("%d of %d packets have left", len(got), packets)
	}
	if d := b.p.Snapshot().Sent.Max; d > 2*units.Microsecond {
		t.Errorf("a packet took %v", d)
	}
	if s := b.p.Snapshot(); s.InUse.Now != 2000 || s.Queue.Max != 0 {
		t.Errorf("%d threads in use, at most %d packets queued: the heavy ones should all be at work", s.InUse.Now, s.Queue.Max)
	}
}

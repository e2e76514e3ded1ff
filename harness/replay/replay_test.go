package replay_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/inalab/inalab/harness/replay"
	"github.com/inalab/inalab/internal/pcapfile/pcapfiletest"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/switchd/microcode"
	"github.com/inalab/inalab/switchd/microcode/isa"
	"github.com/inalab/inalab/switchd/program/filter"
	"github.com/inalab/inalab/switchd/program/police"
	"github.com/inalab/inalab/switchd/program/telemetry"
	"github.com/inalab/inalab/switchd/trio"
)

func compile(t testing.TB, name, source string) *isa.Program {
	t.Helper()
	p, err := microcode.Compile(name, source)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// packets reads lines as package pcapfiletest has them.
func packets(t testing.TB, lines string) []pcapfiletest.Packet {
	t.Helper()
	list, err := pcapfiletest.Parse(lines)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// played is what a run has handed over.
type played struct {
	replay.Result
	sent  [][]byte
	at    []units.Time
	lives []*replay.Life
}

func play(t testing.TB, cfg replay.Config, list []pcapfiletest.Packet) (out played) {
	t.Helper()
	cfg.Sent = func(at units.Time, frame []byte) error {
		out.at, out.sent = append(out.at, at), append(out.sent, bytes.Clone(frame))
		return nil
	}
	cfg.Ended = func(l *replay.Life) error {
		out.lives = append(out.lives, l)
		return nil
	}
	r, err := replay.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range list {
		if err := r.Frame(p.At, sansio.Port(p.Interface), p.Frame); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.Finish(); err != nil {
		t.Fatal(err)
	}
	out.Result = r.Result()
	return out
}

func timing() *trio.Timing {
	t := trio.DefaultTiming()
	return &t
}

const mixed = `
	0s    udp 10.0.0.1 10.0.0.2 100
	1ms   arp
	2ms   udp 10.0.0.3 10.0.0.4 18
	2ms   hex 0102030405060708090a0b0c080046000000`

// Frames pass or not as the program has it, at the capture's times, byte for byte.
func TestFramesPass(t *testing.T) {
	prog := compile(t, filter.File, filter.Source())
	list := packets(t, mixed)
	got := play(t, replay.Config{Program: prog}, list)
	if diff := cmp.Diff([]replay.HopCount{{Hop: 0, Packets: 2}}, got.Forwarded); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]replay.ReasonCount{{Name: filter.DropFiltered, N: 2}}, got.Dropped); diff != "" {
		t.Error(diff)
	}
	if got.Packets != 4 || got.Consumed != 0 || len(got.Faults) != 0 || got.Time.N != 0 || got.Instructions.N != 4 {
		t.Errorf("%+v", got.Result)
	}
	if diff := cmp.Diff([][]byte{list[0].Frame, list[2].Frame}, got.sent); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]units.Time{0, units.Time(2 * units.Millisecond)}, got.at); diff != "" {
		t.Error(diff)
	}
	if n := sansio.CountOf(got.Counters, filter.CountNotIP); n != 1 {
		t.Errorf("%d packets are counted as not IP", n)
	}
}

// With timing a packet takes the time of its instructions and XTXNs, and leaves that much
// later.
func TestTimed(t *testing.T) {
	prog := compile(t, filter.File, filter.Source())
	c := timing()
	got := play(t, replay.Config{Program: prog, Timing: c}, packets(t, "0s udp 10.0.0.1 10.0.0.2 100\n1ms arp"))
	// An IP packet: its fixed cost, and three instructions, of which the last forwards.
	want := c.Packet + c.Dispatch + 3*c.Instruction + c.Output
	if len(got.at) != 1 || got.at[0] != units.Time(want) || got.lives[0].Took != want {
		t.Errorf("left at %v, took %v, want %v", got.at, got.lives[0].Took, want)
	}
	// ARP: three instructions, a counter and Drop.
	if s := got.Time; s.N != 2 || s.Min != got.lives[0].Took || s.Max != got.lives[1].Took || s.Max <= s.Min {
		t.Errorf("%+v", s)
	}
}

// Whatever frames come, each is forwarded, dropped or consumed; time changes when they
// leave and not what becomes of them; and steps change nothing.
func TestConserved(t *testing.T) {
	programs := []*isa.Program{
		compile(t, filter.File, filter.Source()), compile(t, telemetry.File, telemetry.Source()), compile(t, police.File, police.Source()),
		compile(t, "twice.mc", twice),
	}
	rapid.Check(t, func(rt *rapid.T) {
		prog := rapid.SampledFrom(programs).Draw(rt, "program")
		var list []pcapfiletest.Packet
		at := units.Time(0)
		for range rapid.IntRange(1, 12).Draw(rt, "packets") {
			at += units.Time(rapid.Int64Range(0, int64(20*units.Microsecond)).Draw(rt, "gap"))
			frame := rapid.SliceOfN(rapid.Byte(), 1, 300).Draw(rt, "frame")
			if rapid.Bool().Draw(rt, "ip") {
				lines := fmt.Sprintf("0s udp 10.0.0.%d 10.0.1.1 %d", rapid.IntRange(1, 3).Draw(rt, "source"), len(frame))
				frame = packets(t, lines)[0].Frame
			}
			list = append(list, pcapfiletest.Packet{At: at, Frame: frame})
		}
		cfg := replay.Config{Program: prog, Instructions: 1000}
		got := play(t, cfg, list)
		cfg.Steps = true
		stepped := play(t, cfg, list)
		if diff := cmp.Diff(got.sent, stepped.sent); diff != "" {
			rt.Fatal(diff)
		}
		if diff := cmp.Diff(got.Result, stepped.Result); diff != "" {
			rt.Fatal(diff)
		}
		cfg.Timing = timing()
		timed := play(t, cfg, list)
		for _, r := range []played{got, timed} {
			sum, out := r.Consumed, uint64(0)
			for _, h := range r.Forwarded {
				sum += h.Packets
				out += h.Packets
			}
			for _, h := range r.Created {
				out += h.Packets
			}
			for _, d := range r.Dropped {
				sum += d.N
			}
			if sum != uint64(len(list)) || r.Packets != sum || out != uint64(len(r.sent)) || len(r.lives) != len(list) {
				rt.Fatalf("%d packets: %+v and %d lives, %d frames", len(list), r.Result, len(r.lives), len(r.sent))
			}
		}
	})
}

// twice sends each packet and one of its own.
const twice = `
packet entry start;
start:
begin Forward(7); end
begin PacketCreate(60); end
begin Forward(9); exit; end`

func TestCreated(t *testing.T) {
	got := play(t, replay.Config{Program: compile(t, "twice.mc", twice), Timing: timing()}, packets(t, "0s udp 10.0.0.1 10.0.0.2 100"))
	if diff := cmp.Diff([]replay.HopCount{{Hop: 9, Packets: 1}}, got.Created); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]replay.HopCount{{Hop: 7, Packets: 1}}, got.Forwarded); diff != "" {
		t.Error(diff)
	}
	if len(got.sent) != 2 || len(got.sent[1]) != 60 {
		t.Errorf("%d frames", len(got.sent))
	}
}

// A thread that does wrong is named by place, reason and rule, and the packets behind it are
// played.
func TestFaults(t *testing.T) {
	const head = "register u32 n;\nregister u64 a;\nlmem u8 buffer[64];\npacket entry start;\n"
	for _, c := range []struct {
		body, reason, rule, by string
		line                   int
	}{
		{"start: begin goto start; end", "pfe-instruction-limit", "at most 1000 instructions (assumed)", "", 5},
		{"register u32 *p = 1278;\nstart:\nbegin n = *p; exit; end", "pfe-lmem-out-of-range", "bytes 0 to 1279 (trio §2.2)", "", 7},
		{"start: begin n = n - 8; end\nbegin MemWrite(n, buffer, 64); exit; end", "pfe-memory-address-out-of-range", "shared memory is words 0x", "MemWrite(0xfffffff8, buffer, 64)", 6},
		{"start: begin TailWrite(0, buffer, 64); exit; end", trio.DropNoTail, "TailWrite writes to a packet of PacketCreate", "TailWrite(0, buffer, 64)", 5},
		{"start: begin HashScan(1, 1, 0); exit; end", "pfe-bad-part-of-the-hash-table", "below the number of parts", "HashScan(1, 1, 0)", 5},
		{"start: begin MemRead(8, buffer, n); exit; end", "pfe-xtxn-bad-length", "lengths of its own", "", 5},
		{"start: begin HeaderPush(n + 65); exit; end", trio.DropPush, "64 bytes of headers can be pushed in all", "HeaderPush(65)", 5},
		{"start: begin HeaderPull(n); exit; end", trio.DropPull, "14 bytes of the head are left", "HeaderPull(0)", 5},
	} {
		prog := compile(t, "wrong.mc", head+c.body)
		for _, timed := range []*trio.Timing{nil, timing()} {
			got := play(t, replay.Config{Program: prog, Instructions: 1000, Timing: timed}, packets(t, "0s arp\n1ms arp"))
			if len(got.Faults) != 1 {
				t.Errorf("%s: faults %+v", c.body, got.Faults)
				continue
			}
			f := got.Faults[0]
			if f.Reason != c.reason || f.Pos.Line != c.line || !strings.Contains(f.Rule, c.rule) || f.XTXN != c.by || f.Threads != 2 || f.First != 1 {
				t.Errorf("%s: %+v", c.body, f)
			}
			if diff := cmp.Diff([]replay.ReasonCount{{Name: c.reason, N: 2}}, got.Dropped); diff != "" {
				t.Errorf("%s: %s", c.body, diff)
			}
		}
	}
}

// A packet that was sent on before its thread did wrong is not dropped.
func TestLateFault(t *testing.T) {
	prog := compile(t, "late.mc", "packet entry start;\nstart: begin Forward(0); end\nforever: begin goto forever; end")
	got := play(t, replay.Config{Program: prog, Instructions: 1000, Timing: timing()}, packets(t, "0s arp"))
	if len(got.Faults) != 1 || got.Faults[0].Pos.Line != 3 || len(got.Dropped) != 0 || len(got.Forwarded) != 1 || len(got.sent) != 1 {
		t.Errorf("%+v", got.Result)
	}
}

// A wait for nothing is told where the compiler cannot see that it is one; one for an XTXN
// is not.
func TestIdleWait(t *testing.T) {
	prog := compile(t, "wait.mc", `counter seen; register packet_work_t work @ WORK_REGISTER;
packet entry start;
start: begin async CounterIncPhys(seen, 1); end
begin if (work.pkt_len > 9000) async CounterIncPhys(seen, 1); else XtxnWait(); end
begin XtxnWait(); end
begin Forward(0); exit; end`)
	got := play(t, replay.Config{Program: prog}, packets(t, "0s arp\n1s arp"))
	if len(got.IdleWaits) != 1 || got.IdleWaits[0].Pos.Line != 5 || got.IdleWaits[0].N != 2 {
		t.Errorf("%+v", got.IdleWaits)
	}
}

// Timers fire by the times of the capture, until the last packet is done.
func TestTimers(t *testing.T) {
	prog := compile(t, "tick.mc", `counter ticks;
packet entry start;
timer tick entry count;
start: begin Forward(0); exit; end
count: begin CounterIncPhys(ticks, 0); exit; end`)
	for _, timed := range []*trio.Timing{nil, timing()} {
		got := play(t, replay.Config{
			Program: prog, Timing: timed, Timers: []trio.Timer{{Name: "tick", Period: 100 * units.Millisecond, Threads: 2}},
		}, packets(t, "0s arp\n1001ms arp"))
		// Both threads at 0, 50 ms, ... 1 s.
		if diff := cmp.Diff([]replay.ReasonCount{{Name: "tick", N: 21}}, got.TimerRuns); diff != "" {
			t.Error(diff)
		}
		if len(got.lives) != 23 || got.lives[len(got.lives)-1].Packet != 2 {
			t.Errorf("%d lives", len(got.lives))
		}
	}
}

// A gap in which a timer would fire for ever is refused by packet and timer.
func TestGapOfTimers(t *testing.T) {
	prog := compile(t, "tick.mc", "packet entry start;\ntimer tick entry start;\nstart: begin exit; end")
	r, err := replay.New(replay.Config{Program: prog, Timers: []trio.Timer{{Name: "tick", Period: units.Millisecond, Threads: 2}}})
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Frame(0, 0, make([]byte, 60)); err != nil {
		t.Fatal(err)
	}
	err = r.Frame(units.Time(5001*units.Second), 0, make([]byte, 60))
	if err == nil || !strings.Contains(err.Error(), "packet 2 comes 5001s after the one before: timer tick would start 10002000 threads") {
		t.Error(err)
	}
}

// Threads of events have lives of their own.
func TestEvents(t *testing.T) {
	prog := compile(t, "every.mc", `counter seen[2]; counter told;
packet entry start; statistics seen every 2 packets entry tell;
start: begin CounterIncPhys(seen + 2, 60); end
begin Forward(0); exit; end
tell: begin CounterIncPhys(told, 0); exit; end`)
	for _, timed := range []*trio.Timing{nil, timing()} {
		got := play(t, replay.Config{Program: prog, Timing: timed}, packets(t, "0s arp\n1s arp\n2s arp\n3s arp"))
		if diff := cmp.Diff([]replay.ReasonCount{{Name: "statistics seen every 2 packets", N: 2}}, got.EventRuns); diff != "" {
			t.Error(diff)
		}
		var notes []uint64
		for _, l := range got.lives {
			if l.Event != "" {
				notes = append(notes, l.Notes)
			}
		}
		if diff := cmp.Diff([]uint64{1<<32 | 1, 1<<32 | 2}, notes); diff != "" {
			t.Errorf("notes of the events (-want +got):\n%s", diff)
		}
		if got.Packets != 4 || len(got.lives) != 6 || len(got.TimerRuns) != 0 {
			t.Errorf("%d packets, %d lives, %v", got.Packets, len(got.lives), got.TimerRuns)
		}
	}
}

// Steps show each instruction with what it changed. Of a thread that never ends, the first
// and the last are kept.
func TestSteps(t *testing.T) {
	prog := compile(t, "count.mc", "register u32 n;\npacket entry start;\nstart: begin n = n + 1; goto start; end")
	got := play(t, replay.Config{Program: prog, Steps: true, Instructions: 5000}, packets(t, "0s arp"))
	l := got.lives[0]
	if uint64(len(l.Steps)+len(l.Last))+l.Skipped != 5000 || l.Instructions != 5000 || len(l.Last) == 0 || len(l.Last) > 100 {
		t.Fatalf("%d steps, %d skipped, %d last of %d", len(l.Steps), l.Skipped, len(l.Last), l.Instructions)
	}
	first, last := l.Steps[0].Changes, l.Last[len(l.Last)-1].Changes
	if diff := cmp.Diff([]replay.Change{{Place: "n", Old: "0", New: "1"}}, first); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]replay.Change{{Place: "n", Old: "4999", New: "5000"}}, last); diff != "" {
		t.Error(diff)
	}
}

// A run is on time: it refuses a frame of the past.
func TestTimeDoesNotGoBack(t *testing.T) {
	r, err := replay.New(replay.Config{Program: compile(t, filter.File, filter.Source())})
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Frame(1000, 0, make([]byte, 60)); err != nil {
		t.Fatal(err)
	}
	if err := r.Frame(999, 0, make([]byte, 60)); err == nil {
		t.Error("time went back")
	}
}

package trio

import (
	"encoding/binary"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
	"github.com/inalab/inalab/switchd/dataplane"
	"github.com/inalab/inalab/switchd/trio/mem"
)

// newAlarm loads alarm.mc; reports leave by port 9.
func newAlarm(t *testing.T, timing *Timing) *bench {
	prog := program(t, "alarm.mc")
	b := newBench(t, Config{Program: prog, Timing: timing,
		NextHops: []NextHop{{Index: 1, To: []sansio.Port{1}}, {Index: 2, To: []sansio.Port{9}}}})
	template, _ := prog.Symbol("TEMPLATE")
	headers := make([]byte, mem.MaxAccess)
	copy(headers, inet.UDPHeader(flowOf(200)))
	if f := b.p.Memory().Write(mem.Addr(template.Value), headers); f != mem.NoFault {
		t.Fatal(f)
	}
	return b
}

// reports returns the two numbers of each report that was sent since.
func (b *bench) reports() (out [][2]uint32) {
	for _, s := range b.take() {
		if s.port == 9 {
			body := []byte(s.frame[inet.UDPHeaders:])
			out = append(out, [2]uint32{binary.BigEndian.Uint32(body), binary.BigEndian.Uint32(body[4:])})
		}
	}
	return out
}

func (b *bench) packets(n, source int) {
	for range n {
		b.handle(train(source, payload(0, 0, 0, 10))).idle()
	}
}

// A thread starts whenever an element of the counter reaches a multiple, and knows both.
func TestStatisticsEvents(t *testing.T) {
	modes(t, func(t *testing.T, timing *Timing) {
		b := newAlarm(t, timing)
		b.packets(999, 2)
		b.packets(2500, 3)
		if diff := cmp.Diff([][2]uint32{{3, 1}, {3, 2}}, b.reports()); diff != "" {
			t.Errorf("reports (-want +got):\n%s", diff)
		}
		b.packets(1, 2)
		if diff := cmp.Diff([][2]uint32{{2, 1}}, b.reports()); diff != "" {
			t.Errorf("reports (-want +got):\n%s", diff)
		}
		b.wantCount(CountEvents, 3)
		b.wantCount(CountForwarded, 3500)
		b.wantRow(dataplane.ViewThreads, "threads of events", map[string]string{"n": "3"})
		b.wantRow(dataplane.ViewThreads, "statistics BY_SOURCE: raised (every 1000 packets)", map[string]string{"n": "3"})
		b.wantRow(dataplane.ViewThreads, "event restart: raised", map[string]string{"n": "0"})
	})
}

// The control plane raises an event with a number, and changes what a counter's event takes.
func TestExternalEvents(t *testing.T) {
	modes(t, func(t *testing.T, timing *Timing) {
		b := newAlarm(t, timing)
		b.packets(600, 3)
		if err := b.p.Raise(b.now, "restart", 77, &b.eff); err != nil {
			t.Fatal(err)
		}
		b.collect()
		b.idle()
		b.packets(600, 3)
		if err := b.p.SetThreshold("BY_SOURCE", 610); err != nil {
			t.Fatal(err)
		}
		b.packets(20, 3)
		if err := b.p.SetThreshold("BY_SOURCE", 0); err != nil {
			t.Fatal(err)
		}
		b.packets(1000, 3)
		if diff := cmp.Diff([][2]uint32{{1<<32 - 1, 77}, {3, 1}}, b.reports()); diff != "" {
			t.Errorf("reports (-want +got):\n%s", diff)
		}
		b.wantCount("alarm-by-source-3", 1620)
	})
}

// An event that the program does not have is refused by name.
func TestUnknownEvents(t *testing.T) {
	b := newAlarm(t, nil)
	for want, err := range map[string]error{
		`program alarm.mc has no entry for event restrat; did you mean "restart"?`: b.p.Raise(0, "restrat", 1, &b.eff),
		"has no entry for event BY_SOURCE":                                         b.p.Raise(0, "BY_SOURCE", 1, &b.eff),
		`has no statistics entry of counter BY_SOURCES; did you mean "BY_SOURCE"?`: b.p.SetThreshold("BY_SOURCES", 1),
		"program alarm.mc has no statistics entry of counter restart":              b.p.SetThreshold("restart", 1),
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	b.wantCount(CountEvents, 0)
}

// What threads of a statistics entry count themselves starts no further threads, or there
// would be no end.
func TestStatisticsThreadsRaiseNothing(t *testing.T) {
	modes(t, func(t *testing.T, timing *Timing) {
		b := newBench(t, Config{Timing: timing, Program: compile(t, "echo", `counter A; counter B;
packet entry start; statistics A every 1 packets entry a; statistics B every 1 packets entry b;
start: begin CounterIncPhys(A, 1); exit; end
a: begin CounterIncPhys(B, 1); exit; end
b: begin CounterIncPhys(A, 1); exit; end`)})
		b.packets(3, 1)
		b.wantCount(CountEvents, 3)
		b.wantCount(CountNested, 3)
		b.wantCount("echo-b", 3)
	})
}

// Bytes reach a multiple too, several at once as one event.
func TestStatisticsOfBytes(t *testing.T) {
	modes(t, func(t *testing.T, timing *Timing) {
		b := newBench(t, Config{Timing: timing, Program: compile(t, "bytes", `counter C[2]; sram LAST;
register statistics_work_t reached @ WORK_REGISTER; register u32 n;
packet entry start; statistics C every 1000 bytes entry full;
start: begin n = pkt->body.count; end
begin CounterIncPhys(C + 2, n); exit; end
full: begin MaskedWrite(LAST, pair(reached.element, reached.times), 0xffffffffffffffff); exit; end`)})
		for _, n := range []uint16{999, 0, 1, 999, 5000} {
			b.handle(train(1, payload(0, 0, n, 0))).idle()
		}
		b.wantCount(CountEvents, 2)
		last, _ := b.p.cfg.Program.Symbol("LAST")
		if got, _ := b.p.Memory().FetchOr(mem.Addr(last.Value), 0); got != 1<<32|6 {
			t.Errorf("the last event was of %#x, want element 1 and multiple 6", got)
		}
	})
}

// With time, an event waits for a thread as packets do, and is lost where the queue is full.
func TestEventsWaitAndAreLost(t *testing.T) {
	b := newBench(t, Config{Timing: timed(), PPEs: 16, Threads: 1, Queue: 4, Program: compile(t, "slow", `register u32 n;
packet entry start; event go entry start;
start: begin n = n + 1; end
begin if (n < 100) goto start; exit; end`)})
	for range 25 {
		if err := b.p.Raise(b.now, "go", 0, &b.eff); err != nil {
			t.Fatal(err)
		}
	}
	b.idle()
	b.wantCount(CountEvents, 20)
	b.wantCount(DropEvent, 5)
	if n := b.p.Snapshot().InUse; n.Now != 0 || n.Max != 16 {
		t.Errorf("%d threads are in use, and were %d at most; want 0 and 16", n.Now, n.Max)
	}
}

// Threads of events are none of the timer's: they do not let it start a thread of a part that
// is still at work, and what they scan is not its.
func TestEventsAreNoTimers(t *testing.T) {
	b := newBench(t, Config{Timing: timed(), Program: compile(t, "both", `register u32 n; register u64 found;
packet entry none; timer tick entry tick; event go entry go;
none: begin exit; end
tick: begin n = n + 1; end
begin if (n < 400) goto tick; exit; end
go: begin found = HashInsert(1); end
begin found = HashScan(0, 1, 0); exit; end`), Timers: []Timer{{Name: "tick", Period: 10 * units.Microsecond}}})
	b.at(us)
	if err := b.p.Raise(b.now, "go", 0, &b.eff); err != nil {
		t.Fatal(err)
	}
	b.at(15 * us)
	b.wantCount(DropTimer, 1) // that of 10 us: the first thread takes 16 us
	if s := b.p.Snapshot(); s.Timers[0].Records != 0 || s.Memory.Records != 1 {
		t.Errorf("the timer came by %d records, and there are %d; want 0 and 1", s.Timers[0].Records, s.Memory.Records)
	}
}

// Each program of a PFE has its own events, and its threads are of the pool that all share.
func TestEventsOfProgramsThatShare(t *testing.T) {
	modes(t, func(t *testing.T, timing *Timing) {
		const src = `counter seen; counter told;
packet entry start; statistics seen every 2 packets entry tell; event go entry tell;
start: begin CounterIncPhys(seen, 1); exit; end
tell: begin CounterIncPhys(told, 1); exit; end`
		x := newTogether(t, true, Config{Program: compile(t, "one", src), Timing: timing}, Config{Program: compile(t, "two", src), Timing: timing})
		for i, n := range []int{2, 5} {
			for range n {
				x[i].handle(train(1, payload(0, 0, 0, 10)))
			}
		}
		if err := x[1].p.Raise(x[1].now, "go", 0, &x[1].eff); err != nil {
			t.Fatal(err)
		}
		x.until(ms)
		x[0].wantCount("one-told", 1)
		x[1].wantCount("two-told", 3)
	})
}

// A thread of an event is started in the order of time: what is due before comes first.
func TestEventsComeInTime(t *testing.T) {
	modes(t, func(t *testing.T, timing *Timing) {
		b := newBench(t, Config{Timing: timing, Program: compile(t, "when", `sram AT[2]; register u64 now;
packet entry none; timer tick entry tick; event go entry go;
none: begin exit; end
tick: begin now = TimeNow(); end begin MaskedWrite(AT, now, 0xffffffffffffffff); exit; end
go: begin now = TimeNow(); end begin MaskedWrite(AT + 1, now, 0xffffffffffffffff); exit; end`),
			Timers: []Timer{{Name: "tick", Period: units.Millisecond}}})
		const at = 1500 * us
		if err := b.p.Raise(at, "go", 0, &b.eff); err != nil {
			t.Fatal(err)
		}
		runs := uint64(1) // without time the one at 0 is late, and left out
		if timing != nil {
			runs = 2
		}
		b.wantCount(CountRuns, runs)
		b.p.Expire(at+10*us, &b.eff)
		var got [2]uint64
		symbol, _ := b.p.cfg.Program.Symbol("AT")
		for i := range got {
			got[i], _ = b.p.Memory().FetchOr(mem.Addr(symbol.Value)+mem.Addr(i), 0)
		}
		if got[0] < 1_000_000 || got[0] > 1_500_000 && timing != nil || got[1] < 1_500_000 || got[1] > 1_501_000 {
			t.Errorf("the timer ran at %d ns and the event at %d ns, want about 1 ms and 1.5 ms", got[0], got[1])
		}
	})
}

// A control plane raises an event without sending anything: the next call starts the thread, and
// is due at once.
func TestEventsOfAControlPlane(t *testing.T) {
	modes(t, func(t *testing.T, timing *Timing) {
		b := newAlarm(t, timing)
		b.packets(3, 3)
		for value := range uint32(2) {
			if err := b.p.RaiseEvent(b.now, "restart", value); err != nil {
				t.Fatal(err)
			}
		}
		if got := b.reports(); len(got) != 0 || b.p.NextDeadline() > b.now {
			t.Errorf("sent %v before it was called, and it is due at %v, want %v", got, b.p.NextDeadline(), b.now)
		}
		b.idle()
		if diff := cmp.Diff([][2]uint32{{1<<32 - 1, 0}, {1<<32 - 1, 1}}, b.reports()); diff != "" {
			t.Errorf("reports (-want +got):\n%s", diff)
		}
		b.wantRow(dataplane.ViewThreads, "event restart: raised", map[string]string{"n": "2"})
	})
}

// Thresholds are written by name: a number, or never.
func TestThresholdsByName(t *testing.T) {
	b := newAlarm(t, nil)
	for _, c := range []struct{ value, was, is string }{{"10", "1000", "10"}, {"never", "10", "never"}, {"0x14", "never", "20"}} {
		if w := b.mustWrite("BY_SOURCE.every", c.value); w.Was != c.was || w.Is != c.is || w.Type != "packets" {
			t.Errorf("%s: %+v", c.value, w)
		}
		if c.is == "never" {
			b.packets(100, 3)
			b.wantRow(dataplane.ViewThreads, "statistics BY_SOURCE: raised (never)", map[string]string{"n": "0"})
		}
	}
	b.packets(20, 3)
	if diff := cmp.Diff([][2]uint32{{3, 6}}, b.reports()); diff != "" { // 120 packets
		t.Errorf("reports (-want +got):\n%s", diff)
	}
	for _, c := range []struct {
		name, value string
		reason      dataplane.Reason
		what        string
	}{
		{"BY_SOURCE.every", "0", dataplane.RefusedValue, `"0" is no number of packets: give a number from 1 on, or never`},
		{"BY_SOURCE.every", "1KB", dataplane.RefusedValue, "give a number from 1 on"},
		{"BY_SOURC.every", "1", dataplane.RefusedName, `did you mean "BY_SOURCE"?`},
	} {
		_, err := b.write(c.name, c.value, false)
		if r := (*dataplane.Refusal)(nil); !errors.As(err, &r) || r.Reason != c.reason || !strings.Contains(err.Error(), c.what) {
			t.Errorf("%s = %s: %v", c.name, c.value, err)
		}
	}
	other := newBench(t, Config{Program: compile(t, "quiet", "counter seen;\npacket entry e;\ne: begin CounterIncPhys(seen, 1); end\nbegin Forward(1); exit; end")})
	if _, err := other.write("seen.every", "1", false); err == nil || !strings.Contains(err.Error(), "has no statistics entry of counter seen, which is declared at quiet") {
		t.Errorf("a counter without an entry: %v", err)
	}
}

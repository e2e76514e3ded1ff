package trio

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/switchd/dataplane"
	"github.com/inalab/inalab/switchd/trio/mem"
)

var (
	_ dataplane.Sharing = (*PFE)(nil)
	_ dataplane.Holding = (*PFE)(nil)
)

// busy goes round as often as a packet says, counts it, and sends it on.
const busy = `
counter seen;
sram last[2];
register u32 n;
packet entry start;
timer tick entry fire;
start: begin n = pkt->body.count; end
loop: begin if (n == 0) goto done; n = n - 1; goto loop; end
done: begin CounterIncPhys(seen, r_work.pkt_len); end
begin MemWrite(last, HEAD_START + 40, 8); end
begin Forward(1); exit; end
fire: begin CounterIncPhys(seen, 0); exit; end
`

// together is programs on one PFE, each of which is called when it is due.
type together []*bench

func newTogether(t rapid.TB, shared bool, configs ...Config) (out together) {
	t.Helper()
	var engines []dataplane.Engine
	for _, c := range configs {
		b := newBench(t, c)
		if shared {
			if err := b.p.Share(engines); err != nil {
				t.Fatal(err)
			}
		}
		out, engines = append(out, b), append(engines, b.p)
	}
	return out
}

// until calls all that are due up to a time.
func (x together) until(end units.Time) {
	for {
		next := units.Never
		for _, b := range x {
			next = min(next, b.p.NextDeadline())
		}
		if next > end || next == units.Never {
			break
		}
		for _, b := range x {
			if b.p.NextDeadline() <= next {
				b.now = next
				b.p.Expire(next, &b.eff)
				b.collect()
			}
		}
	}
	for _, b := range x {
		b.now = end
	}
}

// A packet of one program waits for threads that packets of another have: the pool is that of
// the PFE.
func TestProgramsShareThreads(t *testing.T) {
	var sent [2]units.Time
	for i, shared := range []bool{false, true} {
		program := compile(t, "busy", busy)
		cfg := Config{Program: program, Timing: timed(), PPEs: MinPPEs, Threads: 1}
		x := newTogether(t, shared, cfg, cfg)
		for n := range MinPPEs {
			x[0].handle(train(n, payload(0, 0, 1000, 0)))
		}
		x[1].handle(train(99, payload(0, 0, 1, 0)))
		if inside := x[1].p.Inside(); inside != 1 {
			t.Errorf("shared %v: %d packets inside, want 1", shared, inside)
		}
		x.until(units.Time(units.Second))
		if out := x[1].take(); len(out) == 1 {
			sent[i] = out[0].at
		}
		if used := x[1].p.Snapshot().PPEsBusy; used[0] != MinPPEs || x[0].p.Inside()+x[1].p.Inside() != 0 {
			t.Errorf("shared %v: threads are still in use: %v", shared, used)
		}
	}
	if least := units.Time(1000 * instruction); sent[0] == 0 || sent[0] > least || sent[1] < least {
		t.Errorf("it left at %v alone and at %v beside 16 packets that take %v, want later", sent[0], sent[1], least)
	}
}

// Programs on one PFE send the same packets and hold the same memory as on one each, with and
// without time, timers included.
func TestProgramsDoNotMeet(t *testing.T) {
	program := compile(t, "busy", busy)
	rapid.Check(t, func(rt *rapid.T) {
		var timing *Timing
		if rapid.Bool().Draw(rt, "timed") {
			timing = timed()
		}
		cfg := Config{
			Program: program, Timing: timing, PPEs: MinPPEs, Threads: rapid.IntRange(1, 2).Draw(rt, "threads"),
			Timers: []Timer{{Name: "tick", Period: 10 * units.Microsecond, Threads: 3}},
		}
		alone, beside := newTogether(rt, false, cfg, cfg), newTogether(rt, true, cfg, cfg)
		now := units.Time(0)
		for range rapid.IntRange(1, 60).Draw(rt, "packets") {
			now += units.Time(rapid.IntRange(0, 3000).Draw(rt, "gap")) * ns
			at := rapid.IntRange(0, 1).Draw(rt, "program")
			in := func() sansio.Arrival {
				return train(rapid.IntRange(0, 3).Draw(rt, "flow"), payload(0, 0, uint16(rapid.IntRange(0, 300).Draw(rt, "rounds")), 300))
			}()
			for _, x := range []together{alone, beside} {
				x.until(now)
				x[at].handle(in)
			}
		}
		end := now + 1000*us
		alone.until(end)
		beside.until(end)
		for i := range alone {
			a, b := frames(alone[i].take()), frames(beside[i].take())
			slices.Sort(a)
			slices.Sort(b)
			if diff := cmp.Diff(a, b); diff != "" {
				rt.Fatalf("program %d: frames differ (-alone +beside):\n%s", i, diff)
			}
			if diff := cmp.Diff(alone[i].p.Counters(), beside[i].p.Counters()); diff != "" {
				rt.Fatalf("program %d: counters differ (-alone +beside):\n%s", i, diff)
			}
		}
	})
}

// Packets of one program take packet memory that those of another then have not.
func TestProgramsSharePacketMemory(t *testing.T) {
	cfg := Config{Program: compile(t, "busy", busy), Timing: timed(), PPEs: MinPPEs, Threads: 1, PacketMemory: 64 * units.KiB}
	for _, shared := range []bool{false, true} {
		x := newTogether(t, shared, cfg, cfg)
		for n := range 50 {
			x[0].handle(train(n, payload(0, 0, 1000, 1400)))
		}
		x[1].handle(train(99, payload(0, 0, 1, 1400)))
		if full := x[1].count(DropMemory) == 1; full != shared || x[0].count(DropMemory) == 0 {
			t.Errorf("shared %v: no room for the packet of the other program: %v", shared, full)
		}
	}
}

// stamp writes the time into a packet when it has come, and when it goes.
const stamp = `
packet entry start;
start: begin pkt->body.value = TimeNow(); end
begin Forward(1); exit; end
`

// The time of a program is its own, also in calls of another: where nothing is short, packets
// leave when they would have left alone.
func TestTimesBeside(t *testing.T) {
	cfg := Config{Program: compile(t, "stamp", stamp), Timing: timed()}
	alone, beside := newTogether(t, false, cfg, cfg), newTogether(t, true, cfg, cfg)
	for i := range 20 {
		for _, x := range []together{alone, beside} {
			x.until(units.Time(i) * 130 * ns)
			x[i%3%2].handle(train(i, payload(0, 0, 0, 0)))
		}
	}
	for i := range alone {
		alone.until(ms)
		beside.until(ms)
		a, b := alone[i].take(), beside[i].take()
		if len(a) < 5 || !slices.Equal(a, b) {
			t.Errorf("program %d: %d packets alone and %d beside another, or other times", i, len(a), len(b))
		}
	}
}

// A timer of one program starts when it is due, also in a call of another: what comes later
// has its thread later.
func TestTimerBeside(t *testing.T) {
	var left [2]units.Time
	for i, timers := range [][]Timer{nil, {{Name: "tick", Period: 10 * units.Microsecond}}} {
		cfg := Config{Program: compile(t, "busy", busy), Timing: timed(), PPEs: MinPPEs, Threads: 1, Timers: timers}
		none := cfg
		none.Timers = nil
		x := newTogether(t, true, cfg, none)
		x.until(9 * us)
		for n := range MinPPEs {
			x[1].handle(train(n, payload(0, 0, uint16(200+1000*n), 0)))
		}
		x.until(10 * us)
		x[1].now = 10*us + 500*ns
		x[1].handle(train(99, payload(0, 0, 1, 0)))
		x.until(units.Time(units.Millisecond) * 9 / 10)
		left[i] = x[1].take()[1].at // behind the first, whose thread it has
	}
	if left[0] == 0 || left[1] <= left[0] {
		t.Errorf("the last packet left at %v, and at %v behind a timer's thread: want later", left[0], left[1])
	}
}

// A program that is retired gives up its threads, and its packets do not leave.
func TestRetire(t *testing.T) {
	cfg := Config{Program: compile(t, "busy", busy), Timing: timed(), PPEs: MinPPEs, Threads: 1}
	x := newTogether(t, true, cfg, cfg)
	for n := range 3 * MinPPEs {
		x[0].handle(train(n, payload(0, 0, 1000, 0)))
	}
	if n := x[0].p.Inside(); n != 3*MinPPEs {
		t.Errorf("%d packets inside, want %d", n, 3*MinPPEs)
	}
	x[0].p.Retire()
	old := x[0]
	x = x[1:]
	x[0].handle(train(1, payload(0, 0, 1, 0)))
	x.until(units.Time(units.Second))
	s := x[0].p.Snapshot()
	if n := old.count("busy-seen"); n != 0 {
		t.Errorf("%d packets of the retired program went on", n)
	}
	if out := x[0].take(); len(out) != 1 || out[0].at > units.Time(1500*instruction) || s.PPEsBusy[0] != MinPPEs || s.PacketMemory != 0 {
		t.Errorf("%d packets left, PPEs are busy with %v, and %v of packet memory is used", len(out), s.PPEsBusy, s.PacketMemory)
	}
}

// Memory that others have is refused by the programs' names.
func TestShareRefuses(t *testing.T) {
	plain := Config{Program: compile(t, "busy", busy)}
	large := func(kind string, words string) Config {
		return Config{Program: compile(t, "large", kind+" big["+words+"];\npacket entry start;\nstart: begin exit; end"), Memory: mem.Config{SRAM: 16 * units.MiB, DRAM: 8 * units.GiB, Records: 1}}
	}
	for want, configs := range map[string][2]Config{
		"of SRAM, and of 8MiB others of the PFE have [busy.mc": {plain, large("sram", "1048500")},
		"of DRAM, and of 4GiB others of the PFE have [busy.mc": {plain, large("dram", "536870913")},
	} {
		a, b := newBench(t, configs[0]), newBench(t, configs[1])
		if err := b.p.Share([]dataplane.Engine{a.p}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v\nwant %s", err, want)
		}
	}
}

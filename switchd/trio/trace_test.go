package trio

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/switchd/microcode/vm"
)

// tracer adds up what it is told.
type tracer struct {
	NopObserver
	t            rapid.TB
	executed     map[*vm.Thread]uint64 // by threads at work
	waits        map[*vm.Thread]bool   // whose XTXN has not been served
	xtxns        uint64
	instructions uint64
	ended        int
	left, own    int // packets that left; of these, not created
	work         []Work
	failed       []string
	refused      []uint64
}

func newTracer(t rapid.TB) *tracer {
	return &tracer{t: t, executed: map[*vm.Thread]uint64{}, waits: map[*vm.Thread]bool{}}
}

func (r *tracer) Started(_ units.Time, t *vm.Thread, w Work) {
	if _, ok := r.executed[t]; ok {
		r.t.Errorf("a thread was started that is at work")
	}
	r.executed[t] = 0
	r.work = append(r.work, w)
}

func (r *tracer) Executed(t *vm.Thread, at int, issued bool) {
	if r.waits[t] {
		r.t.Errorf("a thread went on without a reply")
	}
	if issued && int(t.Pending.Instr) != at {
		r.t.Errorf("instruction %d issued the XTXN of %d", at, t.Pending.Instr)
	}
	r.executed[t]++
	r.waits[t] = issued
}

func (r *tracer) Served(now, resume units.Time, t *vm.Thread, _ uint64) {
	if !r.waits[t] || resume < now {
		r.t.Errorf("a reply at %v, until %v", now, resume)
	}
	r.waits[t] = false
	r.xtxns++
}

func (*tracer) Gone(units.Time, *vm.Thread, bool, string) {}

func (r *tracer) Failed(_ units.Time, t *vm.Thread, at int, reason string) {
	if at < 0 {
		r.t.Errorf("%s at instruction %d", reason, at)
	}
	if t.Fault() != vm.NoFault {
		r.executed[t] = t.Executed // the instruction that failed is not told
	} else {
		r.xtxns++ // nor is the XTXN that was refused
	}
	r.failed = append(r.failed, reason)
}

func (r *tracer) Refused(_ units.Time, packet uint64, _ string) {
	r.refused = append(r.refused, packet)
}

func (r *tracer) Left(_ units.Time, _ uint64, created bool) {
	r.left++
	if !created {
		r.own++
	}
}

func (r *tracer) Ended(_ units.Time, t *vm.Thread, f Fate) {
	var issued uint64
	for _, n := range t.Issued {
		issued += n
	}
	if r.executed[t] != t.Executed {
		r.t.Errorf("%v: %d instructions were told, %d executed", f, r.executed[t], t.Executed)
	}
	r.instructions += t.Executed
	r.xtxns -= issued
	r.ended++
	delete(r.executed, t)
	delete(r.waits, t)
}

// A PFE with a tracer sends what one without sends, at the same times, and counts the same;
// the tracer is told of each instruction and XTXN once.
func TestTracedIsUntraced(t *testing.T) {
	prog := compile(t, "ways", ways)
	for _, timing := range []*Timing{nil, timed()} {
		rapid.Check(t, func(t *rapid.T) {
			told := newTracer(t)
			plain := newBench(t, Config{Program: prog, Timing: timing, Instructions: 500})
			traced := newBench(t, Config{Program: prog, Timing: timing, Instructions: 500, Observer: told})
			n := rapid.IntRange(1, 10).Draw(t, "packets")
			for range n {
				in := anyPacket(t, 8)
				gap := units.Time(rapid.IntRange(0, 3000).Draw(t, "gap")) * ns
				plain.handle(in).at(plain.now + gap)
				traced.handle(in).at(traced.now + gap)
			}
			plain.idle()
			traced.idle()
			if diff := cmp.Diff(plain.take(), traced.take(), cmp.AllowUnexported(sent{})); diff != "" {
				t.Errorf("a tracer changed what is sent (-without +with):\n%s", diff)
			}
			if diff := cmp.Diff(plain.p.Counters(), traced.p.Counters()); diff != "" {
				t.Errorf("a tracer changed what is counted (-without +with):\n%s", diff)
			}
			s := plain.p.Snapshot()
			var instructions uint64
			for _, w := range s.Work {
				instructions += w.Instructions
			}
			switch {
			case told.ended != n || len(told.work) != n || told.xtxns != 0 || told.instructions != instructions:
				t.Errorf("told of %d threads of %d, %d instructions of %d, %d XTXNs too many",
					told.ended, n, told.instructions, instructions, int64(told.xtxns))
			case uint64(told.own) != plain.count(CountForwarded) || uint64(told.left-told.own) != plain.count(CountCreated):
				t.Errorf("told that %d packets left, %d of them not created; counted %v", told.left, told.own, plain.p.Counters())
			}
			for i, w := range told.work {
				if timing == nil && w.Packet != uint64(i+1) || w.Packet == 0 {
					t.Errorf("thread %d is that of packet %d", i, w.Packet)
				}
			}
		})
	}
}

// A tracer is told of packets that never have a thread, and of a timer's.
func TestTracerIsToldOfRefusalsAndTimers(t *testing.T) {
	told := newTracer(t)
	prog := compile(t, "slow", `packet entry start; timer tick entry start;
start: begin TimeNow(); end
begin exit; end`)
	b := newBench(t, Config{
		Program: prog, PPEs: MinPPEs, Threads: 1, Queue: 1, Timing: timed(), Observer: told,
		Timers: []Timer{{Name: "tick", Period: units.Millisecond}},
	})
	for range MinPPEs + 2 {
		b.handle(train(1, payload(0, 0, 0, 0)))
	}
	b.at(ms / 2)
	// The timer's thread of 0 has the first PPE; one packet waits, two are refused.
	if diff := cmp.Diff([]uint64{MinPPEs + 1, MinPPEs + 2}, told.refused); diff != "" {
		t.Error(diff)
	}
	if w := told.work[0]; w.Timer != "tick" || w.Packet != 0 || w.Since != 0 {
		t.Errorf("%+v", w)
	}
	if told.ended != MinPPEs+1 {
		t.Errorf("%d threads have ended", told.ended)
	}
}

// A next hop that is not there leads where the configuration says, or drops the packet.
func TestOtherNextHops(t *testing.T) {
	prog := compile(t, "hops", `packet entry start;
start: begin Forward(pkt->body.value); exit; end`)
	modes(t, func(t *testing.T, timing *Timing) {
		hops := []NextHop{{Index: 1, To: []sansio.Port{7}}}
		for _, others := range [][]sansio.Port{nil, {9}} {
			b := newBench(t, Config{Program: prog, Timing: timing, NextHops: hops, Others: others})
			for _, hop := range []byte{0, 1, 2} {
				p := payload(0, 0, 0, 0)
				p[7] = hop
				if hop == 2 {
					p[4] = 0xff
				}
				b.handle(train(1, p)).at(b.now + us)
			}
			b.idle()
			var ports []sansio.Port
			for _, s := range b.take() {
				ports = append(ports, s.port)
			}
			want := []sansio.Port{7}
			if others != nil {
				want = []sansio.Port{9, 7, 9}
			}
			if diff := cmp.Diff(want, ports); diff != "" {
				t.Error(diff)
			}
			b.wantCount(DropNextHop, uint64(3-len(want)))
		}
	})
}

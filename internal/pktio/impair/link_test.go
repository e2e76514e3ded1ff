package impair

import (
	"slices"
	"strings"
	"testing"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/topo"
)

// At 1 Gbit/s a frame of 976 bytes and its framing of 24 take 8 us.
const (
	kiloFrame = 976
	kiloTime  = 8 * us
	gigabit   = units.GbitPerSecond
)

func kilo(first, frames int) sansio.Train { return train(first, frames, kiloFrame-headerLen) }

func TestFrameMeetsLineThenDelay(t *testing.T) {
	b := newBench(t, Config{Params: Params{Rate: gigabit, Delay: 50 * us}, Out: 3})
	b.at(units.Time(10*us), kilo(0, 3))
	b.at(units.Time(100*us), kilo(3, 1))
	b.drain()
	equal(t, "arrivals", b.times(), []units.Time{
		units.Time(10*us + kiloTime + 50*us), units.Time(10*us + 2*kiloTime + 50*us),
		units.Time(10*us + 3*kiloTime + 50*us), units.Time(100*us + kiloTime + 50*us),
	})
}

func TestFramesKeepTheirBytes(t *testing.T) {
	b := newBench(t, Config{Params: Params{Rate: gigabit, Delay: ms}})
	tr := kilo(0, 5)
	b.at(0, tr)
	b.drain()
	direct := newBench(t, Config{})
	direct.at(0, tr)
	for i := range 5 {
		if b.seen[i].bytes != direct.seen[i].bytes {
			t.Errorf("frame %d changed:\n%x\n%x", i, b.seen[i].bytes, direct.seen[i].bytes)
		}
	}
}

func TestTransparentPassesThrough(t *testing.T) {
	l, err := New(Config{Name: "h0->tor", Out: 2})
	if err != nil {
		t.Fatal(err)
	}
	if !l.Transparent() {
		t.Fatal("a perfect wire is not transparent")
	}
	var eff sansio.Effects
	tr := kilo(0, 4)
	l.Handle(5, []sansio.Arrival{{Port: 7, Train: tr}}, &eff)
	if len(eff.Sends) != 1 {
		t.Fatalf("%d sends", len(eff.Sends))
	}
	got := eff.Sends[0]
	if &got.Train.Header[0] != &tr.Header[0] || &got.Train.Body[0] != &tr.Body[0] || got.Train.Frames() != 4 {
		t.Error("the train was copied or cut")
	}
	if !slices.Equal(got.To, []sansio.Port{2}) {
		t.Errorf("sent to %v", got.To)
	}
	if l.NextDeadline() != units.Never {
		t.Error("a perfect wire waits for something")
	}
}

// A rate alone delays, so nothing is transparent; loss alone copies nothing.
func TestLossAloneDoesNotCopy(t *testing.T) {
	l, err := New(Config{Params: Params{LossEvery: 3}})
	if err != nil {
		t.Fatal(err)
	}
	if l.Transparent() {
		t.Error("a lossy link is transparent")
	}
	var eff sansio.Effects
	tr := kilo(0, 5)
	l.Handle(5, []sansio.Arrival{{Train: tr}}, &eff)
	if len(eff.Sends) != 2 || eff.Sends[0].Train.Frames() != 2 || eff.Sends[1].Train.Frames() != 2 {
		t.Fatalf("sends %+v, want trains of 2 and 2", eff.Sends)
	}
	if &eff.Sends[1].Train.Body[0] != &tr.Payload(3)[0] {
		t.Error("the body was copied")
	}
}

// 10 MB at 1 Gbit/s, in frames whose times are no whole picoseconds.
func TestSerialisationIsExact(t *testing.T) {
	for _, rate := range []units.Rate{gigabit, 3 * gigabit, 7_777_777_777} {
		b := newBench(t, Config{Params: Params{Rate: rate, Queue: 20e6}})
		const size = 1000 - 24 // with framing 1000 bytes
		for i := range 10_000 {
			b.at(0, frameOf(i, size))
		}
		b.drain()
		last := b.seen[len(b.seen)-1].at
		if want := units.Time(rate.TimeToSend(10e6)); last != want || len(b.seen) != 10_000 {
			t.Errorf("%v: %d frames until %d ps, want 10000 until %d ps", rate, len(b.seen), last, want)
		}
	}
	b := newBench(t, Config{Params: Params{Rate: gigabit, Queue: 20e6}})
	b.at(0, slices.Repeat([]sansio.Train{train(0, 64, 1000-overhead)}, 10_000/64)...)
	b.at(0, train(0, 10_000%64, 1000-overhead))
	b.drain()
	if got, want := b.seen[len(b.seen)-1].at, units.Time(80*ms); got != want {
		t.Errorf("10 MB at 1 Gbit/s took %d ps, want %d", got, want)
	}
}

func TestRemainderEndsWithBusyPeriod(t *testing.T) {
	// 8000 bits at 7 bit/s leave 6/7 ps: carried over, the next frame would take
	// a picosecond more.
	b := newBench(t, Config{Params: Params{Rate: 7 * units.BitPerSecond}})
	one := units.Rate(7).TimeToSend(1000)
	b.at(0, frameOf(0, kiloFrame))
	b.drain()
	start := b.seen[0].at + 1
	b.at(start, frameOf(1, kiloFrame))
	b.drain()
	if got := b.seen[1].at.Sub(start); got != one {
		t.Errorf("a frame on an idle line took %d ps, want %d", got, one)
	}
}

func TestQueueFullAtTheBoundary(t *testing.T) {
	b := newBench(t, Config{Params: Params{Rate: gigabit, Queue: 3 * kiloFrame}})
	b.at(0, kilo(0, 5)) // 1 is being sent, 3 wait, 1 finds the queue full
	if got := b.link.queue.bytes; got != 3*kiloFrame {
		t.Errorf("%d bytes wait", got)
	}
	b.at(units.Time(kiloTime)-1, kilo(5, 1)) // still full
	b.at(units.Time(kiloTime), kilo(6, 2))   // the second frame starts now: room for one
	b.drain()
	equal(t, "frames", b.ids(), []int{0, 1, 2, 3, 6})
	if got := b.count(DropQueueFull); got != 3 {
		t.Errorf("%d dropped, want 3", got)
	}

	b = newBench(t, Config{Params: Params{Rate: gigabit, Queue: 3*kiloFrame - 1}})
	b.at(0, kilo(0, 4))
	if got := b.link.queue.bytes; got != 2*kiloFrame {
		t.Errorf("a byte short of three frames, %d bytes wait, want two frames", got)
	}
	b.at(0, frameOf(4, kiloFrame-1)) // a smaller one fits exactly
	b.drain()
	equal(t, "frames", b.ids(), []int{0, 1, 2, 4})
}

func TestIdleLineTakesAnyFrame(t *testing.T) {
	b := newBench(t, Config{Params: Params{Rate: gigabit, Queue: 1}})
	b.at(0, frameOf(0, 9000), frameOf(1, 100))
	b.drain()
	equal(t, "frames", b.ids(), []int{0})
}

func TestUnlimitedRateNeverQueues(t *testing.T) {
	b := newBench(t, Config{Params: Params{Delay: ms, Queue: 1}})
	b.at(0, kilo(0, 64), kilo(64, 64))
	if got := b.link.queue.bytes; got != 0 {
		t.Errorf("%d bytes wait", got)
	}
	b.drain()
	if len(b.seen) != 128 || b.seen[127].at != units.Time(ms) {
		t.Errorf("%d frames, the last at %v", len(b.seen), b.seen[len(b.seen)-1].at)
	}
}

func TestInFlightLimit(t *testing.T) {
	b := newBench(t, Config{Params: Params{Delay: ms}, MaxInFlight: 10})
	b.at(0, kilo(0, 12))
	b.at(units.Time(ms)-1, kilo(12, 1))
	b.at(units.Time(ms), kilo(13, 1))
	b.drain()
	equal(t, "frames", b.ids(), []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 13})
	if got := b.count(DropInFlight); got != 3 {
		t.Errorf("%d dropped, want 3", got)
	}
}

// Frames that will be lost count for the limit while they wait, so that frames
// without bytes cannot pile up either.
func TestInFlightLimitCountsWaitingLosses(t *testing.T) {
	b := newBench(t, Config{Params: Params{Rate: gigabit, LossEvery: 1}, MaxInFlight: 10})
	b.at(0, slices.Repeat([]sansio.Train{{}}, 20)...)
	if lost, dropped := b.count(DropLossEvery), b.count(DropInFlight); lost != 11 || dropped != 9 {
		t.Errorf("%d lost, %d dropped; want 11 (one being sent), 9", lost, dropped)
	}
}

func TestSplitAtLoss(t *testing.T) {
	b := newBench(t, Config{Params: Params{Delay: ms, LossEvery: 4}})
	b.at(0, kilo(0, 10))
	b.drain()
	equal(t, "frames", b.ids(), []int{0, 1, 2, 4, 5, 6, 8, 9})
	var trains []int
	for _, s := range b.seen {
		trains = append(trains, s.train)
	}
	equal(t, "trains", trains, []int{0, 0, 0, 1, 1, 1, 2, 2})
}

func TestDueTogetherLeaveAsOneTrain(t *testing.T) {
	b := newBench(t, Config{Params: Params{Rate: gigabit}, Quantum: 20 * us})
	b.at(0, kilo(0, 8), kilo(8, 2)) // two frames and a half each quantum
	b.drain()
	var trains []int
	for _, s := range b.seen {
		trains = append(trains, s.train)
	}
	// due at 8 16 | 24 32 40 | 48 56 | 64 and 72 80
	equal(t, "trains", trains, []int{0, 0, 1, 1, 1, 2, 2, 3, 4, 4})
	equal(t, "times", b.times(), []units.Time{
		units.Time(20 * us), units.Time(20 * us), units.Time(40 * us), units.Time(40 * us), units.Time(40 * us),
		units.Time(60 * us), units.Time(60 * us), units.Time(80 * us), units.Time(80 * us), units.Time(80 * us),
	})
}

func TestQuantumNeverReleasesEarly(t *testing.T) {
	b := newBench(t, Config{Params: Params{Rate: gigabit}, Quantum: 20 * us})
	b.at(0, kilo(0, 3))
	for _, now := range []units.Time{0, 1, units.Time(kiloTime) - 1} {
		b.link.Expire(now, &b.eff)
	}
	b.collect(0)
	if len(b.seen) != 0 {
		t.Fatalf("%d frames left early", len(b.seen))
	}
	if got := b.link.NextDeadline(); got != units.Time(20*us) {
		t.Errorf("deadline %v", got)
	}
}

// What Handle sends stays valid until the next call, although the memory of
// what had left before is used again.
func TestEmittedMemoryOutlivesTheCall(t *testing.T) {
	l, err := New(Config{Params: Params{Delay: ms}})
	if err != nil {
		t.Fatal(err)
	}
	var eff sansio.Effects
	l.Handle(0, []sansio.Arrival{{Train: kilo(1, 2)}}, &eff)
	for round := range 100 {
		next := kilo(100+round, 2)
		now := units.Time(ms) * units.Time(round+1)
		l.Handle(now, []sansio.Arrival{{Train: next}}, &eff)
		if len(eff.Sends) != 1 {
			t.Fatalf("%d sends", len(eff.Sends))
		}
		want := kilo(99+round, 2)
		if round == 0 {
			want = kilo(1, 2)
		}
		if !slices.Equal(eff.Sends[0].Train.Body, want.Body) || !slices.Equal(eff.Sends[0].Train.Header, want.Header) {
			t.Fatalf("round %d: memory was used again too early", round)
		}
		eff.Reset()
	}
}

func TestNeverDueStays(t *testing.T) {
	b := newBench(t, Config{Params: Params{Rate: 1, Delay: units.Duration(units.Never)}, Quantum: 3})
	b.at(1, kilo(0, 2))
	if got := b.link.NextDeadline(); got != units.Never {
		t.Errorf("deadline %v", got)
	}
	b.drain()
	if len(b.seen) != 0 || b.link.InFlight() != 2 {
		t.Errorf("%d left, %d in flight", len(b.seen), b.link.InFlight())
	}
}

func TestNewRefuses(t *testing.T) {
	loss, jitter := streams(1)
	for want, cfg := range map[string]Config{
		"out port -1 is negative":                                 {Out: -1},
		"rate -5bit/s is negative":                                {Params: Params{Rate: -5}},
		"delay -1us is negative":                                  {Params: Params{Delay: -us}},
		"jitter -1us is negative":                                 {Params: Params{Jitter: -us}, JitterStream: jitter},
		"jitter 1us needs random numbers":                         {Params: Params{Jitter: us}, LossStream: loss},
		"loss 1.5 is not a probability":                           {Params: Params{Loss: 1.5}, LossStream: loss},
		"loss NaN is not a probability":                           {Params: Params{Loss: nan()}, LossStream: loss},
		"loss 0.5 needs random numbers":                           {Params: Params{Loss: 0.5}, JitterStream: jitter},
		"loss of every -1 frames is negative":                     {Params: Params{LossEvery: -1}},
		"reorder 2 is not a probability":                          {Params: Params{Reorder: 2}, ReorderStream: loss},
		"reorder 0.5 needs random numbers: set ReorderStream":     {Params: Params{Reorder: 0.5}, DuplicateStream: loss},
		"duplicate -0.5 is not a probability":                     {Params: Params{Duplicate: -0.5}},
		"duplicate 0.5 needs random numbers":                      {Params: Params{Duplicate: 0.5}, ReorderStream: loss},
		"corrupt NaN is not a probability":                        {Params: Params{Corrupt: nan()}},
		"corrupt 0.5 needs random numbers: set CorruptStream":     {Params: Params{Corrupt: 0.5}, DuplicateStream: loss},
		"reorder gap -1 is negative":                              {Params: Params{ReorderGap: -1}},
		`distribution "gauss": allowed are uniform, normal, pare`: {Params: Params{Distribution: "gauss"}},
		`script of losses: "1/x:3": write job/slot:packets`:       {Params: Params{Script: "1/x:3"}},
		"label of protocol 0: a field of 5 bytes at 0: it must":   {Labels: []Label{{Job: Field{0, 5, 0}, Slot: Field{0, 1, 0}}}},
		"label of ports 2 to 1: write the lowest first":           {Labels: []Label{{Ports: [2]uint16{2, 1}, Job: Field{0, 1, 0}, Slot: Field{0, 1, 0}}}},
		"queue -1B is negative":                                   {Params: Params{Queue: -1}},
		"quantum -1us is negative":                                {Quantum: -us},
		"bursts of losses need random numbers":                    {Params: Params{Bursts: topo.Bursts{Enter: 0.1, Leave: 0.5, Bad: 1}}},
		"bursts: enter 2 is not a probability":                    {Params: Params{Bursts: topo.Bursts{Enter: 2, Leave: 0.5}}, BurstStream: loss},
		"marking on a slope needs random":                         {Params: Params{Marking: topo.Marking{Min: 1, Max: 2, P: 1}}},
		"marking from 2B to 1B":                                   {Params: Params{Marking: topo.Marking{Min: 2, Max: 1, P: 1}}, MarkStream: loss},
		"limit of -1 frames in flight":                            {MaxInFlight: -1},
		"two of loss, jitter, bursts, marking, reordering, duplication and corruption share a random stream:": {LossStream: loss, JitterStream: loss},
	} {
		cfg.Name = "a->b"
		_, err := New(cfg)
		if err == nil || !strings.HasPrefix(err.Error(), `link "a->b": `+want) {
			t.Errorf("error %v, want one that begins %q", err, want)
		}
	}
	_, err := New(Config{Out: -1, Quantum: -1})
	if err == nil || !strings.Contains(err.Error(), "out port") || !strings.Contains(err.Error(), "quantum") {
		t.Errorf("not all faults reported: %v", err)
	}
}

func nan() float64 { zero := 0.0; return zero / zero }

func TestDefaultQueue(t *testing.T) {
	for rate, want := range map[units.Rate]units.Bytes{
		0: units.MiB, gigabit: units.MiB, 100 * gigabit: 12_500_000,
	} {
		l, err := New(Config{Params: Params{Rate: rate}})
		if err != nil {
			t.Fatal(err)
		}
		if got := l.queue.limit; got != want {
			t.Errorf("%v: queue %d, want %d", rate, got, want)
		}
	}
}

func TestCountersAreComplete(t *testing.T) {
	b := newBench(t, Config{Name: "h0->tor", Params: Params{Delay: us, LossEvery: 2}})
	b.at(0, kilo(0, 3))
	b.drain()
	equal(t, "counters", b.link.Counters(), []sansio.Count{
		{Name: "bytes-in", N: 3 * kiloFrame}, {Name: "bytes-out", N: 2 * kiloFrame}, {Name: "duplicated"}, {Name: "early-drop"}, {Name: "ecn-marked"},
		{Name: "fcs-error"}, {Name: "frames-in", N: 3}, {Name: "frames-out", N: 2}, {Name: "inflight-limit"},
		{Name: "loss-bernoulli"}, {Name: "loss-burst"}, {Name: "loss-every-nth", N: 1}, {Name: "loss-script"}, {Name: "queue-full"}, {Name: "reordered"},
	})
	if b.link.Name() != "h0->tor" {
		t.Errorf("name %q", b.link.Name())
	}
}

package reference

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/inalab/inalab/internal/golden"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
	wire "github.com/inalab/inalab/internal/wire/switchml"
	"github.com/inalab/inalab/switchd/dataplane"
	"github.com/inalab/inalab/switchd/program/switchml"
)

// Algorithm 3 and the sentences around it (SwitchML, NSDI 2021, §4.5) as tests;
// line numbers are those of the algorithm.

func val(v int32) []int32 { return []int32{v} }

// Lines 5-10, 17: the first packet of a phase overwrites whatever the slot held,
// and is dropped.
func TestFirstPacketOverwrites(t *testing.T) {
	b := newBench(t, testConfig(2, 1))
	for phase := range 6 { // set 0 is dirty from phase 2 on
		set := uint8(phase % 2)
		b.wantDrop(b.send(vector{w: 0, set: set, values: val(int32(10 * phase))}))
		if s := &b.job().pool[set][0]; s.count != 1 || !s.seen.Has(0) || s.seen.Has(1) {
			t.Fatalf("phase %d: count %d, seen %v", phase, s.count, s.seen)
		}
		b.wantMulticast(b.send(vector{w: 1, set: set, values: val(1)}), int32(10*phase+1))
	}
}

// Line 7: a worker's packet for one set clears its bit in the other, and no
// other bit.
func TestSeenIsClearedInTheOtherSet(t *testing.T) {
	b := newBench(t, testConfig(3, 2))
	for w := range 3 {
		b.send(vector{w: w, slot: 1, values: val(1)})
	}
	b.send(vector{w: 1, set: 1, slot: 1, values: val(1)})
	s0, s1 := b.job().pool[0][1].seen, b.job().pool[1][1].seen
	if !s0.Has(0) || s0.Has(1) || !s0.Has(2) || s1.Has(0) || !s1.Has(1) || s1.Has(2) {
		t.Errorf("seen[0] %v, seen[1] %v", s0, s1)
	}
	if other := b.job().pool[0][0]; other.seen.Len() != 0 || other.count != 0 {
		t.Errorf("slot 0 was touched: %+v", other)
	}
}

// Lines 8, 11-15: the counter runs 0, 1, ... n-1, 0; later packets are added; the
// last one multicasts the sum.
func TestCountAndMulticast(t *testing.T) {
	for n := 2; n <= 6; n++ {
		b := newBench(t, testConfig(n, 1))
		for w := n - 1; w > 0; w-- {
			b.wantDrop(b.send(vector{w: w, values: val(1 << w)}))
			if got := b.job().pool[0][0].count; got != n-w {
				t.Fatalf("n=%d: count %d after %d packets", n, got, n-w)
			}
		}
		b.wantMulticast(b.send(vector{w: 0, values: val(1)}), 1<<n-1)
		if got := b.job().pool[0][0].count; got != 0 {
			t.Fatalf("n=%d: count %d after the last", n, got)
		}
		b.wantCounts(map[string]uint64{switchml.CountPackets: uint64(n), switchml.CountResults: 1})
	}
}

// Lines 18-23: a packet that was seen is answered if and only if count is 0, and
// is never added. Every worker is tried in every state of a slot.
func TestRetransmissionInEveryState(t *testing.T) {
	const n = 4
	for in := range n + 1 { // workers 0 to in-1 have sent
		for again := range in {
			b := newBench(t, testConfig(n, 1))
			for w := range in {
				b.send(vector{w: w, values: val(1)})
			}
			for range 3 {
				out := b.send(vector{w: again, id: 77, values: val(1000)})
				if in < n {
					b.wantDrop(out)
					continue
				}
				b.wantUnicast(out, again, n)
				if out[0].h.PacketID != 77 {
					t.Errorf("packet id %d, want that of the retransmission", out[0].h.PacketID)
				}
			}
			for w := in; w < n; w++ {
				b.send(vector{w: w, values: val(1)})
			}
			if got := b.out[len(b.out)-1].values[0]; got != n {
				t.Fatalf("%d in, %d again: sum %d, want %d", in, again, got, n)
			}
			answered, ignored := uint64(0), uint64(3)
			if in == n {
				answered, ignored = 3, 0
			}
			b.wantCounts(map[string]uint64{switchml.CountAnswered: answered, switchml.DropDuplicate: ignored, switchml.CountResults: 1})
		}
	}
}

// "The shadow copy allows the switch to retransmit a dropped result packet for a
// slot even when the switch has started reusing the slot for the next chunk."
func TestShadowCopy(t *testing.T) {
	b := newBench(t, testConfig(3, 1))
	for w := range 3 {
		b.send(vector{w: w, set: 0, values: val(1)})
	}
	for w := range 2 { // worker 2 lost the result; the others went on
		b.wantDrop(b.send(vector{w: w, set: 1, values: val(100)}))
		b.wantUnicast(b.send(vector{w: 2, set: 0, values: val(1)}), 2, 3)
	}
	b.wantMulticast(b.send(vector{w: 2, set: 1, values: val(100)}), 300)
	for w := range 3 { // set 1 is the shadow now
		b.wantUnicast(b.send(vector{w: w, set: 1, values: val(100)}), w, 300)
	}
	b.wantDrop(b.send(vector{w: 0, set: 0, values: val(7)}))
	if got := b.job().pool[0][0].count; got != 1 {
		t.Errorf("the old copy was not reused: count %d", got)
	}
}

// The event of an answer names everybody whose values are in the result, though
// peers in the next phase have left seen.
func TestAnswerNamesAllContributors(t *testing.T) {
	b := newBench(t, testConfig(3, 1))
	for w := range 3 {
		b.send(vector{w: w, values: val(1)})
	}
	b.send(vector{w: 0, set: 1, values: val(1)}, vector{w: 1, set: 1, values: val(1)}, vector{w: 2, values: val(1)})
	last := b.events[len(b.events)-1]
	if last.Kind != trace.BlockSent || last.Count != 3 || last.Mask.Len() != 3 {
		t.Errorf("%+v", last)
	}
}

// Ambiguity switchml.n1: with one worker (0+1)%1 = 0, line 9 is never true; the
// packet must overwrite all the same.
func TestOneWorker(t *testing.T) {
	b := newBench(t, testConfig(1, 1))
	for phase := range int32(5) {
		set := uint8(phase % 2)
		b.wantMulticast(b.send(vector{set: set, values: val(phase), e0: int8(-phase)}), phase)
		b.wantUnicast(b.send(vector{set: set, values: val(99)}), 0, phase)
		if got := b.out[len(b.out)-1].h.E0; got != int8(-phase) {
			t.Errorf("phase %d: exponent %d", phase, got)
		}
	}
}

// Ambiguity switchml.late-duplicate: the algorithm needs every worker's packets
// in order. A retransmission of phase 0 that is overtaken by the same worker's
// packet of phase 1 finds its bit cleared, counts as new and overwrites the
// shadow copy; a peer that lost the result of phase 0 gets no answer any more.
// This is what the algorithm does, not what anybody wants: paths must be FIFO.
// Config.Faithful has it so; see late_test.go for the default.
func TestLateDuplicateDestroysTheShadowCopy(t *testing.T) {
	cfg := testConfig(2, 1)
	cfg.Faithful = true
	b := newBench(t, cfg)
	late := vector{w: 0, set: 0, values: val(5)} // a copy of it is still on its way
	b.send(late)
	b.wantMulticast(b.send(vector{w: 1, set: 0, values: val(6)}), 11) // lost on its way to worker 1
	b.wantDrop(b.send(vector{w: 0, set: 1, values: val(50)}))         // worker 0 goes on
	b.wantDrop(b.send(late))                                          // and only now its old copy comes
	if s := &b.job().pool[0][0]; s.count != 1 {
		t.Fatalf("count %d: the late copy was expected to count as new", s.count)
	}
	if got := b.job().pool[0][0].values[3]; got != 5 {
		t.Fatalf("shadow copy holds %d: the late copy was expected to overwrite 11", got)
	}
	for range 10 {
		b.wantDrop(b.send(vector{w: 1, set: 0, values: val(6)})) // no valid answer
	}
	b.wantCounts(map[string]uint64{switchml.CountResults: 1, switchml.CountAnswered: 0, switchml.DropDuplicate: 10})

	// It is worse still: the late copy has cleared worker 0's bit of phase 1, so
	// its next retransmission is added again, and completes the slot with twice
	// its own value and nothing of worker 1.
	b.wantMulticast(b.send(vector{w: 0, set: 1, values: val(50)}), 100)
}

// The same with every packet in order: worker 1 is answered.
func TestInOrderDuplicateIsHarmless(t *testing.T) {
	b := newBench(t, testConfig(2, 1))
	b.send(vector{w: 0, set: 0, values: val(5)})
	b.wantMulticast(b.send(vector{w: 1, set: 0, values: val(6)}), 11)
	b.wantUnicast(b.send(vector{w: 0, set: 0, values: val(5)}), 0, 11)
	b.wantDrop(b.send(vector{w: 0, set: 1, values: val(50)}))
	b.wantUnicast(b.send(vector{w: 1, set: 0, values: val(6)}), 1, 11)
}

// §4.6: "The switch identifies the global maximum m and piggy-backs that value";
// both exponents, signed, afresh in every phase.
func TestExponents(t *testing.T) {
	b := newBench(t, testConfig(3, 1))
	for _, c := range []struct{ in, want [3][2]int8 }{
		{in: [3][2]int8{{-128, 5}, {-3, -128}, {-100, 4}}, want: [3][2]int8{{-3, 5}}},
		{in: [3][2]int8{{-128, -128}, {-128, -128}, {-128, -128}}, want: [3][2]int8{{-128, -128}}},
		{in: [3][2]int8{{0, -1}, {-1, 0}, {127, -2}}, want: [3][2]int8{{127, 0}}},
		{in: [3][2]int8{{-5, -6}, {-7, -5}, {-6, -7}}, want: [3][2]int8{{-5, -5}}}, // 127 of two phases ago is gone
	} {
		for w, e := range c.in {
			b.send(vector{w: w, set: uint8(b.id % 2), e0: e[0], e1: e[1], values: val(0)})
		}
		b.id++
		got := b.out[len(b.out)-1].h
		if got.E0 != c.want[0][0] || got.E1 != c.want[0][1] {
			t.Errorf("%v gives %d, %d, want %v", c.in, got.E0, got.E1, c.want[0])
		}
	}
}

func TestSumsWrap(t *testing.T) {
	b := newBench(t, testConfig(2, 1))
	b.send(vector{w: 0, values: []int32{math.MaxInt32, math.MinInt32, -1}})
	out := b.send(vector{w: 1, values: []int32{1, -1, 1}})
	if got := out[0].values[:4]; got[0] != math.MinInt32 || got[1] != math.MaxInt32 || got[2] != 0 || got[3] != 0 {
		t.Errorf("sums %v", got)
	}
	if len(out[0].values) != elements {
		t.Errorf("%d values", len(out[0].values))
	}
}

// Results echo the trigger's type, size, job and packet id, rebuild set and slot.
func TestResultHeader(t *testing.T) {
	b := newBench(t, testConfig(2, 9))
	b.send(vector{w: 0, set: 1, slot: 8, id: 1, values: val(1)})
	out := b.send(vector{w: 1, set: 1, slot: 8, id: 0xfeedbeef, e0: -4, values: val(1)})
	want := wire.Header{Type: 1, Size: 1, Job: 3, PacketID: 0xfeedbeef, Set: 1, Slot: 8}
	for _, o := range out {
		if o.h != want {
			t.Errorf("header %+v, want %+v", o.h, want)
		}
	}
}

// The multicast of a batch is one train for each worker.
func TestResultsOfABatchAreOneTrainForEachWorker(t *testing.T) {
	b := newBench(t, testConfig(2, 8))
	for w := range 2 {
		var payloads [][]byte
		for slot := range uint16(8) {
			payloads = append(payloads, vector{w: w, slot: slot, values: val(int32(slot))}.payload())
		}
		b.p.Handle(0, []sansio.Arrival{arrival(w, payloads...)}, &b.eff)
	}
	if len(b.eff.Sends) != 2 {
		t.Fatalf("%d sends, want one for each worker", len(b.eff.Sends))
	}
	b.collect()
	for i, o := range b.out {
		if o.to != i/8 || int(o.h.Slot) != i%8 || o.values[0] != int32(2*(i%8)) {
			t.Errorf("frame %d: %+v", i, o)
		}
	}
}

func TestNoTimers(t *testing.T) {
	b := newBench(t, testConfig(2, 1))
	b.send(vector{w: 0, values: val(1)})
	b.p.Expire(units.Time(units.Second), &b.eff)
	if b.p.NextDeadline() != units.Never || len(b.eff.Sends) != 0 {
		t.Error("the switch has no timers (§4.5)")
	}
}

func TestClaims(t *testing.T) {
	b := newBench(t, testConfig(2, 1))
	header := arrival(0, vector{values: val(1)}.payload()).Train.Header
	l, _ := inet.ParseHeader(header, 1000)
	if b.p.Claims(dataplane.Frame{Own: true, Header: header, Layout: l}) != dataplane.Mine {
		t.Error("a worker's packet is not claimed")
	}
	inet.UDP(header[l.Transport:]).SetPorts(wire.Port, clientPort)
	if b.p.Claims(dataplane.Frame{Own: true, Header: header, Layout: l}) != dataplane.NotMine {
		t.Error("a result is claimed")
	}
}

// Appendix A: "We illustrate through an example how Algorithms 3 and 4 behave in
// a system with three workers"; t3 and t7 are losses, so nothing arrives then.
func TestTranscriptOfAppendixA(t *testing.T) {
	b := newBench(t, testConfig(3, 1))
	var w strings.Builder
	w.WriteString("Appendix A: slot x is slot 0, phase 1 uses set 0, phase 2 set 1; w1 to w3 send 1, 20, 300, then ten times that.\n\n")
	say := func(at, what string, v *vector) {
		fmt.Fprintf(&w, "%-8s%s\n", at, what)
		if v == nil {
			return
		}
		out := b.send(*v)
		e := b.events[len(b.events)-1]
		s := &b.job().pool[v.set][0]
		fmt.Fprintf(&w, "          set %d: count %d, seen by %s", v.set, s.count, seenBy(s.seen))
		other := &b.job().pool[1-v.set][0]
		fmt.Fprintf(&w, "; set %d: count %d, seen by %s\n", 1-v.set, other.count, seenBy(other.seen))
		switch {
		case e.Kind == trace.Dropped:
			fmt.Fprintf(&w, "          ignored: %s\n", e.Note)
		case len(out) == 0:
			w.WriteString("          added\n")
		}
		for _, o := range out {
			fmt.Fprintf(&w, "          -> w%d: %d\n", o.to+1, o.values[0])
		}
	}
	u := func(worker int, set uint8) *vector {
		scale := []int32{1, 10}[set]
		return &vector{w: worker - 1, set: set, values: val([]int32{1, 20, 300}[worker-1] * scale)}
	}
	say("t0", "w1 sends", u(1, 0))
	say("t1", "w2 sends", u(2, 0))
	say("t2, t3", "w3 sends; lost upstream", nil)
	say("t4", "w1 times out and sends again", u(1, 0))
	say("t5", "w2 times out and sends again", u(2, 0))
	say("t6", "w3 times out and sends again", u(3, 0))
	say("t7", "the response to w1 is lost downstream", nil)
	say("t8", "w1 times out and sends again", u(1, 0))
	say("t12", "w2 has its response (t9) and sends its next chunk", u(2, 1))
	say("t13", "w3 has its response (t10) and sends its next chunk", u(3, 1))
	say("t14,t15", "w1 has its response (t11) and sends its next chunk", u(1, 1))
	golden.Equal(t, "appendix-a.txt", w.String())
}

func seenBy(m trace.Mask) string {
	var out []string
	for w := range uint8(3) {
		if m.Has(w) {
			out = append(out, fmt.Sprintf("w%d", w+1))
		}
	}
	if out == nil {
		return "nobody"
	}
	return strings.Join(out, " ")
}

package switchml_test

import (
	"bytes"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/rng"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	wire "github.com/inalab/inalab/internal/wire/switchml"
	"github.com/inalab/inalab/nodes/switchml"
	program "github.com/inalab/inalab/switchd/program/switchml"
)

// Without loss every worker sends each block once, and one packet with exponents
// only for each slot in use; the sums are exact.
func TestLossless(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := newRig(t, drawParams(t))
		mustBeDone(t, r)
		r.check(t)
		want := r.gens * (r.blocks() + min(r.slots, r.blocks()))
		for w := range r.n {
			if r.up[w].Frames != want || r.down[w].Frames != want {
				t.Fatalf("worker %d sent %d packets and was sent %d, want %d", w, r.up[w].Frames, r.down[w].Frames, want)
			}
			if s, n := count(r.cores[w], switchml.CountSent), count(r.cores[w], switchml.CountResults); s != want || n != want {
				t.Fatalf("worker %d counts %d sent, %d results, want %d", w, s, n, want)
			}
			for _, out := range r.hosts[w].Outcomes {
				if out.Retransmits != 0 || !out.Contributed || out.Degraded != 0 || out.Saturated != 0 {
					t.Fatalf("outcome %+v", out)
				}
			}
		}
		checkSets(t, r)
	})
}

// "The pool version starts at 0 and alternates each time a slot with the same idx
// is reused" (§4.5), across tensors too: the id counts the packets of a slot.
func checkSets(t rapid.TB, r *rig) {
	t.Helper()
	for w, packets := range r.packets {
		last := map[uint16]uint32{}
		for _, h := range packets {
			if h.PacketID != last[h.Slot] && h.PacketID != last[h.Slot]+1 {
				t.Fatalf("worker %d, slot %d: packet %d follows %d", w, h.Slot, h.PacketID, last[h.Slot])
			}
			last[h.Slot] = h.PacketID
			if want := uint8(h.PacketID-1) % 2; h.Set != want {
				t.Fatalf("worker %d, slot %d: packet %d in set %d, want %d", w, h.Slot, h.PacketID, h.Set, want)
			}
			if int(h.Slot) >= r.slots {
				t.Fatalf("worker %d uses slot %d of %d", w, h.Slot, r.slots)
			}
		}
		for slot, n := range last {
			blocks := (r.blocks() - int(slot) + r.slots - 1) / r.slots // i, i+s, i+2s ...
			if want := uint32(r.gens * (blocks + 1)); n != want {
				t.Fatalf("worker %d, slot %d: %d phases, want %d", w, slot, n, want)
			}
		}
	}
}

// Any packet may be lost on either way, as often as it likes: with retransmission
// the sums are those of a run without loss.
func TestLoss(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawParams(t)
		up, down := rapid.Float64Range(0, 0.3).Draw(t, "loss up"), rapid.Float64Range(0, 0.3).Draw(t, "loss down")
		stream := rng.Root(rapid.Uint64().Draw(t, "seed")).Stream("loss")
		p.drop = func(_ int, isUp bool, _ sansio.Train) bool {
			if isUp {
				return stream.Bernoulli(up)
			}
			return stream.Bernoulli(down)
		}
		r := newRig(t, p)
		mustBeDone(t, r)
		r.check(t)
		checkSets(t, r)
		lost := 0
		for w := range r.n {
			lost += r.up[w].Lost + r.down[w].Lost
			retransmits := 0
			for _, out := range r.hosts[w].Outcomes {
				retransmits += out.Retransmits
			}
			least := r.gens * (r.blocks() + min(r.slots, r.blocks()))
			if got := count(r.cores[w], switchml.CountRetransmits); got != retransmits || r.up[w].Frames != least+got {
				t.Fatalf("worker %d: %d packets, %d of them again, outcomes speak of %d, least is %d", w, r.up[w].Frames, got, retransmits, least)
			}
			want := result.Resent{Packets: uint64(retransmits), Bytes: units.Bytes(retransmits * (wire.HeaderLen + 4*elements))}
			if got := sansio.ResentOf(r.cores[w].Counters()); got != want {
				t.Fatalf("worker %d counts %+v sent again, want %+v", w, got, want)
			}
		}
		if again := againAll(r); lost > 0 && again == 0 || lost == 0 && again > 0 {
			t.Fatalf("%d packets lost, %d sent again", lost, again)
		}
	})
}

func againAll(r *rig) (n int) {
	for _, c := range r.cores {
		n += count(c, switchml.CountRetransmits)
	}
	return n
}

// With retransmission off, as in Trio §6.1, any single loss stops the run for
// good: nothing is pending, nobody is done.
func TestNoRetransmitStalls(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawParams(t)
		p.noRetransmit = true
		victim, lostUp := rapid.IntRange(0, p.n-1).Draw(t, "worker"), rapid.Bool().Draw(t, "up")
		at := rapid.IntRange(0, p.gens*(p.tensor+elements-1)/elements).Draw(t, "packet")
		seen := 0
		p.drop = func(w int, up bool, _ sansio.Train) bool {
			if w != victim || up != lostUp {
				return false
			}
			seen++
			return seen-1 == at
		}
		r := newRig(t, p)
		done := r.run(t)
		lost := r.up[victim].Lost+r.down[victim].Lost == 1
		if lost == done {
			t.Fatalf("lost a packet: %v, done: %v", lost, done)
		}
		if lost && r.hosts[victim].Done() {
			t.Fatal("the victim is done")
		}
		if againAll(r) != 0 {
			t.Fatal("packets were sent again though that is off")
		}
	})
}

// "upon timeout p: send p, start_timer(p)" (Algorithm 4): the same bytes, a
// timeout apart, until there is a result.
func TestRetransmission(t *testing.T) {
	var frames [][]byte
	p := params{n: 2, tensor: 10, slots: 1, gens: 1}
	p.drop = func(w int, up bool, f sansio.Train) bool {
		if w == 0 && up {
			frames = append(frames, append(append([]byte(nil), f.Header...), f.Body...))
		}
		return w == 1 && up && len(frames) < 4 // worker 1 is silent for a while
	}
	r := newRig(t, p)
	for i := range 3 {
		if _, err := r.net.Run(ms*units.Time(i+1) - 1); err != nil {
			t.Fatal(err)
		}
		if len(frames) != i+1 {
			t.Fatalf("%d packets before %d ms", len(frames), i+1)
		}
		if !bytes.Equal(frames[i], frames[0]) {
			t.Fatal("a retransmission differs from the packet")
		}
	}
	mustBeDone(t, r)
	r.check(t)
	if got := r.prog.Counters(); !slices.ContainsFunc(got, func(c sansio.Count) bool { return c.Name == program.DropDuplicate && c.N > 0 }) {
		t.Errorf("counters %+v: the switch was expected to ignore duplicates", got)
	}
}

// The shadow copy at work: worker 1 loses the results of a whole phase while the
// others go on to the next tensor.
func TestLostResultsAreAnsweredFromTheShadowCopy(t *testing.T) {
	lost := 0
	p := params{n: 3, tensor: 5 * elements, slots: 2, gens: 2}
	p.drop = func(w int, up bool, f sansio.Train) bool {
		if w != 1 || up || lost == 40 {
			return false
		}
		lost++
		return lost%3 != 0 // two of three results
	}
	r := newRig(t, p)
	mustBeDone(t, r)
	r.check(t)
	answered := 0
	for _, c := range r.prog.Counters() {
		if c.Name == program.CountAnswered {
			answered = int(c.N)
		}
	}
	if answered == 0 {
		t.Error("no retransmission was answered")
	}
}

// A tensor that is smaller than the pool uses as many slots as it has blocks.
func TestSmallTensor(t *testing.T) {
	r := newRig(t, params{n: 2, tensor: 3, slots: 8, gens: 3})
	mustBeDone(t, r)
	r.check(t)
	for _, h := range r.packets[0] {
		if h.Slot != 0 {
			t.Errorf("slot %d is in use", h.Slot)
		}
	}
}

// Workers that begin at different times wait for the last (that is what Trio
// compares itself with).
func TestWaitsForEverybody(t *testing.T) {
	r := newRig(t, params{n: 3, tensor: 1000, slots: 4, gens: 2, noRetransmit: true})
	r.hosts[1].Ready = func(g int) units.Time { return units.Time(g+1) * 100 * ms }
	mustBeDone(t, r)
	r.check(t)
	for w, h := range r.hosts {
		if h.Ended[0] != 100*ms || h.Ended[1] != 200*ms {
			t.Errorf("worker %d ends at %v", w, h.Ended)
		}
	}
}

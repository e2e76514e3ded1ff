package switchml_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/rng"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	wire "github.com/inalab/inalab/internal/wire/switchml"
	"github.com/inalab/inalab/nodes/switchml"
)

// Packets may be lost and duplicated on paths that keep order, as often as they
// like: a duplicate is no more than a retransmission that was not needed.
func TestDuplicatesAndLossInOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawParams(t)
		lost, twice := rapid.Float64Range(0, 0.2).Draw(t, "lost"), rapid.Float64Range(0, 0.5).Draw(t, "duplicated")
		stream := rng.Root(rapid.Uint64().Draw(t, "seed")).Stream("fate")
		p.copies = func(int, bool, sansio.Train) []units.Duration {
			switch {
			case stream.Bernoulli(lost):
				return nil
			case stream.Bernoulli(twice):
				return []units.Duration{0, 0}
			}
			return []units.Duration{0}
		}
		r := newRig(t, p)
		mustBeDone(t, r)
		r.check(t)
		checkSets(t, r)
	})
}

// Without loss and duplicates packets may overtake each other at will, as long
// as none is so late that it counts as lost: a slot has one packet of a worker on
// its way at a time (§4.5), and between slots there is no order.
func TestAnyOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawParams(t)
		// There and back in less than the timeout of 1 ms, the delay of a wire included,
		// which is up to five times 80us.
		const most = int64(40 * units.Microsecond)
		p.delay = min(p.delay, 80*units.Microsecond)
		later := rapid.Int64Range(1, most).Draw(t, "later")
		stream := rng.Root(rapid.Uint64().Draw(t, "seed")).Stream("fate")
		p.copies = func(int, bool, sansio.Train) []units.Duration {
			return []units.Duration{units.Duration(stream.IntN(int(later)))}
		}
		r := newRig(t, p)
		mustBeDone(t, r)
		r.check(t)
		checkSets(t, r)
		want := r.gens * (r.blocks() + min(r.slots, r.blocks()))
		for w := range r.n {
			if r.up[w].Frames != want || r.down[w].Frames != want {
				t.Fatalf("worker %d sent %d packets and was sent %d, want %d", w, r.up[w].Frames, r.down[w].Frames, want)
			}
		}
	})
}

// Both at once are more than Algorithm 3 can take: its one bit for the set does
// not tell a packet from one two phases later, so that a duplicate which the next
// packet of its slot overtakes is added to the phase after that. Networks between
// workers and one switch keep the order of a flow, and the paper relies on it
// where it shows that workers are at most a phase apart (§4.5). The checker has to
// notice. The switch program here tells late packets by their ids, unless it is
// faithful to the paper.
func TestALateDuplicateIsAddedTwoPhasesLater(t *testing.T) {
	for faithful, want := range map[bool]int{true: 1, false: 0} {
		if got := lateDuplicate(t, faithful); got != want {
			t.Errorf("faithful %v: %d wrong blocks, want %d", faithful, got, want)
		}
	}
}

// lateDuplicate returns how many blocks are wrong.
func lateDuplicate(t *testing.T, faithful bool) int {
	p := params{n: 2, tensor: 6 * elements, slots: 1, gens: 1, delay: 10 * units.Microsecond, faithful: faithful}
	p.copies = func(w int, up bool, f sansio.Train) []units.Duration {
		h, _ := wire.ParseUnstored(f.Body, f.Unstored)
		if w == 0 && up && h.PacketID == 3 {
			return []units.Duration{0, 65 * units.Microsecond} // behind its successor
		}
		return []units.Duration{0}
	}
	r := newRig(t, p)
	mustBeDone(t, r)
	if count(r.cores[0], switchml.CountRetransmits) != 0 {
		t.Error("packets were sent again")
	}
	wrong := map[int]bool{}
	for i, got := range r.rec[1].In[0] {
		if got != r.rec[0].Out[0][i]+r.rec[1].Out[0][i] {
			wrong[i/elements] = true
		}
	}
	return len(wrong)
}

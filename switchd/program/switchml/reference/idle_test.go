package reference

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/switchd/program/switchml"
)

// ofJob is a packet of worker w of the first job, with a job byte.
func (b *bench) ofJob(job uint8, v vector) []output {
	p := v.payload()
	p[1] = job
	return b.handle(arrival(v.w, p))
}

// A slot that was used last so many tensors ago, however the job byte is then: the first packets
// are new, and what is late after that is told.
func TestAnIdleSlotIsTakenUp(t *testing.T) {
	for ago := range 600 {
		b := newBench(t, testConfig(2, 2))
		b.ofJob(7, vector{w: 0, set: 0, id: 3, values: val(1)})
		b.wantMulticast(b.ofJob(7, vector{w: 1, set: 0, id: 3, values: val(1)}), 2)
		for passed := 1; passed < ago; passed++ { // by another slot
			b.ofJob(uint8(7+passed), vector{w: passed % 2, set: uint8(passed % 2), slot: 1, values: val(1)})
		}
		again := uint8(7 + ago)
		b.wantDrop(b.ofJob(again, vector{w: 1, set: 1, id: 4, values: val(10)}))
		b.wantMulticast(b.ofJob(again, vector{w: 0, set: 1, id: 4, values: val(10)}), 20)
		b.wantDrop(b.ofJob(again, vector{w: 0, set: 0, id: 5, values: val(100)}))
		b.wantDrop(b.ofJob(again, vector{w: 0, set: 1, id: 4, values: val(10)})) // overtaken
		b.wantUnicast(b.ofJob(again, vector{w: 1, set: 1, id: 4, values: val(10)}), 1, 20)
		b.wantMulticast(b.ofJob(again, vector{w: 1, set: 0, id: 5, values: val(100)}), 200)
		b.wantCounts(map[string]uint64{switchml.DropLate: 1, switchml.CountResults: 3})
	}
}

// The first use of a slot, with any job byte and id.
func TestAnUnusedSlotIsTakenUp(t *testing.T) {
	for job := range 256 {
		for _, id := range []uint32{0, 1, 1<<24 - 1} {
			b := newBench(t, testConfig(1, 1))
			if len(b.ofJob(uint8(job), vector{id: id, values: val(4)})) == 0 {
				t.Errorf("job byte %d, id %d: dropped", job, id)
			}
		}
	}
}

// A result of 256 tensors ago has the header of that to come. A worker that has not begun to
// wait for that one does not take it.
func TestAWorkerWaitsForWhatItHasSent(t *testing.T) {
	p := netParams{tree: tree{hosts: 2}, jobs: 1, slots: 2, uses: [][]int{{1, 2}}}
	for range 255 {
		p.uses = append(p.uses, []int{1, 0})
	}
	p.uses = append(p.uses, []int{1, 1})
	n := newNetwork(t, p)
	down := n.links[slices.IndexFunc(n.links, func(l *link) bool { return l.host == n.hosts[0] })]
	for _, h := range n.hosts {
		n.send(h, 1)
		n.arrive(h.up, h.up.frames[0])
		h.up.frames = nil
	}
	old := down.frames[0]
	n.until = 1
	n.sendAll()
	n.drain(nil)
	n.arrive(down, old)
	if at := n.hosts[0].phase[1]; at != 2 || len(n.wrong) > 0 {
		t.Errorf("the worker is in phase %d, want 2; wrong %v", at, n.wrong)
	}
	n.until = len(p.uses)
	if !n.heal() || len(n.wrong) > 0 {
		t.Errorf("not all get to the end; wrong %v", n.wrong)
	}
}

// The network of [TestAnyNetworkGivesSums], and of several levels, with slots that lie idle
// while others have up to 600 tensors, before the first phase too, of which up to 63 in a row
// are empty: results are right, and every worker gets to the end.
func TestIdleSlotsAreTakenUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := netParams{tree: tree{hosts: rapid.IntRange(1, 3).Draw(t, "hosts")}, jobs: 1, slots: rapid.IntRange(2, 3).Draw(t, "slots"), first: firstByte(t)}
		if rapid.Bool().Draw(t, "levels") {
			p.tree = trees[rapid.SampledFrom(treeNames()).Draw(t, "tree")]
		}
		var busy []int // tensors in front of which no slot is idle any more
		for range rapid.IntRange(1, 3).Draw(t, "times idle") {
			p.addIdle(t)
			busy = append(busy, len(p.uses))
			for range 3 {
				phases := rapid.SliceOfN(rapid.IntRange(0, 2), p.slots, p.slots).Draw(t, "phases")
				phases[0]++
				p.uses = append(p.uses, phases)
			}
		}
		n := newNetwork(t, p)
		for _, from := range busy {
			n.until = from
			if !n.heal() || len(n.wrong) > 0 {
				t.Fatalf("in order: wrong %v, phases %v", n.wrong, n.hosts[0].phase)
			}
			n.until = from + 3
			n.mustBeRight(t, fates{reorder: true, duplicate: true, lose: true})
		}
	})
}

// addIdle adds tensors of one packet in slot 0, with empty ones among them.
func (p *netParams) addIdle(t *rapid.T) {
	one, none := make([]int, p.slots), make([]int, p.slots)
	one[0] = 1
	passed := rapid.OneOf(rapid.IntRange(0, 5), rapid.IntRange(60, 68), rapid.IntRange(124, 132), rapid.IntRange(250, 260), rapid.IntRange(0, 600)).Draw(t, "tensors")
	empty := min(passed, rapid.OneOf(rapid.Just(0), rapid.Just(quarter-1), rapid.IntRange(0, quarter-1)).Draw(t, "empty ones"))
	from := rapid.IntRange(0, passed-empty).Draw(t, "from")
	for i := range passed {
		if from <= i && i < from+empty {
			p.uses = append(p.uses, none)
		} else {
			p.uses = append(p.uses, one)
		}
	}
}

package reference

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/rng"
	wire "github.com/inalab/inalab/internal/wire/switchml"
	"github.com/inalab/inalab/switchd/program/switchml"
)

// Ambiguity switchml.late-duplicate, with the check for late packets: what
// [TestLateDuplicateDestroysTheShadowCopy] shows does not happen.
func TestLateDuplicateIsDropped(t *testing.T) {
	b := newBench(t, testConfig(2, 1))
	late := vector{w: 0, set: 0, id: 1, values: val(5)}
	b.send(late)
	b.wantMulticast(b.send(vector{w: 1, set: 0, id: 1, values: val(6)}), 11) // lost on its way to worker 1
	b.wantDrop(b.send(vector{w: 0, set: 1, id: 2, values: val(50)}))
	b.wantDrop(b.send(late))
	b.wantCounts(map[string]uint64{switchml.DropLate: 1})
	b.wantUnicast(b.send(vector{w: 1, set: 0, id: 1, values: val(6)}), 1, 11)
	b.wantDrop(b.send(vector{w: 0, set: 1, id: 2, values: val(50)})) // again, and not added again
	b.wantMulticast(b.send(vector{w: 1, set: 1, id: 2, values: val(60)}), 110)
	b.wantCounts(map[string]uint64{switchml.DropLate: 1, switchml.DropDuplicate: 1, switchml.CountResults: 2, switchml.CountAnswered: 1})
}

// A packet of two phases ago finds its set in use: the algorithm as printed adds it
// to the sum of another chunk. Here it does not.
func TestLateByTwoPhases(t *testing.T) {
	for _, faithful := range []bool{true, false} {
		cfg := testConfig(2, 1)
		cfg.Faithful = faithful
		b := newBench(t, cfg)
		for phase := range uint32(2) {
			b.send(vector{w: 0, set: uint8(phase % 2), id: phase, values: val(1)}, vector{w: 1, set: uint8(phase % 2), id: phase, values: val(1)})
		}
		b.send(vector{w: 1, set: 0, id: 2, values: val(300)}) // worker 1 is in phase 2
		b.send(vector{w: 0, set: 0, id: 0, values: val(7)})   // a copy from phase 0
		out := b.send(vector{w: 0, set: 0, id: 2, values: val(30)})
		if faithful {
			b.wantUnicast(out, 0, 307)
		} else {
			b.wantMulticast(out, 330)
		}
	}
}

// A copy of two phases ago is not answered with the sum that is in its set now.
func TestLateIsNotAnsweredFromAnotherPhase(t *testing.T) {
	b := newBench(t, testConfig(2, 1))
	for phase := range uint32(3) {
		for w := range 2 {
			b.send(vector{w: w, set: uint8(phase % 2), id: phase, values: val(int32(phase))})
		}
	}
	b.wantUnicast(b.send(vector{w: 0, set: 0, id: 2, values: val(2)}), 0, 4)
	b.wantDrop(b.send(vector{w: 0, set: 0, id: 0, values: val(0)}))
	b.wantCounts(map[string]uint64{switchml.DropLate: 1, switchml.CountAnswered: 1})
}

// passTo has another slot take its job from one tensor to another.
func (b *bench) passTo(from, to int) {
	for tensor := from; tensor <= to; tensor++ {
		for w := range 2 {
			b.ofJob(uint8(tensor), vector{w: w, set: uint8(tensor % 2), slot: 1, values: val(1)})
		}
	}
}

// phase has both workers send a packet of slot 0.
func (b *bench) phase(tensor int, set uint8, value int32) []output {
	b.ofJob(uint8(tensor), vector{w: 0, set: set, values: val(value)})
	return b.ofJob(uint8(tensor), vector{w: 1, set: set, values: val(value)})
}

// A packet of up to 127 tensors ago is late, wherever that is in the quarters of the job byte.
func TestLateByManyTensors(t *testing.T) {
	for first := 0; first < quarter; first += 7 { // up to 63
		for _, ago := range []int{1, quarter - 1, quarter, quarter + 1, 2*quarter - 1} {
			for _, next := range []int{first + 1, first + ago} { // when the slot is used again
				b := newBench(t, testConfig(2, 2))
				b.passTo(0, first)
				b.wantMulticast(b.phase(first, 0, 1), 2)
				b.passTo(first+1, next)
				b.wantMulticast(b.phase(next, 1, 2), 4)
				b.passTo(next+1, first+ago)
				b.wantDrop(b.ofJob(uint8(first), vector{w: 1, set: 0, values: val(1)}))
				b.wantMulticast(b.phase(first+ago, 0, 3), 6)
				b.wantCounts(map[string]uint64{switchml.DropLate: 1})
			}
		}
	}
}

// Slots may be in different tensors, as those of hosts whose byte goes on by itself in each
// slot: one that is a quarter behind tells late packets, too.
func TestSlotsInDifferentQuarters(t *testing.T) {
	b := newBench(t, testConfig(2, 2))
	b.wantMulticast(b.phase(quarter-2, 0, 1), 2)
	b.passTo(quarter, quarter)
	b.wantDrop(b.ofJob(quarter-1, vector{w: 0, set: 1, values: val(2)}))
	b.wantDrop(b.ofJob(quarter-2, vector{w: 0, set: 0, values: val(1)}))
	b.wantMulticast(b.ofJob(quarter-1, vector{w: 1, set: 1, values: val(2)}), 4)
	b.wantCounts(map[string]uint64{switchml.DropLate: 1})
}

// A packet that comes again when its slot has been idle for up to 128 tensors is answered, and what
// the slot is used for later is new.
func TestAnsweredAfterManyTensors(t *testing.T) {
	for first := 0; first < quarter; first += 7 { // up to 63
		for _, ago := range []int{1, quarter - 1, quarter, 2*quarter - 1, 2 * quarter} {
			for _, next := range []int{1, quarter, 2*quarter - 1} {
				b := newBench(t, testConfig(2, 2))
				b.passTo(0, first)
				b.wantMulticast(b.phase(first, 0, 1), 2)
				b.passTo(first+1, first+ago)
				b.wantUnicast(b.ofJob(uint8(first), vector{w: 1, set: 0, values: val(1)}), 1, 2)
				b.passTo(first+ago+1, first+ago+next)
				b.wantMulticast(b.phase(first+ago+next, 1, 3), 6)
				b.wantCounts(map[string]uint64{switchml.DropLate: 0})
			}
		}
	}
}

// Tags wrap with the job byte.
func TestTags(t *testing.T) {
	of := func(job uint8, id uint32) tag { return tagOf(&wire.Header{Job: job, PacketID: id}) }
	for _, c := range []struct {
		t, u tag
		want bool
	}{
		{of(1, 1), of(1, 0), true},
		{of(1, 0), of(1, 0), false},
		{of(1, 0), of(1, 1), false},
		{of(2, 0), of(1, 1<<24-1), true},
		{of(0, 0), of(255, 7), true},
		{of(126, 1<<24-1), of(255, 0), true},
		{of(127, 1), of(255, 0), false}, // more than 128 bytes
		{of(100, 0), of(0, 0), true},
		{of(0, 0), of(100, 0), false},
		{of(1, 1<<24), of(1, 0), false}, // only 24 bits count
	} {
		if got := c.t.after(c.u); got != c.want {
			t.Errorf("%#x after %#x: %v, want %v", c.t, c.u, got, c.want)
		}
	}
}

// The registers are set to the job byte of the first packets: at any other, these
// could be taken for late.
func TestFirstPacketsAreNeverLate(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		first := firstByte(t)
		cfg := testConfig(2, 1)
		cfg.Jobs[0].FirstByte = first
		b := newBench(t, cfg)
		id := rapid.Uint32Range(0, 1<<24-1).Draw(t, "id")
		set := uint8(rapid.IntRange(0, 1).Draw(t, "set"))
		for w := range 2 {
			v := vector{w: w, set: set, id: id, values: val(1)}
			p := v.payload()
			p[1] = first
			b.handle(arrival(w, p))
		}
		b.wantMulticast(b.out, 2)
	})
}

// Any network that delivers now and then: any order, duplicates, losses on every
// link, job bytes that wrap. Every result is the sum over all workers, nobody is
// more than a phase ahead, and once nothing is lost any more all get to the end.
func TestAnyNetworkGivesSums(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := newNetwork(t, netParams{
			tree: tree{hosts: rapid.IntRange(1, 4).Draw(t, "hosts")}, jobs: rapid.IntRange(1, 2).Draw(t, "jobs"),
			slots: rapid.IntRange(1, 2).Draw(t, "slots"), phases: rapid.IntRange(1, 9).Draw(t, "phases"),
			perJob: rapid.IntRange(1, 4).Draw(t, "phases of a tensor"), first: firstByte(t),
		})
		n.mustBeRight(t, fates{reorder: true, duplicate: true, lose: true})
	})
}

// mustBeRight lets a network do what it likes for a while.
func (n *network) mustBeRight(t *rapid.T, f fates) {
	choose := func(k int) int { return rapid.IntRange(0, k-1).Draw(t, "choice") }
	for range rapid.IntRange(0, 200).Draw(t, "steps") {
		n.step(f, choose)
		if len(n.wrong) > 0 {
			t.Fatal(n.wrong)
		}
		if d := n.apart(); d > 1 {
			t.Fatalf("workers are %d phases apart", d)
		}
	}
	if !n.heal() || len(n.wrong) > 0 {
		t.Fatalf("after the last loss: wrong %v, phases %v", n.wrong, n.hosts[0].phase)
	}
}

// The same network can tell: Algorithm 3 as printed goes wrong in it, and does not
// where links keep their order, whatever they lose or duplicate.
func TestFaithfulNeedsOrder(t *testing.T) {
	spoiled := func(f fates) (runs int) {
		for seed := range 300 {
			stream := rng.Root(seed).Stream("network")
			n := newNetwork(t, netParams{tree: tree{hosts: 2}, jobs: 1, slots: 1, phases: 8, perJob: 3, faithful: true})
			for range 250 {
				n.step(f, stream.IntN)
			}
			if healed := n.heal(); len(n.wrong) > 0 || !healed {
				runs++
			}
		}
		return runs
	}
	if got := spoiled(fates{reorder: true, duplicate: true, lose: true}); got == 0 {
		t.Error("no run in 300 went wrong out of order")
	}
	if got := spoiled(fates{duplicate: true, lose: true}); got != 0 {
		t.Errorf("%d runs in 300 went wrong in order", got)
	}
}

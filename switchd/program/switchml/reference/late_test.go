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

// Tags wrap with the job byte, and what is further behind than the window is not
// late but new: a client that starts over without a reset is not shut out.
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
		{of(3, 0), of(255, 0), false}, // four jobs
		{of(2, 1<<24-1), of(255, 0), true},
		{of(100, 0), of(0, 0), false},
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
		first := rapid.Uint8().Draw(t, "first byte")
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
			perJob: rapid.IntRange(1, 4).Draw(t, "phases of a tensor"), first: rapid.Uint8().Draw(t, "first byte"),
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

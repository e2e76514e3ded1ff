package reference

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	wire "github.com/inalab/inalab/internal/wire/switchml"
	"github.com/inalab/inalab/switchd/program/switchml"
)

// ofJob is a packet of worker w of the first job, with a job byte.
func (b *bench) ofJob(job uint8, v vector) []output {
	p := v.payload()
	p[1] = job
	return b.handle(arrival(v.w, p))
}

// A slot that was used last so many jobs ago that the job byte is a little short of
// where it was: the client waits for switchml.LateLimit packets, then all is as ever.
func TestAnIdleSlotIsTakenUp(t *testing.T) {
	for ago := 250; ago <= 260; ago++ {
		t.Run(fmt.Sprint(ago), func(t *testing.T) {
			b := newBench(t, testConfig(2, 1))
			b.ofJob(7, vector{w: 0, set: 0, id: 3, values: val(1)})
			b.wantMulticast(b.ofJob(7, vector{w: 1, set: 0, id: 3, values: val(1)}), 2)
			again, late := uint8(7+ago), 0
			if ago >= 252 && ago < 256 {
				late = switchml.LateLimit - 1
			}
			for i := range late {
				b.wantDrop(b.ofJob(again, vector{w: i % 2, set: 1, id: 4, values: val(10)}))
			}
			b.wantCounts(map[string]uint64{switchml.DropLate: uint64(late)})
			b.wantDrop(b.ofJob(again, vector{w: 1, set: 1, id: 4, values: val(10)}))
			b.wantMulticast(b.ofJob(again, vector{w: 0, set: 1, id: 4, values: val(10)}), 20)
			b.wantDrop(b.ofJob(again, vector{w: 0, set: 0, id: 5, values: val(100)}))
			b.wantUnicast(b.ofJob(again, vector{w: 1, set: 1, id: 4, values: val(10)}), 1, 20)
			b.wantMulticast(b.ofJob(again, vector{w: 1, set: 0, id: 5, values: val(100)}), 200)
			b.wantCounts(map[string]uint64{switchml.DropLate: uint64(late), switchml.DropDuplicate: 0})
		})
	}
}

// The first use of a slot, with job bytes of which the registers know nothing yet.
func TestAnUnusedSlotIsTakenUp(t *testing.T) {
	for job := range 256 {
		b := newBench(t, testConfig(1, 1))
		sent := 1
		for len(b.ofJob(uint8(job), vector{id: 1, values: val(4)})) == 0 {
			if sent++; sent > switchml.LateLimit {
				t.Fatalf("job byte %d: %d packets are late", job, sent-1)
			}
		}
		if want := map[bool]int{true: switchml.LateLimit, false: 1}[job >= 252]; sent != want {
			t.Errorf("job byte %d: packet %d is answered, want %d", job, sent, want)
		}
	}
}

// Only late packets in a row count, those of both sets and all workers, answered or
// not: any other of the slot begins the count anew, one of another slot does not.
func TestLatePacketsInARow(t *testing.T) {
	const before = 5
	for name, c := range map[string]struct {
		between vector
		want    int // stale packets after it, until the last is taken as new
	}{
		"of the newest phase":  {vector{w: 1, set: 0, id: 2, values: val(3)}, switchml.LateLimit},
		"late and dropped":     {vector{w: 1, set: 1, id: 1, values: val(1)}, switchml.LateLimit - before - 1},
		"late and answered":    {vector{w: 0, set: 1, id: 1, values: val(1)}, switchml.LateLimit - before - 1},
		"of another slot":      {vector{w: 1, slot: 1, id: 2, values: val(3)}, switchml.LateLimit - before},
		"beyond the job's":     {vector{w: 1, slot: 2, id: 2, values: val(3)}, switchml.LateLimit - before},
		"of an unknown worker": {vector{w: 9, set: 0, id: 2, values: val(3)}, switchml.LateLimit - before},
	} {
		b := newBench(t, testConfig(2, 2))
		for id := range uint32(2) {
			for w := range 2 {
				b.send(vector{w: w, set: uint8(id), id: id, values: val(1)})
			}
		}
		b.send(vector{w: 1, set: 0, id: 2, values: val(3)}) // worker 0 waits in phase 1
		stale := vector{w: 0, set: 0, id: 0, values: val(7)}
		for range before {
			b.send(stale)
		}
		b.send(c.between)
		got, pool := 0, &b.job().pool
		for taken := tagOf(&wire.Header{Job: 3}); pool[0][0].tag != taken || pool[1][0].tag != taken; got++ {
			if got > switchml.LateLimit {
				t.Fatalf("%s: no stale packet is taken as new", name)
			}
			b.send(stale)
		}
		if got != c.want {
			t.Errorf("%s: stale packet %d after it is taken as new, want %d", name, got, c.want)
		}
	}
}

// A result of 256 tensors ago has the header of that to come. A worker that has not begun to
// wait for that one, as its peer is a phase behind, does not take it.
func TestAWorkerWaitsForWhatItHasSent(t *testing.T) {
	n := newNetwork(t, netParams{tree: tree{hosts: 2}, jobs: 1, slots: 1, phases: 4, perJob: 1, idle: [][]int{{0, 3, 0, 254}}})
	down := n.links[slices.IndexFunc(n.links, func(l *link) bool { return l.host == n.hosts[0] })]
	n.sendAll()
	n.drain(nil)
	for _, h := range n.hosts { // phase 1
		n.send(h, 0)
		n.arrive(h.up, h.up.frames[0])
		h.up.frames = nil
	}
	old := down.frames[0]
	n.drain(func(l *link, _ int) bool { return l.host == n.hosts[1] && n.hosts[1].phase[0] == 2 })
	n.arrive(down, old)
	if a, b := n.hosts[0].phase[0], n.hosts[1].phase[0]; a != 3 || b != 2 || len(n.wrong) > 0 {
		t.Errorf("workers are in phases %d and %d, want 3 and 2; wrong %v", a, b, n.wrong)
	}
	if !n.heal() || len(n.wrong) > 0 {
		t.Errorf("not all get to the end; wrong %v", n.wrong)
	}
}

// The network of [TestAnyNetworkGivesSums], and of several levels, with slots that lie
// idle while their client has up to 600 tensors, before the first phase too: results
// are right, and every worker gets to the end.
func TestIdleSlotsAreTakenUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := netParams{
			tree: tree{hosts: rapid.IntRange(1, 3).Draw(t, "hosts")}, jobs: 1,
			slots: rapid.IntRange(1, 2).Draw(t, "slots"), phases: rapid.IntRange(1, 6).Draw(t, "phases"),
			perJob: rapid.IntRange(1, 3).Draw(t, "phases of a tensor"), first: rapid.Uint8().Draw(t, "first byte"),
		}
		if rapid.Bool().Draw(t, "levels") {
			p.tree = trees[rapid.SampledFrom(treeNames()).Draw(t, "tree")]
		}
		passed := rapid.OneOf(rapid.Just(0), rapid.IntRange(0, 5), rapid.IntRange(250, 260), rapid.IntRange(0, 600))
		for range p.slots {
			p.idle = append(p.idle, rapid.SliceOfN(passed, p.phases, p.phases).Draw(t, "idle"))
		}
		newNetwork(t, p).mustBeRight(t, fates{reorder: true, duplicate: true, lose: true})
	})
}

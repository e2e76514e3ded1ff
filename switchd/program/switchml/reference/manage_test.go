package reference

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
	"github.com/inalab/inalab/switchd/dataplane"
	"github.com/inalab/inalab/switchd/program/switchml"
)

var (
	_ dataplane.Managed = (*Program)(nil)
	_ dataplane.Watched = (*Program)(nil)
)

func words(row []dataplane.Value) (out []string) {
	for _, v := range row {
		out = append(out, v.String())
	}
	return out
}

// Slots that wait are listed with who is missing; complete ones are not.
func TestViews(t *testing.T) {
	b := newBench(t, testConfig(3, 4))
	b.send(vector{w: 0, slot: 2, id: 8, values: []int32{1}}, vector{w: 2, slot: 2, id: 8, values: []int32{1}})
	for w := range 3 {
		b.send(vector{w: w, slot: 1, values: []int32{1}})
	}
	b.send(vector{w: 0, slot: 2, id: 8, values: []int32{1}})
	for v, want := range map[dataplane.View][][]string{
		dataplane.ViewSlots:  {{"1", "2", "8", "2", "3", "1", "2"}},
		dataplane.ViewJobs:   {{"1", "0", "3", "3", "64", "0", "4", "1", "6", "1", "0", "1", "2", "runs"}},
		dataplane.ViewBitmap: {{"1", "1", "0-2", ""}, {"1", "2", "0,2", ""}},
	} {
		got := b.p.View(units.Time(2*units.Microsecond), v, 10)
		for i, row := range got.Rows {
			if i >= len(want) || !slices.Equal(words(row), want[i]) || len(row) != len(got.Columns) {
				t.Errorf("%s: %v, want %v", v, got.Rows, want)
			}
		}
	}
	if got := b.p.View(0, dataplane.ViewBitmap, 1); len(got.Rows) != 1 || got.Total != 2 {
		t.Errorf("%d rows of %d, want 1 of 2", len(got.Rows), got.Total)
	}
}

// doc is a job of workers first, first+1, ... as a control plane says it.
func doc(id uint8, slots, first, workers int) switchml.Job {
	j := switchml.Job{ID: id, Session: 1 << 40, Elements: elements, Slots: slots, NumWorkers: workers}
	for rank := range workers {
		w := first + rank
		j.Workers = append(j.Workers, switchml.Worker{ID: uint8(rank), MAC: workerMAC(w), Addr: workerAddr(w), Port: sansio.Port(w)})
	}
	return j
}

func (b *bench) add(j switchml.Job) error {
	b.t.Helper()
	id, err := b.p.AddJob(0, &j)
	if err == nil && id != j.ID {
		b.t.Fatalf("job %d is added as %d", j.ID, id)
	}
	return err
}

func (b *bench) mustAdd(jobs ...switchml.Job) {
	b.t.Helper()
	for _, j := range jobs {
		if err := b.add(j); err != nil {
			b.t.Fatal(err)
		}
	}
}

func (b *bench) mustRemove(id uint8) dataplane.Removed {
	b.t.Helper()
	r, err := b.p.RemoveJob(0, id)
	if err != nil {
		b.t.Fatal(err)
	}
	return r
}

// empty is a switch without jobs.
func empty(t rapid.TB, pool int) *bench {
	t.Helper()
	return newBench(t, switchml.Config{Node: "tor", Router: routerAddr(), MAC: inet.MAC{2, 9, 9, 9, 9, 9}, Pool: pool})
}

// A job that cannot be beside the others is refused by name, and nothing changes:
// not the jobs, and not their slots that are half full.
func TestAdmission(t *testing.T) {
	for name, c := range map[string]struct {
		job    switchml.Job
		reason dataplane.Reason
		says   string
	}{
		"does not fit":      {doc(3, 61, 8, 2), dataplane.RefusedNoRoom, "job 3 wants 61 slots on tor, where 60 of 100 are left: end a job first"},
		"id":                {doc(2, 1, 8, 2), dataplane.RefusedIDTaken, "there is a job 2 on tor"},
		"worker of another": {doc(3, 10, 1, 2), dataplane.RefusedSource, "job 3: worker 0 at 10.0.0.1 is in job 1 on tor"},
		"third worker":      {doc(3, 10, 3, 2), dataplane.RefusedSource, "job 3: worker 1 at 10.0.0.4 is in job 2 on tor"},
		"size":              {func() switchml.Job { j := doc(3, 1, 8, 2); j.Elements = 128; return j }(), dataplane.RefusedDocument, "job 3 has 128 values"},
		"RDMA":              {func() switchml.Job { j := doc(3, 1, 8, 1); speakRDMA(&j); return j }(), dataplane.RefusedUnsupported, "job 3 is of RDMA clients"},
	} {
		b := empty(t, 100)
		b.mustAdd(doc(1, 30, 0, 2), doc(2, 10, 4, 2))
		b.send(vector{w: 0, values: val(1)}, vector{w: 4, values: val(3)})
		before := b.p.View(0, dataplane.ViewJobs, 10)
		var r *dataplane.Refusal
		if err := b.add(c.job); !errors.As(err, &r) || r.Reason != c.reason || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want %s: %s", name, err, c.reason, c.says)
		}
		if after := b.p.View(0, dataplane.ViewJobs, 10); !slices.EqualFunc(after.Rows, before.Rows, func(a, b []dataplane.Value) bool { return slices.Equal(words(a), words(b)) }) {
			t.Errorf("%s: jobs are %v, were %v", name, after.Rows, before.Rows)
		}
		if out := b.send(vector{w: 1, values: val(10)}, vector{w: 5, values: val(30)}); len(out) != 4 || out[0].values[0] != 11 || out[3].values[0] != 33 {
			t.Errorf("%s: results %+v", name, out)
		}
	}
}

func speakRDMA(j *switchml.Job) {
	j.RDMA = &switchml.RDMA{MessageBytes: 4 * elements}
	for i := range j.Workers {
		j.Workers[i].RDMA = &switchml.Queues{QPNs: []uint32{1}, PSNs: []uint32{1}}
	}
}

// Parts of the pool are given back; what is free in two pieces is no room for a job
// that needs one.
func TestPartsAreGivenBack(t *testing.T) {
	b := empty(t, 100)
	b.mustAdd(doc(1, 40, 0, 1), doc(2, 20, 1, 1), doc(3, 40, 2, 1))
	b.mustRemove(1)
	b.mustRemove(3)
	var r *dataplane.Refusal
	if err := b.add(doc(4, 41, 3, 1)); !errors.As(err, &r) || !strings.Contains(r.What, "80 of 100 are left, 40 of them in one piece at most") {
		t.Errorf("%v", err)
	}
	b.mustAdd(doc(4, 40, 0, 1), doc(5, 40, 2, 1)) // workers are free again, too
	if got := b.p.Jobs()[1].Base + b.p.Jobs()[2].Base; got != 60 {
		t.Errorf("parts begin at %d and %d", b.p.Jobs()[1].Base, b.p.Jobs()[2].Base)
	}
}

// The capacity is 8192 slots unless the configuration says less.
func TestCapacity(t *testing.T) {
	b := empty(t, 0)
	b.mustAdd(doc(1, switchml.MaxSlots-1, 0, 1), doc(2, 1, 1, 1))
	if b.add(doc(3, 1, 2, 1)) == nil {
		t.Error("there are more than 8192 slots")
	}
}

// Jobs count their slots from 0 and may have other sizes; a slot beyond a job's part
// is in the next one's, and is dropped.
func TestJobsHaveTheirOwnSlots(t *testing.T) {
	b := empty(t, 100)
	b.mustAdd(doc(1, 3, 0, 2), doc(2, 5, 4, 2))
	b.send(vector{w: 0, slot: 2, values: val(1)}, vector{w: 4, slot: 2, values: val(10)})
	b.wantDrop(b.send(vector{w: 0, slot: 3, values: val(7)}, vector{w: 1, slot: 5, values: val(7)})) // 0 and 2 of job 2
	b.wantCounts(map[string]uint64{switchml.DropSlotRange: 2})
	if out := b.send(vector{w: 1, slot: 2, values: val(2)}); len(out) != 2 || out[0].to != 0 || out[1].to != 1 || out[0].values[0] != 3 {
		t.Errorf("job 1 gets %+v", out)
	}
	if out := b.send(vector{w: 5, slot: 2, values: val(20)}); len(out) != 2 || out[0].to != 4 || out[1].to != 5 || out[0].values[0] != 30 {
		t.Errorf("job 2 gets %+v", out)
	}
	if a, z := b.p.Sources(1), b.p.Sources(9); a.Len() != 2 || z.Len() != 0 {
		t.Errorf("sources %v and %v", a, z)
	}
}

// A job that lacks workers has its part, and no more: packets are dropped.
func TestIncompleteJob(t *testing.T) {
	b := empty(t, 100)
	j := doc(1, 10, 0, 3)
	j.Workers = j.Workers[:2]
	b.mustAdd(j)
	b.wantDrop(b.send(vector{w: 0, values: val(1)}, vector{w: 1, values: val(1)}))
	b.wantCounts(map[string]uint64{switchml.DropIncomplete: 2, switchml.CountPackets: 2})
	b.mustRemove(1)
	b.wantDrop(b.send(vector{w: 0, values: val(1)}))
	b.wantCounts(map[string]uint64{switchml.DropUnknownWorker: 1})
	b.mustAdd(doc(1, 10, 0, 3))
	b.send(vector{w: 0, values: val(1)}, vector{w: 1, values: val(1)})
	if out := b.send(vector{w: 2, values: val(1)}); len(out) != 3 || out[0].values[0] != 3 {
		t.Errorf("%+v", out)
	}
}

// Rank 0's reset: a worker that starts over finds registers as at power up, and
// rejoins; the other job's are as they were, with their shadow copies.
func TestReset(t *testing.T) {
	b := empty(t, 100)
	b.mustAdd(doc(1, 2, 0, 2), doc(2, 2, 4, 2))
	for phase := range uint32(3) {
		for _, w := range []int{0, 1, 4, 5} {
			b.send(vector{w: w, set: uint8(phase % 2), id: phase, e0: 9, values: val(100)})
		}
	}
	b.send(vector{w: 0, set: 1, id: 3, values: val(5)}, vector{w: 4, set: 1, id: 3, values: val(5)})
	if r := b.mustRemove(1); r.OpenBlocks != 1 || r.Counters[0].Name != "packets" || r.Counters[0].N != 7 {
		t.Errorf("removed %+v", r)
	}
	b.wantCounts(map[string]uint64{switchml.CountRemoved: 1})
	b.mustAdd(doc(1, 2, 0, 2))
	b.wantDrop(b.send(vector{w: 0, set: 0, id: 0, e0: -7, values: val(1)})) // from the start
	out := b.send(vector{w: 1, set: 0, id: 0, e0: -8, values: val(2)})
	if len(out) != 2 || out[0].values[0] != 3 || out[0].h.E0 != -7 {
		t.Errorf("after the reset: %+v", out)
	}
	b.wantUnicast(b.send(vector{w: 5, set: 0, id: 2, values: val(0)}), 5, 200) // a shadow copy
	if out := b.send(vector{w: 5, set: 1, id: 3, values: val(6)}); len(out) != 2 || out[0].values[0] != 11 {
		t.Errorf("job 2 after the reset of job 1: %+v", out)
	}
	if _, err := b.p.RemoveJob(0, 7); err == nil {
		t.Error("a job that is not there was removed")
	}
}

// Whatever one job sends or is told, the other's results are the same: arbitrary
// packets of its workers and of strangers, jobs that come, go, and are refused.
func TestJobsDoNotMeet(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		alone, beside := empty(t, 40), empty(t, 40)
		of := doc(2, 3, 4, rapid.IntRange(1, 3).Draw(t, "workers"))
		if rapid.Bool().Draw(t, "second") { // in the pool
			beside.mustAdd(doc(1, 4, 0, 2))
		}
		alone.mustAdd(of)
		beside.mustAdd(of)
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			switch rapid.IntRange(0, 4).Draw(t, "what") {
			case 0:
				other := rapid.SampledFrom([]uint8{1, 1, 3, 2}).Draw(t, "job") // 2 is refused
				_ = beside.add(doc(other, rapid.IntRange(1, 40).Draw(t, "slots"), rapid.IntRange(0, 3).Draw(t, "first"), 2))
			case 1:
				_, _ = beside.p.RemoveJob(0, rapid.SampledFrom([]uint8{1, 3, 9}).Draw(t, "job"))
			case 2:
				beside.noise(t)
			default:
				v := vector{
					w: 4 + rapid.IntRange(0, 2).Draw(t, "worker"), set: uint8(rapid.IntRange(0, 1).Draw(t, "set")), slot: uint16(rapid.IntRange(0, 4).Draw(t, "slot")),
					id: rapid.Uint32Range(0, 4).Draw(t, "id"), e0: rapid.Int8().Draw(t, "e0"), values: val(rapid.Int32().Draw(t, "value")),
				}
				if a, b := alone.send(v), beside.send(v); !slices.EqualFunc(a, b, same) {
					t.Fatalf("%+v: alone %+v, beside another job %+v", v, a, b)
				}
			}
		}
	})
}

// noise is a packet of another job's workers, or of nobody's, that may be anything.
func (b *bench) noise(t *rapid.T) {
	w := rapid.SampledFrom([]int{0, 1, 2, 3, 77}).Draw(t, "sender")
	p := vector{
		set: uint8(rapid.IntRange(0, 1).Draw(t, "set")), slot: uint16(rapid.IntRange(0, 50).Draw(t, "slot")), id: rapid.Uint32().Draw(t, "id"),
		e0: rapid.SampledFrom([]int8{-128, 0, 127}).Draw(t, "exponent"), values: val(rapid.Int32().Draw(t, "value")),
	}.payload()
	if rapid.Bool().Draw(t, "broken") {
		p[rapid.IntRange(0, len(p)-1).Draw(t, "at")] = rapid.Byte().Draw(t, "byte")
		p = p[:rapid.IntRange(1, len(p)).Draw(t, "length")]
	}
	for _, o := range b.handle(arrival(w, p)) {
		if o.to >= 4 {
			t.Fatalf("a packet of worker %d makes one for worker %d of the other job", w, o.to)
		}
	}
}

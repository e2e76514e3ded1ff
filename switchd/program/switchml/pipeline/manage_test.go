package pipeline

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/switchd/dataplane"
	"github.com/inalab/inalab/switchd/program/switchml"
)

// docOf is a job of workers from a number on, as a control plane says it.
func docOf(id uint8, elements, slots, first, workers int) switchml.Job {
	j := switchml.Job{ID: id, Session: 1 << 40, Elements: elements, Slots: slots, NumWorkers: workers}
	for rank := range workers {
		w := first + rank
		j.Workers = append(j.Workers, switchml.Worker{ID: uint8(rank), MAC: workerMAC(w), Addr: workerAddr(w), Port: sansio.Port(w % MaxPorts)})
	}
	return j
}

func (c *chip) mustAdd(j switchml.Job) {
	c.t.Helper()
	if _, err := c.e.AddJob(0, &j); err != nil {
		c.t.Fatal(err)
	}
}

func reasonOf(err error) dataplane.Reason {
	var r *dataplane.Refusal
	if errors.As(err, &r) {
		return r.Reason
	}
	return ""
}

// Jobs come and go while packets of others pass: the chip admits, refuses and clears
// as the reference program does, whoever had a part of the pool before.
func TestJobsComeAndGo(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cfg := bareConfig()
		cfg.Pool = 8
		w := newTwin(t, cfg, Options{})
		phases := map[int]int{} // of a job's slots, which go together
		for range rapid.IntRange(1, 40).Draw(t, "steps") {
			id := rapid.IntRange(1, 4).Draw(t, "job")
			switch rapid.IntRange(0, 5).Draw(t, "what") {
			case 0:
				d := docOf(uint8(id), rapid.SampledFrom([]int{64, 256}).Draw(t, "elements"), rapid.IntRange(1, 5).Draw(t, "slots"), 4*id, rapid.IntRange(1, 3).Draw(t, "workers"))
				if rapid.IntRange(0, 4).Draw(t, "incomplete") == 0 {
					d.NumWorkers++
				}
				_, want := w.ref.AddJob(0, &d)
				_, got := w.e.AddJob(0, &d)
				if reasonOf(want) != reasonOf(got) {
					t.Fatalf("adding %+v: %v, the reference program says %v", d, got, want)
				}
				if got == nil {
					phases[id] = 0
				}
			case 1:
				want, refused := w.ref.RemoveJob(0, uint8(id))
				got, err := w.e.RemoveJob(0, uint8(id))
				if reasonOf(refused) != reasonOf(err) || want.OpenBlocks != got.OpenBlocks || !slices.Equal(want.Counters, got.Counters) {
					t.Fatalf("removing job %d: %+v, %v; the reference program says %+v, %v", id, got, err, want, refused)
				}
			default:
				w.round(t, uint8(id), phases)
			}
		}
		w.agree()
	})
}

// round lets workers of a job send the packets of one phase, all of them or some; in
// the end the phase is complete.
func (w *twin) round(t *rapid.T, id uint8, phases map[int]int) {
	j, ok := w.e.Find(id)
	if !ok {
		return
	}
	p := phases[int(id)]
	send := func(worker, slot int) {
		from := 4*int(id) + worker
		v := vector{w: from, set: uint8(p % 2), slot: uint16(slot), id: uint32(p), elements: j.Elements, value: func(i int) int32 { return value(from, slot, p, i) }}
		w.give(arrivalOfVector(v))
	}
	for range rapid.IntRange(0, 3).Draw(t, "some") {
		send(rapid.IntRange(0, len(j.Workers)-1).Draw(t, "worker"), rapid.IntRange(0, j.Slots-1).Draw(t, "slot"))
	}
	if rapid.Bool().Draw(t, "complete") {
		for slot := range j.Slots {
			for worker := range j.Workers {
				send(worker, slot)
			}
		}
		phases[int(id)]++
	}
}

// A job that the chip has no room for is refused by name, and nothing has changed.
func TestAdmission(t *testing.T) {
	many := docOf(3, 64, 1, 8, 2)
	many.NumWorkers = 33
	at := docOf(3, 64, 1, 8, 2)
	at.Workers[1].Port = 16
	for name, c := range map[string]struct {
		job    switchml.Job
		reason dataplane.Reason
		says   string
	}{
		"does not fit":      {docOf(3, 64, 61, 8, 2), dataplane.RefusedNoRoom, "job 3 wants 61 slots on tor, where 60 of 100 are left: end a job first"},
		"id":                {docOf(2, 64, 1, 8, 2), dataplane.RefusedIDTaken, "there is a job 2 on tor"},
		"worker of another": {docOf(3, 64, 10, 1, 2), dataplane.RefusedSource, "worker 0 at 10.0.0.1 is in job 1 on tor"},
		"size":              {docOf(3, 128, 1, 8, 2), dataplane.RefusedDocument, "job 3 has 128 values"},
		"size in ATP":       {docOf(3, 32, 1, 8, 2), dataplane.RefusedDocument, "job 3 has 32 values a packet, and the pipeline of tor none such: its registers add 64 in a pass: use 64 or 256, or the reference program"},
		"workers":           {many, dataplane.RefusedManySources, "32 bits"},
		"port":              {at, dataplane.RefusedPorts, "worker 1 is at port 16 of tor, which has ports 0 to 15 for workers"},
	} {
		cfg := bareConfig()
		cfg.Pool = 100
		w := newTwin(t, cfg, Options{})
		for _, d := range []switchml.Job{docOf(1, 64, 30, 0, 2), docOf(2, 256, 10, 4, 2)} {
			w.mustAdd(d)
			if _, err := w.ref.AddJob(0, &d); err != nil {
				t.Fatal(err)
			}
		}
		w.give(arrivalOfVector(packetOf(0, 0, 64)))
		w.give(arrivalOfVector(packetOf(4, 0, 256)))
		if _, err := w.e.AddJob(0, &c.job); reasonOf(err) != c.reason || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want %s: %s", name, err, c.reason, c.says)
		}
		w.give(arrivalOfVector(packetOf(1, 0, 64)))
		w.give(arrivalOfVector(packetOf(5, 0, 256)))
		w.agree()
	}
}

// All multicast groups, and places for receivers, that jobs have taken come back.
func TestPlacesComeBack(t *testing.T) {
	c := newChip(t, bareConfig(), Options{})
	for i := range 3 * maxJobs {
		c.mustAdd(docOf(uint8(i%maxJobs), 64, 1, 0, 16))
		if out := c.send(packetOf(0, 0, 64)); len(out) != 0 {
			t.Fatal("a slot is complete with the packets of a job that is gone")
		}
		r, err := c.e.RemoveJob(0, uint8(i%maxJobs))
		if err != nil || r.OpenBlocks != 1 {
			t.Fatalf("%+v, %v", r, err)
		}
	}
	if len(c.e.groups.used)+len(c.e.rids.used) != 0 {
		t.Errorf("%d groups and %d places for receivers are taken", len(c.e.groups.used), len(c.e.rids.used))
	}
	if n := c.count(switchml.CountRemoved); n != 3*maxJobs {
		t.Errorf("%d open slots went with their jobs, want %d", n, 3*maxJobs)
	}
	c.mustAdd(docOf(0, 64, switchml.MaxSlots, 0, 16)) // all slots and workers are free
}

// A job that is removed clears its registers in all pipes.
func TestRemovedJobLeavesNothing(t *testing.T) {
	c := newChip(t, bareConfig(), Options{})
	c.mustAdd(docOf(1, 256, 3, 0, 2))
	for i := range 6 {
		v := packetOf(0, i, 256) // of both sets
		v.slot, v.e0, v.e1 = uint16(i/2), 5, -5
		c.send(v)
	}
	if _, err := c.e.RemoveJob(0, 1); err != nil {
		t.Fatal(err)
	}
	for i, p := range c.e.state.pipes {
		for _, r := range append(slices.Clone(c.e.state.bySet), c.e.state.bitmap, c.e.state.stamps[0], c.e.state.stamps[1]) {
			for at := range r.Size {
				if lo, hi, _ := p.Read(r, at); lo|hi != 0 {
					t.Fatalf("pipe %d, register %s, entry %d: %#x, %#x", i, r.Name, at, lo, hi)
				}
			}
		}
	}
}

// Events name workers by the ids of the job, not by their places in bitmaps.
func TestEventsNameWorkersByTheirIDs(t *testing.T) {
	cfg := bareConfig()
	j := jobOf(7, 64, 1, 0, 2)
	j.Workers[0].ID, j.Workers[1].ID = 200, 3
	cfg.Jobs = []switchml.Job{j}
	w := newTwin(t, cfg, Options{})
	for _, worker := range []int{0, 0, 1, 1} {
		w.give(arrivalOfVector(packetOf(worker, 0, 64)))
	}
	w.agree()
	want := trace.Mask{}
	want.Set(200)
	want.Set(3)
	if last := w.events.list[len(w.events.list)-1]; last.Kind != trace.BlockSent || last.Mask != want || last.Source != 3 {
		t.Errorf("%+v", last)
	}
}

package microcode

import (
	"errors"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/sansio"
	wire "github.com/inalab/inalab/internal/wire/trioml"
	"github.com/inalab/inalab/switchd/dataplane"
	"github.com/inalab/inalab/switchd/program/trioml"
)

// fill opens blocks from number 0 on, of one gradient, and returns how many packets
// were dropped.
func fill(e *Engine, job uint8, blocks int) (dropped uint64) {
	var eff sansio.Effects
	before := e.jobs.Count(job).Dropped
	for b := range uint32(blocks) {
		e.Handle(0, []sansio.Arrival{arrival(packet(wire.Header{Job: job, Block: b, SrcCnt: 1}, 1))}, &eff)
	}
	return e.jobs.Count(job).Dropped - before
}

// Jobs that leave their cap at its default have room for as many blocks as that
// says, all at once.
func TestRoomForJobsOfTheDefaultCap(t *testing.T) {
	jobs := []trioml.Job{testJob(1, 2), testJob(2, 2), testJob(3, 2)}
	for i := range jobs {
		jobs[i].BlockMax = 0
	}
	e, err := New(trioml.Config{Node: "pfe", NoAging: true, Jobs: jobs}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, j := range jobs {
		if n := fill(e, j.ID, trioml.DefaultBlockMax); n != 0 {
			t.Errorf("job %d: %d of %d packets are dropped", j.ID, n, trioml.DefaultBlockMax)
		}
	}
	if jobs[0].BlockMax != 0 {
		t.Error("the caller's jobs have been changed")
	}
}

// roomJob is a job of a cap, whose results have a port of their own.
func roomJob(id uint8, blocks int) *trioml.Job {
	j := testJob(id, 2)
	j.BlockMax, j.To = blocks, []sansio.Port{sansio.Port(id)}
	return &j
}

// A job whose blocks may find no record is refused, when it is added and from the
// start. One of the default cap is taken by a PFE that has another.
func TestNoRoomForJob(t *testing.T) {
	e, err := New(trioml.Config{Node: "pfe"}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	add := func(id uint8, blocks int) error {
		_, err := e.AddJob(0, roomJob(id, blocks))
		return err
	}
	var refusal *dataplane.Refusal
	for _, refused := range []error{add(1, 65535), add(1, leastRecords)} {
		if !errors.As(refused, &refusal) || refusal.Reason != dataplane.RefusedNoRoom {
			t.Errorf("refused with %v", refused)
		}
	}
	if err := errors.Join(add(1, 0), add(2, 0), add(3, 0)); err != nil {
		t.Errorf("three jobs of the default cap: %v", err)
	}
	if add(4, 0) == nil || e.jobs.Has(4) || !slices.Equal(e.Ports(), []sansio.Port{1, 2, 3}) {
		t.Errorf("a fourth is set up, results leave by %v", e.Ports())
	}
	job := testJob(1, 2)
	job.BlockMax = 256
	if _, err := New(trioml.Config{Jobs: []trioml.Job{job}}, Options{Memory: small()}); err == nil {
		t.Error("256 blocks and a job are taken for 256 records")
	}
	job.BlockMax = trioml.MaxJobBlocks
	if err := Fits([]trioml.Job{job}); err != nil {
		t.Errorf("the largest cap: %v", err)
	}
	if Fits([]trioml.Job{job, testJob(2, 1)}) == nil {
		t.Error("blocks are taken for which no PFE has room")
	}
}

// Whatever jobs come and go: those that are taken have the blocks that their caps
// say, if all of them open as many, and none is refused for which there is room.
func TestJobsHaveTheRoomOfTheirCaps(t *testing.T) {
	prog := compiled(t)
	rapid.Check(t, func(t *rapid.T) {
		e, err := New(trioml.Config{Node: "pfe", NoAging: true}, Options{Program: prog, Memory: small()})
		if err != nil {
			t.Fatal(err)
		}
		caps, used := map[uint8]int{}, 0
		for range rapid.IntRange(1, 20).Draw(t, "steps") {
			id := uint8(rapid.IntRange(0, 5).Draw(t, "job"))
			if n, there := caps[id]; there {
				if _, err := e.RemoveJob(0, id); err != nil {
					t.Fatal(err)
				}
				used -= 1 + n
				delete(caps, id)
				continue
			}
			n := rapid.IntRange(1, 120).Draw(t, "block_cnt_max")
			if _, err := e.AddJob(0, roomJob(id, n)); (err == nil) != (used+1+n <= 256) {
				t.Fatalf("%d of 256 records are spoken for, a job of %d blocks: %v", used, n, err)
			} else if err == nil {
				caps[id] = n
				used += 1 + n
			}
			for id, n := range caps {
				if rapid.Bool().Draw(t, "fill") {
					fill(e, id, n+1)
				}
			}
		}
		for id, n := range caps {
			fill(e, id, n+1)
			if r, _ := e.Job(id); int(r.BlockCurrCnt) != n {
				t.Fatalf("job %d has %d blocks open, its cap is %d", id, r.BlockCurrCnt, n)
			}
		}
	})
}

package microcode

import (
	"errors"
	"testing"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/switchd/dataplane"
	"github.com/inalab/inalab/switchd/program/trioml"
	"github.com/inalab/inalab/switchd/trio/mem"
)

// document is the job of a race.
func (r *race) document() *trioml.Job {
	j := testJob(1, r.sources)
	j.BlockMax = r.e.Memory().Hash().Cap() - 1
	return &j
}

// A job may be removed while threads work for it. What they still do spoils no later
// job of that id: its results are whole. When all is over, nothing is left.
func TestJobLeavesWhileThreadsWorkForIt(t *testing.T) {
	prog := compiled(t)
	rapid.Check(t, func(t *rapid.T) {
		r := drawRace(t, trioml.Config{Node: "pfe", Timeout: 20 * units.Microsecond, Threads: 3}, Options{Program: prog})
		doc := r.document()
		there := true
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			r.until(t, r.now+units.Time(rapid.SampledFrom([]int64{0, 0, 10, 300, 2000}).Draw(t, "gap"))*units.Time(units.Nanosecond))
			switch step := rapid.IntRange(0, 9).Draw(t, "step"); {
			case step > 1:
				r.send(t, rapid.IntRange(0, r.sources-1).Draw(t, "source"), 0, uint32(rapid.IntRange(0, 5).Draw(t, "block")))
			case there:
				if _, err := r.e.RemoveJob(r.now, 1); err != nil {
					t.Fatal(err)
				}
				there = false
			default:
				_, err := r.e.AddJob(r.now, doc)
				var refusal *dataplane.Refusal
				if there = err == nil; !there && (!errors.As(err, &refusal) || refusal.Reason != dataplane.RefusedNoRoom || r.e.OldestWork() == units.Never) {
					t.Fatal(err)
				}
			}
		}
		r.until(t, r.now+20*ms)
		if !there {
			if _, err := r.e.AddJob(r.now, doc); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := r.e.RemoveJob(r.now, 1); err != nil {
			t.Fatal(err)
		}
		r.empty(t)
	})
}

// empty wants no record, no buffer that is not zero, and nothing to wait for.
func (r *race) empty(t *rapid.T) {
	m := r.e.Memory()
	if n := m.Hash().Len(); n != 0 || r.e.OpenBlocks() != 0 || r.e.NextDeadline() != units.Never {
		t.Fatalf("%d records are left, %d open blocks, next deadline %v", n, r.e.OpenBlocks(), r.e.NextDeadline())
	}
	r.buffersAreZero(t)
}

func (r *race) buffersAreZero(t *rapid.T) {
	m := r.e.Memory()
	for i := range m.Hash().Cap() {
		buffer := r.e.addr.buffers + mem.Addr(i*bufferWords)
		for w := range mem.Addr(r.size/2 + 32) {
			if v, _ := m.Load(buffer + w); v != 0 {
				t.Fatalf("word %d of the buffer of record %d is %#x", w, i, v)
			}
		}
	}
}

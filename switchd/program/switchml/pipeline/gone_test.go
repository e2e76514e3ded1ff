package pipeline

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/switchd/dataplane"
	"github.com/inalab/inalab/switchd/program/switchml"
	"github.com/inalab/inalab/switchd/tofino"
)

// Packets of a job that is removed end at their next pass, wherever they are inside the
// chip, and another job of the same slots and workers has no trace of them.
func TestPacketsOfARemovedJobEnd(t *testing.T) {
	ended := uint64(0)
	rapid.Check(t, func(t *rapid.T) {
		elements := rapid.SampledFrom([]int{64, 256}).Draw(t, "elements")
		c := newChip(t, bareConfig(), Options{Timing: timing(t)})
		c.mustAdd(docOf(1, elements, 1, 0, 2))
		now := units.Time(0)
		for w := range 2 {
			c.handle(now, arrivalOfVector(packetOf(w, 7, elements)))
			now = now.Add(units.Duration(rapid.IntRange(0, 3000).Draw(t, "ns later")) * units.Nanosecond)
		}
		sent := c.until(now)
		if _, err := c.e.RemoveJob(now, 1); err != nil {
			t.Fatal(err)
		}
		if rapid.Bool().Draw(t, "another job") {
			next := docOf(2, elements, 1, 0, 2)
			if _, err := c.e.AddJob(now, &next); err != nil {
				t.Fatal(err)
			}
		}
		if late := c.until(now.Add(tofino.EgressTime)); len(sent)+len(late) > 2 {
			t.Fatalf("%d results", len(sent)+len(late))
		}
		if out := c.until(units.Never - 1); len(out) != 0 {
			t.Fatalf("%d results of a job that is gone", len(out))
		}
		for i, p := range c.e.state.pipes {
			for _, r := range append(c.e.state.bySet, c.e.state.bitmap) {
				for at := 0; at < r.Size; at += 1 << slotBits { // slot 0 in both sets
					if lo, hi, _ := p.Read(r, at); lo|hi != 0 {
						t.Fatalf("pipe %d, register %s, entry %d: %#x, %#x", i, r.Name, at, lo, hi)
					}
				}
			}
		}
		ended += c.count(DropGone) + c.count(switchml.DropUnknownWorker) + c.count(tofino.DropNoGroup)
		if got := c.e.Chip().Snapshot(); got.Inside != 0 {
			t.Fatalf("%d packets are still inside", got.Inside)
		}
	})
	if ended == 0 {
		t.Error("no packet was inside when its job went")
	}
}

// What is due inside is done before a job is removed: a slot that is complete by then
// is not open.
func TestJobsChangeWhenEarlierPassesAreDone(t *testing.T) {
	c := newChip(t, bareConfig(), Options{Timing: timing(t)})
	c.mustAdd(docOf(1, 256, 1, 0, 2))
	for w := range 2 {
		c.handle(0, arrivalOfVector(packetOf(w, 0, 256)))
	}
	r, err := c.e.RemoveJob(units.Time(0).Add(4*tofino.PassTime), 1)
	if err != nil || r.OpenBlocks != 0 {
		t.Errorf("%+v, %v: want no open slot", r, err)
	}
}

// A job for which there is no multicast group takes nobody else's.
func TestJobWithoutAGroup(t *testing.T) {
	c := newChip(t, oneJob(64, 1, 1), Options{}) // it has group 0
	for {
		if _, ok := c.e.groups.take(); !ok {
			break
		}
	}
	j := docOf(2, 64, switchml.MaxSlots-1, 4, 1)
	if _, err := c.e.AddJob(0, &j); reasonOf(err) != dataplane.RefusedNoRoom {
		t.Fatalf("%v, want %s", err, dataplane.RefusedNoRoom)
	}
	if out := c.send(packetOf(0, 0, 64)); len(out) != 1 {
		t.Errorf("%d results of the job that was there", len(out))
	}
	c.e.groups.free(1)
	c.mustAdd(j) // slots and worker of the refused job are free
}

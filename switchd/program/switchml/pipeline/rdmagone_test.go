package pipeline

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/switchd/program/switchml"
	"github.com/inalab/inalab/switchd/tofino"
)

// Packets of RoCE that are inside the chip when their job is removed end there, and the next
// job, of fewer workers and queue pairs in the same registers, has right sums from the start.
func TestRDMAPacketsOfARemovedJobEnd(t *testing.T) {
	ended := uint64(0)
	rapid.Check(t, func(t *rapid.T) {
		old := []switchml.Job{rdmaDocument(1, 0, 3, 256, 2, 3)}
		timing := tofino.DefaultTiming()
		c := &chip{t: t}
		var err error
		if c.e, err = newRDMA(rdmaConfig(old...), Options{Timing: &timing}); err != nil {
			t.Fatal(err)
		}
		now := units.Time(0)
		for _, h := range newRDMATraffic(t, old).hosts {
			for q := range h.queues {
				for _, a := range h.message(q) {
					c.handle(now, a)
				}
				now = now.Add(units.Duration(rapid.IntRange(0, 900).Draw(t, "ns later")) * units.Nanosecond)
				c.until(now)
			}
		}
		if _, err := c.e.RemoveJob(now, 1); err != nil {
			t.Fatal(err)
		}
		next := []switchml.Job{rdmaDocument(2, 0, 1, 256, 2, 1)}
		if _, err := c.e.AddJob(now, &next[0]); err != nil {
			t.Fatal(err)
		}
		c.until(now.Add(tofino.EgressTime)) // what had been decided leaves
		if out := c.until(units.Time(units.Second)); len(out) != 0 {
			t.Fatalf("%d results of a job that is gone", len(out))
		}
		ended += c.count(DropGone) + c.count(tofino.DropNoGroup)
		now = units.Time(units.Second)
		newRDMATraffic(t, next).heal(3, func(a sansio.Arrival) []sent {
			out := c.handle(now, a)
			now = now.Add(units.Millisecond)
			return append(out, c.until(now)...)
		})
	})
	if ended == 0 {
		t.Error("no packet was inside when its job went")
	}
}

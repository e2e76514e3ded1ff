package pipeline

import (
	"strings"
	"testing"

	"github.com/inalab/inalab/internal/units"
	wire "github.com/inalab/inalab/internal/wire/atp"
	"github.com/inalab/inalab/switchd/dataplane"
)

// A job may go between the passes of its packets. What these reserve is held like anything else, and is
// free when the job comes again.
func TestJobRemovedBetweenPasses(t *testing.T) {
	timing := Timing()
	cfg := configOf(2, []int{0}, []int{1})
	c := newChip(t, cfg, Options{Timing: &timing})
	c.handle(0, arrival(gradient(&cfg.Jobs[0].Servers[0], 1, 0, 0, 1, 1)))
	now := units.Time(0).Add(300 * units.Nanosecond)
	c.until(now)
	if _, err := c.e.RemoveJob(now, 1); err != nil {
		t.Fatal(err)
	}
	if out := c.until(units.Never - 1); len(out) != 1 {
		t.Fatalf("%d packets leave", len(out))
	}
	now = now.Add(units.Millisecond)
	if held := c.held(); held != 1 || c.e.watch.halves != 2 {
		t.Errorf("%d aggregators and %d halves are held, want 1 and 2", held, c.e.watch.halves)
	}
	if _, err := c.e.AddJob(now, &cfg.Jobs[0]); err != nil {
		t.Fatal(err)
	}
	if held := c.held(); held != 0 || c.e.Remembers() {
		t.Errorf("%d aggregators are held by a job that has just begun", held)
	}
}

// held returns how many aggregators are not free.
func (c *chip) held() (n int) {
	for range c.e.held {
		n++
	}
	return n
}

// Halves that are not the same packets' are told, and one alone counts as an aggregator that is held.
func TestHalvesThatDiffer(t *testing.T) {
	cfg := configOf(4, []int{0}, []int{2})
	s := &cfg.Jobs[0].Servers[0]
	for half := range 2 {
		c := newChip(t, cfg, Options{})
		c.send(gradient(s, 1, 0, 0, 1, 2))
		note := func() string {
			return strings.Join(c.e.View(0, dataplane.ViewSlots, 10).Notes, "\n")
		}
		if strings.Contains(note(), "halves") {
			t.Errorf("before: %s", note())
		}
		c.e.state.clear(2 + 4*half)
		c.e.watch.halves--
		if c.held() != 1 || !strings.Contains(note(), "of 1 the halves are not the same") {
			t.Errorf("half %d: %d aggregators are held; %s", half, c.held(), note())
		}
		p := gradient(s, 1, 0, 1, 1, 2)
		p.Flags |= wire.Resend
		if out := c.send(p); len(out) != 1-half { // what half 0 has found it does not bear on alone
			t.Errorf("half %d: %d packets leave for a resend", half, len(out))
		}
		if c.e.Remembers() {
			t.Errorf("half %d is still held", half)
		}
	}
}

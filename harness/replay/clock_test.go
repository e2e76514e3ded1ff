package replay_test

import (
	"testing"
	"time"

	"github.com/inalab/inalab/harness/replay"
	"github.com/inalab/inalab/internal/units"
)

// A run starts with the first packet and does not go back.
func TestClock(t *testing.T) {
	var c replay.Clock
	start := time.Unix(1_700_000_000, 5)
	for i, p := range []struct {
		t    time.Time
		want units.Time
	}{
		{start, 0},
		{start.Add(7), units.Time(7 * units.Nanosecond)},
		{start.Add(-time.Hour), units.Time(7 * units.Nanosecond)},
		{time.Time{}, units.Time(7 * units.Nanosecond)},
		{start.Add(time.Hour), units.Time(3600 * units.Second)},
	} {
		if at, err := c.At(p.t); at != p.want || err != nil {
			t.Errorf("packet %d comes at %v, %v, want %v", i, at, err, p.want)
		}
	}
	if c.Back != 1 || c.Untimed != 1 {
		t.Errorf("%d went back, %d without time", c.Back, c.Untimed)
	}
	if got := c.Time(units.Time(7*units.Nanosecond + 999)); !got.Equal(start.Add(7)) {
		t.Errorf("it is %v", got)
	}
	if _, err := c.At(start.Add(100 * 24 * time.Hour)); err == nil {
		t.Error("a capture of 100 days is played")
	}
}

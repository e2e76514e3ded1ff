package pipeline

import (
	"bytes"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/switchd/tofino"
)

// until lets a chip with time run to an instant, and returns what has left.
func (c *chip) until(now units.Time) (out []sent) {
	for at := c.e.NextDeadline(); at <= now && at != units.Never; at = c.e.NextDeadline() {
		c.e.Expire(at, &c.eff)
		out = append(out, take(at, &c.eff)...)
	}
	return out
}

func timing(t rapid.TB) *tofino.Timing {
	t.Helper()
	v := tofino.DefaultTiming()
	return &v
}

// With time, every worker gets the frames that the reference program sends it, in
// the order of time, whatever is on its way inside meanwhile.
func TestTimedChipSendsTheSameFrames(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cfg := bareConfig()
		cfg.Jobs = drawJobs(t, 2)
		w := newTwin(t, cfg, Options{Timing: timing(t)})
		x := newTraffic(t, cfg.Jobs, rapid.Bool().Draw(t, "fifo"))
		now := units.Time(0)
		var want, got []sent
		give := func(a sansio.Arrival) (out []sent) {
			now = now.Add(units.Duration(rapid.IntRange(0, 3000).Draw(t, "ns later")) * units.Nanosecond)
			out = w.until(now)
			w.ref.Handle(now, []sansio.Arrival{cloneArrival(a)}, &w.refEff)
			want = append(want, take(now, &w.refEff)...)
			out = append(out, w.handle(now, a)...)
			got = append(got, out...)
			return out
		}
		for range rapid.IntRange(0, 120).Draw(t, "steps") {
			x.step(give)
		}
		rest := w.until(units.Never - 1)
		got = append(got, rest...)
		if !slices.IsSortedFunc(got, func(a, b sent) int { return int(a.at - b.at) }) {
			t.Fatalf("frames do not leave in order of time")
		}
		if a, b := byPort(got), byPort(want); !slices.EqualFunc(a, b, sameFrame) {
			t.Fatalf("%d frames left the chip, %d the reference program:\n%s", len(a), len(b), difference(a, b))
		}
		if a, b := shared(w.e.Counters()), w.ref.Counters(); !slices.Equal(a, b) {
			t.Fatalf("counters %v of the chip, %v of the reference program", a, b)
		}
		if s := w.e.Chip().Snapshot(); s.Inside != 0 {
			t.Fatalf("%d packets are inside for ever", s.Inside)
		}
	})
}

// byPort orders frames by port and content.
func byPort(list []sent) []sent {
	list = slices.Clone(list)
	slices.SortFunc(list, func(a, b sent) int {
		if a.port != b.port {
			return int(a.port) - int(b.port)
		}
		return bytes.Compare(a.frame, b.frame)
	})
	return list
}

// §5: "an additional 520 ns per pass". A result of 64 values takes one further pass,
// one of 256 ten, on an idle chip.
func TestLatencyOfAResult(t *testing.T) {
	leaves := func(elements int) units.Time {
		c := newChip(t, oneJob(elements, 1, 1), Options{Timing: timing(t)})
		if out := c.handle(0, arrivalOfVector(packetOf(0, 0, elements))); len(out) != 0 {
			t.Fatal("a result leaves at once")
		}
		out := c.until(units.Never - 1)
		if len(out) != 1 {
			t.Fatalf("%d results", len(out))
		}
		return out[0].at
	}
	base := tofino.IngressTime + tofino.EgressTime
	for elements, further := range map[int]units.Duration{64: 1, 256: 10} {
		want := units.Time(0).Add(base + further*tofino.PassTime)
		if got := leaves(elements); got != want {
			t.Errorf("%d values: a result leaves at %v, want %v", elements, got, want)
		}
	}
}

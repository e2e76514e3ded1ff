package profiles

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/units"
)

// onePerByte is a line that takes a picosecond for each byte.
func onePerByte(n units.Bytes) units.Duration { return units.Duration(n) }

func TestReplayExample(t *testing.T) {
	trace := Trace{{30, 10}, {30, 10}, {10, 25}, {0, 5}, {20, 0}}
	// ready at 30, 60, 70, 70, 90; on the line 30-40, 60-70, 70-95, 95-100
	want := Timeline{Start: 30, Compute: 90, Comm: 50, Hidden: 40, Idle: 20, Iteration: 100}
	if got := trace.Replay(1, onePerByte); got != want {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	// ready at 15, 30, 35, 35, 45; on the line 15-25, 30-40, 40-65, 65-70
	want = Timeline{Start: 15, Compute: 45, Comm: 50, Hidden: 25, Idle: 5, Iteration: 70}
	if got := trace.Replay(2, onePerByte); got != want {
		t.Errorf("twice as fast:\ngot  %+v\nwant %+v", got, want)
	}
	if got := (Trace{}).Replay(1, onePerByte); got != (Timeline{}) {
		t.Errorf("nothing took %+v", got)
	}
}

// tick is the oracle: it looks at every picosecond.
func tick(trace Trace) Timeline {
	var (
		out         Timeline
		ready, left []int
	)
	at := 0
	for _, s := range trace {
		at += int(s.Compute)
		ready, left = append(ready, at), append(left, int(s.Bytes))
	}
	out.Compute = units.Duration(at)
	if len(trace) > 0 {
		out.Start = units.Duration(ready[0])
	}
	next := 0
	skip := func() {
		for next < len(left) && left[next] == 0 {
			next++
		}
	}
	last := 0
	for now := 0; ; now++ {
		if skip(); next == len(left) && now >= at {
			break
		}
		if next < len(left) && ready[next] <= now {
			left[next]--
			out.Comm++
			if now < at {
				out.Hidden++
			}
			last = now + 1
		}
	}
	out.Iteration = units.Duration(max(at, last))
	return out
}

func drawSmallTrace(t *rapid.T, least int64) Trace {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Step {
		return Step{
			Compute: units.Duration(rapid.Int64Range(0, 30).Draw(t, "compute")),
			Bytes:   units.Bytes(rapid.Int64Range(least, 30).Draw(t, "bytes")),
		}
	}), 1, 8).Draw(t, "trace")
}

func TestReplayAgainstTicks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		trace := drawSmallTrace(t, 1)
		got, want := trace.Replay(1, onePerByte), tick(trace)
		want.Idle = got.Idle // checked below: the ticks do not count it
		if got != want {
			t.Fatalf("%v:\ngot  %+v\nwant %+v", trace, got, want)
		}
		if end := got.Start + got.Idle + got.Comm; max(end, got.Compute) != got.Iteration {
			t.Fatalf("%v: start, idle and comm make %v, iteration is %v", trace, end, got.Iteration)
		}
	})
}

// TestSaturationIsTheKnee: on a GPU a little faster than alpha the line never
// waits, on a little slower one it does.
func TestSaturationIsTheKnee(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		trace := drawSmallTrace(t, 1)
		for i := range trace { // so that rounding to picoseconds does not count
			trace[i].Compute *= units.Duration(units.Microsecond)
			trace[i].Bytes *= units.Bytes(units.Microsecond)
		}
		alpha := trace.Saturation(onePerByte)
		if alpha < 1 || math.IsInf(alpha, 1) {
			t.Fatalf("alpha is %g", alpha)
		}
		rounding := units.Duration(2 * len(trace))
		if got := trace.Replay(alpha*1.0001, onePerByte); got.Idle > rounding {
			t.Fatalf("alpha %g of %v: the line is still idle for %v", alpha, trace, got.Idle)
		}
		if got := trace.Replay(alpha*0.999, onePerByte); alpha > 1 && got.Idle <= rounding {
			t.Fatalf("alpha %g of %v: the line is never idle before", alpha, trace)
		}
	})
}

func TestSaturationEdges(t *testing.T) {
	for _, c := range []struct {
		name  string
		trace Trace
		want  float64
	}{
		{"nothing", nil, 1},
		{"one tensor", Trace{{10, 10}}, 1},
		{"saturated as it is", Trace{{10, 10}, {5, 10}, {5, 10}}, 1},
		{"the last decides", Trace{{10, 10}, {20, 10}, {40, 10}}, 3},
		{"the second decides", Trace{{10, 10}, {50, 10}, {1, 10}}, 5},
		{"an empty tensor first", Trace{{10, 0}, {1, 10}}, math.Inf(1)},
		{"an empty tensor beside", Trace{{10, 0}, {0, 10}, {20, 10}}, 2},
	} {
		if got := c.trace.Saturation(onePerByte); got != c.want {
			t.Errorf("%s: %g, want %g", c.name, got, c.want)
		}
	}
}

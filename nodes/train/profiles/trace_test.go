package profiles

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/golden"
	"github.com/inalab/inalab/internal/units"
)

func drawProfile(t *rapid.T) Profile { return rapid.SampledFrom(all).Draw(t, "model") }

func drawTrace(t *rapid.T) Trace {
	return drawProfile(t).Trace(
		units.Duration(rapid.Int64Range(1, int64(10*units.Second)).Draw(t, "compute")),
		4*units.Bytes(rapid.Int64Range(1, 1<<30).Draw(t, "floats")),
	)
}

// TestTraceKeepsWhatGoesIn: whatever the model, its compute time and its bytes
// all come out, none of it negative, and nothing before the forward pass ends.
func TestTraceKeepsWhatGoesIn(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawProfile(t)
		compute := units.Duration(rapid.Int64Range(0, int64(100*units.Second)).Draw(t, "compute"))
		size := 4 * units.Bytes(rapid.Int64Range(0, 1<<34).Draw(t, "floats"))
		trace := p.Trace(compute, size)
		tensors, _ := p.Tensors()
		if trace.Compute() != compute || trace.Bytes() != size || len(trace) != len(tensors) {
			t.Fatalf("%v and %v became %v and %v in %d steps", compute, size, trace.Compute(), trace.Bytes(), len(trace))
		}
		for i, s := range trace {
			if s.Compute < 0 || s.Bytes < 0 || s.Bytes%4 != 0 {
				t.Fatalf("step %d is %+v", i, s)
			}
		}
		if trace[0].Compute < compute/ForwardShare {
			t.Fatalf("the first tensor is ready after %v of %v", trace[0].Compute, compute)
		}
	})
}

// TestTraceAtItsOwnSize has every tensor at its own size, last layer first.
func TestTraceAtItsOwnSize(t *testing.T) {
	for _, p := range All() {
		tensors, _ := p.Tensors()
		slices.Reverse(tensors)
		for i, s := range p.Trace(units.Second, units.Bytes(4*p.Params)) {
			if want := units.Bytes(4 * tensors[i].Params); s.Bytes != want {
				t.Errorf("%s: step %d has %d bytes, %s has %d", p.Name, i, s.Bytes, tensors[i].Name, want)
			}
		}
	}
}

// TestTraceFollowsTheArithmetic: in VGG-19 the convolutions take nearly all of
// the time and the fully connected layers have most of the bytes.
func TestTraceFollowsTheArithmetic(t *testing.T) {
	p, err := Lookup("vgg19")
	if err != nil {
		t.Fatal(err)
	}
	trace := p.Trace(300*units.Millisecond, p.Size())
	connected := trace[:6]
	if spent := connected.Compute() - 100*units.Millisecond; spent < units.Millisecond || spent > 2*units.Millisecond {
		t.Errorf("three fully connected layers take %v of the 200 ms of the backward pass, they have 0.63%% of the arithmetic", spent)
	}
	if share := float64(connected.Bytes()) / float64(trace.Bytes()); share < 0.85 || share > 0.87 {
		t.Errorf("three fully connected layers have %.2f of the bytes, published are 123.6 of 143.7 million", share)
	}
}

func TestFuse(t *testing.T) {
	trace := Trace{{10, 4}, {20, 8}, {30, 4}, {40, 100}, {50, 4}}
	for threshold, want := range map[units.Bytes]Trace{
		0:   trace,
		1:   trace,
		8:   {{30, 12}, {70, 104}, {50, 4}},
		12:  {{30, 12}, {70, 104}, {50, 4}},
		13:  {{60, 16}, {40, 100}, {50, 4}},
		120: {{150, 120}},
		999: {{150, 120}},
	} {
		if got := trace.Fuse(threshold); !slices.Equal(got, want) {
			t.Errorf("by %d: %v, want %v", threshold, got, want)
		}
	}
	if got := (Trace{}).Fuse(8); len(got) != 0 {
		t.Errorf("nothing became %v", got)
	}
}

// TestHoldMeetsTheOverlap: the held trace is the same work and the same bytes,
// and hides what was asked for, or all that the trace hides if that is less.
func TestHoldMeetsTheOverlap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		trace := drawTrace(t)
		line := units.Rate(rapid.Int64Range(1e9, 400e9).Draw(t, "line"))
		overlap := rapid.IntRange(0, 100).Draw(t, "overlap")
		held := trace.Hold(overlap, line)
		if held.Compute() != trace.Compute() || held.Bytes() != trace.Bytes() {
			t.Fatalf("%v, %v became %v, %v", trace.Compute(), trace.Bytes(), held.Compute(), held.Bytes())
		}
		before, after := trace.Replay(1, line.TimeToSend), held.Replay(1, line.TimeToSend)
		want := min(before.Hidden, percentOf(before.Comm, overlap))
		// One float32 more would be too much; each step rounds to a picosecond.
		slack := line.TimeToSend(4) + units.Duration(2*len(trace)+2)
		if after.Hidden > want+slack || after.Hidden < want-slack {
			t.Fatalf("%v of %v are hidden, want %v", after.Hidden, after.Comm, want)
		}
	})
}

func percentOf(d units.Duration, percent int) units.Duration {
	return units.Duration(part(int64(d), int64(percent), 100))
}

func TestHoldLeavesTheTraceAlone(t *testing.T) {
	trace := Trace{{10, 400}, {20, 800}}
	held := trace.Hold(100, units.GbitPerSecond)
	held[0].Bytes = 0
	if trace[0].Bytes != 400 {
		t.Error("a change to the held trace reached the original")
	}
}

// TestTraceGolden shows what the assumed traces make of SwitchML Table 1 at 95%
// of the link rate: as they are, in buckets, and with tensors held back. It is
// there to be read; nothing in it is fitted to the printed shares.
func TestTraceGolden(t *testing.T) {
	var b strings.Builder
	fmt.Fprintln(&b, "model     Gbps   batch ms: printed  plain  fused   held   overlap %: printed plain fused  held   alpha: printed fused  held")
	for _, p := range All() {
		for _, r := range p.Measured {
			if r.Paper != SwitchML {
				continue
			}
			compute, from := r.Compute()
			if from == Unknown {
				compute = p.Compute
			}
			line := r.Link / 100 * 95
			plain := p.Trace(compute, r.Bytes())
			fused := plain.Fuse(r.Fusion())
			held := fused.Hold(r.Overlap.Used, line)
			x, y, z := plain.Replay(1, line.TimeToSend), fused.Replay(1, line.TimeToSend), held.Replay(1, line.TimeToSend)
			fmt.Fprintf(&b, "%-10s%4d  %18.0f %6.0f %6.0f %6.0f   %18d %5.1f %5.1f %5.1f", p.Name, r.Link/units.GbitPerSecond,
				r.BatchTime.Milliseconds(), x.Iteration.Milliseconds(), y.Iteration.Milliseconds(), z.Iteration.Milliseconds(),
				r.Overlap.Printed, hiddenShare(x), hiddenShare(y), hiddenShare(z))
			if r.Alpha > 0 {
				fmt.Fprintf(&b, "   %14.1f %5.1f %5.1f", r.Alpha, fused.Saturation(line.TimeToSend), held.Saturation(line.TimeToSend))
			}
			fmt.Fprintln(&b)
		}
	}
	golden.Equal(t, "traces.txt", b.String())
}

func hiddenShare(l Timeline) float64 { return 100 * float64(l.Hidden) / float64(l.Comm) }

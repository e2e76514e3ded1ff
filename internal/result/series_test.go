package result

import (
	"slices"
	"testing"

	"github.com/inalab/inalab/internal/units"
)

const ms = units.Millisecond

func series(interval units.Duration, bytes ...units.Bytes) Series { return Series{interval, bytes} }

func same(a, b Series) bool { return a.Interval == b.Interval && slices.Equal(a.Bytes, b.Bytes) }

func TestRateOfAnInterval(t *testing.T) {
	s := series(2*ms, 0, 125_000, 1)
	for i, want := range []float64{0, 500e6, 4000} {
		if got := s.Rate(i); got != want {
			t.Errorf("interval %d: %v bit/s, want %v", i, got, want)
		}
	}
	if s.Start(2) != units.Time(4*ms) || s.Sum() != 125_001 {
		t.Errorf("the third begins at %v, all are %d B", s.Start(2), s.Sum())
	}
	s = series(3*ms, 1)
	if s.Rate(0) != 2667 { // 2666.7
		t.Errorf("8 bit in 3 ms are %v bit/s", s.Rate(0))
	}
}

// Pairs become one; an odd one at the end stays.
func TestDouble(t *testing.T) {
	s := series(ms, 1, 2, 4, 8, 16)
	for _, want := range []Series{series(2*ms, 3, 12, 16), series(4*ms, 15, 16), series(8*ms, 31), series(16*ms, 31)} {
		if s.Double(); !same(s, want) {
			t.Errorf("got %+v, want %+v", s, want)
		}
	}
}

// A sum has the longer interval, whichever of the two has it, and the other series stays as it was.
func TestAddSeries(t *testing.T) {
	for _, c := range []struct{ a, b, want Series }{
		{series(ms, 1, 2, 3), series(2*ms, 10), series(2*ms, 13, 3)},
		{series(2*ms, 10), series(ms, 1, 2, 3), series(2*ms, 13, 3)},
		{series(ms), series(ms, 5), series(ms, 5)},
		{series(ms, 5), series(4 * ms), series(4*ms, 5)},
		{series(ms, 5), Series{}, series(ms, 5)},
	} {
		other := series(c.b.Interval, slices.Clone(c.b.Bytes)...)
		if c.a.Add(c.b); !same(c.a, c.want) || !same(c.b, other) {
			t.Errorf("got %+v, want %+v; the other became %+v", c.a, c.want, c.b)
		}
	}
}

// Series of a run get one interval and one length: that of the longest, or of the run.
func TestAlign(t *testing.T) {
	for _, c := range []struct {
		end      units.Duration
		n        int
		interval units.Duration
	}{{0, 2, 2 * ms}, {4 * ms, 2, 2 * ms}, {4*ms + 1, 3, 2 * ms}, {2 * MaxIntervals * ms, MaxIntervals / 2, 4 * ms}} {
		a, b, none := series(ms, 1, 2, 3), series(2*ms, 10, 20), Series{Interval: ms}
		Align(units.Time(c.end), &a, &b, &none)
		for _, s := range []Series{a, b, none} {
			if s.Interval != c.interval || len(s.Bytes) != c.n {
				t.Errorf("end %v: %d intervals of %v, want %d of %v", c.end, len(s.Bytes), s.Interval, c.n, c.interval)
			}
		}
		if a.Sum() != 6 || b.Sum() != 30 || none.Sum() != 0 {
			t.Errorf("end %v: sums %d, %d and %d", c.end, a.Sum(), b.Sum(), none.Sum())
		}
	}
	Align(5) // nothing
}

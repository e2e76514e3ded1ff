package spent

import (
	"testing"

	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/units"
)

const ms = units.Millisecond

// sample is an iteration of a worker that began and ended at milliseconds.
func sample(worker, iteration int, start, end, delay units.Duration) result.Sample {
	return result.Sample{Worker: worker, Iteration: iteration, Start: units.Time(start * ms), End: units.Time(end * ms), Delay: delay * ms}
}

// Two workers, of which the second sleeps 30 ms in one of two iterations: the first waits 30 ms, 7.5 in the mean.
func cell() *result.Cell {
	return &result.Cell{
		Compute: 10 * ms, Wire: 5 * ms, Iterations: 2, Hosts: []string{"left", "right"},
		Samples: []result.Sample{sample(0, 0, 0, 50, 0), sample(1, 0, 0, 50, 30), sample(0, 1, 50, 70, 0), sample(1, 1, 50, 70, 0)},
		Links:   []result.Link{{Name: "a", Use: 0.25}, {Name: "b", Use: 0.5}, {Name: "c", Use: 0.5}},
	}
}

func TestPartsAddUp(t *testing.T) {
	s, ok := Of(cell())
	want := Spent{Iteration: 35 * ms, Compute: 10 * ms, Delay: 7500 * units.Microsecond, Wire: 5 * ms, Waiting: 7500 * units.Microsecond, Rest: 5 * ms, For: "right", Share: 1}
	if !ok || s != want {
		t.Errorf("got %+v, want %+v", s, want)
	}
	c := cell()
	c.Blocks = &result.Blocks{Resending: 4 * ms}
	c.Wire = 13 * ms // 4.5 are left: the others get what is there
	if s, _ := Of(c); s.Waiting != 4500*units.Microsecond || s.Resends != 0 || s.Rest != 0 || s.Compute+s.Delay+s.Wire+s.Waiting != s.Iteration {
		t.Errorf("a long wire: %+v", s)
	}
	c.Wire = 5 * ms
	if s, _ := Of(c); s.Resends != 2*ms || s.Rest != 3*ms {
		t.Errorf("with resends: %+v", s)
	}
}

// A worker that computes for longer is waited for, though nothing was injected.
func TestWaitingForASlowWorker(t *testing.T) {
	c := cell()
	for i := range c.Samples {
		c.Samples[i].Delay = 0
	}
	c.Computes = []units.Duration{14 * ms, 10 * ms}
	s, _ := Of(c)
	if s.Waiting != 2*ms || s.For != "left" || s.Share != 1 {
		t.Errorf("got %+v", s)
	}
	c.Computes = nil
	if s, _ := Of(c); s.Waiting != 0 || s.For != "" {
		t.Errorf("equal workers: %+v", s)
	}
}

func TestUnknown(t *testing.T) {
	for name, c := range map[string]*result.Cell{"no samples": {Compute: ms}, "no compute": {Samples: cell().Samples}} {
		if s, ok := Of(c); ok {
			t.Errorf("%s: %+v", name, s)
		}
	}
	if l, ok := Busiest(cell()); !ok || l.Name != "b" {
		t.Errorf("busiest: %+v", l)
	}
	if _, ok := Busiest(&result.Cell{}); ok {
		t.Error("a link where there is none")
	}
}

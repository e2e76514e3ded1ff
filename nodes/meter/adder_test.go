package meter

import (
	"slices"
	"testing"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
)

// adder has three contributions of switches and one of its own with each call.
type adder struct {
	sansio.Untimed
	calls uint64
}

func (a *adder) Handle(units.Time, []sansio.Arrival, *sansio.Effects) { a.calls++ }

func (a *adder) Expire(units.Time, *sansio.Effects) { a.calls++ }

func (a *adder) Contributions() (inSwitches, atServer uint64) { return 3 * a.calls, a.calls }

// What is new after a call counts in the interval of that call, also of a timer.
func TestAdding(t *testing.T) {
	a := NewAdding(&adder{}, 10)
	for _, now := range []units.Time{0, 9, 31} {
		a.Handle(now, nil, nil)
	}
	a.Expire(35, nil)
	got := a.Added()
	if want := []units.Bytes{6, 0, 0, 6}; !slices.Equal(got.InSwitches.Bytes, want) {
		t.Errorf("in switches %v, want %v", got.InSwitches.Bytes, want)
	}
	if want := []units.Bytes{2, 0, 0, 2}; !slices.Equal(got.AtServers.Bytes, want) {
		t.Errorf("at the server %v, want %v", got.AtServers.Bytes, want)
	}
}

// A machine that does not say, and a run without intervals, have nothing counted.
func TestNothingIsAdded(t *testing.T) {
	for _, a := range []*Adding{NewAdding(&adder{}, 0), NewAdding(&Machine{}, 10)} {
		if a != nil || a.Added() != nil {
			t.Errorf("%+v", a)
		}
	}
}

package impair

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/inalab/inalab/internal/units"
)

// A link that is set in mid-run does to frames what one does that knew of the change before.
func TestSetIsAChangeThatWasNotKnown(t *testing.T) {
	for _, p := range []Params{
		{Rate: 2 * gigabit, Delay: ms}, {Rate: gigabit / 2, Delay: 2 * ms}, {Rate: gigabit / 1000, Delay: ms}, {Delay: ms}, {}, {Rate: gigabit, Delay: 3 * ms},
	} {
		at := units.Time(20 * us)
		was := Params{Rate: gigabit, Delay: ms}
		known := changing(t, was, Change{at, p})
		told := changing(t, was)
		for _, b := range []*bench{known, told} {
			b.at(0, kilo(0, 5))
		}
		if err := told.link.Set(at, Config{Params: p}); err != nil {
			t.Fatal(err)
		}
		for _, b := range []*bench{known, told} {
			b.at(at, kilo(5, 3))
			b.at(units.Time(30*us), kilo(8, 3))
			b.drain()
		}
		equal(t, fmt.Sprintf("%+v", p), told.times(), known.times())
		if told.link.Stats() != known.link.Stats() || told.link.Changed(at) != 1 {
			t.Errorf("%+v: counted %+v, want %+v", p, told.link.Stats(), known.link.Stats())
		}
	}
}

// A link may be set again and again, from a perfect wire on; each time holds from then on.
func TestSetAgain(t *testing.T) {
	b := newBench(t, Config{})
	for i, delay := range []units.Duration{3 * us, 0, us} {
		at := units.Time(i) * units.Time(10*us)
		if err := b.link.Set(at, Config{Params: Params{Delay: delay}}); err != nil {
			t.Fatal(err)
		}
		b.at(at, kilo(i, 1))
		b.drain()
	}
	if want := []units.Time{units.Time(3 * us), units.Time(10 * us), units.Time(21 * us)}; !slices.Equal(b.times(), want) {
		t.Errorf("frames at %v, want %v", b.times(), want)
	}
}

// Setting ends changes that were to come, and refuses what cannot be.
func TestSetEndsChanges(t *testing.T) {
	b := changing(t, Params{Delay: us}, Change{units.Time(50 * us), Params{Delay: 9 * us}})
	if err := b.link.Set(units.Time(10*us), Config{Params: Params{Delay: 2 * us}}); err != nil {
		t.Fatal(err)
	}
	b.at(units.Time(60*us), kilo(0, 1))
	b.drain()
	if want := []units.Time{units.Time(62 * us)}; !slices.Equal(b.times(), want) {
		t.Errorf("frames at %v, want %v", b.times(), want)
	}
	err := b.link.Set(units.Time(70*us), Config{Params: Params{Loss: 0.5}})
	if err == nil || !strings.Contains(err.Error(), "needs random numbers") {
		t.Errorf("a loss without dice: %v", err)
	}
}

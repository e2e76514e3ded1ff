package main

import (
	"errors"
	"slices"
	"testing"

	"github.com/inalab/inalab/reports/bench"
)

// The paths take turns, and the fastest run of each counts.
func TestAlternate(t *testing.T) {
	times := []float64{5, 50, 3, 70, 4, 60}
	var order []bool
	f := allReduceFlags{repeat: 3, compare: true}
	best, err := f.alternate(f.paths(), func(plain bool) (bench.AllReduce, error) {
		order = append(order, plain)
		return bench.AllReduce{Offload: !plain, TimeUs: times[len(order)-1]}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if want := []bool{false, true, false, true, false, true}; !slices.Equal(order, want) {
		t.Errorf("order %v", order)
	}
	want := []bench.AllReduce{{Offload: true, TimeUs: 3, Runs: 3}, {TimeUs: 50, Runs: 3}}
	if !slices.Equal(best, want) {
		t.Errorf("best %+v, want %+v", best, want)
	}
}

func TestAlternateEndsWithAnError(t *testing.T) {
	broken := errors.New("broken")
	calls := 0
	_, err := allReduceFlags{repeat: 3}.alternate([]bool{true}, func(bool) (bench.AllReduce, error) {
		calls++
		return bench.AllReduce{}, broken
	})
	if !errors.Is(err, broken) || calls != 1 {
		t.Errorf("%v after %d calls", err, calls)
	}
}

package rates

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/units"
)

// fill is the oracle: it gives out bit by bit, always to the child that has least.
func fill(total units.Rate, demands []units.Rate) []units.Rate {
	rates := make([]units.Rate, len(demands))
	for ; total > 0; total-- {
		at := -1
		for i := range rates {
			if rates[i] < demands[i] && (at < 0 || rates[i] < rates[at]) {
				at = i
			}
		}
		if at < 0 {
			break
		}
		rates[at]++
	}
	return rates
}

// best is the oracle of both inequalities: of all ways to hold one child to the egress bandwidth,
// the one whose rates, sorted, are greatest from the least on.
func best(ingress, egress units.Rate, demands []units.Rate) []units.Rate {
	rates := fill(ingress, demands)
	slices.Sort(rates)
	if egress < 0 || len(rates) == 0 || rates[0] <= egress {
		return rates
	}
	var found []units.Rate
	for i := range demands {
		capped := slices.Clone(demands)
		capped[i] = min(capped[i], egress)
		rates := fill(ingress, capped)
		slices.Sort(rates)
		if found == nil || slices.Compare(rates, found) > 0 {
			found = rates
		}
	}
	return found
}

func TestAllocateIsMaxMin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ingress := units.Rate(rapid.IntRange(1, 300).Draw(t, "ingress"))
		egress := units.Rate(rapid.IntRange(-1, 60).Draw(t, "egress"))
		demands := rapid.SliceOfN(rapid.Map(rapid.IntRange(0, 100), func(i int) units.Rate { return units.Rate(i) }), 0, 6).Draw(t, "demands")
		rates := Allocate(ingress, egress, demands)
		for i := range rates {
			if rates[i] < 0 || rates[i] > demands[i] {
				t.Fatalf("child %d with a demand of %d gets %d", i, demands[i], rates[i])
			}
		}
		got := slices.Sorted(slices.Values(rates))
		if want := best(ingress, egress, demands); !slices.Equal(got, want) {
			t.Fatalf("rates %v, want %v in some order", got, want)
		}
	})
}

// The motivating example and the testbed of the paper (XAgg §II-A, §VI-C), and the aggregation
// bandwidth of §V: a k-th of a node's.
func TestAllocatePaper(t *testing.T) {
	const g = units.GbitPerSecond
	for _, c := range []struct {
		what            string
		ingress, egress units.Rate
		demands, want   []units.Rate
	}{
		{"Fig 1a: three of four send to the PS", 10 * g, -1, []units.Rate{10 * g, 5 * g, 10 * g}, []units.Rate{10*g/3 + 0, 10 * g / 3, 10*g/3 + 1}},
		{"Fig 1c: W1 and W2 send to S1", 10 * g, -1, []units.Rate{10 * g, 5 * g}, []units.Rate{5 * g, 5 * g}},
		{"Fig 12: W1 to W3 have 40G", 100 * g, -1, []units.Rate{40 * g, 40 * g, 40 * g}, []units.Rate{100 * g / 3, 100 * g / 3, 100*g/3 + 1}},
		{"one child slower than its share", 100 * g, -1, []units.Rate{10 * g, 100 * g, 100 * g}, []units.Rate{10 * g, 45 * g, 45 * g}},
		{"one child is held to the egress", 90 * g, 20 * g, []units.Rate{40 * g, 40 * g, 40 * g}, []units.Rate{35 * g, 35 * g, 20 * g}},
		{"the least is below the egress", 90 * g, 20 * g, []units.Rate{10 * g, 60 * g, 60 * g}, []units.Rate{10 * g, 40 * g, 40 * g}},
	} {
		got, want := slices.Sorted(slices.Values(Allocate(c.ingress, c.egress, c.demands))), slices.Sorted(slices.Values(c.want))
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s: %v, want %v", c.what, got, want)
		}
	}
	for k := 2; k <= 7; k++ {
		rates := Allocate(100*g, 100*g, slices.Repeat([]units.Rate{100 * g}, k))
		if least := slices.Min(rates); least != 100*g/units.Rate(k) {
			t.Errorf("k = %d: the least rate is %v of 100 Gbit/s", k, least)
		}
	}
}

// The means of the delays are those of XAgg §IV-C, for seven workers, two servers and the PS.
func TestPaperDelays(t *testing.T) {
	mean := func(d Delays) units.Duration {
		return (7*d.Of(false, true) + 2*d.Of(false, false) + d.Of(true, false)) / 10
	}
	if m := mean(PaperInitial); m != 9600*units.Microsecond {
		t.Errorf("initialization takes %v in the mean, want 9.6 ms", m)
	}
	if m := mean(PaperUpdate); m != 1700*units.Microsecond {
		t.Errorf("an update takes %v in the mean, want 1.7 ms", m)
	}
}

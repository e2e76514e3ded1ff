package live

import (
	"testing"

	"github.com/inalab/inalab/experiments/experiment/experimenttest"
	"github.com/inalab/inalab/experiments/testbed"
	"github.com/inalab/inalab/internal/units"
)

// Slots that two jobs share, or a leaf that sends on twice, are found.
func TestRacksAreJudged(t *testing.T) {
	one := rackCounts{packets: 100, up: 200, down: 200}
	for _, tc := range []struct {
		change func(*rackCounts)
		want   float64
	}{{func(*rackCounts) {}, 1}, {func(k *rackCounts) { k.up = 300 }, 1.5}, {func(k *rackCounts) { k.down = 190 }, 0.95}} {
		k := one
		tc.change(&k)
		if got, _ := optimal([]rackCounts{one, k}).Number(); got != tc.want {
			t.Errorf("%+v: %v, want %v", k, got, tc.want)
		}
	}
	m := acrossLoss([]rackCounts{{lost: 3}, {lost: 4, climbed: 2, incomplete: 1}}, 5)
	if m.String() != "incomplete_slots 1, packets_lost 4, wrong 5" {
		t.Errorf("%v: loss counts where retransmissions climbed", m)
	}
}

// Jobs beside each other at 10 Gbit/s have the rate that they have alone.
func TestJobsKeepTheirRate(t *testing.T) {
	b, err := rateBeside(t.Context(), experimenttest.NewEnv(t), testbed.Gigabit10)
	if err != nil {
		t.Fatal(err)
	}
	if b.kept() < 0.99 || b.kept() > 1 || b.alone < 100*units.Microsecond {
		t.Errorf("%+v keeps %v", b, b.kept())
	}
}

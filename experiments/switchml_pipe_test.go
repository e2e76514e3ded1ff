package experiments

import (
	"testing"

	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/nodes/gradient"
	"github.com/inalab/inalab/reports/claims"
	"github.com/inalab/inalab/switchd/tofino"
)

// With the formula of §4.6, sums of values that meet their bound overflow; with the
// other two rules none does. Among the numbers of workers are 2, 4, 8, 16, 32, 64.
func TestRulesOnTheWorstBlocks(t *testing.T) {
	for rule, overflow := range map[string]bool{"appendix-e": false, "section-4.6": true, "floor": false} {
		w := worstOf(gradient.Rule(rule))
		if w.sums == 0 || (w.above > 0) != overflow || overflow && w.workers < 6 {
			t.Errorf("%s: %+v", rule, w)
		}
	}
	e := unitEnv(t)
	l, err := claims.Load()
	if err != nil {
		t.Fatal(err)
	}
	if e.readings, err = l.Readings([]string{"switchml.f-overflow=section-4.6"}); err != nil {
		t.Fatal(err)
	}
	var f Findings
	theorems(&f, e)
	if n, ok := f.Measured["switchml.appE.thm2"].Number(); !ok || n == 0 {
		t.Errorf("no sum overflows with the factor of section 4.6: %v", f.Measured["switchml.appE.thm2"])
	}
}

// A chip whose ports back are too slow for 64 values as well does not keep up, and
// more and more packets are inside.
func TestLineRateCanBeMissed(t *testing.T) {
	good := offered{name: "good", elements: 64, workers: 4, loop: tofino.PortRate}
	slow := offered{name: "slow", elements: 64, workers: 4, loop: tofino.PortRate / 4}
	for _, o := range []*offered{&good, &slow} {
		if err := o.run(3); err != nil {
			t.Fatal(err)
		}
	}
	if good.rate() != 1 || good.growth != 0 || good.wrong != 0 {
		t.Errorf("%+v", good)
	}
	if slow.rate() > 0.5 || slow.growth < 100 || slow.busy < 0.95 {
		t.Errorf("%+v", slow)
	}
}

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
	b, err := rateBeside(t.Context(), unitEnv(t), gigabit10)
	if err != nil {
		t.Fatal(err)
	}
	if b.kept() < 0.99 || b.kept() > 1 || b.alone < 100*units.Microsecond {
		t.Errorf("%+v keeps %v", b, b.kept())
	}
}

// A pool of fewer slots takes fewer blocks, and what fit placed is all of the pool.
func TestMemoryOfAPool(t *testing.T) {
	small, err := memoryShare(512)
	if err != nil {
		t.Fatal(err)
	}
	all, err := memoryShare(8192)
	if err != nil {
		t.Fatal(err)
	}
	if small.registers >= all.registers || all.registers >= all.whole || all.valueBytes != 16*small.valueBytes {
		t.Errorf("%+v, %+v", small, all)
	}
}

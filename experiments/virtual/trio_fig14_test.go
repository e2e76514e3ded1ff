package virtual

import (
	"math"
	"slices"
	"testing"

	"github.com/inalab/inalab/experiments/experiment/experimenttest"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/units"
)

// A packet's time is from its sending to its own result; a result of which nothing was sent,
// as at a server that sleeps, counts for nothing, and neither does one that comes again.
func TestPacketTimes(t *testing.T) {
	p := packetTimes{sent: map[hostBlock]units.Time{}}
	for _, e := range []trace.Event{
		{At: 10, Kind: trace.Sent, Node: "h0", Block: 0},
		{At: 11, Kind: trace.Sent, Node: "h0", Block: 1},
		{At: 12, Kind: trace.Sent, Node: "h1", Block: 0},
		{At: 20, Kind: trace.ResultIn, Node: "h0", Block: 1},
		{At: 30, Kind: trace.ResultIn, Node: "h0", Block: 0},
		{At: 31, Kind: trace.ResultIn, Node: "h0", Block: 0},
		{At: 32, Kind: trace.ResultIn, Node: "h2", Block: 0},
		{At: 33, Kind: trace.NotSent, Node: "h2", Block: 0},
		{At: 40, Kind: trace.ResultIn, Node: "h1", Block: 0},
	} {
		p.Event(&e)
	}
	if want := []units.Duration{9, 20, 28}; !slices.Equal(p.took, want) {
		t.Errorf("packets took %v, want %v", p.took, want)
	}
}

// The prediction is of two levels and the ageing that is taken, on the emulated PFE alone.
func TestRecoverySettings(t *testing.T) {
	e := experimenttest.NewEnv(t)
	pfes, err := recoveryPFEs(e)
	if err != nil {
		t.Fatal(err)
	}
	all := recoveries(e, pfes)
	predicts := 0
	for i := range all {
		r := &all[i]
		if r.on.predicts {
			predicts++
			if r.levels != 2 || r.age != trioSystem(e).Age || r.on.pfe.Reference || r.on.pfe.Timing == nil {
				t.Errorf("the prediction rests on %s, %d levels, %s", r.on.name, r.levels, r.age)
			}
		}
	}
	if ends := len(pfes) - 2; predicts != len(recoveryTimeouts)+ends {
		t.Errorf("the prediction rests on %d settings, of %d timeouts and %d ends", predicts, len(recoveryTimeouts), ends)
	}
	if lines := recoveryLines(all); len(lines) != 3 {
		t.Errorf("%d lines are drawn", len(lines))
	}
}

// On the reference program a packet waits one to two timeouts for a silent server. On the Microcode of
// the timed PFE the quantiles of Fig 14 are the same within 2% of a timeout.
func TestRecoveryTakesTimeouts(t *testing.T) {
	e := experimenttest.NewEnv(t)
	pfes, err := recoveryPFEs(e)
	if err != nil {
		t.Fatal(err)
	}
	all := recoveries(e, pfes)
	r := all[len(all)-1]
	r.timeout = 10 * units.Millisecond
	chip := r
	chip.on = pfes[0]
	for _, on := range []*recovered{&r, &chip} {
		if err := on.run(t.Context(), e); err != nil {
			t.Fatal(err)
		}
	}
	if low, high := r.quantile(0), r.quantile(1); low < 0.99 || high > 2.02 || high-low < 0.5 {
		t.Errorf("packets wait %v to %v timeouts", low, high)
	}
	for _, q := range []float64{0, 0.05, 0.5, 0.95, 1} {
		if want, got := r.quantile(q), chip.quantile(q); math.Abs(got-want) > 0.02 {
			t.Errorf("quantile %g: %.3f timeouts on the Microcode, %.3f on the reference program", q, got, want)
		}
	}
}

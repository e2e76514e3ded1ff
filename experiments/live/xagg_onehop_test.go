package live

import (
	"errors"
	"math"
	"testing"
	"time"

	"github.com/inalab/inalab/experiments/experiment/experimenttest"
	"github.com/inalab/inalab/harness/netns"
	"github.com/inalab/inalab/harness/onehop"
	"github.com/inalab/inalab/internal/pktio/netnstest"
	"github.com/inalab/inalab/internal/result"
)

// hopped is two measurements of three rounds.
func hopped() *onehops {
	x := &onehops{n: 3}
	x.add(onehop.Config{Aggregator: onehop.XDP})
	x.add(onehop.Config{Aggregator: onehop.TCP})
	x.got = [][]onehop.Result{{
		{Elapsed: time.Second, Received: 100, Used: time.Second / 2, KnownCPU: true, Foreign: 0.04, Trips: []time.Duration{9 * time.Microsecond, 5 * time.Microsecond}},
		{Elapsed: time.Second, Received: 300, Used: time.Second, KnownCPU: true, Foreign: 0.2, Trips: []time.Duration{4 * time.Microsecond}},
		{Elapsed: time.Second, Received: 200, Used: time.Second / 4, KnownCPU: true, Foreign: 0.02},
	}, {
		{Elapsed: time.Second, Received: 50, Used: time.Second, KnownCPU: true, Foreign: 0.01},
		{Elapsed: time.Second, Received: 100, Used: time.Second, KnownCPU: true, Foreign: 0.3},
		{Elapsed: time.Second, Received: 200, Used: time.Second, KnownCPU: true, Foreign: 0.04},
	}}
	return x
}

func TestOneHopByHand(t *testing.T) {
	x := hopped()
	for what, v := range map[string][2]float64{
		"rate":                     {x.rate(0), 200},
		"a core":                   {x.core(0), 300},
		"round trip":               {x.trip(0), 5},
		"ratio of one round":       {x.over(0, 1, (*onehop.Result).Rate), 2},
		"ratio of cores":           {x.over(0, 1, (*onehop.Result).CoreRate), 4},
		"values":                   {gbps(1e6, 256), 8.192},
		"rate, others left alone":  {scaledRate(&onehop.Result{Elapsed: time.Second, Received: 50, Foreign: 0.5}), 100},
		"others":                   {x.foreign(0), 0.04},
		"others of the whole list": {x.fidelity(0).CPUBusy, 0.04},
	} {
		if math.Abs(v[0]-v[1]) > 1e-9*v[1] {
			t.Errorf("%s is %v, want %v", what, v[0], v[1])
		}
	}
}

// How far runs are believed is up to the CPU time that others had.
func TestOneHopFidelity(t *testing.T) {
	for foreign, want := range map[float64]string{0: result.Trusted, 0.05: result.Trusted, 0.06: result.Busy, 0.25: result.Busy, 0.26: result.Invalid} {
		x := hopped()
		for _, rounds := range x.got {
			for i := range rounds {
				rounds[i].Foreign = foreign
			}
		}
		if f := x.fidelity(0); f.Verdict != want || (len(f.Reasons) == 0) != (want == result.Trusted) {
			t.Errorf("others have %v: %s %q, want %s", foreign, f.Verdict, f.Reasons, want)
		}
	}
}

// Measurements are of rounds in turns, and those of before stay.
func TestOneHopsOnPackets(t *testing.T) {
	netnstest.Require(t, netns.CanRoot())
	l := newTestLab(t)
	x := &onehops{n: 2}
	for range 2 {
		x.add(onehop.Config{Aggregator: onehop.XDP, Values: 32, For: 10 * time.Millisecond})
		if err := x.carryOut(t.Context(), l, "test"); err != nil {
			if errors.Is(err, ErrLacks) {
				t.Skip(err)
			}
			t.Fatal(err)
		}
	}
	if len(x.got) != 2 || len(x.got[0]) != 2 || len(x.got[1]) != 2 || l.runs != 2 {
		t.Errorf("%d measurements of %d rounds in %d runs, want 2 of 2 in 2", len(x.got), len(x.got[0]), l.runs)
	}
}

// The time of a deployment is measured, or it is said what this machine lacks.
func TestDeployment(t *testing.T) {
	netnstest.Require(t, netns.CanRoot())
	f, err := runDeployment(t.Context(), newTestLab(t))
	if errors.Is(err, ErrLacks) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	if m := f.Measured["xagg.delay.deploy"]; m.IsZero() {
		t.Error("nothing was measured")
	}
	experimenttest.Show(t, &f)
}

// What a machine lacks is told apart from what goes wrong.
func TestMeasureOneHopLacks(t *testing.T) {
	if _, err := measureOneHop(t.Context(), onehop.Config{Aggregator: "none"}); err == nil || errors.Is(err, ErrLacks) {
		t.Errorf("error %v of an aggregator that does not exist", err)
	}
}

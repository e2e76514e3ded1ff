package profiles

import (
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/units"
)

// TestComputeExample works one row out by hand: LSTM at 100 Gbps.
func TestComputeExample(t *testing.T) {
	r := Row{BatchTime: 312 * units.Millisecond, Comm: 46, Overlap: Reading{Printed: 56, Used: 56}}
	got, from := r.Compute()
	// 312 - 143.52 * 0.44 = 248.8512
	if want := 2488512 * (units.Millisecond / 10000); got != want || from != Derived {
		t.Errorf("compute %v (%s), want %v", got, from, want)
	}
}

func TestComputeWithoutTheShares(t *testing.T) {
	open := Row{BatchTime: 668 * units.Millisecond, Overlap: Reading{Printed: 35, Used: 35}}
	if c, from := open.Compute(); c != 0 || from != Unknown {
		t.Errorf("a row without a comm share computes %v (%s)", c, from)
	}
	open.Assumed.Compute = units.Second
	if c, from := open.Compute(); c != units.Second || from != Assumed {
		t.Errorf("an assumed second came back as %v (%s)", c, from)
	}
}

// TestComputeInverts makes a row from a compute time, as the paper's profile
// does, and asks for that time again: it must lie in the bounds of the rounding.
func TestComputeInverts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		compute := rapid.Float64Range(10, 2000).Draw(t, "compute ms")
		comm := rapid.Float64Range(1, 2000).Draw(t, "comm ms")
		overlap := rapid.Float64Range(0.01, 1).Draw(t, "overlap")
		if comm*overlap > compute {
			overlap = compute / comm
		}
		batch := compute + comm*(1-overlap)
		r := Row{
			BatchTime: (100 * units.Millisecond).Scale(batch / 100),
			Comm:      int(math.Round(100 * comm / batch)),
			Overlap:   Reading{Used: int(math.Round(100 * overlap))},
		}
		if r.Comm == 0 || r.Comm > 100 {
			t.Skip("a share that no table prints")
		}
		mid, _ := r.Compute()
		least, greatest := bounds(r)
		if least > mid || mid > greatest {
			t.Fatalf("%v is not between %v and %v", mid, least, greatest)
		}
		slack := 1e-6 * batch
		if compute < least.Milliseconds()-slack || compute > greatest.Milliseconds()+slack {
			t.Fatalf("%.3f ms became %v..%v by %+v", compute, least, greatest, r)
		}
	})
}

// TestComputeAgreesBetweenRates holds the two rates of a model to one GPU: the
// compute times differ by less than 10%, but for NCF (46 and 38 ms, as the
// ledger notes), and for UGATIT if its 10 Gbps overlap is read as printed.
func TestComputeAgreesBetweenRates(t *testing.T) {
	for _, p := range All() {
		slow, ok := p.Row(SwitchML, 10*units.GbitPerSecond)
		fast, _ := p.Row(SwitchML, 100*units.GbitPerSecond)
		if !ok || fast.Comm == 0 {
			continue
		}
		a, _ := slow.Compute()
		b, _ := fast.Compute()
		if differ := math.Abs(a.Seconds()/b.Seconds()-1) > 0.1; differ != (p.Name == "ncf") {
			t.Errorf("%s computes %v at 10 Gbps and %v at 100", p.Name, a, b)
		}
		if p.Name == "ugatit" {
			slow.Overlap.Used = slow.Overlap.Printed
			if a, _ := slow.Compute(); a.Seconds()/b.Seconds() < 1.2 {
				t.Errorf("ugatit as printed computes %v and %v: the ambiguity is gone", a, b)
			}
		}
	}
}

// TestAssumedComputeFollowsItsRule holds the rows of ATP and XAgg to the rule at
// the top of profiles.yaml.
func TestAssumedComputeFollowsItsRule(t *testing.T) {
	half := map[string]float64{"RTX 2080 Ti": 13.4e12 / 2, "RTX 3080": 29.8e12 / 2}
	for _, p := range All() {
		tensors, public := p.Tensors()
		var macs int64
		for _, x := range tensors {
			macs += x.MACs
		}
		operations := 6 * float64(macs)
		if strings.HasPrefix(p.Name, "vgg") {
			operations /= 2.25
		}
		if !public {
			operations = 6 * 126e6 * 128 // parameters, tokens of a sentence
		}
		for _, r := range p.Measured {
			if r.Paper != ATP && r.Paper != XAgg {
				continue
			}
			want := operations * float64(r.Assumed.Batch) / half[r.GPU]
			if c, from := r.Compute(); math.Abs(c.Seconds()/want-1) > 0.01 || from != Assumed {
				t.Errorf("%s, %s: %v (%s), the rule makes %.4f s", p.Name, r.Paper, c, from, want)
			}
		}
	}
}

func TestFusion(t *testing.T) {
	for toolkit, want := range map[string]units.Bytes{"TensorFlow": 64 << 20, "PyTorch": 25 << 20, "": 0} {
		if got := (Row{Toolkit: toolkit}).Fusion(); got != want {
			t.Errorf("%q gathers %v, want %v", toolkit, got, want)
		}
	}
}

// bounds returns the least and the greatest compute time that a row allows, which prints its
// shares in whole per cents.
func bounds(r Row) (least, greatest units.Duration) {
	exposed := func(twiceComm, twiceOverlap int) units.Duration {
		return r.BatchTime / 40000 * units.Duration(twiceComm*(200-min(twiceOverlap, 200)))
	}
	most := exposed(2*r.Comm+1, 2*r.Overlap.Used-1)
	return r.BatchTime - most, r.BatchTime - exposed(2*r.Comm-1, 2*r.Overlap.Used+1)
}

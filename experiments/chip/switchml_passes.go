package chip

import (
	"context"
	"fmt"

	"github.com/inalab/inalab/experiments/experiment"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/reports/claims"
	"github.com/inalab/inalab/reports/render"
	"github.com/inalab/inalab/switchd/tofino"
)

// passes is SwitchML §5: how often a packet goes through the pipes of an emulated
// chip, and what a pass takes.
func passes() experiment.Experiment {
	return experiment.Experiment{
		ID: "switchml.s5.passes", Title: "passes of packets of 64 and 256 values through the emulated pipeline, and their time",
		Switch: []claims.Switch{claims.SwitchPipelineTimed},
		Claims: []claims.ID{"switchml.s5.read-width", "switchml.s5.recirc-latency"},
		Run:    runPasses,
	}
}

// passed is what one packet did on an idle chip.
type passed struct {
	elements int
	what     string
	passes   int
	took     units.Duration // until it left; 0: it did not
}

// passedOnIdle sends the packets of two workers for one slot, one after the other has
// left, and the last of them again.
func passedOnIdle(elements int) (out []passed, err error) {
	timing := tofino.DefaultTiming()
	l, err := newLoad(traffic{elements: elements, workers: 2}, &timing)
	if err != nil {
		return nil, err
	}
	for i, what := range []string{"adds", "completes its slot", "asks again"} {
		before := l.passes()
		from := l.Now
		l.Send(min(i, 1), 0, 0, 1)
		l.Drain()
		p := passed{elements: elements, what: what, passes: int(l.passes() - before)}
		if what != "adds" {
			p.took = l.Last.Sub(from)
		}
		if got, want := l.results, map[int]int{0: 0, 1: 2, 2: 3}[i]; got != want {
			return nil, fmt.Errorf("%d values: %d results have left after the packet that %s, want %d", elements, got, what, want)
		}
		out = append(out, p)
	}
	return out, l.Err
}

func runPasses(context.Context, *experiment.Env) (f experiment.Findings, err error) {
	var all []passed
	for _, elements := range []int{64, 256} {
		p, err := passedOnIdle(elements)
		if err != nil {
			return f, err
		}
		all = append(all, p...)
	}
	f.Tables = []claims.Table{passTable(all)}
	adds64, completes64, adds256, completes256 := all[0], all[1], all[3], all[4]

	// Every pass that is there for adding alone takes in as many values; every pass
	// that gives some back, the one that adds last among them, as many of these.
	reading := func(adds, completes passed) int { return completes.passes - adds.passes + 1 }
	written, read := adds64.elements/adds64.passes, completes64.elements/reading(adds64, completes64)
	if w, r := adds256.elements/adds256.passes, completes256.elements/reading(adds256, completes256); w != written || r != read {
		return f, fmt.Errorf("a pass takes %d values in and gives %d back with packets of 64 values, %d and %d with 256", written, read, w, r)
	}
	width := claims.NumberParts(map[string]float64{
		"written": float64(written), "read": float64(read), "extra_passes_completing": float64(completes64.passes - 1), "extra_passes_other": float64(adds64.passes - 1),
	})
	f.Set("switchml.s5.read-width", width.On("emulated pipeline: a stateful ALU takes two words in and puts one out, which is fed in; passes are counted").
		Noting("64 values: %d pass, %d where the slot is complete; 256 values: %d and %d", adds64.passes, completes64.passes, adds256.passes, completes256.passes))

	more := completes256.passes - completes64.passes
	each := claims.Number(float64(completes256.took-completes64.took) / float64(more) / float64(units.Nanosecond))
	f.Set("switchml.s5.recirc-latency", each.On("emulated pipeline on an idle chip; the time of a pass is fed in, the number of passes is not").
		Noting("a result of 256 values takes %d passes and %v, one of 64 values %d and %v", completes256.passes, completes256.took, completes64.passes, completes64.took))
	return f, nil
}

func passTable(all []passed) claims.Table {
	t := claims.Table{
		ID: "switchml.s5.passes", Title: "Passes of one packet on an idle chip",
		Columns: []claims.Column{{Name: "values"}, {Name: "packet that"}, {Name: "passes"}, {Name: "until it leaves", Unit: "ns"}},
		Notes:   []string{fmt.Sprintf("Fed in: %v into and %v out of the chip (assumed), %v a further pass (SwitchML §5).", tofino.IngressTime, tofino.EgressTime, tofino.PassTime)},
	}
	for _, p := range all {
		leaves := render.NA()
		if p.took > 0 {
			leaves = render.Number(float64(p.took)/float64(units.Nanosecond), 0)
		}
		t.Add(render.Int(p.elements), render.Text(p.what), render.Int(p.passes), leaves)
	}
	return t
}

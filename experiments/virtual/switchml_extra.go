package virtual

import (
	"context"
	"fmt"
	"strconv"

	"github.com/inalab/inalab/experiments/experiment"
	"github.com/inalab/inalab/experiments/testbed"
	"github.com/inalab/inalab/harness/system/switchml"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/reports/claims"
	"github.com/inalab/inalab/reports/render"
)

// extraPasses is the ambiguity of how many passes beyond the first a packet of 256
// values makes that completes its slot. Its choices are numbers.
const extraPasses claims.ID = "switchml.extra-pass-count"

// passCounts are its choices: three pipes more to add, these and four to read, and
// what reads of 32 values take.
var passCounts = []string{"3", "7", "10"}

// insideSwitch is how long a result takes from port to port under a choice.
func insideSwitch(e *experiment.Env, choice string) (units.Duration, error) {
	n, err := strconv.Atoi(choice)
	if err != nil {
		return 0, fmt.Errorf("ambiguity %s: choice %q is no number", extraPasses, choice)
	}
	return units.Microsecond.Scale(e.Constants.Get("tofino.latency") + float64(n)*e.Constants.Get("tofino.pass")), nil
}

// passChoices is what each choice does to the round trip, to the pool that App C's
// formula gives for it, and to the time of a tensor with the pool that the paper uses.
func passChoices(ctx context.Context, e *experiment.Env) (claims.Table, error) {
	t := claims.Table{
		ID: "switchml.fig9.passes", Title: fmt.Sprintf("Passes of a packet of 256 values that completes its slot, at %v", testbed.Gigabit100),
		Columns: []claims.Column{
			{Name: "further passes"}, {Name: "in the switch", Unit: "us"}, {Name: "round trip, pool of 1", Unit: "us"}, {Name: "pool by the formula"}, {Name: fmt.Sprintf("tensor, pool of %d", switchml.DefaultSlots), Unit: "ms"},
		},
		Notes: []string{"The choices of ambiguity " + string(extraPasses) + "; the other tables are with " + e.Reading(extraPasses) + " further passes. The emulated pipeline makes 10."},
	}
	var points []pooled
	for _, choice := range passCounts {
		inside, err := insideSwitch(e, choice)
		if err != nil {
			return t, err
		}
		points = append(points, pointOf(e, 1, testbed.Gigabit100, inside), pointOf(e, switchml.DefaultSlots, testbed.Gigabit100, inside))
	}
	if err := simulate(ctx, e, points); err != nil {
		return t, err
	}
	for i, choice := range passCounts {
		one, all := &points[2*i], &points[2*i+1]
		t.Rows = append(t.Rows, []render.Cell{
			render.Text(choice), render.Number(one.call.inside.Seconds()*1e6, 2), render.Number(one.trip().Seconds()*1e6, 2),
			render.Int(formula(one.trip(), testbed.Gigabit100)), render.Number(all.whole().Milliseconds(), 3),
		})
	}
	return t, nil
}

package job

import (
	"errors"
	"fmt"

	"github.com/inalab/inalab/nodes/trioml"
	"github.com/inalab/inalab/switchd/program/triomc"
	program "github.com/inalab/inalab/switchd/program/trioml"
)

// Words of the knob trio.stragglers.
const (
	stragglersAge    = "age"
	stragglersNotify = "notify"
)

// stragglers reads the knobs of the classification of stragglers (Trio §5, "Advanced
// straggler mitigation"); nil: there is none.
func stragglers(k Knobs) *triomc.Stragglers {
	notify := k.Choice("trio.stragglers", stragglersAge, stragglersNotify) == stragglersNotify
	s := &triomc.Stragglers{Look: k.Duration("trio.look", ""), PermanentAfter: k.Int("trio.permanent-after", 0, 1_000_000)}
	if !notify {
		return nil
	}
	return s
}

// notifies reports whether the workers are told who is out of service.
func (t TrioML) notifies() bool { return t.PFE.Stragglers != nil }

// listeners returns the workers that notices may be about; zero: there are none.
func (t TrioML) listeners(j *Job) int {
	if !t.notifies() {
		return 0
	}
	return len(j.Hosts())
}

// checkNotices refuses notices where they cannot be, and notes where they are of
// less use.
func (t TrioML) checkNotices(j *Job) (notes []string, err error) {
	sw := &j.Plan.Switches[0]
	switch {
	case !t.notifies():
		return nil, nil
	case t.PFE.Reference:
		return nil, errors.New("trio.stragglers=notify: the reference program tells nobody; set trio.pfe to microcode")
	case t.NoAging:
		return nil, errors.New("trio.stragglers=notify: where no block ages nobody is found to straggle; set trio.aging to true")
	case sw.Chassis != nil && len(j.leaves(sw, len(sw.Chassis.PFEs))) > 1:
		return nil, fmt.Errorf("trio.stragglers=notify: in two levels the notices of a lower PFE end at the PFE above it; topology %s has workers on several: use rack", j.Plan.Name)
	}
	if t.Age != program.AgeAbsent {
		notes = append(notes, "trio.age=per-block: blocks wait for a worker that is out of service all the same; absent-after-first does not")
	}
	return notes, nil
}

// ahead returns how many generations of results a worker keeps while it sleeps: all
// of them where one has an outage, or it would never find its way back; zero is the
// usual number.
func (j *Job) ahead() int {
	if len(j.Outages) == 0 {
		return 0
	}
	return max(trioml.MaxAhead, min(j.Iterations, trioml.Farthest))
}

package trioml

import (
	"errors"
	"fmt"

	"github.com/inalab/inalab/harness/job"
	host "github.com/inalab/inalab/nodes/trioml"
	program "github.com/inalab/inalab/switchd/program/trioml"
)

// Words of the knob trio.stragglers.
const (
	stragglersAge    = "age"
	stragglersNotify = "notify"
)

// stragglers reads the knobs of the classification of stragglers (Trio §5, "Advanced
// straggler mitigation"); nil: there is none.
func stragglers(k job.Knobs) *program.Stragglers {
	notify := k.Choice("trio.stragglers", stragglersAge, stragglersNotify) == stragglersNotify
	s := &program.Stragglers{Look: k.Duration("trio.look", ""), PermanentAfter: k.Int("trio.permanent-after", 0, 1_000_000)}
	if !notify {
		return nil
	}
	return s
}

// notifies reports whether the workers are told who is out of service.
func (t System) notifies() bool { return t.PFE.Stragglers != nil }

// listeners returns the workers that notices may be about; zero: there are none.
func (t System) listeners(j *job.Job) int {
	if !t.notifies() {
		return 0
	}
	return len(j.Hosts())
}

// checkNotices refuses notices where there cannot be any. PFEs relay those that come by the fabric
// of their chassis, and no others: a worker tells nobody anything.
func (t System) checkNotices(on *levels) error {
	switch {
	case !t.notifies():
	case t.NoAging:
		return errors.New("trio.stragglers=notify: where no block ages nobody is found to straggle; set trio.aging to true")
	case len(on.hops) > 1:
		return fmt.Errorf("trio.stragglers=notify: notices cross the fabric of a chassis, but no links between switches, and the workers are on %d switches below %s: use rack or mx480, or trio.stragglers=age", len(on.hops)-1, on.root().Name)
	}
	return nil
}

// behindPFEs returns the workers below each PFE of the root that is a source of another, by its
// src_id, for notices about it; nil where there are no notices, or one level.
func (l *levels) behindPFEs() map[uint8][]uint8 {
	if !l.sys.notifies() {
		return nil
	}
	out := map[uint8][]uint8{}
	for _, p := range l.pfes[1:] {
		out[p.OutSource] = p.Sources
	}
	return out
}

// aheadOf returns how many generations of results a worker keeps while it sleeps: all
// of them where one has an outage, or it would never find its way back; zero is the
// usual number.
func aheadOf(j *job.Job) int {
	if len(j.Outages) == 0 {
		return 0
	}
	return max(host.MaxAhead, min(j.Iterations, host.Farthest))
}

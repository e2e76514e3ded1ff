package trioml

import (
	"errors"

	"github.com/inalab/inalab/harness/job"
	host "github.com/inalab/inalab/nodes/trioml"
	"github.com/inalab/inalab/switchd/dataplane"
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

// checkNotices refuses notices where there cannot be any.
func (t System) checkNotices() error {
	if t.notifies() && t.NoAging {
		return errors.New("trio.stragglers=notify: where no block ages nobody is found to straggle; set trio.aging to true")
	}
	return nil
}

// behind returns the workers below each PFE that is a source of another, by its
// src_id, for notices about it; nil where there are no notices, or one level.
func (t System) behind(programs []program.Config) map[uint8][]uint8 {
	if !t.notifies() {
		return nil
	}
	out := map[uint8][]uint8{}
	for _, p := range programs {
		for _, level := range p.Jobs {
			if _, up := dataplane.IsFabric(level.To[0]); up {
				out[level.OutSource] = level.Sources
			}
		}
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

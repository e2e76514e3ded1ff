package trioml

import (
	"errors"
	"fmt"
	"slices"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/internal/sansio"
	wire "github.com/inalab/inalab/internal/wire/trioml"
	host "github.com/inalab/inalab/nodes/trioml"
	program "github.com/inalab/inalab/switchd/program/trioml"
	"github.com/inalab/inalab/topo/plan"
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
	s := &program.Stragglers{Look: k.Duration("trio.look", "default", ""), PermanentAfter: k.Int("trio.permanent-after", 0, 1_000_000)}
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

// peers returns the ports of a PFE that lead to other switches, by which notices come from PFEs
// below; nil where there are no notices.
func (t System) peers(sw *plan.Switch, pfe int) (out []sansio.Port) {
	for i := range sw.Ports {
		if port := &sw.Ports[i]; t.notifies() && port.Wired && port.PeerHost == plan.None && max(0, port.PFE) == pfe {
			out = append(out, sansio.Port(i))
		}
	}
	return out
}

// behindPFEs returns the workers below each PFE that is a source of another, by its src_id, for
// notices about it; nil where there are no notices, or one level.
func (l *levels) behindPFEs() map[uint8][]uint8 {
	if !l.sys.notifies() {
		return nil
	}
	out := map[uint8][]uint8{}
	for i := range l.pfes[1:] {
		p := &l.pfes[i+1]
		out[p.OutSource] = l.workersBelow(p)
	}
	return out
}

// workersBelow returns the workers at a PFE and at those below it.
func (l *levels) workersBelow(p *pfe) (out []uint8) {
	for k, name := range p.names {
		if below := l.pfe(name); below != nil {
			out = append(out, l.workersBelow(below)...)
		} else {
			out = append(out, p.Sources[k])
		}
	}
	slices.Sort(out)
	return out
}

// sourceOf returns a src_id for a PFE or a switch below that no other source of the PFE above has.
// With notices no other of the job has it: workers are told about it by that number.
func (l *levels) sourceOf(wanted uint8, taken []source) (uint8, error) {
	if l.sys.notifies() {
		taken = l.given // those of the PFE among them
		if len(taken) >= wire.MaxSources {
			return 0, fmt.Errorf("trio.stragglers=notify: notices tell %d sources apart, which are the workers and the PFEs below the highest: use fewer, or trio.stragglers=age", wire.MaxSources)
		}
	}
	id := unused(wanted, taken)
	l.given = append(l.given, source{id: id})
	return id, nil
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

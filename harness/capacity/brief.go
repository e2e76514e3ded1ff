package capacity

import (
	"slices"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/nodes/worker"
	"github.com/inalab/inalab/topo"
	"github.com/inalab/inalab/topo/plan"
)

// Brief returns a set as a trial runs it: for a few iterations, without stragglers, losses, programs
// of a user's own, and what happens at a time. Flows beside the jobs are there all the time.
func Brief(s *job.Set) (*job.Set, error) {
	pl := lossless(s.Plan())
	var jobs []*job.Job
	for _, j := range s.Jobs {
		spec := j.Spec
		spec.Plan, spec.Iterations, spec.StraggleP, spec.DelayUnit, spec.Outages = pl, Iterations, 0, 0, nil
		spec.Actions, spec.Changes, spec.HostPrograms = nil, nil, nil
		spec.Until, spec.Times, spec.Interval = 0, worker.Times{}, 0
		spec.Flows = slices.Clone(spec.Flows)
		for i := range spec.Flows {
			spec.Flows[i].Pattern.Start, spec.Flows[i].Pattern.Stop = 0, 0
		}
		brief, err := job.New(spec)
		if err != nil {
			return nil, err
		}
		jobs = append(jobs, brief)
	}
	return job.NewSet(jobs...)
}

// lossless returns a plan whose links lose nothing on the wire.
func lossless(p *plan.Plan) *plan.Plan {
	out := *p
	out.Switches = slices.Clone(p.Switches)
	for i := range out.Switches {
		ports := slices.Clone(out.Switches[i].Ports)
		for k := range ports {
			for _, l := range []*topo.LinkSpec{&ports[k].In, &ports[k].Out} {
				*l = l.Lossless()
			}
		}
		out.Switches[i].Ports = ports
	}
	return &out
}

// Heaviest returns, of the sets of each system on each topology, the first of those whose lines are
// the fastest together: what it needs is the most that any needs.
func Heaviest(sets []*job.Set) (out []*job.Set) {
	at := map[[2]string]int{} // index in out; looked up
	for _, s := range sets {
		key := [2]string{s.Name(), s.Plan().Name}
		i, seen := at[key]
		switch {
		case !seen:
			at[key] = len(out)
			out = append(out, s)
		case Lines(s) > Lines(out[i]):
			out[i] = s
		}
	}
	return out
}

// Lines returns what all lines of hosts of a set's topology carry together, towards their switches; 0:
// one of them has no rate.
func Lines(s *job.Set) (sum units.Rate) {
	for i := range s.Plan().Switches {
		for _, p := range s.Plan().Switches[i].Ports {
			switch {
			case !p.Wired || p.PeerHost == plan.None:
			case p.In.Rate == 0:
				return 0
			default:
				sum += p.In.Rate
			}
		}
	}
	return sum
}

// Kept returns the bytes of tensors that a run of a set keeps for the check of its sums.
func Kept(s *job.Set) (sum units.Bytes) {
	for _, j := range s.Jobs {
		sum += units.Bytes(2*4*j.Params) * units.Bytes(j.Iterations*len(j.Hosts()))
	}
	return sum
}

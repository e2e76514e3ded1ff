package job

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/inalab/inalab/nodes/worker"
	"github.com/inalab/inalab/switchd/dataplane"
	"github.com/inalab/inalab/topo/plan"
)

// Resumer is a system whose jobs wait for a worker that ended, and take it back where they stand: the
// job is set up again then, with the worker where it came up. The set-ups of a run follow from what is done
// in it ([Job.Setups]), so that all nodes are laid out for all of them, and the new worker's packets tell
// them which one holds. Cores of its workers are [worker.Resumer].
type Resumer interface {
	System
	// Resumes returns nil if the system, with the knobs that it has, takes workers back so, or says why not.
	Resumes() error
}

// setupIDs is how far apart the ids are that a job has in one set-up and in the next.
const setupIDs = 32

// Setup is a job as it is set up after a worker of it was started again.
type Setup struct {
	*Job       // on the hosts, and with the id, that it has then
	Worker int // that was started
}

// Setups returns the set-ups of a job beyond the first, in their order, as its actions say.
func (j *Job) Setups() ([]Setup, error) {
	var out []Setup
	on, names := j.indexes(), namesOf(j.Hosts())
	for _, a := range inOrder(j.Actions) {
		w := slices.Index(names, a.Node)
		if a.Verb != Start || w < 0 {
			continue
		}
		name := cmp.Or(a.On, a.Node)
		k := slices.IndexFunc(j.Plan.Hosts, func(h plan.Host) bool { return h.Name == name })
		if k < 0 {
			return nil, &ActionError{a, fmt.Errorf("topology %s has no host %q", j.Plan.Name, name)}
		}
		names[w], on[w] = name, k
		id := int(j.ID) + setupIDs*(len(out)+1)
		if int(j.ID) >= setupIDs || id > dataplane.MaxJobID {
			return nil, &ActionError{a, fmt.Errorf("job %d has no id left to be set up again under: ids below %d have %d set-ups: start workers less often, or give the job a lower id", j.ID, setupIDs, (dataplane.MaxJobID+1)/setupIDs-1)}
		}
		next := *j
		next.On, next.ServersOn, next.ID = slices.Clone(on), j.serverIndexes(), uint8(id)
		out = append(out, Setup{&next, w})
	}
	return out, nil
}

// inOrder returns actions by time.
func inOrder(actions []Action) []Action {
	out := slices.Clone(actions)
	slices.SortStableFunc(out, func(a, b Action) int { return cmp.Compare(a.At, b.At) })
	return out
}

func namesOf(hosts []plan.Host) (out []string) {
	for _, h := range hosts {
		out = append(out, h.Name)
	}
	return out
}

// indexes returns the hosts of workers by their numbers in the plan.
func (s *Spec) indexes() (out []int) {
	for _, h := range s.Hosts() {
		out = append(out, h.Index)
	}
	return out
}

// serverIndexes returns those of servers.
func (s *Spec) serverIndexes() (out []int) {
	for _, h := range s.Members()[len(s.Hosts()):] {
		out = append(out, h.Index)
	}
	return out
}

// resumes says why the job does not wait for workers that end; nil: it does.
func (j *Job) resumes() (wait bool, err error) {
	r, ok := j.System.(Resumer)
	if !ok {
		return false, nil
	}
	return true, r.Resumes()
}

// again returns the configuration of the worker that the n-th start of one makes, from 0, of a system that
// takes workers back.
func (j *Job) again(n int) (worker.Config, error) {
	setups, err := j.Setups()
	if err != nil {
		return worker.Config{}, err
	}
	core, err := encode([]any{j.Layout.Again[n]})
	if err != nil {
		return worker.Config{}, err
	}
	at := setups[n]
	at.Job.cores = slices.Clone(j.cores)
	at.Job.cores[at.Worker] = json.RawMessage(core[0])
	at.Job.ID = j.ID // which benchmarks alone look at
	return at.Job.Workers()[at.Worker], nil
}

package job

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/inalab/inalab/topo/plan"
)

// moved lays the job out with a worker on another host. All others must be as they are:
// nobody tells them.
func (j *Job) moved(w, host int) (*Job, error) {
	if j.Hosts()[w].Index == host {
		return j, nil
	}
	spec := j.Spec
	spec.On, spec.spares = nil, append(slices.Clone(j.spares), j.Hosts()[w])
	for _, h := range j.Hosts() {
		spec.On = append(spec.On, h.Index)
	}
	spec.On[w] = host
	m, err := New(spec)
	if err != nil {
		return nil, err
	}
	for i := range j.cores {
		if i != w && !bytes.Equal(j.cores[i], m.cores[i]) {
			return nil, errors.New("the other workers would have to know: leave \"on\" out, so that it comes up where it was")
		}
	}
	for sw := range j.programs {
		if !slices.EqualFunc(j.programs[sw], m.programs[sw], func(a, b json.RawMessage) bool { return bytes.Equal(a, b) }) {
			return nil, fmt.Errorf("the program of switch %s would be another one: choose a spare host at the same switch and PFE", j.Plan.Switches[sw].Name)
		}
	}
	return m, nil
}

// takeSpares notes the hosts that workers of the job may come up on, so that results go there
// from the beginning.
func (s *Spec) takeSpares() {
	if s.spares != nil {
		return // the job is one that moved
	}
	own := func(name string) bool {
		is := func(h plan.Host) bool { return h.Name == name }
		return slices.ContainsFunc(s.Hosts(), is) || slices.ContainsFunc(s.spares, is)
	}
	for _, a := range s.Actions {
		k := slices.IndexFunc(s.Plan.Hosts, func(h plan.Host) bool { return h.Name == a.On })
		if a.Verb == Start && k >= 0 && own(a.Node) && !own(a.On) {
			s.spares = append(s.spares, s.Plan.Hosts[k])
		}
	}
}

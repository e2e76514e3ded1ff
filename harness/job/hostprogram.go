package job

import (
	"errors"
	"fmt"
	"slices"

	"github.com/inalab/inalab/topo/plan"
)

// HostProgram is a program of the user's own on a host, such as iperf3, which
// runs as long as the job does, or shorter. It needs a kernel, and so a live run.
type HostProgram struct {
	Host    string
	Command []string // the program, by path or as PATH has it, and its arguments
}

// String names it.
func (p HostProgram) String() string { return fmt.Sprintf("%s on %s", p.Command[0], p.Host) }

// ErrRealProgram is wrapped where the virtual clock is to run a program that is
// none of its machines.
var ErrRealProgram = errors.New("a real program cannot run under the virtual clock, which only runs machines: run it live, or leave it out with --set 'programs=[]'")

// validatePrograms checks those of a job.
func (s *Spec) validatePrograms() error {
	var errs []error
	for _, p := range s.HostPrograms {
		switch {
		case len(p.Command) == 0 || p.Command[0] == "":
			errs = append(errs, fmt.Errorf("a program on %s has no command", p.Host))
		case !slices.ContainsFunc(s.Plan.Hosts, func(h plan.Host) bool { return h.Name == p.Host }):
			errs = append(errs, fmt.Errorf("%v: topology %s has no such host, its hosts are %s to %s", p, s.Plan.Name, s.Plan.Hosts[0].Name, s.Plan.Hosts[len(s.Plan.Hosts)-1].Name))
		case s.Virtual:
			errs = append(errs, fmt.Errorf("%v: %w", p, ErrRealProgram))
		}
	}
	return errors.Join(errs...)
}

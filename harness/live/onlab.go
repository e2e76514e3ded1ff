package live

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/inalab/inalab/harness/capture"
	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/netns"
	"github.com/inalab/inalab/harness/proc"
	"github.com/inalab/inalab/harness/running"
)

// bringUp brings up the lab of a run, or takes the one that is up.
func (o *Options) bringUp(ctx context.Context, s *job.Set) (*netns.Lab, error) {
	spec := withInterfaces(withPeers(LabSpec(o.Lab, s.Plan(), !o.Plain), s), s)
	if o.On != nil {
		return o.On, fits(o.On, spec, s)
	}
	lab, err := netns.Up(ctx, spec, o.NetNS)
	if err != nil {
		return nil, err
	}
	if err := running.Write(lab.Dir(), running.Of(running.Run, spec, s.Plan())); err != nil {
		return nil, errors.Join(err, Cleanup(lab.Down()))
	}
	return lab, nil
}

// fits refuses a run that needs other interfaces than a lab that is up has.
func fits(lab *netns.Lab, spec netns.Spec, s *job.Set) error {
	for _, n := range spec.Nodes {
		if lab.Path(n.Name) == "" {
			return fmt.Errorf("the run needs node %s, which the lab does not have", n.Name)
		}
	}
	for _, w := range spec.Wires {
		if w.Queues > 1 || w.A.GRO || w.B.GRO {
			return fmt.Errorf("%s needs interfaces of its own on %s, which a lab that is up does not have: run it without --lab", s.Name(), w.A.Node)
		}
	}
	return nil
}

// forgetJobs has captures that come after a run on a lab that is up know nothing of its jobs. The lab may have gone.
func forgetJobs(lab *netns.Lab, s *job.Set) error {
	err := capture.WriteLab(lab.Dir(), capture.PlanLab(s.Plan()))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// recorder is the journal of a lab, if it is this process's.
func recorder(lab *netns.Lab) proc.Recorder {
	if j := lab.Journal(); j != nil {
		return j
	}
	return nil
}

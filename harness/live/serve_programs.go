package live

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/inalab/inalab/harness/capture"
	"github.com/inalab/inalab/harness/netns"
	"github.com/inalab/inalab/harness/proc"
	"github.com/inalab/inalab/harness/running"
	"github.com/inalab/inalab/switchd/chassis"
	"github.com/inalab/inalab/switchd/control"
	"github.com/inalab/inalab/switchd/daemon"
	"github.com/inalab/inalab/topo/plan"
)

// ServePrograms brings up a lab without a job, whose switches forward, and have programs that
// frames pass, by switch. It calls ready, and waits until ctx ends. Hosts are for the caller's
// processes, with the kernel's stack. The options' System stays unused.
func ServePrograms(ctx context.Context, p *plan.Plan, programs [][]chassis.Program, opt ServeOptions, ready func(Served) error) (err error) {
	spec := LabSpec(opt.Lab, p, false)
	lab, err := netns.Up(ctx, spec, opt.NetNS)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, Cleanup(lab.Down())) }()
	if err := running.Write(lab.Dir(), running.Of(running.Serve, spec, p)); err != nil {
		return err
	}
	if err := capture.WriteLab(lab.Dir(), capture.PlanLab(p)); err != nil {
		return err
	}
	var following sync.WaitGroup
	defer following.Wait() // after the end of the processes
	sup := proc.NewSupervisor(proc.Config{Exe: opt.Exe, Journal: lab.Journal(), Caller: opt.Owner})
	defer func() { err = errors.Join(err, sup.Close(stopGrace)) }()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	for i := range p.Switches {
		cfg := Forwarding(p, i, lab.Dir(), opt)
		if i < len(programs) {
			cfg.Chassis.Transit = programs[i]
		}
		process, err := StartSwitch(ctx, sup, lab, cfg, opt)
		if err != nil {
			return err
		}
		following.Go(func() { passOn(process, opt.Told) })
		following.Go(func() { endsWith(ctx, process, cancel) })
	}
	s := Served{Lab: lab, Plan: p, Paths: map[string]string{}}
	for _, h := range p.Hosts {
		s.Paths[h.Name] = lab.Path(h.Name)
	}
	if err := ready(s); err != nil {
		return err
	}
	<-ctx.Done()
	if ended := (*endedError)(nil); errors.As(context.Cause(ctx), &ended) {
		return errors.Join(ended, ended.process.Wait())
	}
	return nil
}

// Forwarding is the configuration of a switch of a plan that only forwards. The directory is that
// of its lab.
func Forwarding(p *plan.Plan, i int, dir string, opt ServeOptions) daemon.Config {
	sw := p.Switches[i]
	return daemon.Config{
		Chassis: chassis.Config{Switch: sw, MTU: p.MTU, Seed: opt.Seed, Quantum: linkQuantum}, Plain: true,
		Control: control.SocketPath(dir, sw.Name),
	}
}

// endedError is why a lab ends before it is told to.
type endedError struct{ process *proc.Process }

func (e *endedError) Error() string { return fmt.Sprintf("switch %s ended", e.process.Node()) }

// endsWith ends a lab when one of its processes ends.
func endsWith(ctx context.Context, p *proc.Process, cancel context.CancelCauseFunc) {
	select {
	case <-ctx.Done():
	case <-p.Exited():
		cancel(&endedError{p})
	}
}

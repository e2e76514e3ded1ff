package live

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/inalab/inalab/harness/proc"
	"github.com/inalab/inalab/nodes/program"
)

// startPrograms starts a process for each of the user's programs, which starts it
// in its host's namespace when the run starts.
func (r *run) startPrograms(ctx context.Context) error {
	for i, p := range r.set.Jobs[0].HostPrograms {
		started, err := r.sup.Start(ctx, proc.Spec{
			Node: p.Host, Kind: "program", NetNS: r.lab.Path(p.Host), Config: program.Config{Command: p.Command},
			Log: filepath.Join(r.opt.Logs, r.programLog(i)), Contain: true,
		})
		if err != nil {
			return err
		}
		r.programs = append(r.programs, started)
	}
	return waitReady(ctx, r.programs)
}

// programLog names the log of a program: h0-program.log, and h0-program-2.log for
// the second on that host.
func (r *run) programLog(i int) string {
	host, n := r.set.Jobs[0].HostPrograms[i].Host, 1
	for _, p := range r.set.Jobs[0].HostPrograms[:i] {
		if p.Host == host {
			n++
		}
	}
	if n == 1 {
		return host + "-program.log"
	}
	return fmt.Sprintf("%s-program-%d.log", host, n)
}

// stopPrograms ends the user's programs and notes how each has ended.
func (r *run) stopPrograms() error {
	cell := r.tenants[0].cell
	cell.Notes = slices.Clone(cell.Notes) // they are the layout's
	for i, p := range r.programs {
		if err := p.Stop(stopGrace); err != nil {
			return err
		}
		if err := p.Wait(); err != nil {
			return err
		}
		var report program.Report
		if _, err := p.Result(&report); err != nil {
			return err
		}
		how := "ended by itself"
		if report.Stopped {
			how = "was ended with the run"
		}
		cell.Notes = append(cell.Notes, fmt.Sprintf("program %v %s: %s (its output: %s)", r.set.Jobs[0].HostPrograms[i], how, report.Status, r.programLog(i)))
	}
	return nil
}

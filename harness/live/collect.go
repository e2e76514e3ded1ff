package live

import (
	"github.com/inalab/inalab/harness/proc"
	hostlive "github.com/inalab/inalab/nodes/live"
	"github.com/inalab/inalab/switchd/daemon"
)

// collect stops the flows, the user's programs, the servers and the switches, and reads
// everybody's final report.
func (r *run) collect() (err error) {
	if err := r.stopFlows(); err != nil {
		return err
	}
	if err := r.stopPrograms(); err != nil {
		return err
	}
	for _, t := range r.tenants {
		if t.serverReports, err = reports[hostlive.ServerReport](t.servers); err != nil {
			return err
		}
		if t.reports, err = reports[hostlive.WorkerReport](t.workers); err != nil {
			return err
		}
	}
	r.switchReports, err = reports[daemon.Report](r.switches)
	return err
}

// reports returns the final reports of processes, and stops those that still run. One that
// was killed has none.
func reports[R any](list []*proc.Process) (out []R, err error) {
	for _, p := range list {
		if err := p.Stop(stopGrace); err != nil {
			return out, err
		}
		var report R
		switch there, err := p.Result(&report); {
		case err != nil:
			return out, err
		case there:
			out = append(out, report)
		}
	}
	return out, nil
}

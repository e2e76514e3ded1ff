package live

import (
	"errors"
	"fmt"

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
// was killed before has none; one that ends without a report now is an error.
func reports[R any](list []*proc.Process) (out []R, err error) {
	for _, p := range list {
		gone := ended(p)
		if err := p.Stop(reportGrace); err != nil {
			return out, err
		}
		var report R
		switch there, err := p.Result(&report); {
		case err != nil:
			return out, err
		case there:
			out = append(out, report)
		case !gone:
			return out, fmt.Errorf("%s was told to stop, and ended without its report: it had %v for that", p.Node(), reportGrace/2)
		}
	}
	return out, nil
}

// ended reports whether a process has ended.
func ended(p *proc.Process) bool {
	select {
	case <-p.Exited():
		return true
	default:
		return false
	}
}

// salvage adds to the cells what the processes of a run that failed said at their end, as far as they did.
func (r *run) salvage() (err error) {
	if r.epoch == 0 { // it had not begun
		return nil
	}
	var errs []error
	r.switchReports, errs = said[daemon.Report](r.switches, errs)
	r.flowReports, errs = said[hostlive.TrafficReport](r.flows, errs)
	for _, t := range r.tenants {
		t.serverReports, errs = said[hostlive.ServerReport](t.servers, errs)
		t.reports, errs = said[hostlive.WorkerReport](t.workers, errs)
	}
	for _, t := range r.tenants {
		r.count(t)
	}
	r.recordSeries()
	return errors.Join(errs...)
}

// said returns the final reports of processes that have ended with one, and adds to errs what cannot be read.
func said[R any](list []*proc.Process, errs []error) (out []R, _ []error) {
	for _, p := range list {
		if !ended(p) {
			continue // it could not be ended
		}
		var report R
		switch there, err := p.Result(&report); {
		case err != nil:
			errs = append(errs, err)
		case there:
			out = append(out, report)
		}
	}
	return out, errs
}

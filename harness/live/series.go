package live

import (
	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/internal/result"
	hostlive "github.com/inalab/inalab/nodes/live"
)

// metered has workers count what comes to them, where the lab records that.
func metered(list []hostlive.WorkerConfig, s *job.Set) []hostlive.WorkerConfig {
	for i := range list {
		list[i].Worker.Interval = s.Interval()
	}
	return list
}

// recordSeries adds to the cells of all jobs what the meters of processes counted.
func (r *run) recordSeries() {
	var m job.Metered
	var added [][]*result.Added
	for _, t := range r.tenants {
		var own []*result.Added
		for _, s := range t.serverReports {
			own = append(own, s.Added)
		}
		var list []*result.Series
		for _, w := range t.reports {
			list, own = append(list, w.Series), append(own, w.Added)
		}
		added = append(added, own)
		m.Workers = append(m.Workers, list)
	}
	for _, f := range r.set.Flows() {
		m.Flows = append(m.Flows, r.seriesOf(f.Name))
	}
	for i, list := range r.set.Throughputs(m, r.over) {
		r.tenants[i].cell.Throughput = list
	}
	for i, list := range r.set.Aggregations(added, r.over) {
		r.tenants[i].cell.Aggregations = list
	}
}

// seriesOf returns what the receiver of a flow counted.
func (r *run) seriesOf(flow string) *result.Series {
	for _, p := range r.flowReports {
		for _, e := range p.Ends {
			if e.Flow == flow && !e.Sends {
				return e.Series
			}
		}
	}
	return nil
}

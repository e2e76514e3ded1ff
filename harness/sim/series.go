package sim

import (
	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/internal/result"
)

// recordSeries adds to the cells of all jobs what meters counted.
func (r *run) recordSeries(s *job.Set) {
	var m job.Metered
	var added [][]*result.Added
	for _, t := range r.tenants {
		var own []*result.Added
		for _, a := range t.adding {
			own = append(own, a.Added())
		}
		added = append(added, own)
		var list []*result.Series
		for _, count := range t.meters {
			list = append(list, count.Series())
		}
		m.Workers = append(m.Workers, list)
	}
	for _, f := range r.flows {
		m.Flows = append(m.Flows, f.meter.Series())
	}
	for i, list := range s.Throughputs(m, r.net.now) {
		r.tenants[i].cell.Throughput = list
	}
	for i, list := range s.Aggregations(added, r.net.now) {
		r.tenants[i].cell.Aggregations = list
	}
}

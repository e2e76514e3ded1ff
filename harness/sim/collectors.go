package sim

import (
	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/nodes/host"
	"github.com/inalab/inalab/nodes/traffic"
)

// collector is a collector and its machine.
type collector struct {
	job.Collector
	machine *traffic.Collector
}

// addCollectors makes the collectors. They wait for the machines of jobs on their hosts.
func (r *run) addCollectors(s *job.Set) {
	for _, c := range s.Collectors() {
		m := c.New()
		r.beside[c.Host] = append(r.beside[c.Host], host.Member{Port: c.Port, Machine: m})
		r.counted = append(r.counted, counted{c.Host + "/collector/" + c.Program, m.Counters})
		r.collectors = append(r.collectors, collector{c, m})
	}
}

// reports returns what the collectors were told.
func (r *run) reports() (out []result.Report) {
	for _, c := range r.collectors {
		out = append(out, c.Record(r.set.Plan(), c.machine.Observed())...)
	}
	return out
}

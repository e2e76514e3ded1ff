package live

import (
	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/internal/result"
	hostlive "github.com/inalab/inalab/nodes/live"
	"github.com/inalab/inalab/topo/plan"
)

// collectorEnds returns the collectors on a host.
func collectorEnds(s *job.Set, h *plan.Host, plain bool) (out []hostlive.CollectorEnd) {
	for _, c := range s.Collectors() {
		if c.Host == h.Name {
			out = append(out, hostlive.CollectorEnd{Program: c.Program, Socket: *udpConfig(h, plain, c.Port)})
		}
	}
	return out
}

// reported returns what the collectors were told.
func (r *run) reported() (out []result.Report) {
	for _, c := range r.set.Collectors() {
		for _, p := range r.flowReports {
			for _, e := range p.Ends {
				if e.Collects == c.Program && p.Node == trafficNode(c.Host) {
					out = append(out, c.Record(r.set.Plan(), e.Observed)...)
				}
			}
		}
	}
	return out
}

// trafficNode names the process of what is on a host beside jobs.
func trafficNode(host string) string { return host + "-traffic" }

package live

import (
	"context"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/internal/pktio"
	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/units"
	hostlive "github.com/inalab/inalab/nodes/live"
)

// Effort is what the packet thread of a node needed over a whole run, and how well it kept the time.
type Effort struct {
	Node string
	Time units.Duration // of a processor; 0 where the system does not say
	Late units.Duration // by which 1% of its timers fired, or more
}

// RunMeasured is [RunJobs] that also says what the nodes needed: switches first, then workers,
// servers and ends of flows.
func RunMeasured(ctx context.Context, s *job.Set, opt Options) (cells []result.Cell, efforts []Effort, err error) {
	cells, err = runSet(ctx, s, opt, func(r *run) { efforts = r.efforts() })
	return cells, efforts, err
}

func (r *run) efforts() (out []Effort) {
	add := func(node string, d pktio.Report) { out = append(out, Effort{node, d.Used, d.Lateness.P99}) }
	for _, s := range r.switchReports {
		add(s.Node, s.Drive)
	}
	for _, t := range r.tenants {
		for _, w := range t.reports {
			add(w.Node, w.Drive)
		}
		for _, s := range t.serverReports {
			add(s.Node, s.Drive)
		}
	}
	r.flowDevices(func(name string, e *hostlive.EndReport) { add(name, e.Drive) })
	return out
}

package scenarios

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/topo/linktext"
	"github.com/inalab/inalab/topo/plan"
)

// rawWorkerAt changes how long some workers compute.
type rawWorkerAt struct {
	At      string `yaml:"at"`
	Compute string `yaml:"compute,omitempty" json:",omitempty"`
	Lag     string `yaml:"lag,omitempty" json:",omitempty"`
}

// WorkerAt changes how long the workers on some hosts compute.
type WorkerAt struct {
	Host   string   // pattern of hosts, as h*
	pace   job.Pace // a zero field: as before
	factor bool     // whether pace has a factor
	lag    bool
	at     string // where it stands
}

// workersAt reads changes of workers.
func (r *resolver) workersAt(list []rawWorkerAt) (out []WorkerAt) {
	for i, f := range list {
		w := WorkerAt{Host: f.At, factor: f.Compute != "", lag: f.Lag != "", at: fmt.Sprintf("workers[%d]", i)}
		if f.At == "" {
			r.wrong(w.at, errors.New("which workers? Write their host, as in at: h0, or at: h*"))
		}
		if !w.factor && !w.lag {
			r.wrong(w.at, fmt.Errorf("nothing of the workers at %s changes: write compute: 2x for twice the model's compute time, or lag: 2s", f.At))
		}
		if w.factor {
			w.pace.Factor = r.factor(w.at+".compute", f.Compute)
		}
		if w.lag {
			w.pace.Lag = r.duration(w.at+".lag", f.Lag)
			r.wrong(w.at+".lag", job.Pace{Lag: w.pace.Lag}.Validate())
		}
		out = append(out, w)
	}
	return out
}

// factor reads how many times the model's compute time a worker takes.
func (r *resolver) factor(path, text string) float64 {
	number, times := strings.CutSuffix(text, "x")
	f, err := strconv.ParseFloat(number, 64)
	if !times || err != nil || f == 0 {
		r.wrong(path, fmt.Errorf("%s: write how many times the model's compute time it is, as in 1.2x", text))
		return 1
	}
	r.wrong(path, job.Pace{Factor: f}.Validate())
	return f
}

// paces returns those of the workers of a run, by host. Hosts behind those of the workers may have servers.
func (s *Scenario) paces(p *plan.Plan, workers int) ([]job.Pace, error) {
	if len(s.Workers) == 0 {
		return nil, nil
	}
	hosts := s.workerHosts(p, workers)
	out := make([]job.Pace, len(p.Hosts))
	for _, w := range s.Workers {
		found := false
		for _, h := range hosts {
			if !linktext.Matches(w.Host, h.Name) {
				continue
			}
			found = true
			if w.factor {
				out[h.Index].Factor = w.pace.Factor
			}
			if w.lag {
				out[h.Index].Lag = w.pace.Lag
			}
		}
		if !found {
			return nil, s.doc.Wrong(w.at, fmt.Errorf("no worker of topology %s is at %s: workers may be on %s", p.Name, w.Host, hostNames(hosts)))
		}
	}
	return out, nil
}

// workerHosts returns the hosts on which workers are, or may come up.
func (s *Scenario) workerHosts(p *plan.Plan, workers int) []plan.Host {
	if len(s.Tenants) == 0 {
		return p.Hosts[:min(workers, len(p.Hosts))]
	}
	return slices.DeleteFunc(slices.Clone(p.Hosts), func(h plan.Host) bool {
		return slices.ContainsFunc(s.Tenants, func(t Tenant) bool { return slices.Contains(t.Servers, h.Index) })
	})
}

// hostNames lists hosts, of many the first and the last.
func hostNames(hosts []plan.Host) string {
	var names []string
	for _, h := range hosts {
		names = append(names, h.Name)
	}
	return linktext.Few(names)
}

package atp

import (
	"fmt"

	"github.com/inalab/inalab/harness/job"
	host "github.com/inalab/inalab/nodes/atp"
	server "github.com/inalab/inalab/nodes/atpps"
	"github.com/inalab/inalab/nodes/colocated"
	"github.com/inalab/inalab/topo/plan"
)

// Servers on the hosts of workers are in the worker's process, as those of package nodes/ps are: what the two
// have for each other is handed over in memory, in both clocks, and no switch adds it. Server k is
// on the host of worker k.

// serverHosts returns the hosts that servers are on.
func (s System) serverHosts(j *job.Job) []plan.Host {
	if s.Colocated {
		return j.Hosts()[:s.servers()]
	}
	return j.ServerHosts()
}

// isColocated reports whether a host has a worker of the job.
func isColocated(j *job.Job, h *plan.Host) bool {
	for _, w := range j.Hosts() {
		if w.Index == h.Index {
			return true
		}
	}
	return false
}

// serverName is what events call a server: its host has the name for itself, or with a worker.
func serverName(j *job.Job, h *plan.Host) string {
	if isColocated(j, h) {
		return h.Name + "-server"
	}
	return h.Name
}

// checkColocated says why there is no host for a server.
func (s System) checkColocated(j *job.Job) error {
	if workers := len(j.Hosts()); s.Colocated && s.servers() > workers {
		return fmt.Errorf("atp.server-count: %d servers on the hosts of %d workers: a host has one at most: set atp.server-count=%d or less, or atp.servers=dedicated", s.servers(), workers, workers)
	}
	return nil
}

// coreConfig is a worker, and the server on its host.
type coreConfig struct {
	host.Config
	Beside *server.Config `json:",omitempty"` // nil: the host has none
}

// staff puts the servers into a layout.
func (s System) staff(j *job.Job, up setUps, l *job.Layout) {
	for k := range up[0].servers {
		c := s.server(j, up, k)
		if !s.Colocated {
			l.Dedicated = append(l.Dedicated, c)
			continue
		}
		l.Cores[k] = coreConfig{Config: l.Cores[k].(host.Config), Beside: &c}
	}
}

// colocated puts a worker and the server on its host together.
func (c *coreConfig) colocated(w *host.Core) (*colocated.Host, error) {
	s, err := server.New(*c.Beside)
	if err != nil {
		return nil, err
	}
	return colocated.New(w, s, colocated.Addresses{Server: c.Beside.Node, Host: c.Beside.Flow.Src, Group: c.Beside.Flow.Dst})
}

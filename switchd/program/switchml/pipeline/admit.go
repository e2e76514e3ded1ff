package pipeline

import (
	"fmt"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/switchd/dataplane"
	switchml "github.com/inalab/inalab/switchd/program/switchml/reference"
)

// checkShape refuses what no chip of this program can be for.
func (e *Engine) checkShape(j *switchml.Job) *dataplane.Refusal {
	n := len(j.Workers)
	switch {
	case j.Elements != 64 && j.Elements != 256:
		return dataplane.Refuse(dataplane.RefusedDocument, "use 64 or 256", "job %d has %d values a packet", j.ID, j.Elements)
	case e.opts.Half && (j.Elements != halfElements || j.Parent != nil):
		return dataplane.Refuse(dataplane.RefusedDocument, "give it 64 values a packet and no parent: a sum of floats is not one of those that a packet may bring",
			"job %d has %d values a packet, and the program of %s is that for 16-bit floats", j.ID, j.Elements, e.cfg.Node)
	case j.Slots < 1 || j.Slots > switchml.MaxSlots:
		return dataplane.Refuse(dataplane.RefusedNoRoom, "use 1 to 8192", "job %d wants %d slots", j.ID, j.Slots)
	case n < 1:
		return dataplane.Refuse(dataplane.RefusedNoSources, "name 1 to 32 workers", "job %d has no workers", j.ID)
	case n > MaxWorkers || j.NumWorkers > MaxWorkers:
		return dataplane.Refuse(dataplane.RefusedManySources, "name at most 32: a slot's bitmap is a register of 32 bits, or put a switch between",
			"job %d has %d of %d workers", j.ID, n, max(n, j.NumWorkers))
	case j.NumWorkers != 0 && n > j.NumWorkers:
		return dataplane.Refuse(dataplane.RefusedManySources, "name no more than it is made for", "job %d has %d of %d workers", j.ID, n, j.NumWorkers)
	}
	if u := j.Parent; u != nil {
		if !u.Addr.Is4() || u.Self.IsValid() && !u.Self.Is4() {
			return dataplane.Refuse(dataplane.RefusedResult, "give IPv4 addresses", "job %d: its parent at %v knows this switch as %v", j.ID, u.Addr, u.Self)
		}
		return e.checkPort(j, u.Port, "its parent")
	}
	return nil
}

// checkWorkers holds every worker against those before it.
func (e *Engine) checkWorkers(j *switchml.Job) *dataplane.Refusal {
	with := job{Job: *j}
	for i := range j.Workers {
		w := &j.Workers[i]
		if !w.Addr.Is4() {
			return dataplane.Refuse(dataplane.RefusedSource, "give an IPv4 address", "job %d: worker %d has address %v", j.ID, i, w.Addr)
		}
		if r := e.checkPort(j, w.Port, fmt.Sprintf("worker %d", i)); r != nil {
			return r
		}
		for k := range j.Workers[:i] {
			switch v := &j.Workers[k]; {
			case workerChannel(v) == workerChannel(w):
				return dataplane.Refuse(dataplane.RefusedSource, "give each worker an address of its own", "job %d: workers %d and %d share an address, %v", j.ID, k, i, w.Addr)
			case with.id(k) == with.id(i):
				return dataplane.Refuse(dataplane.RefusedSource, "give each worker an id of its own", "job %d: workers %d and %d share an id, %d", j.ID, k, i, w.ID)
			}
		}
	}
	return nil
}

func (e *Engine) checkPort(j *switchml.Job, p sansio.Port, who string) *dataplane.Refusal {
	if e.hasPort(p) {
		return nil
	}
	return dataplane.Refuse(dataplane.RefusedPorts, "connect it to a port of pipe 0: those of the other pipes are in loopback mode",
		"job %d: %s is at port %d of %s, which has ports 0 to %d for workers", j.ID, who, p, e.cfg.Node, e.opts.Ports-1)
}

// admit refuses a job whose packets could be taken for those of another.
func (e *Engine) admit(j *switchml.Job) *dataplane.Refusal {
	for i := range j.Workers {
		w := &j.Workers[i]
		c := workerChannel(w)
		switch other := e.members[c]; {
		case other != nil:
			return dataplane.Refuse(dataplane.RefusedSource, "remove that job first", "job %d: worker %d at %v is in job %d on %s", j.ID, i, w.Addr, other.ID, e.cfg.Node)
		case e.parents[c] != nil, j.Parent != nil && parentChannel(j.Parent) == c:
			return dataplane.Refuse(dataplane.RefusedSource, "give levels different switches", "job %d: worker %d at %v is the parent of a job on %s", j.ID, i, w.Addr, e.cfg.Node)
		}
	}
	if j.Parent == nil {
		return nil
	}
	c := parentChannel(j.Parent)
	switch {
	case e.members[c] != nil:
		return dataplane.Refuse(dataplane.RefusedSource, "give levels different switches", "job %d: its parent at %v is a worker of job %d on %s", j.ID, j.Parent.Addr, e.members[c].ID, e.cfg.Node)
	case e.parents[c] != nil:
		return dataplane.Refuse(dataplane.RefusedSource, "give each job a UDP port of its own between switches",
			"job %d: results from %v, UDP port %d, are those of job %d on %s", j.ID, j.Parent.Addr, c.udp, e.parents[c].ID, e.cfg.Node)
	}
	return nil
}

func (e *Engine) full(j *switchml.Job) *dataplane.Refusal {
	all, longest := e.pool.Left()
	pieces := ""
	if longest < all {
		pieces = fmt.Sprintf(", %d of them in one piece at most", longest)
	}
	return dataplane.Refuse(dataplane.RefusedNoRoom, "end a job first, or give jobs fewer slots",
		"job %d wants %d slots on %s, where %d of %d are left%s", j.ID, j.Slots, e.cfg.Node, all, e.cfg.Pool, pieces)
}

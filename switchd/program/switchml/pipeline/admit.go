package pipeline

import (
	"fmt"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/switchd/dataplane"
	"github.com/inalab/inalab/switchd/program/switchml"
)

// limits are what the chip asks of jobs.
func (e *Engine) limits() switchml.Limits {
	return switchml.Limits{Workers: MaxWorkers, UDP: !e.opts.RDMA, RoCE: e.opts.RDMA, Check: e.check}
}

// check refuses a job that the chip cannot have, whatever others there are.
func (e *Engine) check(j *switchml.Job) *dataplane.Refusal {
	if e.opts.Half && (j.Elements != halfElements || j.Parent != nil) {
		return dataplane.Refuse(dataplane.RefusedDocument, "give it 64 values a packet and no parent: a sum of floats is not one of those that a packet may bring",
			"job %d has %d values a packet, and the program of %s is that for 16-bit floats", j.ID, j.Elements, e.cfg.Node)
	}
	if j.Elements == 32 {
		return dataplane.Refuse(dataplane.RefusedDocument, "use 64 or 256, or the reference program",
			"job %d has %d values a packet, and the pipeline of %s none such: its registers add 64 in a pass", j.ID, j.Elements, e.cfg.Node)
	}
	if j.Parent != nil && !e.hasPort(j.Parent.Port) {
		return e.noPort(j, j.Parent.Port, "its parent")
	}
	for i := range j.Workers {
		if w := &j.Workers[i]; !e.hasPort(w.Port) {
			return e.noPort(j, w.Port, fmt.Sprintf("worker %d", w.ID))
		}
	}
	return nil
}

func (e *Engine) noPort(j *switchml.Job, p sansio.Port, who string) *dataplane.Refusal {
	return dataplane.Refuse(dataplane.RefusedPorts, "connect it to a port of pipe 0: those of the other pipes are in loopback mode",
		"job %d: %s is at port %d of %s, which has ports 0 to %d for workers", j.ID, who, p, e.cfg.Node, e.opts.Ports-1)
}

// hasPort reports whether a port of the chassis serves workers.
func (e *Engine) hasPort(p sansio.Port) bool { return p >= 0 && int(p) < e.opts.Ports }

package pipeline

import (
	"slices"

	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/switchd/dataplane"
	switchmljob "github.com/inalab/inalab/switchd/program/switchml"
	switchml "github.com/inalab/inalab/switchd/program/switchml/reference"
)

// AddJob sets up a job as a [switchmljob.Job] says. Its registers are as at power
// up, whoever had them before: rank 0 resets a job by removing and adding it.
func (e *Engine) AddJob(now units.Time, d dataplane.Document) (uint8, error) {
	e.chip.Advance(now)
	doc, err := switchmljob.Of(d)
	if err != nil {
		return 0, err
	}
	if r := e.addDocument(doc); r != nil {
		return 0, r
	}
	return uint8(doc.ID), nil
}

// addDocument adds a job of the clients that the program is for.
func (e *Engine) addDocument(doc *switchmljob.Job) *dataplane.Refusal {
	switch rdma := doc.RDMA != nil; {
	case rdma && !e.opts.RDMA:
		return dataplane.Refuse(dataplane.RefusedUnsupported, "use UdpSession", "job %d is of RDMA clients, and the program of %s speaks UDP alone", doc.ID, e.cfg.Node)
	case !rdma && e.opts.RDMA:
		return dataplane.Refuse(dataplane.RefusedUnsupported, "use RdmaSession", "job %d is of UDP clients, and the program of %s speaks RoCE alone", doc.ID, e.cfg.Node)
	}
	j := switchml.Job{ID: uint8(doc.ID), Session: doc.Session, Elements: doc.Elements, Slots: doc.Slots, NumWorkers: doc.NumWorkers}
	for _, w := range doc.Workers {
		j.Workers = append(j.Workers, switchml.Worker{ID: uint8(w.Rank), MAC: w.MAC, Addr: w.Addr, Port: w.Port})
	}
	return e.add(j, newRDMAJob(doc))
}

// RemoveJob takes a job out, clears its part of the registers in all pipes, and
// gives it back. Packets of it that are inside the chip end at their next pass.
func (e *Engine) RemoveJob(now units.Time, id uint8) (dataplane.Removed, error) {
	e.chip.Advance(now)
	at, ok := e.find(id)
	if !ok {
		return dataplane.Removed{}, dataplane.Refuse(dataplane.RefusedUnknownJob, "\"inalab switch job ls\" lists those that are there", "there is no job %d on %s", id, e.cfg.Node)
	}
	j := e.jobs[at]
	out := dataplane.Removed{OpenBlocks: e.open(j), Counters: j.count.List()}
	e.removed += uint64(out.OpenBlocks)
	e.takeDown(j)
	if err := e.state.reset(j.base, j.Slots, 0); err != nil {
		return out, dataplane.Refuse(dataplane.RefusedUnknownJob, "restart the switch", "clearing the registers of job %d: %v", id, err)
	}
	e.jobs = slices.Delete(e.jobs, at, at+1)
	e.pool.Free(int(id))
	return out, nil
}

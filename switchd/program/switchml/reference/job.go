package reference

import (
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/trace"
	wire "github.com/inalab/inalab/internal/wire/switchml"
	switchmljob "github.com/inalab/inalab/switchd/program/switchml"
)

// job is a job with its part of the pool.
type job struct {
	Job
	n         int
	base      int // first slot of its part
	workers   []worker
	everybody trace.Mask
	parent    *above // nil: sums are results
	pool      [2][]slot
	lateInRow []uint8  // late packets of a slot since the latest that was not, by slot
	up, down  []result // of the batch at hand: to the parent, to every worker
	count     switchmljob.Counts
}

// result is a packet to send and the client's UDP port, which all workers have.
type result struct {
	packet
	port uint16
}

// packet is a UDP payload; the last pad bytes of it, all values or none, are
// only counted.
type packet struct {
	payload []byte
	pad     int
}

func (c *Config) newJob(j Job, base int) *job {
	out := &job{Job: j, n: len(j.Workers), base: base, lateInRow: make([]uint8, j.Slots)}
	for i := range j.Workers {
		w := c.workerOf(&j, i)
		out.workers = append(out.workers, w)
		out.everybody.Set(w.id)
	}
	if j.Parent != nil {
		out.parent = c.aboveOf(j.Parent)
	}
	for v := range out.pool {
		out.pool[v] = make([]slot, j.Slots)
		for i := range out.pool[v] {
			out.pool[v][i].tag = firstTag(j.FirstByte)
		}
	}
	return out
}

// refuse returns why a packet is not of this job, or nothing.
func (j *job) refuse(h *wire.Header) string {
	switch {
	case h.Size.Elements() != j.Elements:
		return DropWrongSize
	case int(h.Slot) >= j.Slots: // it would be of the next job's part
		return DropSlotRange
	}
	return ""
}

// deliver sends what the batch brought: sums to the parent, and results to every
// worker, worker by worker, so that each gets them as one train.
func (j *job) deliver(eff *sansio.Effects) {
	for k := range j.up {
		r := &j.up[k]
		eff.EmitPadded(j.parent.to, j.parent.template(r.port, j.parent.udp), r.payload, r.pad)
	}
	for i := range j.workers {
		w := &j.workers[i]
		for k := range j.down {
			r := &j.down[k]
			eff.EmitPadded(w.to, w.template(w.udp, r.port), r.payload, r.pad)
		}
	}
	j.up, j.down = j.up[:0], j.down[:0]
}

// open counts the phases of slots that lack workers.
func (j *job) open() (n int) {
	for set := range j.pool {
		for i := range j.pool[set] {
			if j.pool[set][i].count > 0 {
				n++
			}
		}
	}
	return n
}

package reference

import (
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/wire/inet"
	wire "github.com/inalab/inalab/internal/wire/switchml"
	"github.com/inalab/inalab/switchd/dataplane"
	"github.com/inalab/inalab/switchd/program/switchml"
)

// job is a job with its part of the pool.
type job struct {
	switchml.Entry
	workers  []peer
	parent   *peer // nil: sums are results
	pool     [2][]slot
	up, down []result // of the batch at hand: to the parent, to every worker
	quarters uint32   // of all job bytes that packets have come through
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

// newJob sets a job up, as at power up.
func (p *Program) newJob(e switchml.Entry) (*job, error) {
	out := &job{Entry: e, quarters: firstQuarters + uint32(e.FirstByte/quarter)}
	for i := range e.Workers {
		w := &e.Workers[i]
		f := inet.Flow{SrcMAC: p.cfg.MAC, DstMAC: w.MAC, Src: p.cfg.Router, Dst: w.Addr}
		out.workers = append(out.workers, peer{flow: f, to: []sansio.Port{w.Port}, id: w.ID, udp: w.UDP})
	}
	if u := e.Parent; u != nil {
		f := inet.Flow{SrcMAC: p.cfg.MAC, DstMAC: u.MAC, Src: u.Self, Dst: u.Addr}
		out.parent = &peer{flow: f, to: []sansio.Port{u.Port}, udp: u.UDP}
	}
	for v := range out.pool {
		out.pool[v] = make([]slot, e.Slots)
	}
	return out, nil
}

// refuse returns why a packet is not of this job, or nothing.
func (j *job) refuse(h *wire.Header) string {
	switch {
	case h.Size.Elements() != j.Elements:
		return switchml.DropWrongSize
	case int(h.Slot) >= j.Slots: // it would be of the next job's part
		return switchml.DropSlotRange
	}
	return ""
}

// deliver sends what the batch brought: sums to the parent, and results to every
// worker, worker by worker, so that each gets them as one train.
func (p *Program) deliver(j *job, eff *sansio.Effects) {
	if len(j.up) > 0 {
		dice := p.leaving(j, j.parent)
		for k := range j.up {
			r := &j.up[k]
			p.send(dice, j.parent, j.parent.template(r.port, j.parent.udp), r.packet, eff)
		}
	}
	for i := range j.workers {
		w := &j.workers[i]
		dice := p.leaving(j, w)
		for k := range j.down {
			r := &j.down[k]
			p.send(dice, w, w.template(w.udp, r.port), r.packet, eff)
		}
	}
	j.up, j.down = j.up[:0], j.down[:0]
}

// leaving returns the dice of the drop simulator for packets to a peer. Those of RoCE are lost later.
func (p *Program) leaving(j *job, to *peer) *switchml.Dice {
	if j.RDMA != nil {
		return nil
	}
	return p.Dice(to.to[0], true)
}

// send sends a packet, unless the drop simulator loses it.
func (p *Program) send(dice *switchml.Dice, to *peer, header []byte, out packet, eff *sansio.Effects) {
	if dice.Lost() {
		p.count.Add(switchml.DropDeparture, 1)
		return
	}
	eff.EmitUnstored(to.to, header, out.payload, out.pad)
}

// Open yields the phases of slots that lack workers.
func (j *job) Open(yield func(dataplane.OpenBlock) bool) {
	for set := range j.pool {
		for i := range j.pool[set] {
			s := &j.pool[set][i]
			if s.count > 0 && !yield(dataplane.OpenBlock{Gen: s.phase, Block: uint32(i), Have: s.seen, Since: s.since}) {
				return
			}
		}
	}
}

// Seen returns who is in the bitmap of a slot, by set.
func (j *job) Seen(slot int) [2]trace.Mask {
	return [2]trace.Mask{j.pool[0][slot].seen, j.pool[1][slot].seen}
}

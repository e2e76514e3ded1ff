package pipeline

import (
	"fmt"

	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
	"github.com/inalab/inalab/internal/wire/roce"
	wire "github.com/inalab/inalab/internal/wire/switchml"
	"github.com/inalab/inalab/switchd/program/switchml"
	"github.com/inalab/inalab/switchd/tofino"
	"github.com/inalab/inalab/switchd/tofino/ir"
)

// rdmaJob is what a job of RDMA clients has beside the rest. Queue pairs have numbers
// in the registers, those of a worker one behind another.
type rdmaJob struct {
	use   []int       // how many queue pairs have slots, by worker
	first []int       // number of the first, by worker
	sent  [][]message // by worker and queue pair
}

// message is the latest of a queue pair, as events count them.
type message struct {
	set    int
	number uint32
}

// newRDMAJob returns nil for a job of UDP clients.
func newRDMAJob(j *switchml.Job) *rdmaJob {
	if j.RDMA == nil {
		return nil
	}
	r := &rdmaJob{}
	for i := range j.Workers {
		n := min(len(j.Workers[i].RDMA.QPNs), j.Slots/j.MessagePackets())
		r.use = append(r.use, n)
		sent := make([]message, n)
		for k := range sent {
			sent[k].set = 1 // the first message flips it to 0
		}
		r.sent = append(r.sent, sent)
	}
	return r
}

// setUpQueues gives the queue pairs of a job their numbers, registers and entries.
func (e *Engine) setUpQueues(j *job) error {
	r, all := j.rdma, 0
	for _, n := range r.use {
		r.first, all = append(r.first, all), all+n
	}
	base, ok := e.queues.Take(int(j.ID), all)
	if !ok {
		left, _ := e.queues.Left()
		return fmt.Errorf("it has %d queue pairs, and %d of %d are left", all, left, MaxQueuePairs)
	}
	for place := range r.use {
		r.first[place] += base
		for i := range r.use[place] {
			if err := e.setUpQueue(j, place, i); err != nil {
				return err
			}
		}
	}
	return nil
}

// setUpQueue is that for queue pair i of a worker, in pipe 0 alone: workers are there.
func (e *Engine) setUpQueue(j *job, place, i int) error {
	r, w := j.rdma, &j.Workers[place]
	n, q := r.first[place]+i, w.RDMA
	for k, lo := range []uint32{q.PSNs[i]<<8 | 1, switchml.FirstPSN<<1 | 1} {
		if err := e.state.pipes[0].Write(e.state.queues[k], n, lo, 0); err != nil {
			return err
		}
	}
	err := e.entry(j, tablePairs, ir.Entry{Pipe: 1, Values: []uint64{known | uint64(n)}, Action: "pair", Args: []uint64{uint64(q.QPNs[i] >> 16), uint64(q.QPNs[i] & (1<<16 - 1))}})
	if err != nil {
		return err
	}
	slot, own := i*j.MessagePackets(), switchml.QPN(int(w.ID), i)
	from := []uint64{number(w.Addr), uint64(own >> 16), uint64(own & (1<<16 - 1))}
	index := func(slot int) uint64 { return known | uint64(j.Base+slot)<<indexSlot }
	for set := range uint64(2) {
		key := uint64(switchml.PoolRKey) + 2*uint64(slot) + set
		err := e.entry(j, tableBegins, ir.Entry{Pipe: 1, Values: append(from[:3:3], key), Action: "begins", Args: []uint64{index(slot) | set*indexSet}})
		if err != nil {
			return err
		}
	}
	return e.entry(j, tableQueues, ir.Entry{Pipe: 1, Values: from, Action: "queue_pair", Args: []uint64{known | uint64(n), index(slot), index(slot+j.MessagePackets()-1) - 1}})
}

// receiver returns the arguments of a worker's entry in the egress, behind its addresses.
func (j *job) receiver(place int) []uint64 {
	return []uint64{uint64(j.Workers[place].RDMA.RKey), known | uint64(j.rdma.first[place])}
}

// rdmaMembers are the entries of a worker: of its packets of RoCE, and of any others.
func (e *Engine) rdmaMembers(j *job, place int) []ir.Entry {
	w := &j.Workers[place]
	own := ir.Entry{Values: []uint64{number(w.Addr), uint64(roce.Port)}, Masks: []uint64{1<<32 - 1, 1<<16 - 1}}
	if j.Complete() {
		own.Action = "member"
		own.Args = []uint64{
			uint64(place), 1 << place, uint64(len(j.Workers) - 1), e.size(j), uint64(j.group), uint64(tofino.FrontPort(int(w.Port))), uint64(j.rids[place]), uint64(j.RDMA.MessageBytes),
		}
	} else {
		own.Action, own.Args = "waiting", []uint64{uint64(j.group)}
	}
	return []ir.Entry{own, {Values: []uint64{number(w.Addr), 0}, Masks: []uint64{1<<32 - 1, 0}, Priority: 1, Action: "speaks_udp"}}
}

// icrc is the trailer of RoCE frames.
type icrc struct{ e *Engine }

// Check tells a wrong ICRC of a packet that is one of a worker's, if that is asked for.
func (t *icrc) Check(now units.Time, frame []byte) string {
	e := t.e
	l, problem := inet.Parse(frame)
	if !e.cfg.CheckICRC || problem != inet.OK || l.Proto != inet.ProtoUDP || inet.UDP(frame[l.Transport:]).DstPort() != roce.Port {
		return ""
	}
	j, place, ok := e.Member(inet.IPv4(frame[inet.EtherLen:]).SrcBytes(), wire.Port)
	var p roce.Packet
	if !ok || p.Read(frame[l.Body:l.End], 0) != roce.OK || roce.Check(frame[:l.Body], frame[l.Body:l.End]) {
		return ""
	}
	e.watch.wrongICRC(j, place, now)
	return switchml.DropRDMAICRC
}

// Has is true: all that leaves is of RoCE.
func (t *icrc) Has([]byte) bool { return true }

// Lengths returns what the headers of RoCE take, and the ICRC.
func (t *icrc) Lengths(front []byte) (headers, trailer int) {
	p := roce.Packet{Opcode: roce.BTH(front[inet.UDPHeaders:]).Opcode()}
	return p.Headers(), roce.ICRCLen
}

// Seal writes the ICRC of a packet to a worker.
func (t *icrc) Seal(header, body []byte) { roce.Seal(header, body) }

package pipeline

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"net/netip"
	"slices"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/units"
	wire "github.com/inalab/inalab/internal/wire/switchml"
	"github.com/inalab/inalab/switchd/dataplane"
	switchmljob "github.com/inalab/inalab/switchd/program/switchml"
	switchml "github.com/inalab/inalab/switchd/program/switchml/reference"
	"github.com/inalab/inalab/switchd/tofino"
	"github.com/inalab/inalab/switchd/tofino/ir"
	"github.com/inalab/inalab/switchd/tofino/vm"
)

// job is a job with what the control plane has set up for it.
type job struct {
	switchml.Job
	n         int
	base      int // first slot of its part of the pool
	pipe      int // that judges its packets, since they come to it last
	group     uint16
	rids      []uint16
	entries   []placedEntry
	everybody trace.Mask
	count     switchmljob.Counts
	phases    [2][]phase // by set and slot
	rdma      *rdmaJob   // nil: its clients speak UDP
}

// placedEntry is an entry that was added to a table.
type placedEntry struct {
	table string
	id    vm.EntryID
}

// phase is what was noted of the first packet of a phase of a slot.
type phase struct {
	packet uint32
	since  units.Time
}

// size returns the size code of a job's packets.
func (e *Engine) size(j *job) uint64 {
	if e.opts.Half {
		return sizeHalf
	}
	s, _ := wire.SizeOf(j.Elements)
	return uint64(s)
}

// judge returns the pipe of the last pass that adds.
func (e *Engine) judge(j *switchml.Job) int {
	switch size, _ := wire.SizeOf(j.Elements); {
	case e.opts.Half:
		return lastHalf
	case size == size256:
		return lastConsume
	}
	return passConsume
}

// complete reports whether all workers are there.
func (j *job) complete() bool { return j.NumWorkers <= j.n }

// id returns the number of the worker at a place in masks of events. In bitmaps it
// has its place.
func (j *job) id(place int) uint8 {
	if slices.ContainsFunc(j.Workers, func(w switchml.Worker) bool { return w.ID != 0 }) {
		return j.Workers[place].ID
	}
	return uint8(place)
}

// mask returns a bitmap with the ids of workers instead of their places.
func (j *job) mask(bitmap uint32) (m trace.Mask) {
	for i := range j.n {
		if bitmap>>i&1 != 0 {
			m.Set(j.id(i))
		}
	}
	return m
}

func udpOf(port uint16) uint16 { return cmp.Or(port, wire.Port) }

func workerChannel(w *switchml.Worker) channel { return channel{w.Addr.As4(), udpOf(w.UDP)} }

func parentChannel(u *switchml.Parent) channel { return channel{u.Addr.As4(), udpOf(u.UDP)} }

func number(a netip.Addr) uint64 {
	b := a.As4()
	return uint64(binary.BigEndian.Uint32(b[:]))
}

// add sets up a job, or says what keeps it from there; then nothing has changed.
func (e *Engine) add(j switchml.Job, r *rdmaJob) *dataplane.Refusal {
	at, taken := e.find(j.ID)
	if taken {
		return dataplane.Refuse(dataplane.RefusedIDTaken, "remove it first, or take another id", "there is a job %d on %s", j.ID, e.cfg.Node)
	}
	for _, check := range []func(*switchml.Job) *dataplane.Refusal{e.checkShape, e.checkWorkers, e.admit} {
		if r := check(&j); r != nil {
			return r
		}
	}
	base, ok := e.pool.Take(int(j.ID), j.Slots)
	if !ok {
		return e.full(&j)
	}
	added := &job{Job: j, n: len(j.Workers), base: base, pipe: e.judge(&j), rdma: r}
	for v := range added.phases {
		added.phases[v] = make([]phase, j.Slots)
	}
	for i := range j.Workers {
		added.everybody.Set(added.id(i))
	}
	if err := e.setUp(added); err != nil {
		e.takeDown(added)
		e.pool.Free(int(j.ID))
		return dataplane.Refuse(dataplane.RefusedNoRoom, "remove a job", "job %d: %s: %v", j.ID, e.cfg.Node, err)
	}
	e.jobs = slices.Insert(e.jobs, at, added)
	return nil
}

// setUp writes the tables for a job: what its packets meet last comes first.
func (e *Engine) setUp(j *job) error {
	group, ok := e.groups.take()
	if !ok {
		return fmt.Errorf("all %d multicast groups are in use", e.groups.n)
	}
	j.group = group
	e.watch.jobs[j.group] = j
	if err := e.setUpPasses(j); err != nil {
		return err
	}
	if err := e.state.prime(j.base, j.Slots, uint32(j.FirstByte)<<24); err != nil {
		return err
	}
	if j.rdma != nil {
		if err := e.setUpQueues(j); err != nil {
			return err
		}
	}
	if err := e.setUpReceivers(j); err != nil {
		return err
	}
	if j.Parent != nil {
		if err := e.setUpParent(j); err != nil {
			return err
		}
	}
	for i := range j.Workers {
		for _, m := range e.membership(j, i) {
			if err := e.entry(j, tablePeers, m); err != nil {
				return err
			}
		}
		e.members[workerChannel(&j.Workers[i])] = j
	}
	return nil
}

// setUpPasses lets packets of the job go on after their first pass.
func (e *Engine) setUpPasses(j *job) error {
	group := []uint64{uint64(j.group)}
	if err := e.entry(j, tableJobs, ir.Entry{Values: group, Action: "resume", Args: []uint64{uint64(j.n - 1), part(j)}}); err != nil || !e.opts.Half {
		return err
	}
	return e.entry(j, tableTurned, ir.Entry{Values: group, Action: "turn"})
}

// setUpReceivers makes the multicast group, a node for each worker.
func (e *Engine) setUpReceivers(j *job) error {
	var nodes []tofino.Node
	for i := range j.Workers {
		w := &j.Workers[i]
		rid, ok := e.rids.take()
		if !ok {
			return fmt.Errorf("all %d places for receivers are in use", e.rids.n)
		}
		j.rids = append(j.rids, rid)
		nodes = append(nodes, tofino.Node{RID: rid, Ports: []tofino.DevPort{tofino.FrontPort(int(w.Port))}})
		args := []uint64{macOf(w.MAC), number(w.Addr), uint64(udpOf(w.UDP))}
		if j.rdma != nil {
			args = append(args[:2], j.rdma.receiver(i)...)
		}
		err := e.entry(j, tableReceivers, ir.Entry{Values: []uint64{uint64(rid)}, Action: "receiver", Args: args})
		if err != nil {
			return err
		}
	}
	return e.chip.SetGroup(j.group, nodes)
}

// setUpParent leads sums to the parent, and its results to the workers.
func (e *Engine) setUpParent(j *job) error {
	u := j.Parent
	self := u.Self
	if !self.IsValid() {
		self = e.cfg.Router
	}
	udp := uint64(udpOf(u.UDP))
	err := e.entry(j, tableParents, ir.Entry{
		Values: []uint64{uint64(j.group)}, Action: "to_parent", Args: []uint64{macOf(u.MAC), number(u.Addr), number(self), udp},
	})
	if err != nil {
		return err
	}
	e.parents[parentChannel(u)] = j
	return e.entry(j, tablePeers, ir.Entry{
		Values: []uint64{number(u.Addr), udp, 0}, Masks: []uint64{1<<32 - 1, 1<<16 - 1, 0},
		Action: "parent_of", Args: []uint64{uint64(j.Slots), e.size(j), uint64(j.group)},
	})
}

// membership is the entries of a worker.
func (e *Engine) membership(j *job, place int) []ir.Entry {
	if j.rdma != nil {
		return e.rdmaMembers(j, place)
	}
	return []ir.Entry{e.member(j, place)}
}

// member is the entry of a worker; those of parents come before it.
func (e *Engine) member(j *job, place int) ir.Entry {
	w := &j.Workers[place]
	out := ir.Entry{Values: []uint64{number(w.Addr), 0, uint64(udpOf(w.UDP))}, Masks: []uint64{1<<32 - 1, 0, 1<<16 - 1}, Priority: 1}
	if !j.complete() {
		out.Action, out.Args = "waiting", []uint64{uint64(j.group)}
		return out
	}
	port := w.Port
	if j.Parent != nil {
		port = j.Parent.Port
	}
	out.Action = "member"
	out.Args = []uint64{
		uint64(place), 1 << place, uint64(j.n - 1), uint64(j.base), uint64(j.Slots), e.size(j), uint64(j.group), uint64(tofino.FrontPort(int(port))), part(j),
	}
	return out
}

// part is 1 for a job with a parent.
func part(j *job) uint64 {
	if j.Parent != nil {
		return 1
	}
	return 0
}

// entry adds an entry that goes with the job.
func (e *Engine) entry(j *job, table string, entry ir.Entry) error {
	id, err := e.chip.AddEntry(table, entry)
	if err == nil {
		j.entries = append(j.entries, placedEntry{table, id})
	}
	return err
}

// takeDown undoes setUp, as far as it came.
func (e *Engine) takeDown(j *job) {
	for _, p := range slices.Backward(j.entries) {
		_ = e.chip.RemoveEntry(p.table, p.id) // it is there: nothing else removes it
	}
	for i := range j.Workers {
		if c := workerChannel(&j.Workers[i]); e.members[c] == j {
			delete(e.members, c)
		}
	}
	if j.Parent != nil && e.parents[parentChannel(j.Parent)] == j {
		delete(e.parents, parentChannel(j.Parent))
	}
	for _, r := range j.rids {
		e.rids.free(r)
	}
	e.queues.Free(int(j.ID))
	if e.watch.jobs[j.group] == j { // else it was given none
		e.chip.RemoveGroup(j.group)
		e.groups.free(j.group)
		e.watch.jobs[j.group] = nil
	}
}

// find returns the index of a job, or where it would be.
func (e *Engine) find(id uint8) (at int, ok bool) {
	return slices.BinarySearchFunc(e.jobs, id, func(j *job, id uint8) int { return cmp.Compare(j.ID, id) })
}

// hasPort reports whether a port of the chassis serves workers.
func (e *Engine) hasPort(p sansio.Port) bool { return p >= 0 && int(p) < e.opts.Ports }

package pipeline

import (
	"encoding/binary"
	"fmt"
	"net/netip"
	"slices"

	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/units"
	wire "github.com/inalab/inalab/internal/wire/switchml"
	"github.com/inalab/inalab/switchd/dataplane"
	"github.com/inalab/inalab/switchd/program/switchml"
	"github.com/inalab/inalab/switchd/tofino"
	"github.com/inalab/inalab/switchd/tofino/ir"
	"github.com/inalab/inalab/switchd/tofino/vm"
)

// job is a job with what the control plane has set up for it.
type job struct {
	switchml.Entry
	state   *state
	pipe    int // that judges its packets, since they come to it last
	group   uint16
	rids    []uint16
	entries []placedEntry
	phases  [2][]phase // by set and slot
	rdma    *rdmaJob   // nil: its clients speak UDP
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

// mask returns a bitmap with the ids of workers instead of their places.
func (j *job) mask(bitmap uint32) (m trace.Mask) {
	for i := range j.Workers {
		if bitmap>>i&1 != 0 {
			m.Set(j.Workers[i].ID)
		}
	}
	return m
}

func number(a netip.Addr) uint64 {
	b := a.As4()
	return uint64(binary.BigEndian.Uint32(b[:]))
}

// AddJob sets up a job as a [switchml.Job] says. Its registers are as at power
// up, whoever had them before: rank 0 resets a job by removing and adding it.
func (e *Engine) AddJob(now units.Time, d dataplane.Document) (uint8, error) {
	e.chip.Advance(now)
	return e.Add(d, e.setUp)
}

// RemoveJob takes a job out, clears its part of the registers in all pipes, and
// gives it back. Packets of it that are inside the chip end at their next pass.
func (e *Engine) RemoveJob(now units.Time, id uint8) (dataplane.Removed, error) {
	e.chip.Advance(now)
	j, out, err := e.Remove(id)
	if err != nil {
		return out, err
	}
	if out.OpenBlocks > 0 {
		e.watch.count.Add(switchml.CountRemoved, uint64(out.OpenBlocks))
	}
	e.takeDown(j)
	if err := e.state.reset(j.Base, j.Slots); err != nil {
		return out, dataplane.Refuse(dataplane.RefusedUnknownJob, "restart the switch", "clearing the registers of job %d: %v", id, err)
	}
	return out, nil
}

// setUp gives a job its part of the chip.
func (e *Engine) setUp(in switchml.Entry) (*job, error) {
	j := &job{Entry: in, state: &e.state, pipe: e.judge(&in.Job), rdma: newRDMAJob(&in.Job)}
	for v := range j.phases {
		j.phases[v] = make([]phase, j.Slots)
	}
	err := e.fill(j)
	if err != nil {
		e.takeDown(j)
	}
	return j, err
}

// fill writes the tables for a job: what its packets meet last comes first.
func (e *Engine) fill(j *job) error {
	group, ok := e.groups.take()
	if !ok {
		return fmt.Errorf("all %d multicast groups are in use", e.groups.n)
	}
	j.group = group
	e.watch.jobs[j.group] = j
	if err := e.setUpPasses(j); err != nil {
		return err
	}
	if err := e.state.prime(j.group, j.FirstByte); err != nil {
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
		for _, m := range e.members(j, i) {
			if err := e.peer(j, m); err != nil {
				return err
			}
		}
	}
	return nil
}

// setUpPasses lets packets of the job go on after their first pass.
func (e *Engine) setUpPasses(j *job) error {
	group := []uint64{uint64(j.group)}
	if err := e.entry(j, tableJobs, ir.Entry{Values: group, Action: "resume", Args: []uint64{uint64(len(j.Workers) - 1), part(j)}}); err != nil || !e.opts.Half {
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
		args := []uint64{macOf(w.MAC), number(w.Addr), uint64(w.UDP)}
		if j.rdma != nil {
			args = append(args[:2], j.receiver(i)...)
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
	udp := uint64(u.UDP)
	err := e.entry(j, tableParents, ir.Entry{
		Values: []uint64{uint64(j.group)}, Action: "to_parent", Args: []uint64{macOf(u.MAC), number(u.Addr), number(u.Self), udp},
	})
	if err != nil {
		return err
	}
	return e.peer(j, ir.Entry{
		Values: []uint64{number(u.Addr), udp, 0}, Masks: []uint64{1<<32 - 1, 1<<16 - 1, 0},
		Action: "parent_of", Args: []uint64{uint64(j.Slots), e.size(j), uint64(j.group)},
	})
}

// members are the entries of a worker; those of parents come before them.
func (e *Engine) members(j *job, place int) []ir.Entry {
	if j.rdma != nil {
		return e.rdmaMembers(j, place)
	}
	w := &j.Workers[place]
	out := ir.Entry{Values: []uint64{number(w.Addr), 0, uint64(w.UDP)}, Masks: []uint64{1<<32 - 1, 0, 1<<16 - 1}, Priority: 1}
	switch {
	case !j.Complete():
		out.Action, out.Args = "waiting", []uint64{uint64(j.group), dropIncomplete}
		return []ir.Entry{out}
	case j.Refused():
		out.Action, out.Args = "waiting", []uint64{uint64(j.group), dropRefused}
		return []ir.Entry{out}
	}
	port := w.Port
	if j.Parent != nil {
		port = j.Parent.Port
	}
	out.Action = "member"
	out.Args = []uint64{
		uint64(place), 1 << place, uint64(len(j.Workers) - 1), uint64(j.Base), uint64(j.Slots), e.size(j), uint64(j.group), uint64(tofino.FrontPort(int(port))), part(j),
	}
	return []ir.Entry{out}
}

// peer adds an entry of a peer, to both tables where there are two.
func (e *Engine) peer(j *job, entry ir.Entry) error {
	if err := e.entry(j, tablePeers, entry); err != nil || !e.state.tagged {
		return err
	}
	if entry.Action == "member" {
		entry.Action = "first_member"
	}
	return e.entry(j, tableFirstPeers, entry)
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

// Open yields the phases of its slots whose counter says that workers lack.
func (j *job) Open(yield func(dataplane.OpenBlock) bool) {
	for set := range uint8(2) {
		for slot := range j.Slots {
			if j.state.left(j.pipe, set, j.Base+slot) == 0 {
				continue
			}
			p := j.phases[set][slot]
			if !yield(dataplane.OpenBlock{Gen: p.packet, Block: uint32(slot), Have: j.Seen(slot)[set], Since: p.since}) {
				return
			}
		}
	}
}

// Seen returns who is in the bitmap of a slot, by set.
func (j *job) Seen(slot int) [2]trace.Mask {
	seen := j.state.seen(j.pipe, j.Base+slot)
	return [2]trace.Mask{j.mask(seen[0]), j.mask(seen[1])}
}

package pipeline

import (
	"encoding/binary"
	"net/netip"
	"slices"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/switchd/dataplane"
	"github.com/inalab/inalab/switchd/program/atp"
	"github.com/inalab/inalab/switchd/tofino"
	"github.com/inalab/inalab/switchd/tofino/ir"
	"github.com/inalab/inalab/switchd/tofino/vm"
)

// placedEntry is an entry that was added to a table.
type placedEntry struct {
	table string
	id    vm.EntryID
}

// AddJob sets up a job as an [atp.Job] says. What an earlier job of its id has left is freed.
func (e *Engine) AddJob(now units.Time, d dataplane.Document) (uint8, error) {
	e.chip.Advance(now)
	j, ok := d.(*atp.Job)
	if ok {
		if r := e.check(j); r != nil {
			return 0, r
		}
	}
	id, err := e.Add(d)
	if err != nil {
		return 0, err
	}
	e.forget(now, func(job uint8) bool { return job == id })
	if err := e.fill(j); err != nil {
		_, _ = e.RemoveJob(now, id) // it has just been added
		return 0, dataplane.Refuse(dataplane.RefusedNoRoom, "remove a job first", "job %d finds no room in the tables of %s: %v", id, e.Node(), err)
	}
	return id, nil
}

// RemoveJob takes a job out; see [atp.Table.RemoveJob]. Its packets that are inside go on as those
// of an unknown job.
func (e *Engine) RemoveJob(now units.Time, id uint8) (dataplane.Removed, error) {
	e.chip.Advance(now)
	out, err := e.Table.RemoveJob(now, id)
	if err != nil {
		return out, err
	}
	for _, p := range slices.Backward(e.entries[id]) {
		_ = e.chip.RemoveEntry(p.table, p.id) // it is there: nothing else removes it
	}
	delete(e.entries, id)
	return out, nil
}

// check refuses a job that is at ports of other pipes, or has more than two levels.
func (e *Engine) check(j *atp.Job) *dataplane.Refusal {
	if j.Deep() {
		return dataplane.Refuse(dataplane.RefusedLevels, "take the reference program, or two levels",
			"job %d has %d levels: a chip's parser and tables know the two of the base header", j.ID, j.Levels)
	}
	var ports []sansio.Port
	for i := range j.Servers {
		s := &j.Servers[i]
		ports = append(ports, s.Ports...)
		for level := range s.Levels {
			for k := range s.Levels[level].Sources {
				ports = append(ports, s.Levels[level].Sources[k].Ports...)
			}
		}
	}
	for _, p := range ports {
		if int(p) >= e.opts.Ports {
			return dataplane.Refuse(dataplane.RefusedPorts, "connect it to another port, or take the reference program",
				"job %d has packets by port %d of %s, which has ports 0 to %d for jobs: aggregators are of one pipe", j.ID, p, e.Node(), e.opts.Ports-1)
		}
	}
	return nil
}

// fill writes the tables for a job: that which has its packets known comes last.
func (e *Engine) fill(j *atp.Job) error {
	for i := range j.Servers {
		s := &j.Servers[i]
		for level := range s.Levels {
			if err := e.fillLevel(j, s, level); err != nil {
				return err
			}
		}
		for _, p := range s.Ports {
			if err := e.fillParameters(j, s, p); err != nil {
				return err
			}
		}
	}
	return e.entry(j, tableJobs, ir.Entry{Values: []uint64{uint64(j.ID)}, Action: "know"})
}

// fillLevel adds the sources of a level.
func (e *Engine) fillLevel(j *atp.Job, s *atp.Server, level int) error {
	l := &s.Levels[level]
	n := uint64(l.FanIn())
	for i := range l.Sources {
		from := &l.Sources[i]
		for _, p := range from.Ports {
			for resend, action := range levelActions[level] {
				err := e.entry(j, tableLevels[level], ir.Entry{
					Values: []uint64{device(p), uint64(j.ID), uint64(resend), 0, 1 << from.Bit, number(s.Addr)},
					Action: action, Args: []uint64{uint64(from.Bit), n - 1, n},
				})
				if err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// fillParameters adds the parameter packets of a server that come by a port. Such a packet that has
// the flag of floats, and is not a resend, is the request for them (§3.8).
func (e *Engine) fillParameters(j *atp.Job, s *atp.Server, p sansio.Port) error {
	for overflow := range uint64(2) {
		for resend := range uint64(2) {
			action := "free"
			if overflow == 1 && resend == 0 {
				action = "request"
			}
			values := []uint64{device(p), uint64(j.ID), overflow, resend, number(s.Addr)}
			if err := e.entry(j, tableParameters, ir.Entry{Values: values, Action: action}); err != nil {
				return err
			}
		}
	}
	return nil
}

// entry adds an entry that goes with the job.
func (e *Engine) entry(j *atp.Job, table string, entry ir.Entry) error {
	id, err := e.chip.AddEntry(table, entry)
	if err == nil {
		e.entries[j.ID] = append(e.entries[j.ID], placedEntry{table, id})
	}
	return err
}

// device is the port of the chip that is one of the chassis.
func device(p sansio.Port) uint64 { return uint64(tofino.FrontPort(int(p))) }

func number(a netip.Addr) uint64 {
	b := a.As4()
	return uint64(binary.BigEndian.Uint32(b[:]))
}

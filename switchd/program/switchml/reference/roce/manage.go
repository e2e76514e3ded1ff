package roce

import (
	"maps"
	"slices"

	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/switchd/dataplane"
	switchmljob "github.com/inalab/inalab/switchd/program/switchml"
)

// AddJob sets up a job as a [switchmljob.Job] says, of RDMA or of UDP clients. Its
// registers are as at power up.
func (p *Program) AddJob(now units.Time, d dataplane.Document) (uint8, error) {
	doc, err := switchmljob.Of(d)
	if err != nil {
		return 0, err
	}
	return p.add(now, doc)
}

// add puts a job beside the others, or says what keeps it from there. To the slots
// it is a job like any other.
func (p *Program) add(now units.Time, doc *switchmljob.Job) (uint8, error) {
	plain := *doc
	plain.RDMA, plain.Workers = nil, slices.Clone(doc.Workers)
	for i := range plain.Workers {
		plain.Workers[i].RDMA = nil
	}
	id, err := p.slots.AddJob(now, &plain)
	if err != nil || doc.RDMA == nil {
		return id, err
	}
	for i := range doc.Workers {
		m := p.cfg.newMember(doc, i)
		p.members[doc.Workers[i].Addr.As4()] = m
		p.packets[id] = m.packets
	}
	return id, nil
}

// RemoveJob takes a job out and gives its slots back.
func (p *Program) RemoveJob(now units.Time, id uint8) (dataplane.Removed, error) {
	out, err := p.slots.RemoveJob(now, id)
	if err != nil {
		return out, err
	}
	maps.DeleteFunc(p.members, func(_ [4]byte, m *member) bool { return m.job == id })
	delete(p.packets, id)
	return out, nil
}

// Views lists what can be seen of the program.
func (p *Program) Views() []dataplane.View { return p.slots.Views() }

// View returns the jobs, the phases of slots that lack workers, or the bitmaps.
func (p *Program) View(now units.Time, v dataplane.View, limit int) dataplane.Table {
	return p.slots.View(now, v, limit)
}

// Sources returns the workers of a job here; none of one that it does not have.
func (p *Program) Sources(id uint8) trace.Mask { return p.slots.Sources(id) }

// Open returns at most limit messages of which slots lack workers, the oldest first:
// the queue pair is the block, the message's number the generation. Who is missing
// is so in the slot that is oldest.
func (p *Program) Open(limit int) (out []dataplane.OpenBlock) {
	type message struct {
		job        uint8
		gen, block uint32
	}
	seen := map[message]bool{}
	for _, o := range p.slots.Open(switchmljob.MaxSlots * 2) {
		if n := p.packets[o.Job]; n > 0 {
			o.Block /= uint32(n)
			m := message{o.Job, o.Gen, o.Block}
			if seen[m] {
				continue
			}
			seen[m] = true
		}
		if len(out) < limit {
			out = append(out, o)
		}
	}
	return out
}

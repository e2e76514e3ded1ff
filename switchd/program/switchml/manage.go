package switchml

import (
	"encoding/json"

	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/switchd/dataplane"
)

// jobID is how the one job is listed; packets name none that matters here.
const jobID = 1

// Views lists what can be seen of the program.
func (p *Program) Views() []dataplane.View {
	return []dataplane.View{dataplane.ViewJobs, dataplane.ViewSlots}
}

// View returns the job, or the phases of slots that lack workers, the oldest
// first.
func (p *Program) View(now units.Time, v dataplane.View, limit int) (t dataplane.Table) {
	switch v {
	case dataplane.ViewJobs:
		t = p.viewJobs(now)
	case dataplane.ViewSlots:
		t = p.viewSlots(now)
	}
	t.Cut(limit)
	return t
}

func (p *Program) viewJobs(now units.Time) dataplane.Table {
	t := dataplane.Table{Columns: []dataplane.Column{
		{Key: "job", Name: "job"},
		{Key: "sources", Name: "workers"},
		{Key: "elements", Name: "elements a packet"},
		{Key: "slots", Name: "slots of a set"},
		{Key: "slots_open", Name: "slots that wait"},
		{Key: "packets", Name: "packets"},
		{Key: "results", Name: "results"},
		{Key: "answered", Name: "retransmissions answered"},
		dataplane.IdleColumn,
	}}
	open := 0
	for set := range p.pool {
		for i := range p.pool[set] {
			if p.pool[set][i].count > 0 {
				open++
			}
		}
	}
	n := dataplane.JobCounts{Packets: p.count.Get(CountPackets), Results: p.count.Get(CountResults), Last: p.heard}
	t.Add(dataplane.Int(jobID), dataplane.Int(p.n), dataplane.Int(p.cfg.Elements), dataplane.Int(p.cfg.Slots), dataplane.Int(open),
		dataplane.Int(n.Packets), dataplane.Int(n.Results), dataplane.Int(p.count.Get(CountAnswered)), n.Idle(now))
	return t
}

func (p *Program) viewSlots(now units.Time) dataplane.Table {
	t := dataplane.Table{Columns: []dataplane.Column{
		{Key: "slot", Name: "slot"},
		{Key: "packet", Name: "packet of the phase"},
		{Key: "have", Name: "have"},
		{Key: "want", Name: "of"},
		{Key: "missing", Name: "missing workers"},
		{Key: "age_us", Name: "open for", Unit: "us"},
	}}
	for _, o := range p.Open(2 * p.cfg.Slots) {
		t.Add(dataplane.Int(o.Block), dataplane.Int(o.Gen), dataplane.Int(o.Have.Len()), dataplane.Int(o.Want.Len()),
			dataplane.Text(dataplane.MaskText(o.Want.Without(o.Have))), dataplane.Micros(now.Sub(o.Since)))
	}
	return t
}

// AddJob refuses: the program has one pool, which is its job's.
func (p *Program) AddJob(units.Time, json.RawMessage) (uint8, error) {
	return 0, fixed(p.cfg.Node)
}

// RemoveJob refuses, too.
func (p *Program) RemoveJob(units.Time, uint8) (dataplane.Removed, error) {
	return dataplane.Removed{}, fixed(p.cfg.Node)
}

func fixed(node string) *dataplane.Refusal {
	return dataplane.Refuse(dataplane.RefusedUnsupported, "say in the scenario what its job is", "the SwitchML program on %s has one job and its pool from the start", node)
}

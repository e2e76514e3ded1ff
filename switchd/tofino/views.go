package tofino

import (
	"fmt"
	"strings"

	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/switchd/dataplane"
	"github.com/inalab/inalab/switchd/tofino/fit"
)

// ViewPorts is the view of ports and their queues.
const ViewPorts = dataplane.ViewPorts

// Views lists what can be seen of a chip, whatever its program.
func (c *Chip) Views() []dataplane.View {
	return []dataplane.View{ViewPorts, dataplane.ViewResources}
}

// View returns a view. The program's resources are those of one pipe: all have the
// same program.
func (c *Chip) View(_ units.Time, v dataplane.View, limit int) (t dataplane.Table) {
	switch v {
	case ViewPorts:
		t = c.viewPorts()
	case dataplane.ViewResources:
		t = c.viewResources()
	}
	t.Cut(limit)
	return t
}

func (c *Chip) viewPorts() dataplane.Table {
	t := dataplane.Table{Columns: []dataplane.Column{
		{Key: "port", Name: "port"},
		{Key: "front", Name: "front"},
		{Key: "kind", Name: "kind"},
		{Key: "in", Name: "packets in"},
		{Key: "out", Name: "out"},
		{Key: "out_bytes", Name: "out", Unit: "B", Spare: 2},
		{Key: "busy_us", Name: "busy", Unit: "us", Spare: 1},
		{Key: "queue_cells", Name: "cells in queues"},
		{Key: "queue_most", Name: "most in one"},
		{Key: "marked", Name: "marked", Spare: 3},
		{Key: "dropped", Name: "dropped"},
	}}
	for _, p := range c.order {
		s := p.snapshot()
		row := []dataplane.Value{
			dataplane.Text(s.Dev.String()), {}, dataplane.Text(s.Kind), dataplane.Int(s.In), dataplane.Int(s.Out),
			dataplane.Int(s.OutBytes),
			{}, {}, {}, {}, {},
		}
		if s.Front >= 0 {
			row[1] = dataplane.Int(s.Front)
		}
		if c.clock != nil {
			copy(row[6:], s.queueValues())
		}
		t.Add(row...)
	}
	if c.clock == nil {
		t.Notes = append(t.Notes, "passes take no time here: there are no queues")
	}
	return t
}

func (s *PortStat) queueValues() []dataplane.Value {
	cells, most := 0, 0
	for _, q := range s.Queues {
		cells, most = cells+q.Cells, max(most, q.Most)
	}
	return []dataplane.Value{dataplane.Micros(s.Busy), dataplane.Int(cells), dataplane.Int(most), dataplane.Int(s.Marked),
		dataplane.Int(s.Dropped)}
}

// viewResources is the report of fit, a row a stage, then what the whole pipe has.
func (c *Chip) viewResources() dataplane.Table {
	t := dataplane.Table{Columns: []dataplane.Column{{Key: "what", Name: "stage"}}}
	for r := range fit.NumResources {
		key := strings.NewReplacer(" ", "_", "-", "_").Replace(strings.ToLower(r.String()))
		t.Columns = append(t.Columns, dataplane.Column{Key: key, Name: r.String(), Spare: resourceSpare(r)})
	}
	t.Columns = append(t.Columns, dataplane.Column{Key: "tables", Name: "tables", Spare: int(fit.NumResources) + 1})
	report := c.cfg.Program.Resources()
	for _, s := range report.Stages {
		row := []dataplane.Value{dataplane.Int(s.Stage)}
		for _, u := range s.Uses {
			row = append(row, dataplane.Int(u.Used))
		}
		t.Add(append(row, dataplane.Text(strings.Join(s.Tables, " ")))...)
	}
	limits := []dataplane.Value{dataplane.Text("of")}
	for r := range fit.NumResources {
		limits = append(limits, dataplane.Int(r.Limit()))
	}
	t.Add(append(limits, dataplane.Value{})...)
	t.Notes = append(pipeNotes(&report), c.passNotes()...)
	return t
}

// resourceSpare ranks the columns that a short line leaves out, the least wanted first.
func resourceSpare(r fit.Resource) int {
	switch r {
	case fit.Tables, fit.SRAM, fit.TCAM, fit.ALUs:
		return 0
	}
	return int(r)
}

// pipeNotes are sentences about containers and parsers.
func pipeNotes(r *fit.Resources) (out []string) {
	bits, limit := 0, 0
	for _, p := range r.PHV {
		bits, limit = bits+p.Bits*(p.Ingress+p.Egress), limit+p.Bits*p.Available
		out = append(out, fmt.Sprintf("PHV containers of %d bits: %d of ingress and %d of egress, of %d", p.Bits, p.Ingress,
			p.Egress, p.Available))
	}
	out = append(out, fmt.Sprintf("PHV: %d of %d bits", bits, limit))
	for _, p := range r.Tagalong {
		out = append(out, fmt.Sprintf("tagalong containers of %d bits: %d of ingress and %d of egress, of %d", p.Bits, p.Ingress,
			p.Egress, p.Available))
	}
	for side, p := range r.Parsers {
		out = append(out, fmt.Sprintf("parser of %v: %d of %d bytes, %d of %d rows", fit.Side(side), p.Depth.Used,
			p.Depth.Available, p.Rows.Used, p.Rows.Available))
	}
	return out
}

// passNotes say how many passes packets took.
func (c *Chip) passNotes() (out []string) {
	var packets, passes uint64
	var list []string
	for n, k := range c.stats.passes {
		if k > 0 {
			packets, passes = packets+k, passes+uint64(n)*k
			list = append(list, fmt.Sprintf("%d with %d", k, n))
		}
	}
	if packets == 0 {
		return []string{"no packet has passed yet"}
	}
	return []string{fmt.Sprintf("ingress passes of a packet: %.3f on average (%s)", float64(passes)/float64(packets),
		strings.Join(list, ", "))}
}

package trio

import (
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/switchd/dataplane"
	"github.com/inalab/inalab/switchd/microcode/isa"
)

// Views lists what can be seen of a PFE, whatever its program.
func (p *PFE) Views() []dataplane.View {
	return append([]dataplane.View{dataplane.ViewThreads, dataplane.ViewMemory, dataplane.ViewResources}, dataplane.NamedViews...)
}

// View returns a view. In instant mode, where no thread takes time, it has neither
// the rows nor the columns that would say something of that time.
func (p *PFE) View(now units.Time, v dataplane.View, limit int) (t dataplane.Table) {
	switch v {
	case dataplane.ViewThreads:
		t = p.viewThreads(now)
	case dataplane.ViewMemory:
		t = p.viewMemory()
	case dataplane.ViewResources:
		t = p.viewResources()
	case dataplane.ViewSymbols, dataplane.ViewRecords, dataplane.ViewCounters:
		return p.look(v, p.all(v), false, limit)
	}
	t.Cut(limit)
	return t
}

// sheet is a table whose rows name the columns that they have a value for.
type sheet struct{ dataplane.Table }

// cell is a value and the key of its column.
type cell struct {
	key   string
	value dataplane.Value
}

// row adds a row; cells of columns that the table has not are left out.
func (t *sheet) row(what string, cells ...cell) {
	row := make([]dataplane.Value, len(t.Columns))
	row[0] = dataplane.Text(what)
	for i, c := range t.Columns {
		for _, have := range cells {
			if have.key == c.Key {
				row[i] = have.value
			}
		}
	}
	t.Add(row...)
}

func (p *PFE) viewResources() dataplane.Table {
	t := dataplane.Table{Columns: []dataplane.Column{
		{Key: "resource", Name: "resource"}, {Key: "used", Name: "used"}, {Key: "limit", Name: "of"},
		{Key: "source", Name: "source of the limit"},
	}}
	t.Notes = []string{"the program is " + p.cfg.Program.Name}
	n := p.cfg.Program.Totals()
	for _, r := range []struct {
		what        string
		used, limit int
		source      string
	}{
		{"instructions", n.Instructions, isa.MaxProgram, "assumed"},
		{"registers", n.Registers, isa.Registers, "Trio 2.2"},
		{"LMEM bytes of variables", n.LMEMBytes, isa.LMEMBytes, "Trio 2.2"},
		{"call depth", n.CallDepth, isa.CallDepth, "Trio 2.2"},
		{"register reads of an instruction", n.Most.RegisterReads, isa.MaxReads, "Trio 3.1"},
		{"LMEM reads of an instruction", n.Most.LMEMReads, isa.MaxLMEMReads, "Trio 3.1"},
		{"register writes of an instruction", n.Most.RegisterWrites, isa.MaxWrites, "Trio 3.1"},
		{"LMEM writes of an instruction", n.Most.LMEMWrites, isa.MaxWrites, "Trio 3.1"},
		{"conditions of an instruction", n.Most.Conditions, isa.MaxConditions, "assumed"},
		{"moves of an instruction", n.Most.MoveALUs, isa.MaxMoveALUs, "assumed"},
		{"targets of an instruction", n.Most.Targets, isa.MaxTargets, "Trio 2.2"},
	} {
		t.Add(dataplane.Text(r.what), dataplane.Int(r.used), dataplane.Int(r.limit), dataplane.Text(r.source))
	}
	return t
}

package trio

import (
	"errors"
	"fmt"

	"github.com/inalab/inalab/internal/suggest"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/switchd/microcode/isa"
	"github.com/inalab/inalab/switchd/microcode/vm"
	"github.com/inalab/inalab/switchd/trio/lookup"
)

// Table is what a table of the program holds from the beginning. A table that no one fills
// is empty.
type Table struct {
	Name   string         // as the program declares it
	Routes []lookup.Route // of a route table
	Terms  []lookup.Term  // of a filter
}

// tables are the lists of fields and the tables of the program, by their numbers.
type tables struct {
	lists   []vm.Fields
	routes  []*lookup.Routes // nil: the table is a filter
	filters []*lookup.Filter // nil: the table has routes
	list    []int            // of a filter: its list of fields
	key     lookup.Key       // the fields of the latest request
}

func newTables(prog *isa.Program) tables {
	t := tables{
		routes: make([]*lookup.Routes, len(prog.Tables)), filters: make([]*lookup.Filter, len(prog.Tables)),
		list: make([]int, len(prog.Tables)),
	}
	for i := range prog.Fields {
		t.lists = append(t.lists, vm.FieldsOf(&prog.Fields[i]))
	}
	for i, d := range prog.Tables {
		if d.Kind == isa.TableRoutes {
			t.routes[i] = lookup.NewRoutes(d.Len)
			continue
		}
		var widths []int
		for _, f := range prog.Fields[d.Fields].Fields {
			widths = append(widths, f.Width())
		}
		t.filters[i], t.list[i] = lookup.NewFilter(d.Len, widths), d.Fields
	}
	return t
}

// fill puts what the configuration says into the tables.
func (p *PFE) fill(list []Table) error {
	var errs []error
	for _, t := range list {
		errs = append(errs, p.fillTable(t))
	}
	return errors.Join(errs...)
}

func (p *PFE) fillTable(t Table) error {
	if len(t.Routes) > 0 {
		routes, err := p.Routes(t.Name)
		if err != nil {
			return err
		}
		for _, r := range t.Routes {
			if err := routes.Set(r); err != nil {
				return fmt.Errorf("table %s: %w", t.Name, err)
			}
		}
	}
	if len(t.Terms) > 0 {
		filter, err := p.Filter(t.Name)
		if err != nil {
			return err
		}
		if err := filter.SetTerms(t.Terms); err != nil {
			return fmt.Errorf("table %s: %w", t.Name, err)
		}
	}
	return nil
}

// Routes returns the route table with a name, for the control plane. Change it only between
// calls.
func (p *PFE) Routes(name string) (*lookup.Routes, error) {
	i, err := p.table(isa.TableRoutes, name)
	if err != nil {
		return nil, err
	}
	return p.tables.routes[i], nil
}

// Filter returns the filter with a name, for the control plane. Change it only between calls.
func (p *PFE) Filter(name string) (*lookup.Filter, error) {
	i, err := p.table(isa.TableFilter, name)
	if err != nil {
		return nil, err
	}
	return p.tables.filters[i], nil
}

func (p *PFE) table(kind isa.TableKind, name string) (int, error) {
	prog := p.cfg.Program
	if i, ok := prog.Table(kind, name); ok {
		return i, nil
	}
	var names []string
	for _, t := range prog.Tables {
		if t.Kind == kind {
			names = append(names, t.Name)
		} else if t.Name == name {
			return 0, fmt.Errorf("program %s declares no %s %s: that is a %s, declared at %v", prog.Name, kind, name, t.Kind, t.Pos)
		}
	}
	return 0, fmt.Errorf("program %s declares no %s %s%s", prog.Name, kind, name, suggest.DidYouMean(name, names))
}

// lookup does the pending XTXN of a thread on a table or the hash logic, without time. It
// returns false if the thread has to be killed.
func (p *PFE) lookup(t *thread) (uint64, bool) {
	r, ts := &t.Pending, &p.tables
	n := r.Args[0]
	switch r.XTXN {
	case isa.RouteLookup:
		hop, bits, found := ts.routes[n].Lookup(uint32(r.Args[1]))
		if !found {
			return 0, true
		}
		return isa.RouteFound | uint64(bits)<<isa.RouteBits | uint64(hop), true
	case isa.Filter:
		if !p.gather(t, &ts.lists[ts.list[n]]) {
			return 0, false
		}
		term, value, matched := ts.filters[n].Lookup(&ts.key)
		if !matched {
			return 0, true
		}
		return isa.FilterMatched | uint64(term)<<isa.FilterTerm | uint64(value), true
	}
	if !p.gather(t, &ts.lists[n]) {
		return 0, false
	}
	return uint64(ts.key.Hash(uint32(r.Args[1]))), true
}

// gather collects the fields of a list; false if one is not within local memory.
func (p *PFE) gather(t *thread, list *vm.Fields) bool {
	key := &p.tables.key
	*key = lookup.Key{}
	for i := range list.Len() {
		v, width, ok := list.Value(&t.Thread, i)
		if !ok {
			t.reason = faultName(t.Fault())
			return false
		}
		key.Add(v, width)
	}
	return true
}

// answered returns when the reply to a lookup is back at the thread.
func (c *clock) answered(now units.Time, x isa.XTXN, k *lookup.Key) units.Time {
	switch x {
	case isa.RouteLookup:
		return c.routes.Serve(now, &c.Lookup, c.Lookup.Route)
	case isa.Filter:
		return c.filters.Serve(now, &c.Lookup, c.Lookup.Filter)
	}
	return now.Add(c.Lookup.Hashed(k))
}

package trio

import (
	"fmt"
	"strings"

	"github.com/inalab/inalab/switchd/dataplane"
	"github.com/inalab/inalab/switchd/microcode/isa"
	"github.com/inalab/inalab/switchd/trio/lookup"
)

// lookTable returns a view of a table of routes or terms, or of one of its entries.
func (p *PFE) lookTable(v dataplane.View, e tableEntry, rest string, limit int) (dataplane.Table, error) {
	if v == dataplane.ViewCounters {
		return dataplane.Table{}, dataplane.Refuse(dataplane.RefusedName, "\"inalab switch show symbols\" lists all names", "%s is no counter: it is a %v", e.decl.Name, e.decl.Kind)
	}
	if rest != "" {
		if err := e.split(rest); err != nil {
			return dataplane.Table{}, err
		}
	}
	t := dataplane.Table{Notes: []string{"the program is " + p.cfg.Program.Name}}
	var err error
	switch {
	case v == dataplane.ViewSymbols:
		t.Columns = symbolColumns
		p.tableSymbol(&t, e.decl)
	case e.decl.Kind == isa.TableRoutes:
		err = p.listRoutes(&t, &e)
	default:
		err = p.listTerms(&t, &e)
	}
	t.Cut(limit)
	return t, err
}

// tableSymbol adds the row of a table to those of symbols.
func (p *PFE) tableSymbol(t *dataplane.Table, d *isa.Table) {
	var none dataplane.Value
	t.Add(dataplane.Text(d.Name), dataplane.Text(d.Kind.String()), none, dataplane.Int(uint64(d.Len)), none, none, none, dataplane.Text(d.Pos.String()))
}

func (p *PFE) listRoutes(t *dataplane.Table, e *tableEntry) error {
	t.Columns = []dataplane.Column{{Key: "record", Name: "record"}, {Key: "hop", Name: "hop"}}
	routes := p.tables.routes[e.n].All()
	if e.key != "" {
		to, err := e.prefixOfKey()
		if err != nil {
			return err
		}
		hop, found := p.tables.routes[e.n].Get(to)
		if !found {
			return e.refuse(dataplane.RefusedRecord, fixCreate, "there is no such route")
		}
		routes = []lookup.Route{{Prefix: to, NextHop: hop}}
	}
	for _, r := range routes {
		t.Add(dataplane.Text(fmt.Sprintf("%s[%v]", e.decl.Name, r.Prefix)), dataplane.Int(uint64(r.NextHop)))
	}
	return nil
}

func (p *PFE) listTerms(t *dataplane.Table, e *tableEntry) error {
	fields, terms := p.termFields(e.n), p.tables.filters[e.n].Terms()
	t.Columns = []dataplane.Column{{Key: "record", Name: "record"}, {Key: "name", Name: "name"}}
	for i := range fields.list.Fields {
		text := fields.list.Fields[i].Text
		t.Columns = append(t.Columns, dataplane.Column{Key: text, Name: text})
	}
	t.Columns = append(t.Columns, dataplane.Column{Key: termValue, Name: termValue})
	one := -1
	if e.key != "" {
		var err error
		if one, err = e.termAt(terms); err != nil || one == len(terms) {
			return e.refuse(dataplane.RefusedRecord, fixCreate, "there is no such term")
		}
	}
	for k := range terms {
		if one >= 0 && one != k {
			continue
		}
		row := []dataplane.Value{dataplane.Text(fmt.Sprintf("%s[%d]", e.decl.Name, k)), dataplane.Text(terms[k].Name)}
		for i := range fields.list.Fields {
			row = append(row, dataplane.Text(partOf(fields, &terms[k], fields.list.Fields[i].Text)))
		}
		t.Add(append(row, dataplane.Int(uint64(terms[k].Value)))...)
	}
	return nil
}

// lookups adds the routes and the terms of the tables that the control plane fills.
func (r *records) lookups() {
	add := func(name, fields string) {
		r.table.Add(dataplane.Text(name), dataplane.Value{}, dataplane.Value{}, dataplane.Text(fields))
	}
	for i, d := range r.cfg.Program.Tables {
		if t := r.tables.routes[i]; t != nil {
			for _, route := range t.All() {
				add(fmt.Sprintf("%s[%v]", d.Name, route.Prefix), fmt.Sprintf("hop=%d", route.NextHop))
			}
			continue
		}
		for k, term := range r.tables.filters[i].Terms() {
			add(fmt.Sprintf("%s[%d]", d.Name, k), strings.TrimSpace(term.Name+" "+r.termFields(i).format(&term)))
		}
	}
}

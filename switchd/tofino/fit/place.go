package fit

import (
	"errors"
	"slices"

	"github.com/inalab/inalab/switchd/tofino/ir"
)

// Place finds a place for everything in a program. It returns the program resolved,
// or an error that joins a *Refusal for each fault, the first 50 of them; [Refusals] lists
// them. A program whose names or widths are wrong is not placed, so that its other
// faults show once those are mended. The source stays the caller's, and must not
// change while the result is in use.
func Place(p *ir.Program) (*Program, error) {
	var bad refusals
	s := resolve(p, &bad)
	if len(bad) > 0 {
		return nil, errors.Join(bad...)
	}
	for i := range s.Registers {
		s.checkRegister(&s.Registers[i])
	}
	v := vector{Program: s.Program, bad: &bad}
	v.collect()
	for side := range Side(2) {
		s.checkParser(side, v.prefix(side))
	}
	b := &builder{Program: s.Program}
	for side := range Side(2) {
		b.steps(side, b.Gress[side].Control, nil)
	}
	b.checkAccess(&bad)
	b.checkTotals(&bad)
	b.checkUnits(&bad)
	var stages [][]int
	if len(bad) == 0 {
		var at []int
		stages, at = b.place(&bad)
		b.writeStages(at)
		if len(bad) == 0 {
			v.lives(b, at)
			v.allocate()
		}
	}
	if len(bad) == 0 {
		v.checkRows(Ingress)
		v.checkRows(Egress)
	}
	if len(bad) > 0 {
		return nil, errors.Join(bad...)
	}
	b.report = b.resources(stages, &v)
	return b.Program, nil
}

// resolve replaces all names by numbers.
func resolve(p *ir.Program, bad *refusals) *symbols {
	s := declare(p, bad)
	for _, name := range p.Bridged {
		id, ok := s.plain("bridged metadata", name)
		if ok && s.Fields[id].Kind != Metadata {
			bad.add(RuleForm, "bridged metadata", "copy it to metadata", "%q is no metadata", name)
		} else if ok {
			s.Bridged = append(s.Bridged, id)
		}
	}
	w := walk{symbols: s, applied: map[string]bool{}}
	for i, g := range []*ir.Gress{&p.Ingress, &p.Egress} {
		side := Side(i)
		if len(g.Parser) > maxThings {
			bad.add(RuleRows, side.String()+" parser", "", "has %d states", len(g.Parser))
			continue
		}
		w.side = side
		s.checkChecksums(side, g.Checksums)
		s.Gress[side] = Gress{Parser: s.parser(side, g.Parser), Control: w.control(g.Control, 0), Deparse: s.deparse(side, g.Deparse)}
	}
	for i := range p.Tables {
		if name := p.Tables[i].Name; !w.applied[name] {
			bad.add(RuleApplied, quoted("table", name), "apply it, or leave it out", "is never applied")
		}
	}
	return s
}

// writeStages writes the stages of nodes into the program.
func (b *builder) writeStages(at []int) {
	for i, stage := range at {
		n := &b.nodes[i]
		if n.table == NoTable {
			n.step.Stage = stage
			continue
		}
		b.Tables[n.table].Stages[n.copy] = stage
		for _, p := range n.registers {
			r := &b.Registers[p.id]
			r.Stages[p.copy], r.Side = stage, n.side
		}
	}
}

// resources makes the report.
func (b *builder) resources(stages [][]int, v *vector) Resources {
	var r Resources
	for s := range stages {
		u, take := StageUse{Stage: s + 1}, b.demand(stages[s])
		for k := range NumResources {
			u.Uses[k] = Use{take[k], k.Limit()}
		}
		r.Stages = append(r.Stages, u)
	}
	for i := range b.Tables {
		t := &b.Tables[i]
		for c, stage := range t.Stages {
			u := &r.Stages[stage-1]
			u.Tables = append(u.Tables, copyName(t.Name, t.Vector, c))
		}
	}
	for i := range b.Registers {
		reg := &b.Registers[i]
		for c, stage := range reg.Stages {
			if stage > 0 {
				u := &r.Stages[stage-1]
				u.Registers = append(u.Registers, copyName(reg.Name, reg.Vector, c))
			}
		}
	}
	for i, bits := range sizes {
		cells, tags := v.pool.cells[i], v.pool.tagalong[i]
		r.PHV = append(r.PHV, PHVUse{bits, used(cells, Ingress), used(cells, Egress), len(cells)})
		r.Tagalong = append(r.Tagalong, PHVUse{bits, used(tags, Ingress), used(tags, Egress), len(tags)})
	}
	for side := range Side(2) {
		g := &b.Gress[side]
		r.Parsers[side] = ParserUse{Use{g.Depth, depthLimit(Side(side))}, Use{g.Rows, ParserRows}}
	}
	return r
}

// FindField returns the number of a field by its name, such as "d0.v[3]".
func (p *Program) FindField(name string) (FieldID, bool) {
	for i := range p.Fields { // by index: programs have many, and each is large
		if p.Fields[i].Name == name {
			return FieldID(i), true
		}
	}
	return NoField, false
}

// FindTable returns the number of a table, or group of tables.
func (p *Program) FindTable(name string) (TableID, bool) {
	i := slices.IndexFunc(p.Tables, func(t Table) bool { return t.Name == name })
	return TableID(i), i >= 0
}

// FindRegister returns the number of a register, or group of registers.
func (p *Program) FindRegister(name string) (RegisterID, bool) {
	i := slices.IndexFunc(p.Registers, func(r Register) bool { return r.Name == name })
	return RegisterID(i), i >= 0
}

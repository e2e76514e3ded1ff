package fit

import (
	"fmt"
	"strings"

	"github.com/inalab/inalab/switchd/tofino/ir"
)

// verify holds a placed program against the rules once more, from the source and
// in the dumbest way: by names, over all pairs.
func verify(f *Program) error {
	v := verifier{Program: f, actions: map[string]*ir.Action{}, stages: map[string][]int{}}
	for i := range f.Source.Actions {
		v.actions[f.Source.Actions[i].Name] = &f.Source.Actions[i]
	}
	for i := range f.Tables {
		v.stages[f.Tables[i].Name] = f.Tables[i].Stages
	}
	for side, g := range []*ir.Gress{&f.Source.Ingress, &f.Source.Egress} {
		v.uses = nil
		v.walk(g.Control, nil, nil)
		if err := v.pairs(); err != nil {
			return fmt.Errorf("%s: %w", Side(side), err)
		}
	}
	if err := v.perStage(); err != nil {
		return err
	}
	return v.containers()
}

// access is what one copy of a table does, by names.
type access struct {
	name          string
	stage         int
	arms          []string          // "condition/arm" around it
	before        []map[string]bool // what each condition around it reads
	reads, writes map[string]bool
	registers     map[string]bool
}

type verifier struct {
	*Program
	actions map[string]*ir.Action
	stages  map[string][]int
	uses    []access
	conds   int
}

func (v *verifier) walk(steps []ir.Step, arms []string, gates []map[string]bool) {
	for i := range steps {
		s := &steps[i]
		if s.Apply != "" {
			v.table(s.Apply, arms, gates)
			continue
		}
		v.conds++
		reads := map[string]bool{}
		for c := s.If; c != nil; c = c.And {
			if c.Valid != "" {
				reads["valid "+c.Valid] = true
			} else {
				reads[c.Left] = true
				if c.Right.Field != "" {
					reads[c.Right.Field] = true
				}
			}
		}
		at := fmt.Sprint(v.conds)
		inside := append(gates[:len(gates):len(gates)], reads)
		v.walk(s.Then, append(arms[:len(arms):len(arms)], at+"/then"), inside)
		v.walk(s.Else, append(arms[:len(arms):len(arms)], at+"/else"), inside)
	}
}

func (v *verifier) table(name string, arms []string, gates []map[string]bool) {
	var t *ir.Table
	for i := range v.Source.Tables {
		if v.Source.Tables[i].Name == name {
			t = &v.Source.Tables[i]
		}
	}
	for copy := range max(t.Copies, 1) {
		a := access{name: copyName(name, t.Copies > 0, copy), stage: v.stages[name][copy], arms: arms,
			before: gates, reads: map[string]bool{}, writes: map[string]bool{}, registers: map[string]bool{}}
		of := func(s string) string { return strings.ReplaceAll(s, "[*]", fmt.Sprintf("[%d]", copy)) }
		for _, k := range t.Keys {
			a.reads[of(k.Field)] = true
		}
		for _, n := range append([]string{t.Default}, t.Actions...) {
			if act := v.actions[n]; act != nil {
				a.act(act, of)
			}
		}
		v.uses = append(v.uses, a)
	}
}

func (a *access) act(act *ir.Action, of func(string) string) {
	for _, op := range act.Do {
		switch {
		case op.Kind == ir.Validate || op.Kind == ir.Remove:
			a.writes["valid "+op.Dst] = true
		case op.Dst != "":
			a.writes[of(op.Dst)] = true
		}
		for _, o := range append([]ir.Operand{op.A, op.B, op.Index}, op.In...) {
			if o.Field != "" {
				a.reads[of(o.Field)] = true
			}
		}
		if op.Register != "" {
			a.registers[of(op.Register)] = true
		}
	}
}

func (v *verifier) pairs() error {
	for k, later := range v.uses {
		if later.stage < 1 || later.stage > 12 {
			return fmt.Errorf("%s is in stage %d", later.name, later.stage)
		}
		for _, earlier := range v.uses[:k] {
			if apart(earlier.arms, later.arms) {
				if common(earlier.registers, later.registers) && earlier.stage != later.stage {
					return fmt.Errorf("%s and %s share a register in stages %d and %d", earlier.name, later.name, earlier.stage,
						later.stage)
				}
				continue
			}
			switch {
			case common(earlier.registers, later.registers):
				return fmt.Errorf("%s and %s share a register in a pass", earlier.name, later.name)
			case common(earlier.writes, later.reads) || common(earlier.writes, later.writes):
				if later.stage <= earlier.stage {
					return fmt.Errorf("%s of stage %d needs what %s of stage %d does", later.name, later.stage, earlier.name, earlier.stage)
				}
			case common(earlier.reads, later.writes) && later.stage < earlier.stage:
				return fmt.Errorf("%s of stage %d destroys what %s of stage %d reads", later.name, later.stage, earlier.name, earlier.stage)
			}
			if gate(&earlier, &later) && later.stage <= earlier.stage {
				return fmt.Errorf("the condition around %s of stage %d needs what %s of stage %d writes", later.name, later.stage,
					earlier.name, earlier.stage)
			}
		}
	}
	return nil
}

// gate tells whether a table writes what decides a condition around a later one.
// A table inside the same condition may: the decision is taken.
func gate(earlier, later *access) bool {
	for i, reads := range later.before {
		inside := len(earlier.arms) > i && earlier.arms[i] == later.arms[i]
		if !inside && common(earlier.writes, reads) {
			return true
		}
	}
	return false
}

func apart(a, b []string) bool {
	for i := range min(len(a), len(b)) {
		if a[i] == b[i] {
			continue
		}
		x, _, _ := strings.Cut(a[i], "/")
		y, _, _ := strings.Cut(b[i], "/")
		return x == y
	}
	return false
}

func common(a, b map[string]bool) bool {
	for k := range a {
		if b[k] {
			return true
		}
	}
	return false
}

// perStage counts tables and registers of each stage by themselves.
func (v *verifier) perStage() error {
	var tables, registers [13]int
	for i := range v.Tables {
		t := &v.Tables[i]
		for c, s := range t.Stages {
			tables[s]++
			pin := t.Source.Stage
			if t.Source.Stages != nil {
				pin = t.Source.Stages[c]
			}
			if pin != 0 && pin != s {
				return fmt.Errorf("table %s is pinned to stage %d and in %d", t.Name, pin, s)
			}
		}
	}
	for i := range v.Registers {
		for _, s := range v.Registers[i].Stages {
			registers[s]++
		}
	}
	report := v.Resources()
	for s := 1; s <= 12; s++ {
		u := report.Stages[s-1].Uses
		if tables[s] > 16 || registers[s] > 4 || tables[s] != u[Tables].Used || registers[s] != u[ALUs].Used {
			return fmt.Errorf("stage %d has %d tables and %d registers, the report says %d and %d", s, tables[s], registers[s],
				u[Tables].Used, u[ALUs].Used)
		}
		for k, use := range u {
			if use.Used > use.Available || use.Used < 0 {
				return fmt.Errorf("stage %d: %d of %d %s", s, use.Used, use.Available, Resource(k))
			}
		}
	}
	return nil
}

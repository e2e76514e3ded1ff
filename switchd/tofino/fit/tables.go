package fit

import (
	"slices"

	"github.com/inalab/inalab/switchd/tofino/ir"
)

// table resolves a table where it is applied.
func (s *symbols) table(t *ir.Table, side Side) Table {
	where := quoted("table", t.Name)
	out := Table{
		Name: t.Name, Source: t, Side: side, Vector: t.Copies > 0, Copies: max(t.Copies, 1),
		Default: -1, Args: t.Args, Const: t.Const, Counter: t.Counter, Stages: make([]int, max(t.Copies, 1)),
	}
	s.pins(where, t)
	s.keys(where, &out, t)
	s.tableActions(where, &out, t)
	s.entries(where, &out, t)
	return out
}

func (s *symbols) keys(where string, out *Table, t *ir.Table) {
	for _, k := range t.Keys {
		r, ok := s.ref(where, k.Field, t.Copies)
		if k.Kind != ir.Exact && k.Kind != ir.Ternary {
			s.bad.add(RuleForm, where, "match exact or ternary", "there is no match %q", k.Kind)
			continue
		}
		if !ok || !s.readable(where, out.Side, r) {
			continue
		}
		out.Ternary = out.Ternary || k.Kind == ir.Ternary
		out.Keys = append(out.Keys, Key{Field: r, Kind: k.Kind, Bits: s.Fields[r.ID].Bits})
	}
}

// tableActions resolves the actions that entries name, and the default action.
func (s *symbols) tableActions(where string, out *Table, t *ir.Table) {
	names := t.Actions
	if t.Default != "" && !slices.Contains(names, t.Default) {
		names = append(slices.Clip(names), t.Default)
	}
	c := scope{symbols: s, where: where, side: out.Side, copies: t.Copies}
	for i, name := range names {
		a := s.actions[name]
		if a == nil {
			s.unknown(where, "action", name, keys(s.actions))
			out.Actions = append(out.Actions, Action{Name: name})
			continue
		}
		if slices.Contains(names[:i], name) {
			s.bad.add(RuleName, where, "name it once", "action %q is there twice", name)
		}
		out.Actions = append(out.Actions, c.action(a))
	}
	if t.Default != "" {
		out.Default = slices.Index(names, t.Default)
		s.arguments(where, &out.Actions[out.Default], t.Args)
	} else if len(t.Args) > 0 {
		s.bad.add(RuleForm, where, "name a default action", "has arguments for no action")
	}
}

// arguments holds action data against the parameters.
func (s *symbols) arguments(where string, a *Action, args []uint64) bool {
	if len(args) != len(a.Params) {
		s.bad.add(RuleForm, where, "", "action %q has %d parameters, %d arguments are given", a.Name, len(a.Params), len(args))
		return false
	}
	for i, p := range a.Params {
		if !fits(args[i], p.Bits) {
			s.bad.add(RuleWidth, where, "", "argument %#x for parameter %q of %d bits", args[i], p.Name, p.Bits)
			return false
		}
	}
	return true
}

// entries resolves the entries of the start, and finds the room that the table needs.
func (s *symbols) entries(where string, out *Table, t *ir.Table) {
	var inPipe [5]int
	for i := range t.Entries {
		if e, ok := s.entry(where, out, &t.Entries[i]); ok {
			inPipe[e.Pipe]++
			out.Entries = append(out.Entries, e)
		}
	}
	needed := inPipe[0] + slices.Max(inPipe[1:])
	out.Size = t.Size
	if t.Size == 0 {
		out.Size = needed
	}
	switch {
	case t.Size < 0 || t.Size > maxEntries:
		s.bad.add(RuleForm, where, "", "has room for %d entries; at most %d", t.Size, maxEntries)
	case out.Size < needed:
		s.bad.add(RuleForm, where, "raise its size", "has room for %d entries, and %d from the start", out.Size, needed)
	case len(t.Keys) == 0 && out.Size > 0:
		s.bad.add(RuleForm, where, "give it a key or no entries", "has entries and matches nothing")
	}
}

func (s *symbols) entry(where string, out *Table, e *ir.Entry) (Entry, bool) {
	r := Entry{Pipe: e.Pipe, Priority: e.Priority, Args: e.Args}
	r.Action = slices.IndexFunc(out.Actions, func(a Action) bool { return a.Name == e.Action })
	switch {
	case e.Pipe < 0 || e.Pipe > 4:
		s.bad.add(RuleForm, where, "", "an entry is for pipe %d; there are 1 to 4, and 0 for all", e.Pipe)
		return r, false
	case r.Action < 0 || !slices.Contains(out.Source.Actions, e.Action):
		s.bad.add(RuleName, where, "list it", "an entry names action %q, which the table does not list", e.Action)
		return r, false
	case len(e.Values) != len(out.Source.Keys) || e.Masks != nil && len(e.Masks) != len(e.Values):
		s.bad.add(RuleForm, where, "", "an entry has %d values and %d masks for %d keys", len(e.Values), len(e.Masks), len(out.Source.Keys))
		return r, false
	case len(out.Keys) != len(out.Source.Keys): // refused already
		return r, false
	}
	for i, k := range out.Keys {
		mask := ones(k.Bits)
		if e.Masks != nil {
			mask = e.Masks[i]
		}
		if !fits(e.Values[i], k.Bits) || !fits(mask, k.Bits) || k.Kind == ir.Exact && mask != ones(k.Bits) {
			s.bad.add(RuleWidth, where, "", "an entry has value %#x under mask %#x for an %s key of %d bits", e.Values[i], mask,
				k.Kind, k.Bits)
			return r, false
		}
		r.Values = append(r.Values, e.Values[i]&mask)
		r.Masks = append(r.Masks, mask)
	}
	return r, s.arguments(where, &out.Actions[r.Action], e.Args)
}

// ones returns a value of so many ones.
func ones(bits int) uint64 {
	if bits >= 64 {
		return ^uint64(0)
	}
	return 1<<bits - 1
}

// pins holds the stages that a table is for against those that there are.
func (s *symbols) pins(where string, t *ir.Table) {
	if t.Stages != nil && (len(t.Stages) != t.Copies || t.Stage != 0) {
		s.bad.add(RuleForm, where, "name one for each copy, or one for all", "has stages %v and %d for %d copies", t.Stages, t.Stage, t.Copies)
	}
	for _, stage := range append([]int{t.Stage}, t.Stages...) {
		if stage < 0 || stage > Stages {
			s.bad.add(RuleForm, where, "", "is for stage %d; there are 1 to %d", stage, Stages)
		}
	}
}

// pinOf returns the stage that a copy of a table is for; 0: any.
func pinOf(t *ir.Table, copy int) int {
	if t.Stages != nil {
		return t.Stages[copy]
	}
	return t.Stage
}

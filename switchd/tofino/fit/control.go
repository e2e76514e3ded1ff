package fit

import (
	"strings"

	"github.com/inalab/inalab/switchd/tofino/ir"
)

// walk resolves the control of a side.
type walk struct {
	*symbols
	side    Side
	applied map[string]bool // in either side
	copies  int             // of all tables applied
	conds   int
}

// control resolves the steps, and numbers tables as it meets them.
func (w *walk) control(steps []ir.Step, depth int) []Step {
	if depth > maxDepth {
		w.bad.add(RuleForm, w.side.String(), "", "has more than %d conditions within each other", maxDepth)
		return nil
	}
	var out []Step
	for i := range steps {
		step := &steps[i]
		switch {
		case step.Apply != "" && (step.If != nil || step.Then != nil || step.Else != nil):
			w.bad.add(RuleForm, quoted("table", step.Apply), "make two steps", "stands in one step with a condition")
		case step.Apply != "":
			if id, ok := w.apply(step.Apply); ok {
				out = append(out, Step{Apply: id})
			}
		case step.If == nil:
			w.bad.add(RuleForm, w.side.String(), "", "has a step that does nothing")
		case w.conds >= Stages*StageGateways:
			w.bad.add(Gateways.Rule(), w.side.String(), "decide by tables", "has more than %d conditions; %d stages hold %d each",
				Stages*StageGateways, Stages, StageGateways)
			return out
		default:
			w.conds++
			cond := w.cond(step.If)
			then := w.control(step.Then, depth+1)
			out = append(out, Step{Apply: NoTable, If: cond, Then: then, Else: w.control(step.Else, depth+1)})
		}
	}
	return out
}

func (w *walk) apply(name string) (TableID, bool) {
	where := quoted("table", name)
	t := w.declared[name]
	switch {
	case t == nil:
		w.unknown(w.side.String(), "table", name, keys(w.declared))
	case w.applied[name]:
		w.bad.add(RuleApplied, where, "declare a second table, or apply it before the condition", "is applied twice")
	case t.Copies < 0 || t.Copies > maxCopies || w.copies+max(t.Copies, 1) > maxCopies:
		w.bad.add(Tables.Rule(), where, "make passes of it: recirculate", "is one of more than %d tables; %d stages hold %d each",
			maxCopies, Stages, StageTables)
	default:
		w.applied[name] = true
		w.copies += max(t.Copies, 1)
		w.Tables = append(w.Tables, w.table(t, w.side))
		return TableID(len(w.Tables) - 1), true
	}
	return NoTable, false
}

// cond resolves a condition and holds its width against the gateway's.
func (w *walk) cond(c *ir.Cond) *Cond {
	where := w.side.String() + ", condition " + spellCond(c)
	first, bits := (*Cond)(nil), 0
	seen := map[FieldID]bool{}
	last := &first
	for n := 0; c != nil && n < maxDepth; n++ {
		one, ok := w.relation(where, c)
		if !ok {
			return &Cond{Valid: NoHeader, Left: NoField}
		}
		bits += w.gatewayBits(one, seen)
		*last, last = one, &one.And
		c = c.And
	}
	if c != nil {
		w.bad.add(RuleForm, where, "", "joins more than %d relations", maxDepth)
	}
	if bits > MaxGatewayBits {
		w.bad.add(RuleGateway, where, "decide it in two steps, or by a table", "reads %d bits; a gateway reads %d", bits, MaxGatewayBits)
	}
	return first
}

func (w *walk) relation(where string, c *ir.Cond) (*Cond, bool) {
	out := &Cond{Valid: NoHeader, Left: NoField, Op: c.Op}
	if c.Valid != "" {
		id, ok := w.header(where, c.Valid)
		out.Valid = id
		return out, ok
	}
	switch c.Op {
	case ir.Equal, ir.NotEqual, ir.Less, ir.LessSigned, ir.Greater, ir.GreaterSigned:
	default:
		w.bad.add(RuleForm, where, "", "there is no relation %q", c.Op)
		return out, false
	}
	in := scope{symbols: w.symbols, where: where, side: w.side}
	var left Operand
	if c.Left == "" || c.Right.Param != "" {
		w.bad.add(RuleForm, where, "compare a field with a field or a constant", "is no comparison")
		return out, false
	}
	if !in.operand(&left, ir.F(c.Left), 0, anyWidth) || !in.operand(&out.Right, c.Right, left.Bits, sameWidth) {
		return out, false
	}
	out.Left = left.Field.ID
	if ordered(c.Op) && left.Bits > MaxALUBits {
		w.bad.add(RuleALUWidth, where, "compare parts", "orders fields of %d bits; at most %d", left.Bits, MaxALUBits)
		return out, false
	}
	return out, true
}

// ordered tells whether a relation is one of order.
func ordered(r ir.Relation) bool { return r != ir.Equal && r != ir.NotEqual }

// gatewayBits counts what a relation adds to the input of a gateway. Two fields
// that must be equal meet in an exclusive or, and take the bits of one.
func (w *walk) gatewayBits(c *Cond, seen map[FieldID]bool) int {
	if c.Valid != NoHeader {
		return 1
	}
	bits := 0
	if !seen[c.Left] {
		bits += w.Fields[c.Left].Bits
	}
	if r := c.Right; r.Kind == FromField && !seen[r.Field.ID] && ordered(c.Op) {
		bits += r.Bits
	}
	seen[c.Left] = true
	return bits
}

// spellCond writes a condition as a reader would.
func spellCond(c *ir.Cond) string {
	var parts []string
	for ; c != nil && len(parts) < 8; c = c.And {
		if c.Valid != "" {
			parts = append(parts, "valid "+c.Valid)
		} else {
			parts = append(parts, c.Left+" "+string(c.Op)+" "+spell(c.Right))
		}
	}
	return "(" + strings.Join(parts, " and ") + ")"
}

package check

import (
	"slices"
	"strings"

	"github.com/inalab/inalab/switchd/microcode/isa"
	"github.com/inalab/inalab/switchd/microcode/syntax"
)

// limits holds an instruction against the rules of the engine.
func (c *checker) limits(in *instruction) {
	name := "the instruction"
	if len(in.out.Labels) > 0 {
		name = "instruction " + in.out.Labels[0]
	}
	pos := syntax.Pos(in.out.Pos)
	if len(in.out.Wires) > isa.MaxWires || len(in.out.Moves) > isa.MaxMoves || len(in.out.Next) > isa.MaxBranches {
		c.errorf(pos, "%s has %d results, %d assignments and %d jumps; at most %d, %d and %d",
			name, len(in.out.Wires), len(in.out.Moves), len(in.out.Next), isa.MaxWires, isa.MaxMoves, isa.MaxBranches)
		return
	}
	if c.full() {
		return
	}
	for _, x := range in.out.Resources().Over() {
		at, what := c.excess(in, x)
		c.rulef(at, rule{x.Rule.Text, x.Rule.Source}, "%s %s%s", name, x.Need(), what)
	}
}

// excess finds the operand that is one too many, and lists the operands.
func (c *checker) excess(in *instruction, x isa.Excess) (syntax.Pos, string) {
	var list []operand
	cost := func(operand) int { return 1 }
	at := syntax.Pos(in.out.Pos)
	switch x.Rule.Of {
	case isa.LimitedLMEMReads:
		list = in.distinct(in.reads, true)
	case isa.LimitedReads:
		list = in.distinct(in.reads, false)
		cost = func(o operand) int {
			if _, lmem := o.place.(isa.LMEM); lmem {
				return isa.LMEMReadCost
			}
			return 1
		}
	case isa.LimitedWrites:
		list = in.distinct(in.writes, false)
	case isa.LimitedTargets:
		return at, ": " + strings.Join(c.targets(in), ", ")
	default:
		return at, ""
	}
	begin, sum := at, 0
	var texts []string
	for _, o := range list {
		if sum += cost(o); sum > x.Max && at == begin {
			at = o.pos
		}
		texts = append(texts, o.text)
	}
	return at, ": " + strings.Join(texts, ", ")
}

// targets names where an instruction leads.
func (c *checker) targets(in *instruction) []string {
	var out []string
	for _, b := range in.out.Next {
		name := b.Jump.String()
		if b.Jump == isa.Goto || b.Jump == isa.Call {
			name = "the next instruction"
			if b.Target < len(c.first) && c.first[b.Target] != "" {
				name = c.first[b.Target]
			}
		}
		if !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

// distinct are the operands that take resources: each register once, each LMEM
// field once, and no pointers.
func (in *instruction) distinct(all []operand, onlyLMEM bool) []operand {
	seen := map[isa.Place]bool{}
	var out []operand
	for _, o := range all {
		key := o.place
		if r, ok := key.(isa.Reg); ok {
			if onlyLMEM || o.pointer {
				continue
			}
			key = isa.WholeReg(r.Num)
		}
		if !seen[key] {
			seen[key] = true
			out = append(out, o)
		}
	}
	return slices.Clip(out)
}

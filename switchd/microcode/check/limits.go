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
	used := in.out.Resources()
	for _, x := range used.Over() {
		at, what := in.excess(x, pos)
		c.rulef(at, rule{x.Rule.Text, x.Rule.Source}, "%s uses %d of %d%s", name, x.Used, x.Max, what)
	}
}

// excess finds the operand that is one too many, and lists the operands.
func (in *instruction) excess(x isa.Excess, begin syntax.Pos) (syntax.Pos, string) {
	var list []operand
	cost := func(operand) int { return 1 }
	switch {
	case strings.Contains(x.Rule.Text, "reads at most"):
		onlyLMEM := strings.Contains(x.Rule.Text, "LMEM operands")
		list = in.distinct(in.reads, onlyLMEM)
		cost = func(o operand) int {
			if _, lmem := o.place.(isa.LMEM); lmem && !onlyLMEM {
				return isa.LMEMReadCost
			}
			return 1
		}
	case strings.Contains(x.Rule.Text, "writes at most"):
		list = in.distinct(in.writes, false)
	default:
		return begin, ""
	}
	at, sum := begin, 0
	var texts []string
	for _, o := range list {
		if sum += cost(o); sum > x.Max && at == begin {
			at = o.pos
		}
		texts = append(texts, o.text)
	}
	return at, ": " + strings.Join(texts, ", ")
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

package fit

import (
	"slices"

	"github.com/inalab/inalab/switchd/tofino/ir"
)

// widen makes a register of 64 bits what it is for a stateful ALU: pairs of words of
// 32 bits, of which both can be written at once. It refuses what would need a carry, or 64
// bits on a bus of 32.
func (s *symbols) widen(r *Register, where string) {
	if r.Bits != WideBits || r.Lanes != 1 {
		for i := range r.Actions {
			if len(r.Actions[i].All) > 0 {
				s.bad.add(RuleWide, where+", "+quoted("action", r.Actions[i].Name),
					"update its lanes, or declare it 64 bits wide with one lane",
					"updates 64 bits at once of a register of %d lanes of %d", r.Lanes, r.Bits)
				return
			}
		}
		return
	}
	r.Bits, r.Lanes, r.Wide = MaxLaneBits, MaxLanes, true
	r.Actions = slices.Clone(r.Actions) // the program's stay as they are
	for i := range r.Actions {
		a := &r.Actions[i]
		w := wide{s.bad, where + ", " + quoted("action", a.Name)}
		w.terms(a)
		w.split(a)
	}
}

// wide checks and splits one action of a register of 64 bits.
type wide struct {
	bad   *refusals
	where string
}

// terms refuses 64 bits where a stateful ALU has 32.
func (w wide) terms(a *ir.RegAction) {
	for _, p := range []*ir.Compare{a.A, a.B} {
		if p != nil && (isWide(p.Left) || isWide(p.Right)) {
			w.bad.add(RuleWide, w.where,
				"compare a word with each comparator, and do it if both hold (equality), or keep what decides in one word",
				"compares 64 bits; a comparator has 32")
		}
	}
	for _, u := range slices.Concat(a.Lo, a.Hi) {
		if isWide(u.X) || isWide(u.Y) {
			w.bad.add(RuleWide, w.where, "name a word, or set all 64 bits", "updates a word of 32 bits from 64")
		}
	}
	for _, o := range a.Out {
		if isWide(o.Value) {
			w.bad.add(RuleWide, w.where, "put out one word, and the other in a further pass, or keep the words in two registers",
				"puts out 64 bits; a stateful ALU puts out one word of %d", MaxLaneBits)
		}
	}
}

// split makes updates of both words of those of 64 bits.
func (w wide) split(a *ir.RegAction) {
	if len(a.All) > 0 && len(a.Lo)+len(a.Hi) > 0 {
		w.bad.add(RuleForm, w.where, "do one or the other", "updates all 64 bits, and words of them")
		return
	}
	for _, u := range a.All {
		if u.Op != ir.Set {
			w.bad.add(RuleWide, w.where, wideFix(u.Op),
				"does %q on 64 bits; a stateful ALU does it on %d, and nothing is carried from one word to the other", u.Op, MaxLaneBits)
			continue
		}
		lo, hi := u, u
		switch u.X {
		case ir.Both:
			lo.X, hi.X = ir.In0, ir.In1
		case ir.Zero:
		case ir.One, ir.In0:
			hi.X = ir.Zero
		case ir.Imm:
			lo.Imm, hi.Imm = int64(uint32(u.Imm)), int64(uint32(u.Imm>>MaxLaneBits))
		default:
			w.bad.add(RuleWide, w.where, "set it to both inputs, to the first, or to a constant", "sets 64 bits to %q", u.X)
			continue
		}
		a.Lo, a.Hi = append(a.Lo, lo), append(a.Hi, hi)
	}
	a.All = nil
}

// wideFix says how to do with words what cannot be done with 64 bits.
func wideFix(op ir.OpKind) string {
	switch op {
	case ir.And, ir.Or, ir.Xor, ir.AndNot:
		return "do it on both words: they do not depend on each other"
	}
	return "count in one word, and what runs over in a register of a later stage"
}

func isWide(t ir.Term) bool { return t == ir.Both || t == ir.Whole }

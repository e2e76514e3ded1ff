package fit

import "github.com/inalab/inalab/switchd/tofino/ir"

// randomBytes is what an action takes of the random numbers of its stage: whole bytes.
func (b *builder) randomBytes(a *Action) int {
	n := 0
	for i := range a.Do {
		if op := &a.Do[i]; op.Kind == ir.Random {
			n += ceil(b.Fields[op.Dst.ID].Bits, 8)
		}
	}
	return n
}

// checkUnits refuses a table that takes more of one unit of a stage than the unit has,
// however many units there are.
func (b *builder) checkUnits(bad *refusals) {
	for i := range b.Tables {
		t := &b.Tables[i]
		where := quoted("table", t.Name)
		for k := range t.Actions {
			if n := b.randomBytes(&t.Actions[k]); n > GeneratorBytes {
				bad.add(RuleRandom, where, "draw in two tables", "action %q draws %d random bytes; a table has those of one generator, %d",
					t.Actions[k].Name, n, GeneratorBytes)
			}
		}
		if t.Counter {
			if n := sramFor(t.Size, CounterBits); n > MaxBlocks {
				bad.add(RuleCounterSize, where, "count in several tables", "counts %d entries in %d SRAM blocks; a counter ALU reaches %d and a spare one",
					t.Size, n, MaxBlocks)
			}
		}
	}
}

// checkChecksums refuses more checksums than a deparser has units.
func (s *symbols) checkChecksums(side Side, names []string) {
	if len(names) > ChecksumUnits {
		s.bad.add(RuleChecksums, side.String()+" deparser", "leave some to the other side", "fills in %d checksums; it has %d units",
			len(names), ChecksumUnits)
	}
}

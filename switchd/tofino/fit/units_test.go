package fit

import (
	"fmt"
	"testing"

	"github.com/inalab/inalab/switchd/tofino/ir"
)

// TestUnits holds the limits of units of a stage and of a deparser like TestLimits.
func TestUnits(t *testing.T) {
	for _, c := range []struct {
		name  string
		rule  Rule
		fits  int
		where string
		make  func(n int) *ir.Program
	}{
		{"ternary tables of one stage", TernaryTables.Rule(), 8, `table "t8"`, func(n int) *ir.Program { return keyed(ir.Ternary, n) }},
		{"counters of one stage", CounterALUs.Rule(), 4, `table "t4"`, counters},
		{"entries that a table counts", RuleCounterSize, 35 * 2048, `table "lookup"`, counting},
		{"random bytes of one stage", RandomBytes.Rule(), 8, `table "t8"`, func(n int) *ir.Program { return dice(n, 1, 8) }},
		{"random bytes of one table", RuleRandom, 4, `table "t0"`, func(n int) *ir.Program { return dice(1, n, 8) }},
		{"random bits", RandomBytes.Rule(), 2, `table "t2"`, func(n int) *ir.Program { return dice(n, 1, 25) }},
		{"words of the ingress", IngressWords.Rule(), 63, `table "t"`, actions},
		{"words of the egress", EgressWords.Rule(), 63, `table "t"`, func(n int) *ir.Program { return turned(actions(n)) }},
		{"checksums of the ingress", RuleChecksums, 6, "ingress deparser", sums},
		{"checksums of the egress", RuleChecksums, 6, "egress deparser", func(n int) *ir.Program { return turned(sums(n)) }},
	} {
		t.Run(c.name, func(t *testing.T) { expect(t, c.make(c.fits), c.make(c.fits+1), c.rule, c.where) })
	}
}

// Each gress has the words of its own; so it has the units of its deparser.
func TestEachGressHasItsOwn(t *testing.T) {
	p := actions(126)
	in, out := &p.Tables[0], p.Tables[0]
	in.Stage, out.Stage, out.Name = 1, 1, "u"
	in.Actions, out.Actions = in.Actions[:63], in.Actions[63:]
	p.Tables = append(p.Tables, out)
	p.Egress.Control = []ir.Step{{Apply: "u"}}
	six := sums(6)
	p.Headers, p.Ingress.Parser, p.Ingress.Deparse, p.Ingress.Checksums = six.Headers, six.Ingress.Parser, six.Ingress.Deparse, six.Ingress.Checksums
	p.Egress.Parser, p.Egress.Deparse, p.Egress.Checksums = six.Ingress.Parser, six.Ingress.Deparse, six.Ingress.Checksums
	if _, err := Place(p); err != nil {
		t.Error(err)
	}
}

// Actions that do nothing have one word, which is there anyway.
func TestActionsThatDoNothing(t *testing.T) {
	p := actions(100)
	for i := range p.Actions[:37] {
		p.Actions[i].Do = nil
	}
	placed, err := Place(p)
	if err != nil {
		t.Fatal(err)
	}
	if u := placed.Resources().Stages[0].Uses[IngressWords]; u != (Use{63, 63}) {
		t.Errorf("words of stage 1: %+v", u)
	}
}

// Actions of one table share its random bytes: a packet meets one of them.
func TestRandomBytesOfActions(t *testing.T) {
	p := dice(1, 4, 8)
	p.Tables[0].Actions = []string{"t0", "other"}
	p.Tables[0].Keys, p.Tables[0].Size = []ir.Key{{Field: "meta.r[0]", Kind: ir.Exact}}, 4
	p.Actions = append(p.Actions, ir.Action{Name: "other", Do: p.Actions[0].Do[:2]})
	placed, err := Place(p)
	if err != nil {
		t.Fatal(err)
	}
	if u := placed.Resources().Stages[4].Uses[RandomBytes]; u != (Use{4, 8}) {
		t.Errorf("random bytes: %+v", u)
	}
}

// keyed has n tables of stage 5 with a key of 8 bits each.
func keyed(kind ir.MatchKind, n int) *ir.Program {
	p := onStage(n)
	for i := range p.Tables {
		t := &p.Tables[i]
		t.Keys, t.Actions, t.Size = []ir.Key{{Field: fmt.Sprintf("meta.x[%d]", i), Kind: kind}}, []string{t.Default}, 8
	}
	return p
}

// counters has n tables of stage 5 that count.
func counters(n int) *ir.Program {
	p := keyed(ir.Exact, n)
	for i := range p.Tables {
		p.Tables[i].Counter = true
	}
	return p
}

// besideRegister has a counter on n entries in the stage of the largest register there can be.
func besideRegister(n int) *ir.Program {
	p := withRegister(func(r *ir.Register, _ *ir.RegAction, _ *ir.Op) { r.Size = 35 * 2048 })
	p.Tables[0].Stage = 1
	t := always(p, "lookup")
	t.Keys, t.Actions, t.Size = []ir.Key{{Field: "meta.a", Kind: ir.Exact}}, []string{"lookup"}, n
	t.Counter, t.Stage = true, 1
	p.Ingress.Control = append(p.Ingress.Control, ir.Step{Apply: "lookup"})
	return p
}

// dice has n tables of stage 5 that draw numbers of so many bits.
func dice(n, numbers, bits int) *ir.Program {
	p := &ir.Program{Name: "dice", Metadata: []ir.Field{{Name: "r", Bits: bits, Count: n * numbers}}}
	for i := range n {
		var do []ir.Op
		for k := range numbers {
			do = append(do, ir.Op{Kind: ir.Random, Dst: fmt.Sprintf("meta.r[%d]", i*numbers+k)})
		}
		always(p, fmt.Sprintf("t%d", i), do...).Stage = 5
	}
	return apply(p)
}

// sums has n checksums that the ingress writes.
func sums(n int) *ir.Program {
	p := parsing(1, 0)
	p.Headers[0].Fields = []ir.Field{{Name: "sum", Bits: 16, Count: n}}
	for i := range n {
		p.Ingress.Checksums = append(p.Ingress.Checksums, fmt.Sprintf("h.sum[%d]", i))
	}
	return p
}

// turned has the ingress of a program as its egress.
func turned(p *ir.Program) *ir.Program {
	p.Ingress, p.Egress = ir.Gress{}, p.Ingress
	return p
}

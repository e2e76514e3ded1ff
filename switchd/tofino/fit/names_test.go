package fit

import (
	"strings"
	"testing"

	"github.com/inalab/inalab/switchd/tofino/ir"
)

// TestNames: what is refused before anything is placed.
func TestNames(t *testing.T) {
	for _, c := range []struct {
		name   string
		rule   Rule
		says   string
		change func(p *ir.Program)
	}{
		{"unknown field", RuleName, `did you mean "meta.a"`, func(p *ir.Program) { p.Actions[0].Do[0].In[0] = ir.F("meta.aa") }},
		{"unknown register", RuleName, `no register "pol"`, func(p *ir.Program) { p.Actions[0].Do[0].Register = "pol" }},
		{"unknown run", RuleName, `did you mean "add"`, func(p *ir.Program) { p.Actions[0].Do[0].Run = "ad" }},
		{"unknown table", RuleName, `no table "t9"`, func(p *ir.Program) { p.Ingress.Control[0].Apply = "t9" }},
		{"unknown action", RuleName, `no action "x"`, func(p *ir.Program) { p.Tables[0].Default = "x" }},
		{"unknown header", RuleName, `no header "h"`, func(p *ir.Program) { p.Egress.Deparse = []string{"h"} }},
		{"unknown state", RuleName, `no state "x"`, func(p *ir.Program) { p.Ingress.Parser = []ir.State{{Name: "s", Next: "x"}} }},
		{"two tables of a name", RuleName, "declared twice", func(p *ir.Program) { p.Tables = append(p.Tables, p.Tables[0]) }},
		{"reserved header", RuleName, "name of metadata", func(p *ir.Program) {
			p.Headers = []ir.Header{{Name: "meta", Fields: []ir.Field{{Name: "z", Bits: 8}}}}
		}},
		{"star without copies", RuleName, "number of a copy", func(p *ir.Program) {
			p.Metadata = append(p.Metadata, ir.Field{Name: "v", Bits: 32, Count: 2})
			p.Actions[0].Do[0].In[0] = ir.F("meta.v[*]")
		}},
		{"array as a whole", RuleName, "array of 2", func(p *ir.Program) {
			p.Metadata = append(p.Metadata, ir.Field{Name: "v", Bits: 32, Count: 2})
			p.Actions[0].Do[0].In[0] = ir.F("meta.v")
		}},
		{"element beyond the array", RuleName, "2 elements", func(p *ir.Program) {
			p.Metadata = append(p.Metadata, ir.Field{Name: "v", Bits: 32, Count: 2})
			p.Actions[0].Do[0].In[0] = ir.F("meta.v[2]")
		}},
		{"table never applied", RuleApplied, "never applied", func(p *ir.Program) { p.Ingress.Control = nil }},
		{"field of the egress", RuleAccess, `does not have "eg.rid"`, func(p *ir.Program) { p.Actions[0].Do[0].In[0] = ir.F("eg.rid") }},
		{"read-only field", RuleAccess, `may not write "ig.port"`, func(p *ir.Program) { p.Actions[0].Do[0].Dst = "ig.port" }},
		{"widths that differ", RuleWidth, "has 9 bits, its partner 32", func(p *ir.Program) {
			p.Actions[0].Do = []ir.Op{{Kind: ir.Add, Dst: "meta.a", A: ir.F("meta.a"), B: ir.F("ig.port")}}
		}},
		{"constant too big", RuleWidth, "more than 9 bits", func(p *ir.Program) {
			p.Ingress.Control[0] = ir.Step{If: &ir.Cond{Left: "ig.port", Op: ir.Equal, Right: ir.C(512)}, Then: []ir.Step{{Apply: "t0"}}}
		}},
		{"two constants", RuleALUSource, "neither is a field", func(p *ir.Program) {
			p.Actions[0].Do = []ir.Op{{Kind: ir.Or, Dst: "meta.a", A: ir.C(1), B: ir.C(2)}}
		}},
		{"input too wide", RuleALUIn, "has 33 bits", func(p *ir.Program) {
			p.Metadata = append(p.Metadata, ir.Field{Name: "w", Bits: 33})
			p.Actions[0].Do[0].In[0] = ir.F("meta.w")
		}},
		{"input missing", RuleALUIn, "reads 2 inputs, 1 are given",
			func(p *ir.Program) { p.Actions[0].Do[0].In = p.Actions[0].Do[0].In[:1] }},
		{"header of no bytes", RuleForm, "no bytes", func(p *ir.Program) {
			p.Headers = []ir.Header{{Name: "h", Fields: []ir.Field{{Name: "z", Bits: 7}}}}
		}},
		{"entry of another width", RuleWidth, "key of 9 bits", func(p *ir.Program) {
			p.Tables[0].Keys = []ir.Key{{Field: "ig.port", Kind: ir.Exact}}
			p.Tables[0].Actions = []string{"t0"}
			p.Tables[0].Entries = []ir.Entry{{Values: []uint64{512}, Action: "t0"}}
		}},
		{"arguments", RuleForm, "1 parameters, 0 arguments",
			func(p *ir.Program) { p.Actions[0].Params = []ir.Param{{Name: "x", Bits: 8}} }},
		{"concatenation of a constant", RuleForm, "is no field", func(p *ir.Program) {
			p.Actions[0].Do = []ir.Op{{Kind: ir.Concat, Dst: "meta.a", In: []ir.Operand{ir.C(1)}}}
		}},
		{"no such operation", RuleForm, `"mul"`, func(p *ir.Program) { p.Actions[0].Do[0].Kind = "mul" }},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := accesses(1)
			c.change(p)
			_, err := Place(p)
			for _, r := range Refusals(err) {
				if r.Rule == c.rule && strings.Contains(r.Error(), c.says) {
					return
				}
			}
			t.Errorf("want %s with %q, got %v", c.rule, c.says, err)
		})
	}
}

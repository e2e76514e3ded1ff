package fit

import (
	"fmt"

	"github.com/inalab/inalab/switchd/tofino/ir"
)

// meta declares metadata of so many bits: meta.a of 32, for whoever needs one, and
// what is asked for.
func meta(fields ...ir.Field) []ir.Field {
	return append([]ir.Field{{Name: "a", Bits: 32}, {Name: "b", Bits: 32}}, fields...)
}

// apply makes a control of tables one after another, ingress.
func apply(p *ir.Program) *ir.Program {
	for i := range p.Tables {
		p.Ingress.Control = append(p.Ingress.Control, ir.Step{Apply: p.Tables[i].Name})
	}
	return p
}

// always is a table that does one thing.
func always(p *ir.Program, name string, do ...ir.Op) *ir.Table {
	p.Actions = append(p.Actions, ir.Action{Name: name, Do: do})
	p.Tables = append(p.Tables, ir.Table{Name: name, Default: name})
	return &p.Tables[len(p.Tables)-1]
}

// chain has n tables of which each reads what the one before it wrote.
func chain(n int) *ir.Program {
	p := &ir.Program{Name: "chain", Metadata: []ir.Field{{Name: "x", Bits: 16, Count: n + 1}}}
	for i := range n {
		always(p, fmt.Sprintf("t%d", i+1), ir.Op{Kind: ir.Add, Dst: fmt.Sprintf("meta.x[%d]", i+1),
			A: ir.F(fmt.Sprintf("meta.x[%d]", i)), B: ir.C(1)})
	}
	return apply(p)
}

// adder is a register whose lanes add their inputs.
func adder(name string, lanes int) ir.Register {
	a := ir.RegAction{Name: "add", Lo: []ir.Update{{If: ir.Always, Op: ir.Add, X: ir.Lo, Y: ir.In0}},
		Out: []ir.Output{{If: ir.Always, Value: ir.NewLo}}}
	if lanes == 2 {
		a.Hi = []ir.Update{{If: ir.Always, Op: ir.Add, X: ir.Hi, Y: ir.In1}}
	}
	return ir.Register{Name: name, Size: 1024, Bits: 32, Lanes: lanes, Actions: []ir.RegAction{a}}
}

// run executes the first action of a register.
func run(register string) ir.Op {
	return ir.Op{Kind: ir.Execute, Register: register, Run: "add", Index: ir.C(0), In: []ir.Operand{ir.F("meta.a"), ir.F("meta.b")}}
}

// adds has n additions in a pass, two in each register.
func adds(n int) *ir.Program {
	p := &ir.Program{Name: "adds", Metadata: meta()}
	for i := 0; i < n; i += 2 {
		name := fmt.Sprintf("r%d", i/2)
		p.Registers = append(p.Registers, adder(name, min(2, n-i)))
		always(p, name, run(name))
	}
	return apply(p)
}

// pinned has n registers in stage 3.
func pinned(n int) *ir.Program {
	p := adds(2 * n)
	for i := range p.Tables {
		p.Tables[i].Stage = 3
	}
	return p
}

// accesses has n tables that execute one register.
func accesses(n int) *ir.Program {
	p := &ir.Program{Name: "accesses", Metadata: meta(), Registers: []ir.Register{adder("pool", 2)}}
	for i := range n {
		always(p, fmt.Sprintf("t%d", i), run("pool"))
	}
	return apply(p)
}

// onStage has n tables in stage 5.
func onStage(n int) *ir.Program {
	p := &ir.Program{Name: "tables", Metadata: []ir.Field{{Name: "x", Bits: 8, Count: n}}}
	for i := range n {
		always(p, fmt.Sprintf("t%d", i), ir.Op{Kind: ir.Set, Dst: fmt.Sprintf("meta.x[%d]", i), A: ir.C(1)}).Stage = 5
	}
	return apply(p)
}

// matching has one table of a kind with a key of so many bits and n entries.
func matching(kind ir.MatchKind, bits, n int) *ir.Program {
	p := &ir.Program{Name: "match", Metadata: []ir.Field{{Name: "k", Bits: bits}}}
	t := always(p, "lookup")
	t.Keys, t.Actions, t.Size = []ir.Key{{Field: "meta.k", Kind: kind}}, []string{"lookup"}, n
	return apply(p)
}

// keyBytes has one table that matches n bytes.
func keyBytes(kind ir.MatchKind, n int) *ir.Program {
	p := &ir.Program{Name: "keys", Metadata: []ir.Field{{Name: "k", Bits: 8, Count: n}}}
	t := always(p, "lookup")
	t.Size = 1
	for i := range n {
		t.Keys = append(t.Keys, ir.Key{Field: fmt.Sprintf("meta.k[%d]", i), Kind: kind})
	}
	return apply(p)
}

// counting has a counter on n entries.
func counting(n int) *ir.Program {
	p := matching(ir.Exact, 8, n)
	p.Tables[0].Counter = true
	return p
}

// actions has one table with n actions.
func actions(n int) *ir.Program {
	p := &ir.Program{Name: "actions", Metadata: meta()}
	t := ir.Table{Name: "t", Keys: []ir.Key{{Field: "meta.a", Kind: ir.Exact}}, Size: 10}
	for i := range n {
		name := fmt.Sprintf("a%d", i)
		p.Actions = append(p.Actions, ir.Action{Name: name, Do: []ir.Op{{Kind: ir.Set, Dst: "meta.b", A: ir.C(uint64(i))}}})
		t.Actions = append(t.Actions, name)
	}
	p.Tables = []ir.Table{t}
	return apply(p)
}

// nested has a table of stage 1 within n conditions.
func nested(n int) *ir.Program {
	p := &ir.Program{Name: "nested", Metadata: meta()}
	always(p, "t").Stage = 1
	steps := []ir.Step{{Apply: "t"}}
	for i := range n {
		steps = []ir.Step{{If: &ir.Cond{Left: "meta.a", Op: ir.Equal, Right: ir.C(uint64(i))}, Then: steps}}
	}
	p.Ingress.Control = steps
	return p
}

// hashes has n hash values of 16 bits in one table.
func hashes(n int) *ir.Program {
	p := &ir.Program{Name: "hashes", Metadata: meta(ir.Field{Name: "h", Bits: 16, Count: n})}
	var do []ir.Op
	for i := range n {
		do = append(do, ir.Op{Kind: ir.Hash, Dst: fmt.Sprintf("meta.h[%d]", i), In: []ir.Operand{ir.F("meta.a")}})
	}
	always(p, "t", do...)
	return apply(p)
}

// withRegister has a pair of 32 bits that a change makes something else of.
func withRegister(change func(r *ir.Register, a *ir.RegAction, op *ir.Op)) *ir.Program {
	p := accesses(1)
	r := &p.Registers[0]
	change(r, &r.Actions[0], &p.Actions[0].Do[0])
	return p
}

// indexing has a register of so many entries, with an index of so many bits.
func indexing(size, bits int) *ir.Program {
	p := withRegister(func(r *ir.Register, _ *ir.RegAction, op *ir.Op) { r.Size, op.Index = size, ir.F("meta.slot") })
	p.Metadata = append(p.Metadata, ir.Field{Name: "slot", Bits: bits})
	return p
}

// parsing extracts a header of so many bytes and skips more.
func parsing(extract, skip int) *ir.Program {
	return &ir.Program{
		Name:    "parsing",
		Headers: []ir.Header{{Name: "h", Fields: []ir.Field{{Name: "v", Bits: 8, Count: extract}}}},
		Ingress: ir.Gress{Parser: []ir.State{{Name: "start", Extract: []string{"h"}, Advance: skip, Next: ir.Accept}},
			Deparse: []string{"h"}},
	}
}

// egressParsing extracts so many bytes in the egress.
func egressParsing(extract int) *ir.Program { return turned(parsing(extract, 0)) }

// values extracts n values of 32 bits.
func values(n int) *ir.Program {
	p := parsing(1, 0)
	p.Headers[0].Fields = []ir.Field{{Name: "v", Bits: 32, Count: n}}
	return p
}

// touched lets a table write all values of a program's header.
func touched(p *ir.Program) *ir.Program {
	h := &p.Headers[len(p.Headers)-1]
	var do []ir.Op
	for i := range h.Fields[0].Count {
		do = append(do, ir.Op{Kind: ir.Set, Dst: fmt.Sprintf("%s.v[%d]", h.Name, i), A: ir.C(1)})
	}
	always(p, "touch-"+h.Name, do...)
	p.Ingress.Control = append(p.Ingress.Control, ir.Step{Apply: "touch-" + h.Name})
	return p
}

// bothSides has so many values that tables write in the ingress and in the egress.
func bothSides(ingress, egress int) *ir.Program {
	p, q := touched(values(ingress)), values(egress)
	q.Headers[0].Name, q.Ingress.Parser[0].Extract, q.Ingress.Deparse = "g", []string{"g"}, []string{"g"}
	touched(q)
	p.Headers, p.Actions, p.Tables = append(p.Headers, q.Headers...), append(p.Actions, q.Actions...), append(p.Tables, q.Tables...)
	p.Egress = q.Ingress
	return p
}

// meeting has so many fields of metadata that instructions bring together.
func meeting(n int) *ir.Program {
	p := &ir.Program{Name: "meeting", Metadata: []ir.Field{{Name: "x", Bits: 16, Count: n}}}
	for i := 1; i < n; i++ {
		always(p, fmt.Sprint("t", i), ir.Op{Kind: ir.Set, Dst: fmt.Sprintf("meta.x[%d]", i), A: ir.F("meta.x[0]")})
	}
	var in []ir.Operand
	for i := range n {
		in = append(in, ir.F(fmt.Sprintf("meta.x[%d]", i)))
	}
	always(p, "all", ir.Op{Kind: ir.Hash, Dst: "meta.y", In: in})
	p.Metadata = append(p.Metadata, ir.Field{Name: "y", Bits: 8})
	return apply(p)
}

// headers has so many headers of a byte.
func headers(n int) *ir.Program {
	p := parsing(1, 0)
	p.Headers, p.Ingress.Parser[0].Extract = nil, nil
	for i := range n {
		name := fmt.Sprint("h", i)
		p.Headers = append(p.Headers, ir.Header{Name: name, Fields: []ir.Field{{Name: "v", Bits: 8}}})
		p.Ingress.Parser[0].Extract = append(p.Ingress.Parser[0].Extract, name)
	}
	p.Ingress.Deparse = p.Ingress.Parser[0].Extract
	return p
}

// crossing moves a field that an ALU works on into one of another width, on which one does, too.
func crossing(bits int) *ir.Program {
	p := &ir.Program{Name: "crossing", Metadata: []ir.Field{{Name: "x", Bits: 32}, {Name: "y", Bits: bits}}}
	always(p, "t", ir.Op{Kind: ir.SatAdd, Dst: "meta.x", A: ir.F("meta.x"), B: ir.C(1)})
	always(p, "u", ir.Op{Kind: ir.SatAdd, Dst: "meta.y", A: ir.F("meta.y"), B: ir.C(1)})
	always(p, "v", ir.Op{Kind: ir.Set, Dst: "meta.y", A: ir.F("meta.x")})
	return apply(p)
}

// selecting has a parser state that selects by so many bits in so many cases.
func selecting(bits, cases int) *ir.Program {
	p := parsing(8, 0)
	p.Headers[0].Fields = []ir.Field{{Name: "v", Bits: bits}, {Name: "pad", Bits: 64 - bits}}
	st := &p.Ingress.Parser[0]
	st.Select = []string{"h.v"}
	for i := range cases {
		st.Cases = append(st.Cases, ir.Case{Values: []uint64{uint64(i)}, Next: ir.Accept})
	}
	return p
}

// adding adds to a header field of so many bits.
func adding(bits int) *ir.Program {
	p := parsing(8, 0)
	p.Headers[0].Fields = []ir.Field{{Name: "v", Bits: bits}, {Name: "pad", Bits: 64 - bits}}
	always(p, "t", ir.Op{Kind: ir.Add, Dst: "h.v", A: ir.F("h.v"), B: ir.C(1)})
	return apply(p)
}

// arithmetic adds to metadata of so many bits.
func arithmetic(bits int) *ir.Program {
	p := &ir.Program{Name: "arithmetic", Metadata: []ir.Field{{Name: "v", Bits: bits}}}
	always(p, "t", ir.Op{Kind: ir.Add, Dst: "meta.v", A: ir.F("meta.v"), B: ir.C(1)})
	return apply(p)
}

// deciding has a condition over so many bits.
func deciding(bits int) *ir.Program {
	p := &ir.Program{Name: "deciding", Metadata: []ir.Field{{Name: "v", Bits: bits}}}
	always(p, "t")
	p.Ingress.Control = []ir.Step{{If: &ir.Cond{Left: "meta.v", Op: ir.Equal, Right: ir.C(1)}, Then: []ir.Step{{Apply: "t"}}}}
	return p
}

// writes has an action that writes a field n times.
func writes(n int) *ir.Program {
	p := &ir.Program{Name: "writes", Metadata: meta()}
	var do []ir.Op
	for i := range n {
		do = append(do, ir.Op{Kind: ir.Set, Dst: "meta.a", A: ir.C(uint64(i))})
	}
	always(p, "t", do...)
	return apply(p)
}

// applied applies one table n times.
func applied(n int) *ir.Program {
	p := &ir.Program{Name: "applied", Metadata: meta()}
	always(p, "t")
	for range n {
		p.Ingress.Control = append(p.Ingress.Control, ir.Step{Apply: "t"})
	}
	return p
}

// extracts extracts a header n times, one state after the other.
func extracts(n int) *ir.Program {
	p := parsing(4, 0)
	p.Ingress.Parser = nil
	for i := range n {
		p.Ingress.Parser = append(p.Ingress.Parser, ir.State{Name: fmt.Sprintf("s%d", i), Extract: []string{"h"},
			Next: fmt.Sprintf("s%d", i+1)})
	}
	p.Ingress.Parser[n-1].Next = ir.Accept
	return p
}

// vectors has a group of n registers, with a group of tables for it.
func vectors(n int) *ir.Program {
	p := &ir.Program{Name: "vectors", Metadata: meta()}
	p.Headers = []ir.Header{{Name: "d", Fields: []ir.Field{{Name: "v", Bits: 32, Count: 64}}}}
	r := adder("val", 1)
	r.Copies = n
	p.Registers = []ir.Register{r}
	t := always(p, "values", ir.Op{Kind: ir.Execute, Dst: "d.v[*]", Register: "val[*]", Run: "add", Index: ir.C(0),
		In: []ir.Operand{ir.F("d.v[*]")}})
	t.Copies = n
	return apply(p)
}

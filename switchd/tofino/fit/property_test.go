package fit

import (
	"bytes"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/inalab/inalab/switchd/tofino/ir"
	"pgregory.net/rapid"
)

// drawn makes random programs that are well formed and may or may not fit.
type drawn struct {
	*rapid.T
	p *ir.Program
}

func (d *drawn) n(low, high int, what string) int { return rapid.IntRange(low, high).Draw(d.T, what) }

// field draws a name of 32 bits.
func (d *drawn) field() string {
	if d.n(0, 3, "header") == 0 {
		return fmt.Sprintf("h.v[%d]", d.n(0, 7, "element"))
	}
	return fmt.Sprintf("meta.m[%d]", d.n(0, 11, "field"))
}

func (d *drawn) op(registers int, copies bool) ir.Op {
	switch d.n(0, 5, "op") {
	case 0:
		return ir.Op{Kind: ir.Set, Dst: d.field(), A: ir.F(d.field())}
	case 1:
		return ir.Op{Kind: ir.Add, Dst: d.field(), A: ir.F(d.field()), B: ir.C(3)}
	case 2:
		if d.n(0, 1, "concat") == 0 {
			return ir.Op{Kind: ir.Concat, Dst: d.field(), In: []ir.Operand{ir.F(d.field())}}
		}
		return ir.Op{Kind: ir.Hash, Dst: d.field(), In: []ir.Operand{ir.F(d.field())}}
	case 3:
		return ir.Op{Kind: ir.Remove, Dst: "h"}
	}
	r := fmt.Sprintf("r%d", d.n(0, registers-1, "register"))
	op := ir.Op{Kind: ir.Execute, Dst: d.field(), Register: r, Run: "add", Index: ir.C(1),
		In: []ir.Operand{ir.F(d.field()), ir.F(d.field())}}
	if copies {
		op.Register, op.Dst, op.In[0] = "many[*]", "h.v[*]", ir.F("h.v[*]")
	}
	return op
}

// program draws tables, and a control over them.
func (d *drawn) program() *ir.Program {
	d.p = &ir.Program{
		Name:     "drawn",
		Headers:  []ir.Header{{Name: "h", Fields: []ir.Field{{Name: "v", Bits: 32, Count: 8}}}},
		Metadata: []ir.Field{{Name: "m", Bits: 32, Count: 12}},
	}
	registers := d.n(1, 30, "registers")
	for i := range registers {
		r := adder(fmt.Sprintf("r%d", i), 2)
		r.Size = 1 << d.n(4, 15, "size")
		d.p.Registers = append(d.p.Registers, r)
	}
	many := adder("many", 2)
	many.Copies = 6
	d.p.Registers = append(d.p.Registers, many)
	for i := range d.n(1, 25, "tables") {
		d.table(fmt.Sprintf("t%d", i), registers)
	}
	names := make([]string, len(d.p.Tables))
	for i := range names {
		names[i] = d.p.Tables[i].Name
	}
	cut := d.n(0, len(names), "egress")
	d.p.Ingress.Control = d.control(names[cut:], 0)
	d.p.Egress.Control = d.control(names[:cut], 0)
	return d.p
}

func (d *drawn) table(name string, registers int) {
	t := ir.Table{Name: name, Default: name}
	if d.n(0, 9, "pin") == 0 {
		t.Stage = d.n(1, 12, "stage")
	}
	copies := d.n(0, 7, "copies") == 0
	if copies {
		t.Copies = d.n(1, 6, "copies")
	}
	var do []ir.Op
	for range d.n(0, 2, "ops") {
		do = append(do, d.op(registers, copies))
	}
	d.p.Actions = append(d.p.Actions, ir.Action{Name: name, Do: do})
	for range d.n(0, 2, "keys") {
		t.Keys = append(t.Keys, ir.Key{Field: d.field(), Kind: []ir.MatchKind{ir.Exact, ir.Ternary}[d.n(0, 1, "kind")]})
		t.Size = 1 << d.n(0, 13, "entries")
	}
	d.p.Tables = append(d.p.Tables, t)
}

func (d *drawn) control(names []string, depth int) []ir.Step {
	var steps []ir.Step
	for len(names) > 0 {
		if depth == 3 || d.n(0, 2, "step") > 0 {
			steps = append(steps, ir.Step{Apply: names[0]})
			names = names[1:]
			continue
		}
		a := d.n(0, len(names), "then")
		b := d.n(a, len(names), "else")
		cond := &ir.Cond{Left: d.field(), Op: ir.Equal, Right: ir.F(d.field())}
		if d.n(0, 3, "valid") == 0 {
			cond = &ir.Cond{Valid: "h"}
		}
		steps = append(steps, ir.Step{If: cond, Then: d.control(names[:a], depth+1), Else: d.control(names[a:b], depth+1)})
		names = names[b:]
	}
	return steps
}

// TestPlacementHolds: what Place accepts keeps every dependency and limit, by a
// second reading of the rules; what it refuses has a rule and a place.
func TestPlacementHolds(t *testing.T) {
	accepted, rules := 0, map[Rule]int{}
	rapid.Check(t, func(rt *rapid.T) {
		p := (&drawn{T: rt}).program()
		f, err := Place(p)
		if err == nil {
			accepted++
			if err := verify(f); err != nil {
				rt.Fatalf("%v\n%s", err, f)
			}
			return
		}
		for _, r := range Refusals(err) {
			rules[r.Rule]++
			if r.What == "" || r.Where == "" {
				rt.Fatalf("a refusal without what or where: %+v", r)
			}
		}
		if len(Refusals(err)) == 0 {
			rt.Fatalf("an error without refusals: %v", err)
		}
	})
	if accepted == 0 || len(rules) == 0 {
		t.Errorf("%d programs accepted, refused for %v: the test sees one side only", accepted, rules)
	}
	t.Logf("%d accepted; refusals %v", accepted, rules)
}

// TestPlacementRepeats: a program has one placement.
func TestPlacementRepeats(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		p := (&drawn{T: rt}).program()
		a, errA := Place(p)
		b, errB := Place(p)
		if fmt.Sprint(errA) != fmt.Sprint(errB) || errA == nil && a.String() != b.String() {
			rt.Fatalf("two placements of one program:\n%v\n%v", a, b)
		}
	})
}

// TestOneLessFits: of a program that fits, every table could be left out.
func TestOneLessFits(t *testing.T) {
	for _, p := range []*ir.Program{chain(12), adds(96), pinned(4), onStage(16)} {
		f, err := Place(p)
		if err != nil {
			t.Fatal(err)
		}
		for i := range f.Tables {
			less := *p
			less.Tables = append(append([]ir.Table{}, p.Tables[:i]...), p.Tables[i+1:]...)
			less.Ingress.Control = append(append([]ir.Step{}, p.Ingress.Control[:i]...), p.Ingress.Control[i+1:]...)
			if _, err := Place(&less); err != nil {
				t.Errorf("%s without %s: %v", p.Name, p.Tables[i].Name, err)
			}
		}
	}
}

// seeds are programs that fit or nearly do.
func seeds() []*ir.Program {
	return []*ir.Program{
		goldenProgram(), chain(13), adds(97), accesses(2), matching(ir.Ternary, 44, 3), nested(2), hashes(2),
		selecting(8, 2), extracts(2), vectors(3), adding(16), deciding(8),
	}
}

// tree is a program as JSON has it.
func tree(tb testing.TB, p *ir.Program) any {
	text, err := json.Marshal(p)
	if err != nil {
		tb.Fatal(err)
	}
	var out any
	if err := json.Unmarshal(text, &out); err != nil {
		tb.Fatal(err)
	}
	return out
}

// mutate changes one place of a tree, chosen by the first bytes, and returns it: a
// number or a word becomes another, a list loses an element or has it twice.
func mutate(t any, words []string, path []byte) any {
	if len(path) < 2 {
		return t
	}
	pick := int(path[0])
	switch v := t.(type) {
	case map[string]any:
		if names := keys(v); len(names) > 0 {
			name := names[pick%len(names)]
			v[name] = mutate(v[name], words, path[1:])
		}
	case []any:
		if len(v) == 0 {
			return v
		}
		i := pick % len(v)
		switch path[1] {
		case 0:
			return append(v[:i:i], v[i+1:]...)
		case 1:
			return append(v[:i:i], v[i-min(i, 1):]...)
		}
		v[i] = mutate(v[i], words, path[1:])
	case float64:
		return []float64{-1, 0, 1, 2, 7, 8, 9, 16, 31, 32, 33, 64, 65, 193, 4097, 1 << 26, 1 << 40, v + 1, v - 1, v * 2}[pick%20]
	case string:
		return append(words, "", "x", "[*]", v+"[*]", v+"[0]", v+"[-1]", ir.Accept)[pick%(len(words)+7)]
	case bool:
		return !v
	}
	return t
}

// wordsOf lists the words of a tree.
func wordsOf(t any, list []string) []string {
	switch v := t.(type) {
	case map[string]any:
		for _, name := range keys(v) {
			list = wordsOf(v[name], list)
		}
	case []any:
		for _, e := range v {
			list = wordsOf(e, list)
		}
	case string:
		list = append(list, v)
	}
	return list
}

// mutated makes a program of a seed and mutations; ok is false where the form of
// a program is lost.
func mutated(tb testing.TB, seed *ir.Program, mutations [][]byte) (p ir.Program, ok bool) {
	t := tree(tb, seed)
	words := wordsOf(t, nil)
	for _, m := range mutations {
		t = mutate(t, words, m)
	}
	text, err := json.Marshal(t)
	if err != nil {
		tb.Fatal(err)
	}
	return p, json.Unmarshal(text, &p) == nil
}

// survives demands an answer for a program, and that an accepted one holds.
func survives(p *ir.Program) error {
	fitted, err := Place(p)
	switch {
	case err == nil:
		_ = fitted.String()
		return verify(fitted)
	case len(Refusals(err)) == 0:
		return fmt.Errorf("an error without refusals: %w", err)
	}
	return nil
}

// TestMutations: programs that are nearly right.
func TestMutations(t *testing.T) {
	list := seeds()
	rapid.Check(t, func(rt *rapid.T) {
		mutations := rapid.SliceOfN(rapid.SliceOfN(rapid.Byte(), 4, 16), 1, 4).Draw(rt, "mutations")
		p, ok := mutated(t, list[rapid.IntRange(0, len(list)-1).Draw(rt, "seed")], mutations)
		if !ok {
			return
		}
		if err := survives(&p); err != nil {
			rt.Fatal(err)
		}
	})
}

// FuzzPlace: no program, however broken, brings Place down, and what it accepts
// holds. The input is cut at bytes 255 into mutations of a seed.
func FuzzPlace(f *testing.F) {
	list := seeds()
	for i := range list {
		f.Add(byte(i), []byte{3, 2, 5, 4, 17, 9})
		f.Add(byte(i), []byte{8, 3, 2, 12, 4, 9, 255, 6, 2, 3, 4, 5, 6})
	}
	f.Fuzz(func(t *testing.T, seed byte, path []byte) {
		if len(path) > 64 {
			return
		}
		p, ok := mutated(t, list[int(seed)%len(list)], bytes.Split(path, []byte{255}))
		if !ok {
			return
		}
		if err := survives(&p); err != nil {
			t.Fatal(err)
		}
	})
}

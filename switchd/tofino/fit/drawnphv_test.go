package fit

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/proptest"
	"github.com/inalab/inalab/switchd/tofino/ir"
)

// containersDrawn makes random programs whose fields have all widths and meet in instructions.
type containersDrawn struct {
	*rapid.T
	p      *ir.Program
	fields []ir.Field // by their whole names
}

func (d *containersDrawn) n(low, high int, what string) int {
	return rapid.IntRange(low, high).Draw(d.T, what)
}

func (d *containersDrawn) program() *ir.Program {
	d.p = &ir.Program{Name: "containers"}
	for h := range 4 {
		var fields []ir.Field
		bits := 0
		for i := range d.n(1, 4, "fields") {
			n := rapid.SampledFrom([]int{1, 3, 4, 8, 8, 12, 16, 16, 24, 32, 32, 48}).Draw(d.T, "bits")
			fields, bits = append(fields, ir.Field{Name: fmt.Sprint("f", i), Bits: n}), bits+n
		}
		if pad := -bits & 7; pad > 0 {
			fields = append(fields, ir.Field{Name: "pad", Bits: pad})
		}
		d.p.Headers = append(d.p.Headers, ir.Header{Name: fmt.Sprint("h", h), Fields: fields})
		for _, f := range fields {
			d.fields = append(d.fields, ir.Field{Name: fmt.Sprintf("h%d.%s", h, f.Name), Bits: f.Bits})
		}
	}
	for i := range d.n(2, 14, "metadata") {
		f := ir.Field{Name: fmt.Sprint("m", i), Bits: rapid.SampledFrom([]int{1, 1, 2, 3, 5, 8, 8, 12, 16, 16, 24, 32, 32, 48}).Draw(d.T, "bits")}
		d.p.Metadata = append(d.p.Metadata, f)
		d.fields = append(d.fields, ir.Field{Name: "meta." + f.Name, Bits: f.Bits})
		if d.n(0, 6, "bridged") == 0 {
			d.p.Bridged = append(d.p.Bridged, "meta."+f.Name)
		}
	}
	d.fields = append(d.fields, ir.Field{Name: "ig.port", Bits: 9}, ir.Field{Name: "ig.mcast", Bits: 16})
	d.p.Ingress = ir.Gress{Parser: d.parser(), Deparse: []string{"h0", "h1", "h2"}}
	for range d.n(1, 4, "parts") {
		d.p.Ingress.Control = append(d.p.Ingress.Control, d.steps(0)...)
	}
	if d.n(0, 1, "egress") == 0 {
		d.p.Egress = ir.Gress{Parser: d.parser(), Deparse: []string{"h0", "h3"}}
	}
	return d.p
}

// parser has one header, then one of two or both, then perhaps the last.
func (d *containersDrawn) parser() []ir.State {
	next := func() string { return rapid.SampledFrom([]string{ir.Accept, "c"}).Draw(d.T, "next") }
	a := ir.State{Name: "a", Extract: []string{"h1"}, Next: next()}
	if d.n(0, 3, "both") == 0 {
		a.Next = "b"
	}
	return []ir.State{
		{Name: "start", Extract: []string{"h0"}, Select: []string{"h0.f0"}, Cases: []ir.Case{{Values: []uint64{0}, Masks: []uint64{1}, Next: "a"}}, Next: "b"},
		a, {Name: "b", Extract: []string{"h2"}, Next: next()}, {Name: "c", Extract: []string{"h3"}, Next: ir.Accept},
	}
}

func (d *containersDrawn) field(right func(ir.Field) bool) (f ir.Field, ok bool) {
	var list []ir.Field
	for _, f := range d.fields {
		if right(f) {
			list = append(list, f)
		}
	}
	if len(list) == 0 {
		return f, false
	}
	return rapid.SampledFrom(list).Draw(d.T, "field"), true
}

func (d *containersDrawn) steps(depth int) (out []ir.Step) {
	for range d.n(1, 3, "steps") {
		if depth == 3 || d.n(0, 2, "table") > 0 {
			out = append(out, ir.Step{Apply: d.table()})
			continue
		}
		st := ir.Step{If: &ir.Cond{Valid: fmt.Sprint("h", d.n(1, 3, "valid"))}}
		if f, ok := d.field(func(f ir.Field) bool { return f.Bits <= 32 && f.Name != "ig.mcast" }); ok && d.n(0, 1, "compares") == 0 {
			st.If = &ir.Cond{Left: f.Name, Op: rapid.SampledFrom([]ir.Relation{ir.Equal, ir.Less}).Draw(d.T, "op"), Right: ir.C(1)}
		}
		st.Then, st.Else = d.steps(depth+1), d.steps(depth+1)
		out = append(out, st)
	}
	return out
}

func (d *containersDrawn) table() string {
	name := fmt.Sprint("t", len(d.p.Tables))
	t := ir.Table{Name: name}
	for i := range d.n(1, 2, "actions") {
		a := ir.Action{Name: fmt.Sprint(name, "a", i)}
		for range d.n(0, 3, "ops") {
			d.op(&a)
		}
		d.p.Actions = append(d.p.Actions, a)
		t.Actions = append(t.Actions, a.Name)
	}
	if d.n(0, 3, "default") > 0 {
		t.Default = t.Actions[0]
		for range d.p.Actions[len(d.p.Actions)-len(t.Actions)].Params {
			t.Args = append(t.Args, 0)
		}
	}
	if f, ok := d.field(func(f ir.Field) bool { return f.Name != "ig.mcast" }); ok && d.n(0, 1, "keyed") == 0 {
		t.Keys, t.Size = []ir.Key{{Field: f.Name, Kind: ir.Exact}}, 8
	}
	d.p.Tables = append(d.p.Tables, t)
	return name
}

// op adds an operation to an action.
func (d *containersDrawn) op(a *ir.Action) {
	dst, _ := d.field(func(f ir.Field) bool { return f.Name != "ig.port" })
	if slices.ContainsFunc(a.Do, func(o ir.Op) bool { return strings.HasPrefix(o.Dst, dst.Name) }) {
		return
	}
	same := func(f ir.Field) bool { return f.Bits == dst.Bits && f.Name != "ig.mcast" }
	any := func(f ir.Field) bool { return f.Name != "ig.mcast" }
	switch d.n(0, 9, "op") {
	case 0, 1:
		a.Do = append(a.Do, ir.Op{Kind: ir.Set, Dst: dst.Name, A: ir.C(1)})
	case 2, 3:
		p := fmt.Sprint("p", len(a.Params))
		a.Params = append(a.Params, ir.Param{Name: p, Bits: 4})
		a.Do = append(a.Do, ir.Op{Kind: ir.Set, Dst: dst.Name, A: ir.P(p)})
	case 4, 5:
		from, _ := d.field(any)
		a.Do = append(a.Do, ir.Op{Kind: ir.Set, Dst: dst.Name, A: ir.F(from.Name)})
	case 6:
		from, _ := d.field(any)
		high := d.n(0, dst.Bits-1, "high")
		a.Do = append(a.Do, ir.Op{Kind: ir.Set, Dst: fmt.Sprintf("%s[%d:%d]", dst.Name, high, d.n(0, high, "low")), A: ir.F(from.Name)})
	case 7:
		if from, ok := d.field(same); ok && dst.Bits <= 32 {
			kinds := []ir.OpKind{ir.Add, ir.Or, ir.And, ir.Min}
			if dst.Bits == 8 || dst.Bits == 16 || dst.Bits == 32 {
				kinds = append(kinds, ir.MaxSigned, ir.SatAdd)
			}
			kind := rapid.SampledFrom(kinds).Draw(d.T, "kind")
			a.Do = append(a.Do, ir.Op{Kind: kind, Dst: dst.Name, A: ir.F(from.Name), B: ir.C(1)})
		}
	case 8:
		if from, ok := d.field(any); ok && dst.Bits <= 32 {
			a.Do = append(a.Do, ir.Op{Kind: ir.Concat, Dst: dst.Name, In: []ir.Operand{ir.F(from.Name)}})
		}
	case 9:
		h := fmt.Sprint("h", d.n(1, 3, "header"))
		if !slices.ContainsFunc(a.Do, func(o ir.Op) bool { return o.Dst == h }) {
			a.Do = append(a.Do, ir.Op{Kind: ir.Validate, Dst: h})
		}
	}
}

// shares counts the containers of a program in which fields of metadata lie over each other, lie
// side by side, and in which headers lie over each other.
func shares(f *Program) (over, beside, headers int) {
	for side := range Side(2) {
		bits := map[Bit]map[FieldID]bool{}
		for i := range f.Fields {
			for _, s := range f.Fields[i].Slices[side] {
				for b := range s.Bits {
					at := Bit{s.Container, s.Low + b}
					if bits[at] == nil {
						bits[at] = map[FieldID]bool{}
					}
					bits[at][FieldID(i)] = true
				}
			}
		}
		for at, list := range bits {
			for id := range list {
				switch {
				case len(list) > 1 && f.Fields[id].Header != NoHeader:
					headers++
				case len(list) > 1:
					over++
				case f.Fields[id].Header == NoHeader:
					for o := range bits[Bit{at.Container, at.Low ^ 1}] {
						if o != id {
							beside++
						}
					}
				}
			}
		}
	}
	return over, beside, headers
}

// TestContainersHold: what is placed has containers that hold, by a second reading of the rules,
// and all ways to share one come up.
func TestContainersHold(t *testing.T) {
	accepted, over, beside, headers, rules := 0, 0, 0, 0, map[Rule]int{}
	check := func(rt *rapid.T) {
		f, err := Place((&containersDrawn{T: rt}).program())
		for _, r := range Refusals(err) {
			rules[r.Rule]++
		}
		if err != nil {
			return
		}
		accepted++
		if err := verify(f); err != nil {
			rt.Fatalf("%v\n%s", err, f)
		}
		a, b, c := shares(f)
		over, beside, headers = over+a, beside+b, headers+c
	}
	proptest.Until(t, func() bool { return over > 0 && beside > 0 && headers > 0 }, check)
	if over == 0 || beside == 0 || headers == 0 {
		t.Errorf("%d accepted, with %d bits of metadata over each other, %d beside, %d of headers", accepted, over, beside, headers)
	}
	t.Logf("%d accepted, %d over, %d beside, %d headers; refusals %v", accepted, over, beside, headers, rules)
}

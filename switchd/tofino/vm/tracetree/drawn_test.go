package tracetree

import (
	"fmt"
	"slices"
	"strings"

	"github.com/inalab/inalab/internal/rng"
	"github.com/inalab/inalab/switchd/tofino/fit"
	"github.com/inalab/inalab/switchd/tofino/ir"
)

// header returns a header of fields.
func header(name string, fields ...ir.Field) ir.Header { return ir.Header{Name: name, Fields: fields} }

func field(name string, bits int) ir.Field { return ir.Field{Name: name, Bits: bits} }

// ones returns a mask of n bits.
func ones(n int) uint64 { return ^uint64(0) >> (64 - n) }

// drawn makes random programs that fit, step by step: what fit refuses is left out
// again. Fields and values are few, so that matches and conditions meet each other.
type drawn struct {
	*rng.Stream
	p      *ir.Program
	fit    *fit.Program
	side   fit.Side
	pool   []uint64
	often  []string   // fields that come up in many places
	number int        // for names
	tables []ir.Table // of the side
}

// drawnField is a field that a side reads, and maybe writes.
type drawnField struct {
	name     string
	bits     int
	writable bool
	array    bool
}

// drawProgram returns a program of at most so many steps a side.
func drawProgram(s *rng.Stream, steps int) (*ir.Program, *fit.Program) {
	d := &drawn{Stream: s, p: &ir.Program{Name: "drawn"}, pool: []uint64{s.Uint64(), s.Uint64()}}
	d.declare()
	for d.side = range fit.Side(2) {
		g := []*ir.Gress{&d.p.Ingress, &d.p.Egress}[d.side]
		for n := 0; n == 0 || !d.fits(); n++ {
			if *g = (ir.Gress{Parser: d.parser(), Deparse: d.deparse()}); n == 1000 {
				panic("no parser fits")
			}
		}
	}
	for d.side = range fit.Side(2) {
		d.tables = nil
		for range 1 + d.IntN(steps) {
			d.extend([]*ir.Gress{&d.p.Ingress, &d.p.Egress}[d.side])
		}
	}
	d.fits()
	return d.p, d.fit
}

// extend adds a step to a control, if the program fits then.
func (d *drawn) extend(g *ir.Gress) {
	before, control, tables := *d.p, g.Control, d.tables
	g.Control = append(slices.Clip(control), d.step(0))
	if !d.fits() {
		d.p.Registers, d.p.Actions, d.p.Tables = before.Registers, before.Actions, before.Tables
		g.Control, d.tables = control, tables
	}
}

func (d *drawn) fits() bool {
	f, err := fit.Place(d.p)
	if err == nil {
		d.fit = f
	}
	return err == nil
}

func (d *drawn) one(in int) bool { return d.IntN(in) == 0 }

func pick[T any](d *drawn, list ...T) T { return list[d.IntN(len(list))] }

func (d *drawn) named(kind string) string {
	d.number++
	return fmt.Sprint(kind, d.number)
}

// value draws one of few values.
func (d *drawn) value(bits int) uint64 {
	return pick(d, 0, 0, 1, 1, 2, 3, ones(bits), ones(bits)-1, d.pool[0], d.pool[1], d.Uint64()) & ones(bits)
}

func (d *drawn) mask(bits int) uint64 {
	return pick(d, ones(bits), ones(bits), 1, 3, 0, d.Uint64()) & ones(bits)
}

// declare draws headers, of which two have an array, and metadata.
func (d *drawn) declare() {
	for h := range 2 + d.IntN(3) {
		var fields []ir.Field
		bits := 0
		for i := range 1 + d.IntN(4) {
			n := pick(d, 1, 3, 4, 8, 8, 9, 16, 16, 32, 32, 48, 64)
			fields, bits = append(fields, field(fmt.Sprint("f", i), n)), bits+n
		}
		if pad := -bits & 7; pad > 0 {
			fields = append(fields, field("pad", pad))
		}
		if h < 2 {
			fields = append(fields, ir.Field{Name: "v", Bits: 32, Count: 3})
		}
		d.p.Headers = append(d.p.Headers, header(fmt.Sprint("h", h), fields...))
	}
	d.p.Metadata = []ir.Field{{Name: "resubmit", Bits: 16}, {Name: "wide", Bits: 64}, {Name: "v", Bits: 32, Count: 3}}
	for i := range 4 {
		name := fmt.Sprint("m", i)
		d.p.Metadata = append(d.p.Metadata, field(name, pick(d, 1, 3, 8, 8, 16, 32, 32, 64)))
		if d.one(3) {
			d.p.Bridged = append(d.p.Bridged, "meta."+name)
		}
	}
	for range 4 {
		d.often = append(d.often, pick(d, d.fields()...).name)
	}
}

// fields lists what a side reads, intrinsics now and then.
func (d *drawn) fields() (out []drawnField) {
	add := func(prefix string, writable bool, f ir.Field) {
		if out = append(out, drawnField{prefix + f.Name, f.Bits, writable, f.Count > 0}); f.Count > 0 {
			out[len(out)-1].name += "[*]"
		}
	}
	for _, h := range d.p.Headers {
		for _, f := range h.Fields {
			add(h.Name+".", true, f)
		}
	}
	for _, f := range d.p.Metadata {
		add("meta.", true, f)
	}
	set := []string{"ig.egress_port", "ig.unicast", "ig.mcast", "ig.rid", "ig.qid", "ig.drop", "ig.mirror", "eg.drop"}
	for _, f := range ir.Intrinsics {
		if strings.HasPrefix(f.Name, [2]string{"ig.", "eg."}[d.side]) && d.one(4) {
			add("", slices.Contains(set, f.Name), f)
		}
	}
	return out
}

// field draws one that is right; with copies an array may be meant by the copy.
func (d *drawn) field(copies int, right func(drawnField) bool) drawnField {
	var list []drawnField
	for len(list) == 0 {
		list = slices.DeleteFunc(d.fields(), func(f drawnField) bool { return !right(f) })
	}
	f := pick(d, list...)
	if some := slices.DeleteFunc(list, func(f drawnField) bool { return !slices.Contains(d.often, f.name) }); len(some) > 0 && !d.one(3) {
		f = pick(d, some...)
	}
	if f.array && (copies == 0 || d.one(3)) {
		f.name = strings.Replace(f.name, "*", fmt.Sprint(d.IntN(3)), 1)
	}
	return f
}

func wide(bits int) func(drawnField) bool {
	return func(f drawnField) bool { return f.bits == bits }
}

func most(bits int) func(drawnField) bool {
	return func(f drawnField) bool { return f.bits <= bits }
}

// parser draws one state a header and some without, which lead to later ones. Some
// select by what is extracted later or never.
func (d *drawn) parser() (states []ir.State) {
	order := d.Perm(len(d.p.Headers))
	n, long := len(order)+d.IntN(2), d.one(6)
	if long {
		n += 14
	}
	next := func(i int) string {
		if i+1 == n || !long && d.one(4) || d.one(40) {
			return pick(d, append(slices.Repeat([]string{ir.Accept}, 20), ir.Reject)...)
		}
		if long {
			return fmt.Sprint("s", i+1)
		}
		return fmt.Sprint("s", i+1+d.IntN(n-i-1))
	}
	for i := range n {
		st := ir.State{Name: fmt.Sprint("s", i), Next: next(i)}
		if i < len(order) && !d.one(8) {
			st.Extract = []string{d.p.Headers[order[i]].Name}
		}
		if d.one(10) {
			st.Advance = 2
		}
		bits, left := []int{}, 32
		for range d.IntN(3) {
			f := d.field(0, most(left))
			if own := i < len(order) && !d.one(3); own {
				h := d.p.Headers[order[i]]
				if g := pick(d, h.Fields...); g.Bits <= left && g.Count == 0 {
					f = drawnField{name: h.Name + "." + g.Name, bits: g.Bits}
				}
			}
			st.Select, bits, left = append(st.Select, f.name), append(bits, f.bits), left-f.bits
			if left == 0 {
				break
			}
		}
		for range d.IntN(4) {
			var c ir.Case
			for _, b := range bits {
				c.Values, c.Masks = append(c.Values, d.value(b)), append(c.Masks, d.mask(b))
			}
			c.Next = next(i)
			st.Cases = append(st.Cases, c)
		}
		states = append(states, st)
	}
	return states
}

func (d *drawn) deparse() (out []string) {
	for _, h := range d.Perm(len(d.p.Headers)) {
		if !d.one(12) {
			out = append(out, d.p.Headers[h].Name)
		}
	}
	return out
}

// step draws a table, or a condition over some.
func (d *drawn) step(depth int) ir.Step {
	if depth == 3 || !d.one(3) {
		return ir.Step{Apply: d.table()}
	}
	st := ir.Step{If: d.cond()}
	if d.one(3) {
		st.If.And = d.cond()
	}
	for range 1 + d.IntN(2) {
		st.Then = append(st.Then, d.step(depth+1))
	}
	for range d.IntN(2) {
		st.Else = append(st.Else, d.step(depth+1))
	}
	return st
}

func (d *drawn) cond() *ir.Cond {
	if d.one(4) {
		return &ir.Cond{Valid: pick(d, d.p.Headers...).Name}
	}
	f := d.field(0, most(22))
	c := &ir.Cond{Left: f.name, Op: pick(d, ir.Equal, ir.Equal, ir.NotEqual, ir.NotEqual, ir.Less, ir.LessSigned, ir.Greater,
		ir.GreaterSigned), Right: ir.C(d.value(f.bits))}
	if d.one(3) {
		c.Right = ir.F(d.field(0, wide(f.bits)).name)
	}
	return c
}

// table draws one, often with the keys and rows of an earlier one.
func (d *drawn) table() string {
	t := ir.Table{Name: d.named("t"), Const: d.one(2), Counter: d.one(3)}
	if d.one(5) {
		t.Copies = 2 + d.IntN(2)
	}
	var actions []ir.Action
	for range 1 + d.IntN(3) {
		a := d.action(t.Copies)
		actions, t.Actions = append(actions, a), append(t.Actions, a.Name)
	}
	d.p.Actions = append(d.p.Actions, actions...)
	if !d.one(6) {
		a := pick(d, actions...)
		t.Default, t.Args = a.Name, d.args(&a)
	}
	if len(d.tables) > 0 && d.one(2) {
		from := pick(d, d.tables...)
		if t.Keys = from.Keys; from.Copies <= t.Copies {
			t.Entries = slices.Clone(from.Entries)
		} else {
			t.Keys = nil
		}
	} else if !d.one(5) {
		d.rows(&t)
	}
	for i := range t.Entries {
		a := pick(d, actions...)
		t.Entries[i].Action, t.Entries[i].Args = a.Name, d.args(&a)
	}
	if len(t.Keys) > 0 {
		t.Size = len(t.Entries) + 6
	}
	d.p.Tables, d.tables = append(d.p.Tables, t), append(d.tables, t)
	return t.Name
}

// rows draws keys and entries, now and then many.
func (d *drawn) rows(t *ir.Table) {
	bits := []int{}
	for range 1 + d.IntN(3) {
		f := d.field(t.Copies, func(f drawnField) bool { return f.bits <= 64 && (!f.array || d.one(2)) })
		t.Keys, bits = append(t.Keys, ir.Key{Field: f.name, Kind: pick(d, ir.Exact, ir.Exact, ir.Ternary)}), append(bits, f.bits)
	}
	n := pick(d, 0, 1, 2, 3, 4, 5, 6, 8, 8)
	if d.one(6) {
		n = pick(d, 70, 300)
	}
	for i := range n {
		e := d.entry(t.Keys, bits)
		if n > 8 {
			e.Values[0], e.Masks[0] = uint64(i)&ones(bits[0]), ones(bits[0])
		}
		t.Entries = append(t.Entries, e)
	}
}

func (d *drawn) entry(keys []ir.Key, bits []int) ir.Entry {
	e := ir.Entry{Pipe: pick(d, 0, 0, 0, 0, 1, 2), Priority: d.IntN(3)}
	for i, b := range bits {
		m := ones(b)
		if keys[i].Kind == ir.Ternary {
			m = d.mask(b)
		}
		e.Values, e.Masks = append(e.Values, d.value(b)), append(e.Masks, m)
	}
	return e
}

func (d *drawn) args(a *ir.Action) (out []uint64) {
	for _, p := range a.Params {
		out = append(out, d.value(p.Bits))
	}
	return out
}

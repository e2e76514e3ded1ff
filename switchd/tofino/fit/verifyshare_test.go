package fit

import (
	"fmt"
	"slices"

	"github.com/inalab/inalab/switchd/tofino/ir"
)

// event is what a table, or a condition, does on a way through a control.
type event struct {
	stage int
	name  string
	table *Table // nil: a condition
	copy  int
	cond  *Cond
}

// maxWays bounds the ways that are looked at.
const maxWays = 1 << 12

// ways lists what happens on all ways through a control.
func ways(f *Program, steps []Step) [][]event {
	out := [][]event{nil}
	for _, s := range steps {
		var next [][]event
		for _, way := range out {
			way = slices.Clip(way)
			if s.If == nil {
				t := &f.Tables[s.Apply]
				for c := range t.Copies {
					way = append(way, event{t.Stages[c], copyName(t.Name, t.Vector, c), t, c, nil})
				}
				next = append(next, way)
				continue
			}
			way = append(way, event{s.Stage, "condition", nil, 0, s.If})
			for _, arm := range [][]Step{s.Then, s.Else} {
				for _, rest := range ways(f, arm) {
					next = append(next, slices.Concat(way, rest))
				}
			}
		}
		out = next[:min(len(next), maxWays)]
	}
	return out
}

// reads reports whether an event may read a field; what an action writes a part of it reads.
func (e *event) reads(f FieldID) bool {
	is := func(o Operand) bool { return o.Kind == FromField && o.Field.Of(e.copy) == f }
	for c := e.cond; c != nil; c = c.And {
		if c.Left == f || is(c.Right) {
			return true
		}
	}
	if e.table == nil {
		return false
	}
	for _, k := range e.table.Keys {
		if k.Field.Of(e.copy) == f {
			return true
		}
	}
	return slices.ContainsFunc(e.table.Actions, func(a Action) bool {
		return slices.ContainsFunc(a.Do, func(o Op) bool {
			return is(o.A) || is(o.B) || is(o.Index) || slices.ContainsFunc(o.In, is)
		})
	})
}

// sets returns the operation of an action that writes a field.
func (e *event) sets(a *Action, f FieldID) *Op {
	for i := range a.Do {
		if o := &a.Do[i]; o.Dst.ID != NoField && o.Dst.Of(e.copy) == f {
			return o
		}
	}
	return nil
}

// writes reports whether an event may write a field; surely, whether it does so whatever matches.
func (e *event) writes(f FieldID, bits int) (may, surely bool) {
	if e.table == nil {
		return false, false
	}
	surely = e.table.Default >= 0
	for i := range e.table.Actions {
		o := e.sets(&e.table.Actions[i], f)
		may = may || o != nil
		surely = surely && o != nil && o.DstBits == bits
	}
	return may, surely
}

// sharing looks at every two fields that are in one container.
func (p *phvOf) sharing() error {
	all := ways(p.Program, p.Gress[p.side].Control)
	for c, bits := range p.bits {
		var list []FieldID
		for _, at := range bits {
			for _, f := range at {
				if !slices.Contains(list, f) {
					list = append(list, f)
				}
			}
		}
		for i, f := range list {
			for _, g := range list[:i] {
				if err := p.pair(c, f, g, all); err != nil {
					return fmt.Errorf("container %+v of %s and %s: %w", c, p.Fields[f].Name, p.Fields[g].Name, err)
				}
			}
		}
	}
	return nil
}

// pair holds two fields of one container against each other.
func (p *phvOf) pair(c Container, f, g FieldID, all [][]event) error {
	x, y := &p.Fields[f], &p.Fields[g]
	switch {
	case x.Header != NoHeader && x.Header == y.Header:
		if p.overlap(c, f, g) || p.works(f, nil) || p.works(g, nil) {
			return fmt.Errorf("fields of one header")
		}
		return nil
	case x.Header != NoHeader && y.Header != NoHeader:
		return p.headersApart(x.Header, y.Header, all)
	case x.Header != NoHeader || y.Header != NoHeader:
		return fmt.Errorf("a header and metadata")
	case p.tells(x) || p.tells(y):
		return fmt.Errorf("the chip reads one")
	}
	for _, way := range all {
		for _, both := range [][2]FieldID{{f, g}, {g, f}} {
			if err := p.way(c, both[0], both[1], way); err != nil {
				return err
			}
		}
	}
	return nil
}

// overlap reports whether two fields have a bit of a container in common.
func (p *phvOf) overlap(c Container, f, g FieldID) bool {
	return slices.ContainsFunc(p.bits[c], func(list []FieldID) bool { return slices.Contains(list, f) && slices.Contains(list, g) })
}

// works reports whether an ALU works on the whole container of a field, as an event may, or any.
func (p *phvOf) works(f FieldID, e *event) bool {
	for i := range p.Tables {
		t := &p.Tables[i]
		for c := 0; c < t.Copies && t.Side == p.side; c++ {
			if e != nil && (e.table != t || e.copy != c) {
				continue
			}
			for _, a := range t.Actions {
				for _, o := range a.Do {
					for _, x := range []Ref{o.Dst, o.A.ref(), o.B.ref()} {
						if x.ID != NoField && x.Of(c) == f && (slices.Contains(wholes, o.Kind) || e != nil && slices.Contains(bitwise, o.Kind)) {
							return true
						}
					}
				}
			}
		}
	}
	return false
}

// ref returns the field of an operand, or none.
func (o *Operand) ref() Ref {
	if o.Kind != FromField {
		return Ref{ID: NoField}
	}
	return o.Field
}

// way demands that a field keeps its value on a way, whatever another one of its container does.
func (p *phvOf) way(c Container, f, g FieldID, way []event) error {
	overlap := p.overlap(c, f, g)
	spoilt := func(r *event) error {
		for i := range way {
			w := &way[i]
			if may, _ := w.writes(g, 0); !may || !overlap && !p.works(g, w) && !(r != nil && p.works(f, r)) {
				continue
			}
			junk := p.works(f, r) && p.Fields[f].Bits < c.Bits
			if w.stage < r.stage && (junk || !p.restored(f, way, w.stage, r.stage)) {
				return fmt.Errorf("%s of stage %d reads what %s of stage %d has written over", r.name, r.stage, w.name, w.stage)
			}
		}
		if parsed := p.parserWrites(g); parsed && overlap && !p.restored(f, way, 0, r.stage) {
			return fmt.Errorf("%s of stage %d reads what the parser has written over", r.name, r.stage)
		}
		return nil
	}
	for i := range way {
		e := &way[i]
		if e.reads(f) {
			if err := spoilt(e); err != nil {
				return err
			}
		}
		if err := p.together(c, f, g, e, way, overlap); err != nil {
			return err
		}
	}
	return nil
}

// restored reports whether a table between two stages writes a field whatever happens.
func (p *phvOf) restored(f FieldID, way []event, after, before int) bool {
	return slices.ContainsFunc(way, func(e event) bool {
		_, surely := e.writes(f, p.Fields[f].Bits)
		return surely && e.stage > after && e.stage < before
	})
}

// parserWrites reports whether the parser finds a field of metadata.
func (p *phvOf) parserWrites(f FieldID) bool {
	name := p.Fields[f].Name
	_, written := writable[name]
	return p.Fields[f].Kind == Intrinsic && !written || p.side == Egress && slices.Contains(p.Bridged, f) || p.side == Ingress && name == "meta.resubmit"
}

// together demands that no two tables of a stage write one container, and that what an action
// writes there are constants and parameters under a mask, of bits apart.
func (p *phvOf) together(c Container, f, g FieldID, e *event, way []event, overlap bool) error {
	if may, _ := e.writes(f, 0); !may {
		return nil
	}
	for i := range way {
		o := &way[i]
		if may, _ := o.writes(g, 0); may && o.stage == e.stage && (o.table != e.table || o.copy != e.copy) {
			return fmt.Errorf("%s and %s write it in stage %d", e.name, o.name, e.stage)
		}
	}
	for i := range e.table.Actions {
		a := &e.table.Actions[i]
		x, y := e.sets(a, f), e.sets(a, g)
		if x != nil && y != nil && (overlap || x.Kind != ir.Set || y.Kind != ir.Set || x.A.Kind == FromField || y.A.Kind == FromField) {
			return fmt.Errorf("action %s writes both", a.Name)
		}
	}
	return nil
}

// headersApart demands that no way through the parser has two headers, that no action adds one of
// them, and that tables touch them only where they are valid.
func (p *phvOf) headersApart(a, b HeaderID, all [][]event) error {
	var follow func(id StateID, seen []HeaderID) bool
	follow = func(id StateID, seen []HeaderID) bool {
		if id < 0 {
			return slices.Contains(seen, a) && slices.Contains(seen, b)
		}
		st := &p.Gress[p.side].Parser[id]
		seen = slices.Concat(seen, st.Extract)
		for _, c := range st.Cases {
			if follow(c.Next, seen) {
				return true
			}
		}
		return follow(st.Next, seen)
	}
	if len(p.Gress[p.side].Parser) > 0 && follow(0, nil) {
		return fmt.Errorf("a packet may have both headers")
	}
	for _, way := range all {
		for i := range way {
			for _, h := range []HeaderID{a, b} {
				if way[i].touchesHeader(p.Program, h) && !slices.ContainsFunc(way[:i], func(e event) bool { return e.cond.asks(h) }) {
					return fmt.Errorf("%s touches header %s", way[i].name, p.Headers[h].Name)
				}
			}
		}
	}
	return nil
}

// touchesHeader reports whether an event adds a header, or reads or writes fields of it.
func (e *event) touchesHeader(p *Program, h HeaderID) bool {
	for f := p.Headers[h].First; f < p.Headers[h].First+FieldID(p.Headers[h].Len); f++ {
		if may, _ := e.writes(f, 0); may || e.reads(f) {
			return true
		}
	}
	return e.table != nil && slices.ContainsFunc(e.table.Actions, func(a Action) bool {
		return slices.ContainsFunc(a.Do, func(o Op) bool { return o.Kind == ir.Validate && o.Header == h })
	})
}

package fit

import (
	"fmt"
	"slices"
	"strings"

	"github.com/inalab/inalab/switchd/tofino/ir"
)

// containers holds the containers of a placed program against the rules once more, in the dumbest
// way: bit by bit, pair by pair, and for metadata that shares a container way by way through the
// control. It knows nothing of pieces, lifetimes or the order of allocation.
func (v *verifier) containers() error {
	owner, deparsers := map[Container]Side{}, map[string]Side{}
	collections := map[int]Side{}
	for side := range Side(2) {
		p := &phvOf{verifier: v, side: side, owner: owner, deparsers: deparsers, collections: collections, bits: map[Container][][]FieldID{}}
		for _, check := range []func() error{p.covered, p.owners, p.headers, p.validity, p.operations, p.sharing} {
			if err := check(); err != nil {
				return fmt.Errorf("%s: %w", side, err)
			}
		}
	}
	return nil
}

// phvOf is the containers of a side.
type phvOf struct {
	*verifier
	side        Side
	owner       map[Container]Side
	deparsers   map[string]Side // of a group of a deparser
	collections map[int]Side
	bits        map[Container][][]FieldID // fields by bit
}

// touches calls a function for all fields that tables and conditions of the side touch.
func (p *phvOf) touches(do func(f FieldID)) {
	read := func(o Operand, copy int) {
		if o.Kind == FromField {
			do(o.Field.Of(copy))
		}
	}
	for i := range p.Tables {
		t := &p.Tables[i]
		for c := 0; c < t.Copies && t.Side == p.side; c++ {
			for _, k := range t.Keys {
				do(k.Field.Of(c))
			}
			for _, a := range t.Actions {
				for _, o := range a.Do {
					if o.Dst.ID != NoField {
						do(o.Dst.Of(c))
					}
					for _, x := range append([]Operand{o.A, o.B, o.Index}, o.In...) {
						read(x, c)
					}
				}
			}
		}
	}
	var conds func(steps []Step)
	conds = func(steps []Step) {
		for _, s := range steps {
			for c := s.If; c != nil; c = c.And {
				if c.Valid == NoHeader {
					do(c.Left)
					read(c.Right, 0)
				}
			}
			conds(s.Then)
			conds(s.Else)
		}
	}
	conds(p.Gress[p.side].Control)
}

// has reports whether the side has a header: it is parsed or written there.
func (p *phvOf) has(h HeaderID) bool {
	g := &p.Gress[p.side]
	return slices.Contains(g.Deparse, h) || slices.ContainsFunc(g.Parser, func(s State) bool { return slices.Contains(s.Extract, h) })
}

// covered demands that each field that the side needs has a place for every bit, once.
func (p *phvOf) covered() error {
	need := make([]bool, len(p.Fields))
	p.touches(func(f FieldID) { need[f] = true })
	for _, f := range p.Bridged {
		need[f] = true
	}
	for i := range p.Fields {
		f := &p.Fields[i]
		at := 0
		for _, s := range f.Slices[p.side] {
			if s.From != at || s.Bits < 1 || s.Low < 0 || s.Low+s.Bits > s.Container.Bits {
				return fmt.Errorf("field %s has slices %+v", f.Name, f.Slices[p.side])
			}
			at += s.Bits
			if p.bits[s.Container] == nil {
				p.bits[s.Container] = make([][]FieldID, s.Container.Bits)
			}
			for b := range s.Bits {
				p.bits[s.Container][s.Low+b] = append(p.bits[s.Container][s.Low+b], FieldID(i))
			}
		}
		if wanted := need[i] || f.Header != NoHeader && p.has(f.Header); at != f.Bits && (wanted || at != 0) {
			return fmt.Errorf("field %s of %d bits has slices %+v", f.Name, f.Bits, f.Slices[p.side])
		}
	}
	return nil
}

// take notes a container of the side.
func (p *phvOf) take(c Container, deparsed bool) error {
	counts, grain := map[int]int{8: 64, 16: 96, 32: 64}, map[int]int{8: 8, 16: 8, 32: 4}
	if c.Tagalong {
		counts, grain = map[int]int{8: 32, 16: 48, 32: 32}, map[int]int{8: 4, 16: 6, 32: 4}
	}
	if o, taken := p.owner[c]; taken && o != p.side || c.Number < 0 || c.Number >= counts[c.Bits] {
		return fmt.Errorf("container %+v is not there, or the other side's", c)
	}
	p.owner[c] = p.side
	if c.Tagalong {
		n := c.Number / grain[c.Bits]
		if o, taken := p.collections[n]; taken && o != p.side {
			return fmt.Errorf("collection %d is of both sides", n)
		}
		p.collections[n] = p.side
		return nil
	}
	if group := c.Number / 16; group < 2 && group != int(p.side) {
		return fmt.Errorf("container %+v is of the other side alone", c)
	}
	if last := counts[c.Bits] - grain[c.Bits]; deparsed && c.Number < last {
		group := fmt.Sprint(c.Bits, " ", c.Number/grain[c.Bits])
		if o, taken := p.deparsers[group]; taken && o != p.side {
			return fmt.Errorf("deparser group %s is of both sides", group)
		}
		p.deparsers[group] = p.side
	}
	return nil
}

// tells reports whether the deparser or the chip reads a field of metadata.
func (p *phvOf) tells(f *Field) bool {
	prefix := [2]string{"ig.", "eg."}[p.side]
	_, written := writable[f.Name]
	bridged := slices.ContainsFunc(p.Bridged, func(b FieldID) bool { return &p.Fields[b] == f })
	return strings.HasPrefix(f.Name, prefix) && written || p.side == Ingress && (bridged || f.Name == "meta.resubmit")
}

// owners holds each container against who may have it.
func (p *phvOf) owners() error {
	touched := map[FieldID]bool{}
	p.touches(func(f FieldID) { touched[f] = true })
	for c, bits := range p.bits {
		deparsed := false
		for _, list := range bits {
			for _, id := range list {
				f := &p.Fields[id]
				deparsed = deparsed || f.Header != NoHeader || p.tells(f)
				if c.Tagalong && (touched[id] || f.Header == NoHeader) {
					return fmt.Errorf("field %s is in container %+v", f.Name, c)
				}
			}
		}
		if err := p.take(c, deparsed); err != nil {
			return err
		}
	}
	return nil
}

// headers demands that a container with a byte of a header is full of that header, in its order.
func (p *phvOf) headers() error {
	for h := range p.Headers {
		type place struct {
			Container
			bit int
		}
		var places []place
		for f := p.Headers[h].First; f < p.Headers[h].First+FieldID(p.Headers[h].Len); f++ {
			for _, s := range slices.Backward(p.Fields[f].Slices[p.side]) {
				for b := s.Bits - 1; b >= 0; b-- {
					places = append(places, place{s.Container, s.Low + b})
				}
			}
		}
		for i := 0; i < len(places); {
			c := places[i].Container
			if i%8 != 0 || i+c.Bits > len(places) {
				return fmt.Errorf("container %+v begins at bit %d of header %s", c, i, p.Headers[h].Name)
			}
			for b := range c.Bits {
				if at := places[i+b]; at.Container != c || at.bit != c.Bits-1-b {
					return fmt.Errorf("container %+v of header %s has other bits at %d", c, p.Headers[h].Name, i+b)
				}
			}
			i += c.Bits
		}
	}
	return nil
}

// validity demands a bit for each header that the side has, where no field is.
func (p *phvOf) validity() error {
	seen := map[Bit]bool{}
	for h := range p.Headers {
		b := p.Headers[h].Valid[p.side]
		if !p.has(HeaderID(h)) && b.Bits == 0 {
			continue
		}
		if b.Bits == 0 || b.Tagalong || seen[b] || p.bits[b.Container] != nil || b.Low >= b.Bits {
			return fmt.Errorf("header %s is valid by %+v", p.Headers[h].Name, b)
		}
		seen[b] = true
		if err := p.take(b.Container, true); err != nil {
			return err
		}
	}
	return nil
}

// bitOf returns where a bit of a field is.
func (p *phvOf) bitOf(f FieldID, bit int) (c Container, at int) {
	for _, s := range p.Fields[f].Slices[p.side] {
		if bit < s.From+s.Bits {
			return s.Container, s.Low + bit - s.From
		}
	}
	return c, -1
}

// whole are the operations that work on whole containers, and signs those of them that need the
// highest bit.
var (
	wholes = []ir.OpKind{ir.Add, ir.Sub, ir.SatAdd, ir.SatSub, ir.SatAddSigned, ir.SatSubSigned, ir.Min, ir.Max, ir.MinSigned, ir.MaxSigned,
		ir.Shl, ir.Shr, ir.ShrSigned}
	signs   = []ir.OpKind{ir.SatAdd, ir.SatAddSigned, ir.SatSubSigned, ir.MinSigned, ir.MaxSigned, ir.ShrSigned}
	bitwise = []ir.OpKind{ir.And, ir.Or, ir.Xor, ir.AndNot}
)

// operations demands that what an instruction reads is in the group of what it writes.
func (p *phvOf) operations() error {
	for i := range p.Tables {
		t := &p.Tables[i]
		for c := 0; c < t.Copies && t.Side == p.side; c++ {
			for _, a := range t.Actions {
				for _, o := range a.Do {
					if err := p.operation(&o, c); err != nil {
						return fmt.Errorf("action %s: %s: %w", a.Name, o.Kind, err)
					}
				}
			}
		}
	}
	return nil
}

func (p *phvOf) operation(o *Op, copy int) error {
	moves := o.Kind == ir.Set
	if !moves && !slices.Contains(wholes, o.Kind) && !slices.Contains(bitwise, o.Kind) {
		return nil
	}
	dst := o.Dst.Of(copy)
	for _, x := range []Operand{o.A, o.B} {
		if x.Kind != FromField {
			continue
		}
		src := x.Field.Of(copy)
		for b := range min(o.DstBits, x.Bits) {
			to, at := p.bitOf(dst, o.DstFrom+b)
			from, lay := p.bitOf(src, x.From+b)
			if to.Bits != from.Bits || to.Number/16 != from.Number/16 || to.Tagalong || from.Tagalong || !moves && p.bitwiseApart(o, at, lay) {
				return fmt.Errorf("%s is in %+v, %s in %+v", p.Fields[dst].Name, to, p.Fields[src].Name, from)
			}
		}
		if err := p.filled(o, src); err != nil {
			return err
		}
	}
	return p.filled(o, dst)
}

// bitwiseApart reports whether an operation that cannot turn its sources finds them elsewhere. Of
// fields that share bytes of headers bitwise operations are accepted as they are.
func (p *phvOf) bitwiseApart(o *Op, at, lay int) bool {
	return slices.Contains(wholes, o.Kind) && at != lay
}

// filled demands that a field of arithmetic begins a container of its own, and fills it where its
// highest bit counts. What else may be there at other times is for sharing to say.
func (p *phvOf) filled(o *Op, f FieldID) error {
	list, field := p.Fields[f].Slices[p.side], &p.Fields[f]
	if !slices.Contains(wholes, o.Kind) {
		return nil
	}
	if len(list) != 1 || list[0].Low != 0 || (field.Header != NoHeader || slices.Contains(signs, o.Kind)) && list[0].Container.Bits != field.Bits {
		return fmt.Errorf("%s is in %+v", field.Name, list)
	}
	return nil
}

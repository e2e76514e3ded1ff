package fit

import "github.com/inalab/inalab/switchd/tofino/ir"

// need says what a field asks of its containers.
type need uint8

const (
	unused need = iota
	parts       // may be cut
	whole       // lies within one container: it is ordered
	alone       // has one of its own: an ALU works on it
	exact       // and fills it
)

// vector gives containers to fields: it collects what instructions ask of them, cuts headers and
// metadata into pieces of a container each (cut.go), and finds a container for each piece
// (assign.go).
type vector struct {
	*Program
	bad    *refusals
	needs  [2][]need // by side and field
	parsed [2][]bool // headers that a side has, by header
	links  [2][]link
	stiff  [2]bitset // fields of bitwise operations, which work on whole containers

	pieces []piece
	bytes  [2][][]int // piece of each byte of a header, by side and header; noPiece
	parts  [2][][]int // pieces of a field of metadata, by side and field, lowest bits first
	valid  [2][]int   // piece of the bit that says that a header is valid
	joined forest     // pieces that instructions bring together
	pool   pool
	live   [2]liveness
	nodes  []node // of both sides
}

// link says that an instruction takes bits of a container into another: both are in one group.
type link struct {
	to, from       FieldID
	toLow, fromLow int
	bits           int
}

// sizes of containers, smallest first, and how many there are of each.
var (
	sizes     = [3]int{8, 16, 32}
	available = [3]int{PHV8, PHV16, PHV32}
)

// sizeFor is the number of the smallest size that holds so many bits; 3: none does.
func sizeFor(bits int) int { return log2Up(ceil(bits, 8)) }

// collect finds what the sides have, and what instructions ask of it.
func (v *vector) collect() {
	for side := range Side(2) {
		v.needs[side] = make([]need, len(v.Fields))
		v.parsed[side] = make([]bool, len(v.Headers))
		v.stiff[side] = newBitset(len(v.Fields))
		g := &v.Gress[side]
		for i := range g.Parser {
			v.markParsed(side, g.Parser[i].Extract...)
		}
		v.markParsed(side, g.Deparse...)
		for _, f := range v.Bridged {
			v.require(side, f, parts)
		}
		v.condNeeds(side, g.Control)
	}
	for i := range v.Tables {
		v.tableNeeds(&v.Tables[i])
	}
}

func (v *vector) markParsed(side Side, headers ...HeaderID) {
	for _, h := range headers {
		v.parsed[side][h] = true
	}
}

// require raises the need of a field; the header it is of comes with it.
func (v *vector) require(side Side, f FieldID, n need) {
	if f == NoField {
		return
	}
	v.needs[side][f] = max(v.needs[side][f], n)
	if h := v.Fields[f].Header; h != NoHeader {
		v.markParsed(side, h)
	}
}

func (v *vector) tableNeeds(t *Table) {
	for c := range t.Copies {
		for _, k := range t.Keys {
			v.require(t.Side, k.Field.Of(c), parts)
		}
		for i := range t.Actions {
			for k := range t.Actions[i].Do {
				v.opNeeds(t.Side, &t.Actions[i].Do[k], c)
			}
		}
	}
}

// opNeeds notes what an operation asks of its fields.
func (v *vector) opNeeds(side Side, op *Op, copy int) {
	if op.Header != NoHeader {
		v.markParsed(side, op.Header)
		return
	}
	n, dst := parts, op.Dst.Of(copy)
	switch t := operations[op.Kind]; {
	case t.has(highestBit):
		n = exact
	case t.has(wholeALU):
		n = alone
	}
	if op.Dst.ID == NoField {
		dst = NoField
	}
	v.require(side, dst, n)
	for _, o := range append([]Operand{op.A, op.B}, append(op.In, op.Index)...) {
		if o.Kind != FromField {
			continue
		}
		from := o.Field.Of(copy)
		v.require(side, from, n)
		if op.Kind == ir.Set || operations[op.Kind] != 0 {
			v.links[side] = append(v.links[side], link{dst, from, op.DstFrom, o.From, min(op.DstBits, o.Bits)})
		}
		if n == parts && operations[op.Kind] != 0 {
			v.stiff[side].set(int(from))
		}
	}
	if n == parts && operations[op.Kind] != 0 {
		v.stiff[side].set(int(dst))
	}
}

func (v *vector) condNeeds(side Side, steps []Step) {
	for i := range steps {
		for c := steps[i].If; c != nil; c = c.And {
			if c.Valid != NoHeader {
				v.markParsed(side, c.Valid)
				continue
			}
			n := parts
			if ordered(c.Op) {
				n = whole
			}
			v.require(side, c.Left, n)
			if c.Right.Kind == FromField {
				v.require(side, c.Right.Field.ID, n)
			}
		}
		v.condNeeds(side, steps[i].Then)
		v.condNeeds(side, steps[i].Else)
	}
}

// given reports whether the parser of a side finds a field of metadata.
func (v *vector) given(side Side, id FieldID) bool {
	switch f := &v.Fields[id]; f.Kind {
	case Intrinsic:
		_, written := writable[f.Name]
		return !written && f.of(side)
	case Metadata:
		return side == Egress && v.bridged(id) || side == Ingress && f.Name == resubmitted
	}
	return false
}

// kept reports whether the deparser of a side, or the chip behind it, reads a field of metadata.
func (v *vector) kept(side Side, id FieldID) bool {
	f := &v.Fields[id]
	_, written := writable[f.Name]
	return f.Kind == Intrinsic && written && f.of(side) || side == Ingress && (v.bridged(id) || f.Name == resubmitted)
}

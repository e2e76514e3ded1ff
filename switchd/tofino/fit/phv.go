package fit

import "slices"

// need says what a field asks of its containers.
type need uint8

const (
	unused need = iota
	parts       // may be cut
	whole       // lies within one container: it is ordered
	alone       // has one of its own: an ALU works on it
)

// vector gives containers to fields.
type vector struct {
	*Program
	bad         *refusals
	needs       [2][]need        // by side and field
	parsed      [2][]bool        // headers that a side has, by header
	counts      [3][2]int        // containers used, by size and side
	held        [2][][]Container // of each byte of a header, by side and header
	looseBytes  []span           // header bytes that may be cut
	looseFields []fieldOn        // metadata that may be cut
}

// fieldOn is a field on a side.
type fieldOn struct {
	side  Side
	field FieldID
}

// span is bytes of a header one behind another.
type span struct {
	side   Side
	header HeaderID
	first  int // byte
	bytes  int
}

// sizes of containers, smallest first; free says how many there are.
var (
	sizes     = [3]int{8, 16, 32}
	available = [3]int{PHV8, PHV16, PHV32}
)

// allocate gives every field that a side has its containers.
func (v *vector) allocate() {
	for side := range Side(2) {
		v.needs[side] = make([]need, len(v.Fields))
		v.parsed[side] = make([]bool, len(v.Headers))
		v.held[side] = make([][]Container, len(v.Headers))
		v.collect(side)
	}
	for side := range Side(2) {
		for h := range v.Headers {
			if v.parsed[side][h] {
				v.cutHeader(side, HeaderID(h))
			}
		}
	}
	for size := len(sizes) - 1; size >= 0; size-- {
		v.metadata(size)
	}
	for _, r := range v.looseBytes {
		v.cutBytes(r)
	}
	for _, f := range v.looseFields {
		v.cutMetadata(f)
	}
	for side := range Side(2) {
		for i := range v.Fields {
			v.listContainers(side, &v.Fields[i])
		}
	}
}

// listContainers lists the containers of the bytes of a field.
func (v *vector) listContainers(side Side, f *Field) {
	if f.Header == NoHeader || !v.parsed[side][f.Header] {
		return
	}
	bytes := v.held[side][f.Header][f.Offset/8 : (f.Offset+f.Bits-1)/8+1]
	f.Containers[side] = slices.Compact(slices.Clone(bytes))
}

// collect finds what a side has.
func (v *vector) collect(side Side) {
	g := &v.Gress[side]
	for i := range g.Parser {
		v.markParsed(side, g.Parser[i].Extract...)
	}
	v.markParsed(side, g.Deparse...)
	for _, f := range v.Bridged {
		v.require(side, Ref{ID: f}, 1, parts)
	}
	for i := range v.Tables {
		if t := &v.Tables[i]; t.Side == side {
			v.tableNeeds(t)
		}
	}
	v.condNeeds(side, g.Control)
}

func (v *vector) markParsed(side Side, headers ...HeaderID) {
	for _, h := range headers {
		v.parsed[side][h] = true
	}
}

// require raises the need of a field; the header it is of comes with it.
func (v *vector) require(side Side, r Ref, copies int, n need) {
	if r.ID == NoField {
		return
	}
	for c := range copies {
		f := r.Of(c)
		v.needs[side][f] = max(v.needs[side][f], n)
		if h := v.Fields[f].Header; h != NoHeader {
			v.markParsed(side, h)
		}
	}
}

func (v *vector) tableNeeds(t *Table) {
	for _, k := range t.Keys {
		v.require(t.Side, k.Field, t.Copies, parts)
	}
	for i := range t.Actions {
		for k := range t.Actions[i].Do {
			op := &t.Actions[i].Do[k]
			n := parts
			if operations[op.Kind].has(wholeALU) {
				n = alone
			}
			if op.Header != NoHeader {
				v.markParsed(t.Side, op.Header)
			}
			v.require(t.Side, op.Dst, t.Copies, n)
			v.require(t.Side, op.A.ref(), t.Copies, n)
			v.require(t.Side, op.B.ref(), t.Copies, n)
			v.require(t.Side, op.Index.ref(), t.Copies, parts)
			for _, in := range op.In {
				v.require(t.Side, in.ref(), t.Copies, parts)
			}
		}
	}
}

// ref returns the field of an operand, or none.
func (o *Operand) ref() Ref {
	if o.Kind != FromField {
		return Ref{ID: NoField}
	}
	return o.Field
}

func (v *vector) condNeeds(side Side, steps []Step) {
	for i := range steps {
		for c := steps[i].If; c != nil; c = c.And {
			n := parts
			if ordered(c.Op) {
				n = whole
			}
			if c.Valid != NoHeader {
				v.markParsed(side, c.Valid)
				continue
			}
			v.require(side, Ref{ID: c.Left}, 1, n)
			v.require(side, c.Right.ref(), 1, n)
		}
		v.condNeeds(side, steps[i].Then)
		v.condNeeds(side, steps[i].Else)
	}
}

// cutHeader takes the containers that fields of a header insist on, and notes the
// bytes between them.
func (v *vector) cutHeader(side Side, id HeaderID) {
	h := &v.Headers[id]
	covered := make([]bool, h.Bytes)
	v.held[side][id] = make([]Container, h.Bytes)
	for f := h.First; f < h.First+FieldID(h.Len); f++ {
		n := v.needs[side][f]
		if n != alone && n != whole {
			continue
		}
		if first, size, ok := v.ownContainer(side, f, n, covered); ok {
			v.take(side, id, first, size)
			for i := range sizes[size] / 8 {
				covered[first+i] = true
			}
		}
	}
	for at := 0; at < h.Bytes; at++ {
		if covered[at] {
			continue
		}
		r := span{side, id, at, 0}
		for at < h.Bytes && !covered[at] {
			r.bytes++
			at++
		}
		v.looseBytes = append(v.looseBytes, r)
	}
}

// ownContainer finds the bytes of the container that a field must lie in; ok is false
// where any will do, or none.
func (v *vector) ownContainer(side Side, id FieldID, n need, covered []bool) (first, size int, ok bool) {
	f := &v.Fields[id]
	where := quoted("field", f.Name)
	begin, end := f.Offset/8, (f.Offset+f.Bits-1)/8+1
	if n == alone && (f.Offset%8 != 0 || !slices.Contains(sizes[:], f.Bits)) {
		v.bad.add(RuleCut, where, "copy it to metadata, which has a container of its own",
			"takes part in arithmetic of the %s, but its %d bits at bit %d of header %q fill no container", side, f.Bits, f.Offset,
			v.Headers[f.Header].Name)
		return 0, 0, false
	}
	if n == whole && end-begin == 1 {
		return 0, 0, false // no container cuts a byte
	}
	size = log2Up(end - begin)
	first = min(begin, len(covered)-sizes[min(size, 2)]/8)
	if first < 0 || size > 2 || slices.Contains(covered[first:first+sizes[size]/8], true) {
		v.bad.add(RuleCut, where, "copy it to metadata, which has a container of its own",
			"must lie in one container of the %s, but another one cuts it", side)
		return 0, 0, false
	}
	return first, size, true
}

// take gives a container to bytes of a header, or refuses.
func (v *vector) take(side Side, id HeaderID, first, size int) {
	c, ok := v.next(side, size, size)
	if !ok {
		v.refuse(side, quoted("header", v.Headers[id].Name), sizes[size])
		return
	}
	for i := range sizes[size] / 8 {
		v.held[side][id][first+i] = c
	}
}

// next takes a free container of the smallest size from one to another.
func (v *vector) next(side Side, from, to int) (Container, bool) {
	for size := from; size <= to; size++ {
		if used := v.counts[size][Ingress] + v.counts[size][Egress]; used < available[size] {
			v.counts[size][side]++
			return Container{sizes[size], used}, true
		}
	}
	return Container{}, false
}

// refuse refuses once; further refusals would say the same.
func (v *vector) refuse(side Side, where string, bits int) {
	for _, e := range *v.bad {
		if r, ok := e.(*Refusal); ok && r.Rule == RulePHV {
			return
		}
	}
	wanted := [2]int{}
	for s := range wanted {
		for h, there := range v.parsed[s] {
			if there {
				wanted[s] += v.Headers[h].Bytes * 8
			}
		}
		for f, n := range v.needs[s] {
			if n != unused && v.Fields[f].Header == NoHeader {
				wanted[s] += v.Fields[f].Bits
			}
		}
	}
	v.bad.add(RulePHV, where, "parse fewer bytes in one pass, or use less metadata",
		"finds no container for %d bits more in the %s; fields take %d bits in the ingress and %d in the egress, "+
			"and there are %d of 8, %d of 16 and %d of 32 bits, %d in all",
		bits, side, wanted[Ingress], wanted[Egress], PHV8, PHV16, PHV32, PHVBits)
}

// metadata gives containers of their own to the metadata and intrinsics that
// need one of this size or a larger one, and notes those that may be cut.
func (v *vector) metadata(size int) {
	for side := range Side(2) {
		for f := range v.Fields {
			field, n := &v.Fields[f], v.needs[side][f]
			if field.Header != NoHeader || n == unused {
				continue
			}
			switch own := log2Up(ceil(field.Bits, 8)); {
			case n == parts && size == 0:
				v.looseFields = append(v.looseFields, fieldOn{side, FieldID(f)})
			case n != parts && own == size:
				c, ok := v.next(side, size, 2)
				if !ok {
					v.refuse(side, quoted("field", field.Name), field.Bits)
					return
				}
				field.Containers[side] = []Container{c}
			}
		}
	}
}

// cutBytes cuts bytes of a header, the largest containers first.
func (v *vector) cutBytes(r span) {
	for r.bytes > 0 {
		size := len(sizes) - 1
		for size >= 0 && (sizes[size] > r.bytes*8 || v.counts[size][Ingress]+v.counts[size][Egress] >= available[size]) {
			size--
		}
		if size < 0 {
			v.refuse(r.side, quoted("header", v.Headers[r.header].Name), r.bytes*8)
			return
		}
		v.take(r.side, r.header, r.first, size)
		r.first += sizes[size] / 8
		r.bytes -= sizes[size] / 8
	}
}

// cutMetadata cuts metadata: largest containers first as long as it fills them, then the
// smallest that holds the rest, or what is left.
func (v *vector) cutMetadata(ref fieldOn) {
	f := &v.Fields[ref.field]
	for left := ceil(f.Bits, 8) * 8; left > 0; {
		c, ok := Container{}, false
		for size := len(sizes) - 1; size >= 0 && !ok; size-- {
			if sizes[size] <= left {
				c, ok = v.next(ref.side, size, size)
			}
		}
		if !ok {
			c, ok = v.next(ref.side, 0, 2)
		}
		if !ok {
			v.refuse(ref.side, quoted("field", f.Name), left)
			return
		}
		f.Containers[ref.side] = append(f.Containers[ref.side], c)
		left -= c.Bits
	}
}

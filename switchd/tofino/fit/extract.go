package fit

import (
	"slices"
	"strings"
)

// What one row of a parser does: it takes bytes out of a window at its position, each extractor
// into one container of its size, and then shifts (p4c: bf-p4c/specs/parde_spec.h extractorSpec,
// byteInputBufferSize). A state that takes more is a chain of rows.
const (
	ParserExtractors = 4  // of each size of container
	ParserWindow     = 32 // bytes that a row sees, and shifts by at most
)

// Bytes that stand before the packet (TNA 5.1, 5.8; p4c: parde_spec.h, byteTotalIngressMetadataSize).
const (
	ingressPrefix = 16 // intrinsic metadata, then port metadata or those of a resubmission
	egressPrefix  = 2  // the port alone; further fields where the program reads them
)

// How deep an egress parser goes, from the first byte that it gets: several packets are parsed at
// once (p4c: parde_spec.h minParseDepth, maxParseDepth). A parser that ends before the least depth
// gets rows that skip bytes.
const (
	EgressBytes      = 160
	EgressLeastBytes = 65
)

// depthLimit is the deepest byte of a side.
func depthLimit(side Side) int {
	if side == Egress {
		return EgressBytes
	}
	return ParserBytes
}

// prefix returns how many bytes come before the packet: in the egress the intrinsic fields that
// something reads, each in whole bytes, and bridged metadata.
func (v *vector) prefix(side Side) int {
	if side == Ingress {
		return ingressPrefix
	}
	n := egressPrefix
	for f := range v.Fields {
		if at := &v.Fields[f]; v.given(side, FieldID(f)) && at.Name != "eg.port" && v.needs[side][f] != unused {
			n += ceil(at.Bits, 8)
		}
	}
	return n
}

// extraction counts the rows of a chain.
type extraction struct {
	rows  int
	at    int         // position of the last row
	taken [3]int      // extractors of it, by size
	set   []Container // that it has brought a constant to
}

// next goes on with a row at a byte.
func (e *extraction) next(at int) {
	*e = extraction{rows: e.rows + 1, at: at}
}

// take takes bytes into a container.
func (e *extraction) take(at int, c Container) {
	size := slices.Index(sizes[:], c.Bits)
	if e.taken[size] == ParserExtractors || at+c.Bits/8 > e.at+ParserWindow {
		e.next(at)
	}
	e.taken[size]++
}

// constant brings a constant to a container, once in a row for all its bits.
func (e *extraction) constant(at int, c Container) {
	if !slices.Contains(e.set, c) {
		e.take(at, c)
		e.set = append(e.set, c)
	}
}

// shift goes on to a byte.
func (e *extraction) shift(to int) {
	for to > e.at+ParserWindow {
		e.next(e.at + ParserWindow)
	}
}

// chain returns how many rows a state takes to extract its headers and skip what it skips. That a
// header is valid is a constant, which takes an extractor, too.
func (v *vector) chain(side Side, st *State) int {
	e, at := extraction{rows: 1}, 0
	for _, h := range st.Extract {
		e.constant(at, v.Headers[h].Valid[side].Container)
		for i := 0; i < v.Headers[h].Bytes; {
			c := v.pieces[v.bytes[side][h][i]].held
			e.take(at+i, c)
			i += c.Bits / 8
		}
		at += v.Headers[h].Bytes
	}
	e.shift(at + st.Advance)
	return e.rows
}

// first returns how many rows extract what comes before the packet.
func (v *vector) first(side Side) int {
	e := extraction{}
	for f := range v.Fields {
		if !v.given(side, FieldID(f)) {
			continue
		}
		for _, s := range v.Fields[f].Slices[side] {
			if e.rows == 0 {
				e.next(0)
			}
			e.take(e.at, s.Container)
		}
	}
	return e.rows
}

// of reports whether an intrinsic field is of a side.
func (f *Field) of(side Side) bool { return strings.HasPrefix(f.Name, [2]string{"ig.", "eg."}[side]) }

// bridged reports whether a field goes from the ingress to the egress.
func (v *vector) bridged(id FieldID) bool { return slices.Contains(v.Bridged, id) }

// resubmitted is the metadata that a packet keeps when it is resubmitted.
const resubmitted = "meta.resubmit"

// checkRows counts the rows of a parser's table: those that extract what comes before the packet;
// of each state one a case and one for all other packets, and what its chain takes more; those
// that skip bytes up to the least depth.
func (v *vector) checkRows(side Side) {
	g := &v.Gress[side]
	g.Rows = v.first(side)
	for i := range g.Parser {
		g.Rows += len(g.Parser[i].Cases) + v.chain(side, &g.Parser[i])
	}
	if side == Egress && len(g.Parser) > 0 && g.least < EgressLeastBytes {
		g.Rows += ceil(EgressLeastBytes-g.least, ParserWindow)
	}
	if g.Rows > ParserRows {
		v.bad.add(RuleRows, side.String()+" parser", "merge states or cases", "takes %d rows; there are %d", g.Rows, ParserRows)
	}
}

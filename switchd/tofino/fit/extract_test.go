package fit

import (
	"testing"

	"github.com/inalab/inalab/internal/golden"
	"github.com/inalab/inalab/switchd/tofino/ir"
)

// rowsOf returns how many rows the parser of a side takes.
func rowsOf(t *testing.T, p *ir.Program, side Side) int {
	t.Helper()
	f, err := Place(p)
	if err != nil {
		t.Fatal(err)
	}
	if err := verify(f); err != nil {
		t.Error(err)
	}
	return f.Resources().Parsers[side].Rows.Used
}

// ofSizes is a program whose header has containers of given sizes, one behind another: what an ALU
// adds to has one of its own.
func ofSizes(bits ...int) *ir.Program {
	p := parsing(0, 0)
	p.Headers[0].Fields = nil
	var do []ir.Op
	for i, n := range bits {
		name := string(rune('a' + i))
		p.Headers[0].Fields = append(p.Headers[0].Fields, ir.Field{Name: name, Bits: n})
		do = append(do, ir.Op{Kind: ir.Add, Dst: "h." + name, A: ir.F("h." + name), B: ir.C(1)})
	}
	always(p, "t", do...)
	return apply(p)
}

// TestExtractors: a row has four extractors of each size, one of 8 bits says that a header is
// valid, and it sees 32 bytes.
func TestExtractors(t *testing.T) {
	for _, c := range []struct {
		name string
		bits []int
		rows int
	}{
		{"three bytes and validity", []int{8, 8, 8}, 1},
		{"four bytes and validity", []int{8, 8, 8, 8}, 2},
		{"four halves", []int{16, 16, 16, 16}, 1},
		{"five halves", []int{16, 16, 16, 16, 16}, 2},
		{"four words", []int{32, 32, 32, 32}, 1},
		{"five words", []int{32, 32, 32, 32, 32}, 2},
		{"of each all there are", []int{8, 16, 32, 8, 16, 32, 8, 16, 32, 16, 32}, 1},
		{"nine words", []int{32, 32, 32, 32, 32, 32, 32, 32, 32}, 3},
	} {
		if got := rowsOf(t, ofSizes(c.bits...), Ingress); got != c.rows {
			t.Errorf("%s: %d rows, want %d", c.name, got, c.rows)
		}
	}
}

// TestShifts: a row shifts by 32 bytes at most.
func TestShifts(t *testing.T) {
	for skip, rows := range map[int]int{0: 1, 24: 1, 25: 2, 56: 2, 57: 3} {
		if got := rowsOf(t, parsing(8, skip), Ingress); got != rows {
			t.Errorf("8 bytes and %d skipped: %d rows, want %d", skip, got, rows)
		}
	}
}

// TestChainsTakeRows: the rows that a state takes to extract count among those of the parser.
func TestChainsTakeRows(t *testing.T) {
	of := func(bytes int) *ir.Program {
		p := selecting(32, 252)
		p.Headers = append(p.Headers, ir.Header{Name: "more", Fields: []ir.Field{{Name: "v", Bits: 32, Count: bytes / 4}}})
		p.Ingress.Parser[0].Next = "more"
		p.Ingress.Parser = append(p.Ingress.Parser, ir.State{Name: "more", Extract: []string{"more"}, Next: ir.Accept})
		p.Ingress.Deparse = []string{"h", "more"}
		return p
	}
	expect(t, of(48), of(52), RuleRows, "ingress parser")
}

// TestSelectBytes: a state selects by a pair of bytes and two more, wherever its fields begin.
func TestSelectBytes(t *testing.T) {
	of := func(fields ...ir.Field) *ir.Program {
		p := parsing(8, 0)
		p.Headers[0].Fields = fields
		for _, f := range fields {
			if f.Name[0] != '_' {
				p.Ingress.Parser[0].Select = append(p.Ingress.Parser[0].Select, "h."+f.Name)
			}
		}
		return p
	}
	b := func(name string, bits int) ir.Field { return ir.Field{Name: name, Bits: bits} }
	apart := of(b("a", 8), b("_1", 8), b("c", 8), b("_2", 8), b("e", 8), b("_3", 8), b("g", 8))
	expect(t, of(b("a", 8), b("_1", 8), b("c", 8), b("_2", 8), b("e", 16), b("_3", 8)), apart, RuleSelect, `state "start"`)
	expect(t, of(b("a", 12), b("b", 12), b("_1", 8)), of(b("_1", 4), b("a", 32), b("_2", 4)), RuleSelect, `state "start"`)
}

// TestEgressDepth: what comes before the packet counts, of the intrinsic fields those that are
// read, and a parser that ends early skips bytes.
func TestEgressDepth(t *testing.T) {
	p := egressParsing(20)
	f, err := Place(p)
	if err != nil {
		t.Fatal(err)
	}
	if u := f.Resources().Parsers[Egress]; u.Depth.Used != 22 || u.Depth.Available != 160 {
		t.Errorf("depth %+v", u.Depth)
	}
	p.Metadata, p.Bridged = []ir.Field{{Name: "m", Bits: 17}}, []string{"meta.m"}
	always(p, "t", ir.Op{Kind: ir.Set, Dst: "meta.m", A: ir.F("eg.enq_depth")})
	p.Egress.Control = []ir.Step{{Apply: "t"}}
	if f, err = Place(p); err != nil {
		t.Fatal(err)
	}
	if u := f.Resources().Parsers[Egress]; u.Depth.Used != 22+3+3 {
		t.Errorf("depth %+v with 17 bits bridged and 19 of the queue", u.Depth)
	}
	long, short := ofSizes(32, 32, 32, 32), ofSizes(32, 32, 32, 32)
	for _, p := range []*ir.Program{long, short} {
		p.Ingress, p.Egress = p.Egress, p.Ingress
	}
	long.Egress.Parser[0].Advance = 65 - 2 - 16
	if a, b := rowsOf(t, long, Egress), rowsOf(t, short, Egress); a != 2 || b != 1+2 {
		t.Errorf("%d rows for 65 bytes, %d for 18 and what is skipped; want 2 and 3", a, b)
	}
}

// TestParserRefusals shows what the refusals of parsers say.
func TestParserRefusals(t *testing.T) {
	text := ""
	for _, p := range []*ir.Program{egressParsing(159), selecting(33, 1), selecting(32, 256)} {
		text += second(Place(p)).Error() + "\n"
	}
	golden.Equal(t, "parser.txt", text)
}

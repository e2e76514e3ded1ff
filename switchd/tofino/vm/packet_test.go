package vm_test

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/switchd/tofino/ir"
	"github.com/inalab/inalab/switchd/tofino/vm"
)

// The deparser writes the valid headers in its order, then what was not parsed,
// however headers come and go, and wherever in the packet the bytes are.
func TestDeparser(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 6).Draw(t, "headers")
		var headers []ir.Header
		var sizes []int
		for i := range n {
			size := rapid.IntRange(1, 40).Draw(t, "bytes")
			sizes = append(sizes, size)
			headers = append(headers, ir.Header{Name: fmt.Sprintf("h%d", i), Fields: []ir.Field{{Name: "v", Bits: 8, Count: size}}})
		}
		var order []int
		for i := range n {
			order = append(order, i)
		}
		extracted := rapid.Permutation(order).Draw(t, "extracted")[:rapid.IntRange(0, n).Draw(t, "of them")]
		deparsed := rapid.Permutation(order).Draw(t, "deparsed")[:rapid.IntRange(0, n).Draw(t, "of them")]
		skip := rapid.SampledFrom([]int{0, 0, 3}).Draw(t, "advance")
		p := program(headers, nil)
		p.Ingress.Parser[0].Extract, p.Ingress.Parser[0].Advance, p.Ingress.Deparse = names(headers, extracted), skip,
			names(headers, deparsed)
		change := map[int]ir.OpKind{}
		for i := range n {
			if kind := rapid.SampledFrom([]ir.OpKind{"", ir.Validate, ir.Remove}).Draw(t, "change"); kind != "" {
				change[i] = kind
				p.Actions[0].Do = append(p.Actions[0].Do, ir.Op{Kind: kind, Dst: headers[i].Name})
			}
		}
		b := newBench(t, p)
		in := rapid.SliceOfN(rapid.Byte(), 0, 300).Draw(t, "packet")
		front := len(in)
		if rapid.Bool().Draw(t, "shared tail") {
			front = rapid.IntRange(0, len(in)).Draw(t, "front")
		}
		b.set(in, front)
		reason := b.pass(vm.In{})

		at, content := 0, map[int][]byte{}
		for _, h := range extracted {
			if at+sizes[h] > len(in) {
				at = len(in) + 1
				break
			}
			content[h] = in[at : at+sizes[h]]
			at += sizes[h]
		}
		if at += skip; at > len(in) {
			if reason != vm.TooShort {
				t.Fatalf("a packet of %d bytes: %q", len(in), reason)
			}
			return
		}
		for h, kind := range change {
			if kind == ir.Remove {
				delete(content, h)
			} else if content[h] == nil {
				content[h] = make([]byte, sizes[h])
			}
		}
		var want []byte
		for _, h := range deparsed {
			want = append(want, content[h]...)
		}
		want = append(want, in[at:]...)
		if got := b.packet(); reason != vm.OK || !bytes.Equal(got, want) {
			t.Fatalf("%s\n%x, want\n%x", reason, got, want)
		}
		for _, h := range deparsed { // they can be read where they are now
			for i, v := range content[h] {
				if got := b.field(fmt.Sprintf("h%d.v[%d]", h, i)); got != uint64(v) {
					t.Fatalf("byte %d of header %d is %#x, want %#x", i, h, got, v)
				}
			}
		}
	})
}

// A header that was added is written wherever its memory is, also where it ends as that of all
// headers before it begins.
func TestAddedHeaderIsWritten(t *testing.T) {
	for size := range 8 {
		a := ir.Header{Name: "a", Fields: []ir.Field{{Name: "v", Bits: 8, Count: 3}}}
		b := ir.Header{Name: "b", Fields: []ir.Field{{Name: "v", Bits: 8, Count: size + 1}}}
		p := program([]ir.Header{a, b}, nil, ir.Op{Kind: ir.Validate, Dst: "b"})
		p.Ingress.Parser[0].Extract, p.Ingress.Parser[0].Advance, p.Ingress.Deparse = []string{"a"}, 1, []string{"b", "a"}
		equal(t, newBench(t, p).ok(1, 2, 3, 4, 5), append(make([]byte, size+1), 1, 2, 3, 5)...)
	}
}

func names(headers []ir.Header, of []int) []string {
	out := []string{}
	for _, i := range of {
		out = append(out, headers[i].Name)
	}
	return out
}

// A packet that grows with every pass finds room.
func TestPacketsGrow(t *testing.T) {
	p := program([]ir.Header{header("a", field("v", 64)), header("b", field("v", 64))}, nil, ir.Op{Kind: ir.Validate, Dst: "b"},
		ir.Op{Kind: ir.Set, Dst: "b.v", A: ir.F("a.v")})
	p.Ingress.Parser[0].Extract, p.Ingress.Deparse = []string{"a"}, []string{"b", "a"}
	b := newBench(t, p)
	want := []byte("12345678rest")
	b.set(want, len(want))
	for range 100 {
		if reason := b.pass(vm.In{}); reason != vm.OK {
			t.Fatal(reason)
		}
		want = slices.Concat(want[:8], want)
		equal(t, b.packet(), want...)
	}
}

// states is a parser that looks at what it extracts.
func states() *ir.Program {
	p := program([]ir.Header{header("a", field("kind", 8)), header("b", field("v", 16)), header("c", field("v", 8))}, nil)
	p.Ingress.Parser = []ir.State{
		{Name: "start", Extract: []string{"a"}, Select: []string{"a.kind", "ig.port"}, Cases: []ir.Case{
			{Values: []uint64{1, 5}, Next: "two"},
			{Values: []uint64{0x20, 0}, Masks: []uint64{0xf0, 0}, Next: "three"},
			{Values: []uint64{3, 5}, Next: ir.Accept},
		}},
		{Name: "two", Extract: []string{"b"}, Next: "three"},
		{Name: "three", Extract: []string{"c"}, Next: ir.Accept},
	}
	return p
}

func TestParser(t *testing.T) {
	b := newBench(t, states())
	for _, tc := range []struct {
		in     []byte
		reason vm.Reason
		b, c   bool
	}{
		{[]byte{1, 2, 3, 4}, vm.OK, true, true},
		{[]byte{0x2f, 9}, vm.OK, false, true},
		{[]byte{3}, vm.OK, false, false},
		{[]byte{4, 1, 2, 3}, vm.ParserRejected, false, false},
		{[]byte{}, vm.TooShort, false, false},
		{[]byte{1, 2}, vm.TooShort, false, false},
		{[]byte{1, 2, 3}, vm.TooShort, false, false},
	} {
		_, reason := b.ingress(tc.in)
		if reason != tc.reason {
			t.Errorf("%x: %q, want %q", tc.in, reason, tc.reason)
		}
		if reason == vm.OK && (b.valid(1) != tc.b || b.valid(2) != tc.c) {
			t.Errorf("%x: headers b and c are valid: %t, %t", tc.in, b.valid(1), b.valid(2))
		}
	}
}

// Metadata goes with the packet from ingress to egress if it is bridged, and
// to the next pass if it is called resubmit; all other is gone.
func TestMetadataThatStays(t *testing.T) {
	p := program([]ir.Header{header("h", field("v", 8))}, []ir.Field{meta("bridged", 8), meta("lost", 8), meta("resubmit", 8)},
		ir.Op{Kind: ir.Set, Dst: "meta.bridged", A: ir.F("h.v")}, ir.Op{Kind: ir.Set, Dst: "meta.lost", A: ir.F("h.v")},
		ir.Op{Kind: ir.Add, Dst: "meta.resubmit", A: ir.F("meta.resubmit"), B: ir.C(1)})
	p.Bridged = []string{"meta.bridged"}
	p.Actions = append(p.Actions, ir.Action{Name: "out",
		Do: []ir.Op{{Kind: ir.Set, Dst: "e.v", A: ir.F("meta.bridged")}, {Kind: ir.Set, Dst: "eg.drop", A: ir.F("meta.lost")}}})
	p.Tables = append(p.Tables, ir.Table{Name: "e", Actions: []string{"out"}, Default: "out"})
	p.Headers = append(p.Headers, header("e", field("v", 8)))
	p.Egress = ir.Gress{Parser: []ir.State{{Name: "start", Extract: []string{"e"}, Next: ir.Accept}},
		Control: []ir.Step{{Apply: "e"}}, Deparse: []string{"e"}}
	b := newBench(t, p)
	b.ok(7)
	if got := b.verdict().Data; got != 1 {
		t.Errorf("meta.resubmit is %d", got)
	}
	b.set([]byte{1}, 1)
	b.pass(vm.In{Resubmitted: true, Resubmit: 41})
	if got := b.verdict().Data; got != 42 {
		t.Errorf("meta.resubmit of a resubmitted packet is %d", got)
	}
	b.ok(7)
	type end struct {
		dropped bool
		reason  vm.Reason
	}
	if got := same(b, "egress", func(m *mode) (e end) {
		e.dropped, e.reason = m.pass.Egress(m.pipe, &m.k, &vm.Out{Port: 3})
		return e
	}); got != (end{}) {
		t.Errorf("%+v", got)
	}
	equal(t, b.packet(), 7)
	b.expect("eg.port", 3)
}

// Any packet goes through any parser without harm, and what comes out of the
// deparser keeps the bytes that nobody wrote.
func TestAnyPacketIsHarmless(t *testing.T) {
	benches := []*bench{newBench(t, states()), newBench(t, copies()), newBench(t, counter()), newBench(t, matcher(ir.Ternary, true))}
	rapid.Check(t, func(t *rapid.T) {
		b := rapid.SampledFrom(benches).Draw(t, "program")
		in := rapid.SliceOfN(rapid.Byte(), 0, 400).Draw(t, "packet")
		out, reason := b.ingress(in)
		if reason == vm.OK && len(out) != len(in) {
			t.Fatalf("%d bytes became %d", len(in), len(out))
		}
	})
}

// No pass allocates, whatever the packet.
func TestNoAllocation(t *testing.T) {
	for name, p := range map[string]*ir.Program{"copies": copies(), "counter": counter(), "wide table": matcher(ir.Exact, true),
		"parser": states()} {
		b := newBench(t, p)
		packets := [][]byte{make([]byte, 300), {1, 2, 3, 4, 5}, {}, bytes.Repeat([]byte{1}, 258)}
		n := testing.AllocsPerRun(100, func() {
			for _, packet := range packets {
				for i := range b.modes {
					m := &b.modes[i]
					m.k.Set(packet, nil, 0)
					m.pass.Ingress(m.pipe, &m.k, &vm.In{}, &m.v)
				}
			}
		})
		if n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}

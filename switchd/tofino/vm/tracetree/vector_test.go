package tracetree

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/proptest"
	"github.com/inalab/inalab/internal/rng"
	"github.com/inalab/inalab/switchd/tofino/fit"
	"github.com/inalab/inalab/switchd/tofino/ir"
	"github.com/inalab/inalab/switchd/tofino/vm"
)

// generator draws programs in which a table with copies accesses a register with as
// many, in all ways that a vector operation may or may not take.
type generator struct {
	*rapid.T
	copies, lanes, size int
}

func drawGenerator(t *rapid.T) *generator {
	return &generator{t, rapid.IntRange(2, 12).Draw(t, "copies"), rapid.IntRange(1, 2).Draw(t, "lanes"),
		rapid.SampledFrom([]int{3, 4, 11, 16}).Draw(t, "size")}
}

func (g *generator) pick(label string, list ...string) string {
	return rapid.SampledFrom(list).Draw(g.T, label)
}

// memory, input and constant are the three kinds of terms, of which an ALU takes two
// different ones.
func (g *generator) memory() string {
	if g.lanes == 2 {
		return g.pick("half", "lo", "hi")
	}
	return "lo"
}

func (g *generator) input() string    { return g.pick("input", "in0", "in1") }
func (g *generator) constant() string { return g.pick("constant", "zero", "one") }

func (g *generator) pair(own ir.Term) (x, y ir.Term) {
	switch g.pick("terms", "own, input", "input, own", "half, input", "half, constant", "constant, input") {
	case "own, input":
		return own, ir.Term(g.input())
	case "input, own":
		return ir.Term(g.input()), own
	case "half, input":
		return ir.Term(g.memory()), ir.Term(g.input())
	case "half, constant":
		return ir.Term(g.memory()), ir.Term(g.constant())
	}
	return ir.Term(g.constant()), ir.Term(g.input())
}

func (g *generator) guard(label string) ir.Guard {
	return rapid.SampledFrom([]ir.Guard{ir.Always, ir.Always, ir.IfA, ir.IfNotA, 0b1100, ir.IfBoth}).Draw(g.T, label)
}

func (g *generator) updates(label string, own ir.Term) (out []ir.Update) {
	for range rapid.IntRange(0, 2).Draw(g.T, label) {
		u := ir.Update{If: g.guard("guard"), Op: ir.OpKind(g.pick("op", "set", "set", "add", "add", "add", "sub", "xor", "max-signed",
			"min", "sat-add", "sat-sub", "sat-add-signed", "sat-sub-signed"))}
		u.X, u.Y = g.pair(own)
		if u.Op == ir.Set {
			u.Y = ir.Nothing
		}
		out = append(out, u)
	}
	return out
}

func (g *generator) action(name string) ir.RegAction {
	a := ir.RegAction{Name: name, Lo: g.updates("lo", ir.Lo)}
	outs := []string{"new-lo", "lo", "in0", "in1", "zero", "one"}
	if g.lanes == 2 {
		a.Hi = g.updates("hi", ir.Hi)
		outs = append(outs, "new-hi", "hi")
	}
	a.A, a.B = g.compare("A"), g.compare("B")
	if rapid.IntRange(0, 3).Draw(g.T, "has output") > 0 {
		a.Out = []ir.Output{{If: g.guard("output guard"), Value: ir.Term(g.pick("output", outs...))}}
	}
	return a
}

// compare draws a comparison; one with a constant is left to the copies where it holds.
func (g *generator) compare(label string) *ir.Compare {
	left := g.memory()
	switch g.pick(label, "none", "none", "two terms", "lane", "input") {
	case "none":
		return nil
	case "two terms":
		return &ir.Compare{Left: ir.Term(left), Right: ir.In0, Op: ir.Less}
	case "input":
		left = g.input()
	}
	return &ir.Compare{
		Left: ir.Term(left), Right: ir.Term(g.pick("right", "", "", "zero")),
		Op: ir.Relation(g.pick("relation", "==", "==", "==", "<")), Const: g.special("constant"),
	}
}

// special draws a word that packets often have.
func (g *generator) special(label string) int64 {
	return rapid.SampledFrom(specials).Draw(g.T, label)
}

var specials = []int64{0, 1, math.MaxInt32, math.MinInt32, -1}

// keys draws those of the table: the first byte of the packet, and up to two arrays.
func (g *generator) keys() (out []ir.Key) {
	fields, kind := []string{"h.op"}, ir.Ternary
	switch g.pick("keys", "op", "an array", "an array", "an element", "both") {
	case "op":
		kind = ir.Exact
	case "an element":
		fields = append(fields, "x.v[0]", "y.v[*]")
	case "an array":
		fields = append(fields, g.pick("key", "x.v[*]", "y.v[*]"))
	case "both":
		fields = append(fields, "x.v[*]", "y.v[*]")
	}
	for _, f := range fields {
		out = append(out, ir.Key{Field: f, Kind: kind})
	}
	return out
}

// entries draws those of the table for a first byte: some with values of arrays first, the last whatever
// these are.
func (g *generator) entries(t *ir.Table, action string, op uint64) {
	arrays := len(t.Keys) - 1
	for i := rapid.IntRange(0, 2*min(arrays, 1)).Draw(g.T, "values"); i >= 0; i-- {
		e := ir.Entry{Values: []uint64{op}, Action: action}
		if i > 0 {
			e.Action = g.pick("other action", "a0", "a1", "a2")
		}
		if arrays > 0 {
			e.Masks = []uint64{0xff}
		}
		for range arrays {
			mask := uint64(0)
			if i > 0 {
				mask = rapid.SampledFrom([]uint64{math.MaxUint32, 1 << 31, 1, 0}).Draw(g.T, "mask")
			}
			e.Values, e.Masks = append(e.Values, uint64(g.special("value"))&mask), append(e.Masks, mask)
		}
		t.Entries = append(t.Entries, e)
	}
}

// arguments gives all entries the index, where actions take it.
func (g *generator) arguments(t *ir.Table) {
	for i := range t.Entries {
		t.Entries[i].Args = []uint64{uint64(rapid.IntRange(0, min(g.size, 1<<bitsFor(g.size)-1)).Draw(g.T, "argument"))}
	}
}

// packet draws a packet, whole as a rule, with values that comparisons and entries look for.
func (g *generator) packet() []byte {
	packet := rapid.SliceOfN(rapid.Byte(), 0, 2+8*g.copies+3).Draw(g.T, "packet")
	if n := 2 + 8*g.copies; rapid.IntRange(0, 9).Draw(g.T, "whole") > 0 {
		packet = append(packet, make([]byte, n)...)
		packet[0] = packet[0]&0x80 | packet[0]&3
		if g.pick("index", "any", "low", "low") == "low" {
			packet[1] &= 1
		}
		for range rapid.IntRange(0, 3).Draw(g.T, "specials") {
			at := 2 + 4*rapid.IntRange(0, 2*g.copies-1).Draw(g.T, "place")
			binary.BigEndian.PutUint32(packet[at:], uint32(g.special("word")))
		}
	}
	return packet
}

// program draws a program: a table picks one of three accesses by the first byte of
// the packet, at the index in the second.
func (g *generator) program() *ir.Program {
	array := func(name string) ir.Header {
		return ir.Header{Name: name, Fields: []ir.Field{{Name: "v", Bits: 32, Count: g.copies}}}
	}
	p := &ir.Program{
		Name:      "vectors",
		Headers:   []ir.Header{header("h", field("op", 8), field("pad", 4), field("index", bitsFor(g.size))), array("x"), array("y")},
		Registers: []ir.Register{{Name: "r", Copies: g.copies, Size: g.size, Bits: 32, Lanes: g.lanes}},
		Tables:    []ir.Table{{Name: "t", Copies: g.copies, Keys: g.keys(), Counter: true}},
		Ingress: ir.Gress{
			Parser: []ir.State{
				{Name: "start", Extract: []string{"h", "x"}, Select: []string{"h.op"},
					Cases: []ir.Case{{Values: []uint64{0x80}, Masks: []uint64{0x80}, Next: ir.Accept}}, Next: "more"},
				{Name: "more", Extract: []string{"y"}, Next: ir.Accept},
			},
			Control: []ir.Step{{Apply: "t"}}, Deparse: []string{"h", "x", "y"},
		},
	}
	if bitsFor(g.size) == 2 {
		p.Headers[0].Fields[1].Bits = 6
	}
	given := g.pick("index", "of the packet", "of the packet", "of the entry") == "of the entry"
	for i := range 3 {
		name := fmt.Sprintf("a%d", i)
		p.Registers[0].Actions = append(p.Registers[0].Actions, g.action(name))
		op := ir.Op{Kind: ir.Execute, Register: "r[*]", Run: name, Index: ir.F("h.index"), In: []ir.Operand{ir.F("x.v[*]"), ir.F("y.v[*]")}}
		op.Dst = g.pick("dst", "x.v[*]", "y.v[*]", "")
		a := ir.Action{Name: name}
		if given {
			op.Index, a.Params = ir.P("index"), []ir.Param{{Name: "index", Bits: bitsFor(g.size)}}
		}
		a.Do = []ir.Op{op}
		p.Actions = append(p.Actions, a)
		p.Tables[0].Actions = append(p.Tables[0].Actions, name)
		for _, high := range []uint64{0, 0x80} {
			g.entries(&p.Tables[0], name, high+uint64(i))

		}
	}
	if given {
		g.arguments(&p.Tables[0])
	}
	return p
}

func bitsFor(size int) int {
	if size <= 4 {
		return 2
	}
	return 4
}

// Copies done as one vector, or as several, and one by one are the same, packet by packet and in
// the state that they leave.
func TestVectorsAreCopies(t *testing.T) {
	vectors := map[bool]int{} // by whether copies match each for itself
	proptest.Until(t, func() bool { return vectors[false] > 0 && vectors[true] > 0 }, func(t *rapid.T) {
		g := drawGenerator(t)
		p := g.program()
		fast, slow := placedRig(t, p, true), placedRig(t, p, false)
		for _, v := range fast.runners[1].vectors[0] {
			if v != nil {
				vectors[len(p.Tables[0].Keys) > 1]++
			}
		}
		g.compareRigs(fast, slow)
	})
	if vectors[false] == 0 || vectors[true] == 0 {
		t.Errorf("accesses that were vectors, by whether copies match each for itself: %v", vectors)
	}
}

// compareRigs gives both packets and compares what comes out, and what is left.
func (g *generator) compareRigs(fast, slow *rig) {
	for range rapid.IntRange(1, 30).Draw(g.T, "packets") {
		packet := g.packet()
		a, why := fast.ingress(packet)
		b, because := slow.ingress(packet)
		if why != because || !bytes.Equal(a, b) {
			g.Fatalf("packet %x: as a vector %x %s, one by one %x %s", packet, a, why, b, because)
		}
	}
	if !bytes.Equal(fast.pipes[1].Memory(0), slow.pipes[1].Memory(0)) {
		g.Fatalf("registers differ:\n%x\n%x", fast.pipes[1].Memory(0), slow.pipes[1].Memory(0))
	}
	if a, b := fast.pipes[1].Beyond(), slow.pipes[1].Beyond(); a != b {
		g.Fatalf("%d accesses beyond the register, one by one %d", a, b)
	}
	if a, b := fmt.Sprint(fast.pipes[1].Hits(0)), fmt.Sprint(slow.pipes[1].Hits(0)); a != b {
		g.Fatalf("counters differ: %s and %s", a, b)
	}
}

// What goes to the packet is the entry as the output says, before or after the
// update, even where it takes the place of the input.
func TestOutputBeforeAndAfter(t *testing.T) {
	for out, want := range map[ir.Term]byte{ir.Lo: 5, ir.NewLo: 12} {
		p := adder()
		p.Registers[0].Actions[1].Out[0].Value = out
		p.Actions[1].Do[0].Dst = "d0.v[*]"
		for _, fast := range []bool{true, false} {
			r := placedRig(t, p, fast)
			packet := make([]byte, 2+256)
			for _, v := range []byte{5, 7} {
				packet[0], packet[5] = 1, v
				got, reason := r.ingress(packet)
				if reason != vm.OK || v == 7 && got[5] != want {
					t.Errorf("trees %t: %q, %s of 5 and then 7 is %d, want %d", fast, reason, out, got[5], want)
				}
			}
		}
	}
}

// A sum that stays at an end of the range is a vector, too; where a comparison holds for a copy, the
// copies are done one by one.
func TestExceptionsAreCopies(t *testing.T) {
	for _, left := range []ir.Term{ir.Lo, ir.Hi, ir.In0, ir.In1} {
		p := adder()
		add := &p.Registers[0].Actions[1]
		add.A = &ir.Compare{Left: left, Const: math.MinInt32, Op: ir.Equal}
		add.Lo = []ir.Update{{If: ir.IfNotA, Op: ir.SatAddSigned, X: ir.Lo, Y: ir.In0}}
		add.Hi = []ir.Update{{If: ir.IfNotA, Op: ir.SatAddSigned, X: ir.In1, Y: ir.Hi}}
		fast, slow := placedRig(t, p, true), placedRig(t, p, false)
		if fast.runners[1].vectors[0][1] == nil {
			t.Errorf("an addition that a comparison of %s guards is no vector", left)
		}
		draw := rng.Root(1).Stream(string(left))
		for n := range 400 {
			packet := make([]byte, 2+256)
			packet[0] = []byte{0, 1, 1, 1, 2}[n%5]
			for at := 2 + 4*draw.IntN(64); at < len(packet); at += 4 * (1 + draw.IntN(64)) {
				binary.BigEndian.PutUint32(packet[at:], uint32(specials[draw.IntN(len(specials))]))
			}
			a, _ := fast.ingress(packet)
			if b, _ := slow.ingress(packet); !bytes.Equal(a, b) {
				t.Fatalf("%s, packet %d: as a vector %x, one by one %x", left, n, a, b)
			}
		}
	}
}

// What the vectors are there for is one.
func TestAdderIsAVector(t *testing.T) {
	vectors := placedRig(t, adder(), true).runners[1].vectors[0]
	if len(vectors) != 3 || slices.Contains(vectors, nil) {
		t.Errorf("vectors of the adder: %v", vectors)
	}
}

// placedRig returns one way to run a program.
func placedRig(t fataler, p *ir.Program, fast bool) *rig {
	t.Helper()
	placed, err := fit.Place(p)
	if err != nil {
		t.Fatalf("placing: %v", err)
	}
	return newRig(t, placed, fast)
}

// No pass of a recorded path allocates, and any packet is harmless.
func TestNoAllocation(t *testing.T) {
	r := placedRig(t, adder(), true)
	packets := [][]byte{make([]byte, 300), {1, 2, 3, 4, 5}, {}, bytes.Repeat([]byte{1}, 258)}
	if n := testing.AllocsPerRun(100, func() {
		for _, packet := range packets {
			r.k.Set(packet, nil, 0)
			r.pass.Ingress(r.pipes[1], &r.k, &vm.In{}, &r.v)
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
	rapid.Check(t, func(t *rapid.T) {
		in := rapid.SliceOfN(rapid.Byte(), 0, 400).Draw(t, "packet")
		if out, reason := r.ingress(in); reason == vm.OK && len(out) != len(in) {
			t.Fatalf("%d bytes became %d", len(in), len(out))
		}
	})
}

// BenchmarkVectorPass is one pass with 64 additions of 32 bits, and the same copy by copy.
func BenchmarkVectorPass(b *testing.B) {
	for _, name := range []string{"vector", "plain"} {
		b.Run(name, func(b *testing.B) {
			r := placedRig(b, adder(), name == "vector")
			packet := make([]byte, 2+256)
			packet[0] = 1
			b.SetBytes(256)
			for b.Loop() {
				r.k.Set(packet, nil, 0)
				if r.pass.Ingress(r.pipes[1], &r.k, &vm.In{}, &r.v) != vm.OK {
					b.Fatal("dropped")
				}
			}
		})
	}
}

// adder adds 64 values to a slot and reads 32 of them: the form that SwitchML has.
func adder() *ir.Program {
	always := func(op ir.OpKind, x, y ir.Term) []ir.Update {
		return []ir.Update{{If: ir.Always, Op: op, X: x, Y: y}}
	}
	access := func(run, dst string) ir.Action {
		return ir.Action{Name: run, Do: []ir.Op{{
			Kind: ir.Execute, Dst: dst, Register: "values[*]", Run: run, Index: ir.F("h.slot"),
			In: []ir.Operand{ir.F("d0.v[*]"), ir.F("d1.v[*]")},
		}}}
	}
	values := func(name string) ir.Header {
		return ir.Header{Name: name, Fields: []ir.Field{{Name: "v", Bits: 32, Count: 32}}}
	}
	return &ir.Program{
		Name:    "adder",
		Headers: []ir.Header{header("h", field("op", 8), field("slot", 8)), values("d0"), values("d1")},
		Registers: []ir.Register{{Name: "values", Copies: 32, Size: 256, Bits: 32, Lanes: 2, Actions: []ir.RegAction{
			{Name: "set", Lo: always(ir.Set, ir.In0, ""), Hi: always(ir.Set, ir.In1, ""),
				Out: []ir.Output{{If: ir.Always, Value: ir.NewHi}}},
			{Name: "add", Lo: always(ir.Add, ir.Lo, ir.In0), Hi: always(ir.Add, ir.Hi, ir.In1),
				Out: []ir.Output{{If: ir.Always, Value: ir.NewHi}}},
			{Name: "read", Out: []ir.Output{{If: ir.Always, Value: ir.Lo}}},
		}}},
		Actions: []ir.Action{access("set", "d1.v[*]"), access("add", "d1.v[*]"), access("read", "d0.v[*]")},
		Tables: []ir.Table{{
			Name: "values", Copies: 32, Keys: []ir.Key{{Field: "h.op", Kind: ir.Exact}}, Actions: []string{"set", "add", "read"},
			Entries: []ir.Entry{{Values: []uint64{0}, Action: "set"}, {Values: []uint64{1}, Action: "add"},
				{Values: []uint64{2}, Action: "read"}},
		}},
		Ingress: ir.Gress{
			Parser:  []ir.State{{Name: "start", Extract: []string{"h", "d0", "d1"}, Next: ir.Accept}},
			Control: []ir.Step{{Apply: "values"}}, Deparse: []string{"h", "d0", "d1"},
		},
	}
}

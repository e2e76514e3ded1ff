package vm_test

import (
	"fmt"
	"testing"

	"github.com/inalab/inalab/switchd/tofino/ir"
	"github.com/inalab/inalab/switchd/tofino/vm"
)

// A row that did not match may match when its header has come or gone since.
func TestRowsMatchAfterTheirHeaderChanged(t *testing.T) {
	rows := func(name, action string) ir.Table {
		return ir.Table{Name: name, Actions: []string{action},
			Keys:    []ir.Key{{Field: "h.a", Kind: ir.Exact}, {Field: "k.b", Kind: ir.Exact}},
			Entries: []ir.Entry{{Values: []uint64{0, 5}, Action: action}}}
	}
	p := program([]ir.Header{header("k", field("b", 8)), header("h", field("a", 8))},
		[]ir.Field{meta("first", 8), meta("second", 8)}, ir.Op{Kind: ir.Remove, Dst: "h"})
	for _, n := range []string{"first", "second"} {
		p.Actions = append(p.Actions, ir.Action{Name: n, Do: []ir.Op{{Kind: ir.Set, Dst: "meta." + n, A: ir.C(1)}}})
		p.Tables = append(p.Tables, rows(n, n))
	}
	p.Ingress.Control = []ir.Step{{Apply: "first"}, {Apply: "t"}, {Apply: "second"}}
	b := newBench(t, p)
	b.ok(5, 7)
	b.expect("meta.first", 0)
	b.expect("meta.second", 1)
}

// A parser that selects by a header that it extracts later sees 0, and says nothing of
// what is in the header.
func TestSelectBeforeExtraction(t *testing.T) {
	p := program([]ir.Header{header("h", field("a", 8))}, []ir.Field{meta("copy", 8)},
		ir.Op{Kind: ir.Set, Dst: "meta.copy", A: ir.F("h.a")})
	p.Ingress.Parser = []ir.State{
		{Name: "start", Select: []string{"h.a"}, Cases: []ir.Case{{Values: []uint64{0}, Next: "between"}}},
		{Name: "between", Next: "extract"},
		{Name: "extract", Extract: []string{"h"}, Next: ir.Accept},
	}
	b := newBench(t, p)
	b.ok(7)
	b.expect("meta.copy", 7)
}

// Ways through a parser that are too long to be told apart share no facts.
func TestLongWays(t *testing.T) {
	p := program([]ir.Header{header("h", field("a", 8)), header("k", field("b", 8))}, []ir.Field{meta("copy", 8)},
		ir.Op{Kind: ir.Set, Dst: "meta.copy", A: ir.F("h.a")})
	p.Actions = append(p.Actions, ir.Action{Name: "valid", Do: []ir.Op{{Kind: ir.Set, Dst: "meta.copy", A: ir.F("k.b")}}})
	p.Tables = append(p.Tables, ir.Table{Name: "valid", Default: "valid"})
	p.Ingress.Control = []ir.Step{{If: &ir.Cond{Valid: "k"}, Then: []ir.Step{{Apply: "valid"}}, Else: []ir.Step{{Apply: "t"}}}}
	p.Ingress.Parser = []ir.State{{Name: "s0", Extract: []string{"h"}, Select: []string{"h.a"},
		Cases: []ir.Case{{Values: []uint64{1}, Next: "s1"}, {Values: []uint64{2}, Next: "s1"}, {Values: []uint64{3}, Next: "s1"}}}}
	for i := 1; i <= 9; i++ {
		p.Ingress.Parser = append(p.Ingress.Parser, ir.State{Name: fmt.Sprint("s", i), Select: []string{"ig.port"},
			Cases: []ir.Case{{Values: []uint64{5}, Next: fmt.Sprint("s", i+1)}}})
	}
	p.Ingress.Parser = append(p.Ingress.Parser,
		ir.State{Name: "s10", Select: []string{"h.a"}, Cases: []ir.Case{{Values: []uint64{3}, Next: "k"}}, Next: ir.Accept},
		ir.State{Name: "k", Extract: []string{"k"}, Next: ir.Accept})
	b := newBench(t, p)
	for _, packet := range [][]byte{{1, 9}, {2, 9}, {3, 9}, {1, 9}} {
		b.ok(packet...)
		want := packet[0]
		if want == 3 {
			want = 9
		}
		b.expect("meta.copy", uint64(want))
	}
}

// Of rows of an exact table with the same values the first counts, and the next when it
// is gone.
func TestRowsAlike(t *testing.T) {
	for _, keys := range []int{1, 2} { // of one word, and of two
		p := program([]ir.Header{header("h", field("a", 64), field("b", 64))}, []ir.Field{meta("n", 8)})
		p.Actions = append(p.Actions, ir.Action{Name: "n", Params: []ir.Param{{Name: "n", Bits: 8}},
			Do: []ir.Op{{Kind: ir.Set, Dst: "meta.n", A: ir.P("n")}}})
		p.Tables[0] = ir.Table{Name: "t", Actions: []string{"n"}, Size: 8}
		for i := range keys {
			p.Tables[0].Keys = append(p.Tables[0].Keys, ir.Key{Field: []string{"h.a", "h.b"}[i], Kind: ir.Exact})
		}
		entry := func(n uint64) ir.Entry { return ir.Entry{Values: make([]uint64, keys), Action: "n", Args: []uint64{n}} }
		p.Tables[0].Entries = []ir.Entry{entry(1), entry(2)}
		b := newBench(t, p)
		for _, want := range []uint64{1, 2, 0} {
			b.ok(make([]byte, 16)...)
			b.expect("meta.n", want)
			b.remove(0, vm.EntryID(want)-1)
		}
		for i, bad := range []bool{false, true} {
			e, err := b.code.Entry(0, ir.Entry{Values: make([]uint64, keys), Priority: i, Action: "n", Args: []uint64{1}})
			if err != nil {
				t.Fatal(err)
			}
			if err := b.do(func(p *vm.Pipe) error { return p.Insert(0, vm.EntryID(10+i), e) }); (err != "") != bad {
				t.Errorf("entry %d of these values: %v", i, err)
			}
		}
	}
}

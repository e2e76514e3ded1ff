package vm_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/switchd/tofino/ir"
	"github.com/inalab/inalab/switchd/tofino/vm"
)

// matcher is a program that says in h.out which entry a packet matches.
func matcher(kind ir.MatchKind, wide bool) *ir.Program {
	p := program([]ir.Header{header("h", field("a", 8), field("b", 4), field("c", 4), field("w", 64), field("out", 16))}, nil)
	p.Actions = []ir.Action{{Name: "say", Params: []ir.Param{{Name: "n", Bits: 16}},
		Do: []ir.Op{{Kind: ir.Set, Dst: "h.out", A: ir.P("n")}}}, {Name: "other", Do: []ir.Op{{Kind: ir.Set, Dst: "h.a", A: ir.C(0)}}}}
	keys := []ir.Key{{Field: "h.a", Kind: kind}, {Field: "h.c", Kind: kind}}
	if wide {
		keys = append(keys, ir.Key{Field: "h.w", Kind: kind})
	}
	p.Tables = []ir.Table{{Name: "t", Keys: keys, Actions: []string{"say"}, Default: "say", Args: []uint64{0xffff}, Size: 16,
		Counter: true}}
	return p
}

// list is a table in which everything is looked at.
type list []struct {
	id vm.EntryID
	ir.Entry
}

func (l list) find(values []uint64) (best int) {
	best = -1
	for i, e := range l {
		ok := true
		for k, v := range values {
			mask := ^uint64(0)
			if e.Masks != nil {
				mask = e.Masks[k]
			}
			ok = ok && v&mask == e.Values[k]&mask
		}
		if ok && (best < 0 || e.Priority < l[best].Priority) {
			best = i
		}
	}
	return best
}

// Tables match as a list that is searched from its begin to its end does, while
// entries come and go.
func TestTablesMatchAsALinearSearch(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		kind := rapid.SampledFrom([]ir.MatchKind{ir.Exact, ir.Ternary}).Draw(t, "kind")
		wide := rapid.Bool().Draw(t, "wide")
		b := newBench(t, matcher(kind, wide))
		var l list
		next := vm.EntryID(100)
		few := rapid.Uint64Range(0, 3) // so that values meet
		draw := func(label string) []uint64 {
			v := []uint64{few.Draw(t, label), few.Draw(t, label)}
			if wide {
				v = append(v, few.Draw(t, label)<<61)
			}
			return v
		}
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			switch rapid.IntRange(0, 3).Draw(t, "what") {
			case 0:
				e := ir.Entry{Values: draw("value"), Action: "say", Args: []uint64{uint64(next)}}
				if kind == ir.Ternary {
					e.Masks, e.Priority = draw("mask"), rapid.IntRange(0, 3).Draw(t, "priority")
				}
				entry, err := b.code.Entry(0, e)
				if err != nil {
					t.Fatal(err)
				}
				if b.do(func(p *vm.Pipe) error { return p.Insert(0, next, entry) }) == "" {
					l = append(l, struct {
						id vm.EntryID
						ir.Entry
					}{next, e})
				}
				next++
			case 1:
				if len(l) > 0 {
					i := rapid.IntRange(0, len(l)-1).Draw(t, "entry")
					if !b.remove(0, l[i].id) {
						t.Fatalf("entry %d is not there", l[i].id)
					}
					l = slices.Delete(l, i, i+1)
				}
			default:
				v := draw("packet")
				w := uint64(0)
				if wide {
					w = v[2]
				}
				out := b.ok(byte(v[0]), byte(v[1]), byte(w>>56), 0, 0, 0, 0, 0, 0, 0, 0, 0)
				want := vm.EntryID(0xffff)
				if i := l.find(v); i >= 0 {
					want = l[i].id
				}
				if got := vm.EntryID(out[10])<<8 | vm.EntryID(out[11]); got != want {
					t.Fatalf("packet %v matches %d, want %d", v, got, want)
				}
			}
		}
	})
}

func TestEntriesAreChecked(t *testing.T) {
	exact, ternary := newBench(t, matcher(ir.Exact, false)), newBench(t, matcher(ir.Ternary, false))
	for _, tc := range []struct {
		b    *bench
		e    ir.Entry
		says string
	}{
		{exact, ir.Entry{Values: []uint64{1}, Action: "say", Args: []uint64{1}}, "2 keys"},
		{exact, ir.Entry{Values: []uint64{256, 0}, Action: "say", Args: []uint64{1}}, "8 bits"},
		{exact, ir.Entry{Values: []uint64{1, 1}, Masks: []uint64{1, 15}, Action: "say", Args: []uint64{1}}, "exactly"},
		{ternary, ir.Entry{Values: []uint64{1, 1}, Masks: []uint64{1, 16}, Action: "say", Args: []uint64{1}}, "4 bits"},
		{exact, ir.Entry{Values: []uint64{1, 1}, Action: "other"}, "no such action"},
		{exact, ir.Entry{Values: []uint64{1, 1}, Action: "say"}, "takes 1"},
		{exact, ir.Entry{Values: []uint64{1, 1}, Action: "say", Args: []uint64{1 << 16}}, "16 bits"},
	} {
		if _, err := tc.b.code.Entry(0, tc.e); err == nil || !strings.Contains(err.Error(), tc.says) ||
			!strings.Contains(err.Error(), "table t") {
			t.Errorf("%+v: %v, want %q", tc.e, err, tc.says)
		}
	}
}

func TestTablesAreFull(t *testing.T) {
	b := newBench(t, matcher(ir.Exact, false))
	add := func(v uint64, id vm.EntryID) string {
		e, err := b.code.Entry(0, ir.Entry{Values: []uint64{v, 0}, Action: "say", Args: []uint64{1}})
		if err != nil {
			t.Fatal(err)
		}
		return b.do(func(p *vm.Pipe) error { return p.Insert(0, id, e) })
	}
	for i := range uint64(16) {
		if err := add(i, vm.EntryID(i)); err != "" {
			t.Fatal(err)
		}
	}
	if err := add(99, 99); !strings.Contains(err, "16 entries") {
		t.Errorf("the table takes 17 of 16 entries: %v", err)
	}
	b.remove(0, 3)
	if err := add(4, 50); !strings.Contains(err, "remove it first") {
		t.Errorf("an entry is there twice: %v", err)
	}
	if err := add(3, 4); !strings.Contains(err, "another id") {
		t.Errorf("an id is there twice: %v", err)
	}
	if b.remove(0, 3) {
		t.Error("an entry is removed twice")
	}
}

// Entries count packets and bytes, and the default action what matches nothing.
func TestEntriesCount(t *testing.T) {
	p := matcher(ir.Exact, false)
	p.Tables[0].Entries = []ir.Entry{{Values: []uint64{1, 0}, Action: "say", Args: []uint64{1}},
		{Pipe: 2, Values: []uint64{2, 0}, Action: "say", Args: []uint64{2}},
		{Pipe: 1, Values: []uint64{3, 0}, Action: "say", Args: []uint64{3}}}
	b := newBench(t, p) // of pipe 2
	for _, v := range []byte{1, 1, 2, 3, 3, 3} {
		b.ok(v, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xaa)
	}
	got := same(b, "hits", func(m *mode) string { return fmt.Sprint(m.pipe.Hits(0)) })
	if want := fmt.Sprint([]vm.Hits{{0, 0, 2, 26}, {1, 0, 1, 13}, {vm.Default, 0, 3, 39}}); got != want {
		t.Errorf("hits %s, want %s", got, want)
	}
}

// Conditions choose branches.
func TestConditions(t *testing.T) {
	for _, tc := range []struct {
		cond ir.Cond
		yes  [][2]byte
		no   [][2]byte
	}{
		{ir.Cond{Left: "h.a", Op: ir.Equal, Right: ir.C(7)}, [][2]byte{{7, 0}}, [][2]byte{{8, 0}}},
		{ir.Cond{Left: "h.a", Op: ir.NotEqual, Right: ir.F("h.b")}, [][2]byte{{1, 2}}, [][2]byte{{2, 2}}},
		{ir.Cond{Left: "h.a", Op: ir.Less, Right: ir.F("h.b")}, [][2]byte{{1, 0x80}}, [][2]byte{{0x80, 1}, {1, 1}}},
		{ir.Cond{Left: "h.a", Op: ir.LessSigned, Right: ir.F("h.b")}, [][2]byte{{0x80, 1}}, [][2]byte{{1, 0x80}, {1, 1}}},
		{ir.Cond{Left: "h.a", Op: ir.Greater, Right: ir.F("h.b")}, [][2]byte{{0x80, 1}}, [][2]byte{{1, 0x80}, {1, 1}}},
		{ir.Cond{Left: "h.a", Op: ir.GreaterSigned, Right: ir.F("h.b")}, [][2]byte{{1, 0x80}}, [][2]byte{{0x80, 1}, {1, 1}}},
		{ir.Cond{Valid: "h", And: &ir.Cond{Left: "h.b", Op: ir.Equal, Right: ir.C(1)}}, [][2]byte{{0, 1}}, [][2]byte{{0, 0}}},
	} {
		p := program([]ir.Header{header("h", field("a", 8), field("b", 8))}, []ir.Field{meta("yes", 2)})
		set := func(name string, v uint64) ir.Action {
			return ir.Action{Name: name, Do: []ir.Op{{Kind: ir.Set, Dst: "meta.yes", A: ir.C(v)}}}
		}
		p.Actions = []ir.Action{set("yes", 1), set("no", 2)}
		p.Tables = []ir.Table{{Name: "y", Actions: []string{"yes"}, Default: "yes"}, {Name: "n", Actions: []string{"no"}, Default: "no"}}
		p.Ingress.Control = []ir.Step{{If: &tc.cond, Then: []ir.Step{{Apply: "y"}}, Else: []ir.Step{{Apply: "n"}}}}
		b := newBench(t, p)
		for _, v := range tc.yes {
			b.ok(v[:]...)
			b.expect("meta.yes", 1)
		}
		for _, v := range tc.no {
			b.ok(v[:]...)
			b.expect("meta.yes", 2)
		}
	}
}

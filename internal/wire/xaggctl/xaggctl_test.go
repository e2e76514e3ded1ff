package xaggctl

import (
	"bytes"
	"math"
	"net/netip"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/golden"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
)

// goldens were written down from the layout of doc.go.
var goldens = []struct {
	m   Message
	hex string
}{
	{Message{Kind: Request, Job: 0x0102, Iteration: 0x0304, Tree: 0x0506, Host: 1 << 4, Number: 7, Heard: 8, Phase: 1, Rate: 100 * units.GbitPerSecond},
		"01 01 0102 0304 0506 00000010 00000007 00000008 01 000000 000000174876e800"},
	{Message{Kind: Notice, Job: 1, Host: 1 << 31, Number: 9, Heard: 10, Rate: 1}, "01 02 0001 0000 0000 80000000 00000009 0000000a 0000000000000001"},
	{Message{Kind: Lost, Iteration: 65535, Host: 1, Number: 3, Lost: []uint32{1, 1024}}, "01 03 0000 ffff 0000 00000001 00000003 00000001 00000400"},
	{Message{Kind: Done, Host: 2}, "01 04 0000 0000 0000 00000002 00000000"},
	{Message{Kind: Complete, Host: 4}, "01 05 0000 0000 0000 00000004 00000000"},
	{Message{Kind: Tree, Job: 1, Iteration: 2, Tree: 3, Host: 1, Number: 4, Place: Place{Parent: upper, Again: true, Children: []Child{{8, 0, 3}, {1 << 31, 0x70, 2}}}},
		"01 06 0001 0002 0003 00000001 00000004 00000002 0a000105 02000a000105 0003 01 02 00000008 00000000 0003 80000000 00000070 0002"},
	{Message{Kind: Tree, Host: 1}, "01 06 0000 0000 0000 00000001 00000000 00000000 00000000 000000000000 0000 00 00"},
	{Message{Kind: TreeAck, Tree: 3, Host: 8, Number: 4}, "01 07 0000 0000 0003 00000008 00000004"},
	{Message{Kind: Report, Host: 2, Number: 9, Load: Load{Used: 1 << 30, Total: 1 << 37, Bandwidth: 100 * units.GbitPerSecond, Cores: 44}},
		"01 08 0000 0000 0000 00000002 00000009 0000000040000000 0000002000000000 000000174876e800 0000002c"},
	{Message{Kind: Round, Iteration: 7, Host: 2, Times: Times{Training: units.Second, Transfer: units.Millisecond}},
		"01 09 0000 0007 0000 00000002 00000000 000000e8d4a51000 000000003b9aca00"},
}

// upper is the parent of the goldens.
var upper = Parent{Host: 2, Addr: netip.AddrFrom4([4]byte{10, 0, 1, 5}), MAC: inet.MAC{2, 0, 10, 0, 1, 5}, Since: 3}

func TestGolden(t *testing.T) {
	for _, g := range goldens {
		want := golden.Hex(t, g.hex)
		if got := g.m.Append(nil); !bytes.Equal(got, want) {
			t.Errorf("%+v is % x, want % x", g.m, got, want)
		}
		var m Message
		if problem := m.Read(want); problem != OK || !equal(m, g.m) {
			t.Errorf("% x reads as %+v %q", want, m, problem)
		}
		if len(want) > HeaderLen && m.Read(want[:len(want)-1]) != BadLength || m.Read(append(want, 0)) != BadLength {
			t.Errorf("%+v is read from a payload of another length", g.m)
		}
	}
}

// equal takes no list of a kind and an empty one for the same.
func equal(a, b Message) bool {
	if len(a.Lost) == 0 && len(b.Lost) == 0 {
		a.Lost, b.Lost = nil, nil
	}
	if len(a.Place.Children) == 0 && len(b.Place.Children) == 0 {
		a.Place.Children, b.Place.Children = nil, nil
	}
	return reflect.DeepEqual(a, b)
}

func TestProblems(t *testing.T) {
	for _, c := range []struct {
		hex  string
		want Problem
	}{
		{"", Short},
		{"01 04 0000 0000 0000 00000002 000000", Short},
		{"02 04 0000 0000 0000 00000002 00000000", BadVersion},
		{"01 00 0000 0000 0000 00000002 00000000", BadKind},
		{"01 0a 0000 0000 0000 00000002 00000000", BadKind},
		{"01 04 0000 0000 0000 00000000 00000000", BadHost},
		{"01 04 0000 0000 0000 00000003 00000000", BadHost},
		{"01 01 0000 0000 0000 00000001 00000000 00000000 03 000000 0000000000000000", BadPhase},
		{"01 01 0000 0000 0000 00000001 00000000 00000000 02 000000 8000000000000000", BadRate},
		{"01 02 0000 0000 0000 00000001 00000000 00000000 8000000000000000", BadRate},
		{"01 03 0000 0000 0000 00000001 00000000", BadLength},
		{"01 03 0000 0000 0000 00000001 00000000 00000000", BadIndex},
		{"01 03 0000 0000 0000 00000001 00000000 " + strings.Repeat("00000001", MaxLost), OK},
		{"01 03 0000 0000 0000 00000001 00000000 " + strings.Repeat("00000001", MaxLost+1), BadLength},
	} {
		var m Message
		if got := m.Read(golden.Hex(t, c.hex)); got != c.want {
			t.Errorf("%.60s: %q, want %q", c.hex, got, c.want)
		}
	}
}

func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := Message{
			Kind: Kind(rapid.IntRange(1, int(kinds)-1).Draw(t, "kind")), Job: rapid.Uint16().Draw(t, "job"), Iteration: rapid.Uint16().Draw(t, "iteration"),
			Tree: rapid.Uint16().Draw(t, "tree"), Host: 1 << rapid.IntRange(0, 31).Draw(t, "host"), Number: rapid.Uint32().Draw(t, "number"),
		}
		switch m.Kind {
		case Request:
			m.Phase = rapid.Uint8Max(MaxPhase).Draw(t, "phase")
			fallthrough
		case Notice:
			m.Heard, m.Rate = rapid.Uint32().Draw(t, "heard"), units.Rate(rapid.Int64Min(0).Draw(t, "rate"))
		case Tree:
			m.Place = drawPlace(t)
		case Report:
			m.Load = Load{
				Used: units.Bytes(rapid.Int64Range(0, int64(MaxMemory)).Draw(t, "used")), Total: units.Bytes(rapid.Int64Range(0, int64(MaxMemory)).Draw(t, "total")),
				Bandwidth: units.Rate(rapid.Int64Range(0, int64(MaxBandwidth)).Draw(t, "bandwidth")), Cores: rapid.Uint32Max(math.MaxInt32).Draw(t, "cores"),
			}
		case Round:
			m.Times.Training = units.Duration(rapid.Int64Range(0, int64(MaxTime)).Draw(t, "t1"))
			m.Times.Transfer = units.Duration(rapid.Int64Range(0, int64(MaxTime)).Draw(t, "t2"))
		case Lost:
			m.Lost = rapid.SliceOfN(rapid.Uint32Min(1), 1, MaxLost).Draw(t, "lost")
		}
		var got Message
		sent := m.Append(nil)
		if len(sent) > MaxLen {
			t.Fatalf("%+v has %d bytes, and %d fit a frame", m, len(sent), MaxLen)
		}
		if problem := got.Read(sent); problem != OK || !equal(got, m) {
			t.Fatalf("%+v comes back as %+v %q", m, got, problem)
		}
	})
}

// drawPlace deals the bits of host ids to a parent, to children and to hosts below them.
func drawPlace(t *rapid.T) (p Place) {
	at := rapid.Permutation(every[:]).Draw(t, "bits")
	take := func() uint32 {
		bit := uint32(1) << at[0]
		at = at[1:]
		return bit
	}
	if rapid.Bool().Draw(t, "parent") {
		p.Parent = upper
		p.Parent.Host, p.Parent.Since = take(), rapid.Uint16().Draw(t, "since")
	}
	p.Again = rapid.Bool().Draw(t, "again")
	for len(at) > 0 && len(p.Children) < MaxChildren && rapid.IntRange(0, 31).Draw(t, "more") > 0 {
		c := Child{Host: take(), Since: rapid.Uint16().Draw(t, "edge")}
		for len(at) > 0 && rapid.IntRange(0, 3).Draw(t, "below") == 0 {
			c.Below |= take()
		}
		p.Children = append(p.Children, c)
	}
	return p
}

// every is all bits of a host id.
var every = func() (all [32]int) {
	for i := range all {
		all[i] = i
	}
	return all
}()

// The longest order: 31 children.
func TestLongestPlace(t *testing.T) {
	m := Message{Kind: Tree, Host: 1, Place: Place{Children: make([]Child, MaxChildren+1)}}
	for i := range m.Place.Children {
		m.Place.Children[i].Host = 1 << i
	}
	b := m.Append(nil)
	if len(b) != 344 {
		t.Errorf("%d bytes, want 344", len(b))
	}
	var got Message
	if problem := got.Read(b); problem != OK || len(got.Place.Children) != MaxChildren {
		t.Errorf("%d children, %q", len(got.Place.Children), problem)
	}
	if got.Read(append(b[:HeaderLen+17:HeaderLen+17], append([]byte{32}, make([]byte, 32*ChildLen)...)...)) != BadLength {
		t.Error("32 children are taken")
	}
}

func TestBadBodies(t *testing.T) {
	const (
		tree   = "01 06 0001 0002 0003 00000001 00000004 "
		report = "01 08 0000 0000 0000 00000002 00000009 "
		round  = "01 09 0000 0007 0000 00000002 00000000 "
		zero   = "00000000 00000000 000000000000 0000 "
		up     = "00000002 0a000105 02000a000105 0003 "
	)
	for _, c := range []struct {
		hex  string
		want Problem
	}{
		{tree, BadLength},
		{tree + zero + "00", BadLength},
		{tree + zero + "00 01", BadLength},
		{tree + zero + "00 01 00000001 00000000 00", BadLength},
		{tree + zero + "02 00", BadFlags},
		{tree + up + "01 00", OK},
		{tree + "00000003 0a000105 02000a000105 0003 00 00", BadParent},
		{tree + "00000002 00000000 02000a000105 0003 00 00", BadParent},
		{tree + "00000002 e0000105 02000a000105 0003 00 00", BadParent},
		{tree + "00000002 0a000105 01005e000105 0003 00 00", BadParent},
		{tree + "00000002 0a000105 000000000000 0003 00 00", BadParent},
		{tree + "00000000 0a000105 000000000000 0000 00 00", BadParent},
		{tree + "00000000 00000000 02000a000105 0000 00 00", BadParent},
		{tree + "00000000 00000000 000000000000 0001 00 00", BadParent},
		{tree + zero + "00 01 00000000 00000000 0001", BadChild},
		{tree + zero + "00 01 00000003 00000000 0001", BadChild},
		{tree + zero + "00 01 00000002 00000003 0001", BadChild},
		{tree + zero + "00 02 00000002 00000004 0001 00000004 00000000 0001", BadChild},
		{tree + zero + "00 02 00000002 00000004 0001 00000008 00000004 0001", BadChild},
		{tree + up + "00 01 00000002 00000000 0001", BadChild},
		{tree + up + "00 01 00000004 00000002 0001", BadChild},
		{report + "0000000000000000 0000000000000000 0000000000000000 000000", BadLength},
		{report + "4000000000000000 4000000000000000 0100000000000000 7fffffff", OK},
		{report + "4000000000000001 0000000000000000 0000000000000000 00000000", BadLoad},
		{report + "0000000000000000 8000000000000000 0000000000000000 00000000", BadLoad},
		{report + "0000000000000000 0000000000000000 0100000000000001 00000000", BadLoad},
		{report + "0000000000000000 0000000000000000 0000000000000000 80000000", BadLoad},
		{round + "0000000000000000 00000000000000", BadLength},
		{round + "2000000000000000 2000000000000000", OK},
		{round + "2000000000000001 0000000000000000", BadTime},
		{round + "0000000000000000 ffffffffffffffff", BadTime},
		{"01 07 0000 0000 0003 00000008 00000004 00", BadLength},
	} {
		var m Message
		if got := m.Read(golden.Hex(t, c.hex)); got != c.want {
			t.Errorf("%s: %q, want %q", c.hex, got, c.want)
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, g := range goldens {
		f.Add(golden.Hex(f, g.hex))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		var m Message
		if m.Read(b) != OK {
			return
		}
		again := m.Append(nil)
		var n Message
		if problem := n.Read(again); problem != OK || !equal(m, n) || len(again) != len(b) {
			t.Fatalf("% x reads as %+v, and comes back as % x", b, m, again)
		}
	})
}

package xaggctl

import (
	"bytes"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/golden"
	"github.com/inalab/inalab/internal/units"
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
}

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

// equal takes no list and an empty one for the same.
func equal(a, b Message) bool {
	if len(a.Lost) == 0 && len(b.Lost) == 0 {
		a.Lost, b.Lost = nil, nil
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
		{"01 06 0000 0000 0000 00000002 00000000", BadKind},
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
			Kind: Kind(rapid.IntRange(1, 5).Draw(t, "kind")), Job: rapid.Uint16().Draw(t, "job"), Iteration: rapid.Uint16().Draw(t, "iteration"),
			Tree: rapid.Uint16().Draw(t, "tree"), Host: 1 << rapid.IntRange(0, 31).Draw(t, "host"), Number: rapid.Uint32().Draw(t, "number"),
		}
		switch m.Kind {
		case Request:
			m.Phase = rapid.Uint8Max(MaxPhase).Draw(t, "phase")
			fallthrough
		case Notice:
			m.Heard, m.Rate = rapid.Uint32().Draw(t, "heard"), units.Rate(rapid.Int64Min(0).Draw(t, "rate"))
		case Lost:
			m.Lost = rapid.SliceOfN(rapid.Uint32Min(1), 1, MaxLost).Draw(t, "lost")
		}
		var got Message
		if problem := got.Read(m.Append(nil)); problem != OK || !equal(got, m) {
			t.Fatalf("%+v comes back as %+v %q", m, got, problem)
		}
	})
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

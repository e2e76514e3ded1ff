package capacity

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/units"
)

// machine is one whose load at a scale is known, and whose iterations are too slow below another.
type machine struct {
	full float64 // load at scale 1, of which a part goes down with the scale
	rest float64 // of it, the part that does not
	fast int     // the least scale at which iterations are as short as expected
	slow float64 // how many times the expected they take below
	late int     // the least scale at which timers are in time
	ends int     // the least scale at which runs come to an end
	asks []int
}

func (m *machine) load(scale int) float64 { return m.full/float64(scale) + m.rest }

func (m *machine) try(_ context.Context, scale int) ([]Trial, error) {
	m.asks = append(m.asks, scale)
	t := Trial{
		Name: "a on rack", Node: "tor", Line: 10 * units.Millisecond, Compute: 100 * units.Millisecond,
		Iteration: 110 * units.Millisecond, Expected: 110 * units.Millisecond,
	}
	t.Thread = (t.Line + t.Expected.Scale(slower)).Scale(headroom * m.load(scale))
	if scale < m.fast {
		t.Iteration = t.Iteration.Scale(m.slow)
	}
	if t.LateLimit = units.Millisecond; scale < m.late {
		t.Late = units.Duration(2*m.late/scale) * units.Millisecond
	}
	if scale < m.ends {
		t = Trial{Name: t.Name, Failed: "nothing moves any more"}
	}
	return []Trial{t, {Name: "b on rack", Line: t.Line}}, nil
}

func TestFind(t *testing.T) {
	for _, c := range []struct {
		name string
		m    machine
		from Search
		want int
		asks []int
		note string
	}{
		{name: "at the limit", m: machine{full: 200}, want: 200, asks: []int{200}},
		{name: "half as fast", m: machine{full: 400}, want: 400, asks: []int{200, 400}},
		{name: "five times as fast", m: machine{full: 40}, want: 40, asks: []int{200, 40}},
		{name: "some of it is always there", m: machine{full: 40, rest: 0.5}, want: 100, asks: []int{200, 150, 120, 100}},
		{name: "less goes down than was thought", m: machine{full: 150, rest: 0.5}, want: 400, asks: []int{200, 250, 500, 400}},
		{name: "the bound of what is kept", m: machine{full: 4}, from: Search{Least: 70}, want: 70, asks: []int{200, 70}},
		{name: "slow below 300", m: machine{full: 100, fast: 300, slow: 1.2}, want: 300, asks: []int{200, 400, 250, 300}},
		{name: "slow below 100", m: machine{full: 100, rest: 0, fast: 150, slow: 1.2}, want: 150, asks: []int{200, 100, 120, 150}},
		{name: "slow at every scale", m: machine{full: 100, fast: 1 << 30, slow: 1.2}, want: 200, asks: []int{200, 400}, note: "a larger scale does not help: an iteration of a on rack takes"},
		{name: "timers late below 300", m: machine{full: 100, late: 300}, want: 300, asks: []int{200, 400, 250, 300}},
		{name: "no end below 300", m: machine{full: 100, ends: 300}, want: 300, asks: []int{200, 400, 250, 300}},
		{name: "no end for long", m: machine{full: 100, ends: 1500}, want: 2000, asks: []int{200, 400, 800, 2000, 1000, 1200}},
		{name: "an unusual start", m: machine{full: 37}, from: Search{Start: 37}, want: 37, asks: []int{37}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := Search{Start: max(c.from.Start, 0), Least: max(1, c.from.Least), Most: 12800, Processors: 2}
			if s.Start == 0 {
				s.Start = 200
			}
			got, err := Find(t.Context(), s, c.m.try)
			if err != nil || got.Scale != c.want || !slices.Equal(c.m.asks, c.asks) || !strings.Contains(got.Note, c.note) || (c.note == "") != (got.Note == "") {
				t.Errorf("scale %d after %v, note %q, error %v; want %d after %v", got.Scale, c.m.asks, got.Note, err, c.want, c.asks)
			}
			if len(got.Tried) != len(c.m.asks) {
				t.Errorf("tried %+v", got.Tried)
			}
		})
	}
}

// A search that runs out of time takes what is known by then.
func TestFindEndsInTime(t *testing.T) {
	for _, c := range []struct {
		m    machine
		want int
		note string
	}{
		{machine{full: 20}, 200, ""},
		{machine{full: 100, fast: 1000, slow: 1.2}, 200, "ended before a scale was found that helps: an iteration of a on rack"},
		{machine{full: 1000}, 0, ""},
	} {
		got, err := Find(t.Context(), Search{Start: 200, Least: 1, Most: 1000, Processors: 2, Over: func() bool { return true }}, c.m.try)
		if got.Scale != c.want || (err == nil) != (c.want > 0) || len(c.m.asks) != 1 || !strings.Contains(got.Note, c.note) || (got.Note == "") != (c.note == "") {
			t.Errorf("scale %d, note %q, error %v after %v; want %d", got.Scale, got.Note, err, c.m.asks, c.want)
		}
	}
}

// A machine that no scale helps is told so, with what is short.
func TestFindRefusesByName(t *testing.T) {
	m := machine{rest: 1.5}
	got, err := Find(t.Context(), Search{Start: 200, Least: 1, Most: 1000, Processors: 2}, m.try)
	none := (*NoScale)(nil)
	if !errors.As(err, &none) || got.Scale != 0 {
		t.Fatalf("%+v, %v", got, err)
	}
	if want := "this machine carries the run at no scale up to 600: at scale 200 the packet thread of tor with a on rack: 1.5 times what the machine has for it: "; !strings.HasPrefix(err.Error(), want) {
		t.Errorf("%v, want %s...", err, want)
	}
	m = machine{ends: 1 << 30}
	if _, err := Find(t.Context(), Search{Start: 200, Least: 1, Most: 1000}, m.try); err == nil || !strings.Contains(err.Error(), "at no scale up to 1000: at scale 1000 a on rack: nothing moves any more: ") {
		t.Error(err)
	}
	broken := errors.New("no namespace")
	_, err = Find(t.Context(), Search{Start: 200, Most: 1000}, func(context.Context, int) ([]Trial, error) { return nil, broken })
	if !errors.Is(err, broken) || !strings.Contains(err.Error(), "self-test at scale 200") {
		t.Error(err)
	}
}

// Whatever the machine, a search ends soon, with a scale that was tried and carried, and none that
// was tried and failed is larger.
func TestFindFindsWhatIsCarried(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := machine{
			full: rapid.Float64Range(1, 50000).Draw(t, "full"), rest: rapid.Float64Range(0, 1.2).Draw(t, "rest"),
			fast: rapid.IntRange(0, 2000).Draw(t, "fast"), slow: rapid.Float64Range(1.06, 3).Draw(t, "slow"),
		}
		s := Search{Start: rapid.IntRange(1, 1000).Draw(t, "start"), Least: 1, Processors: rapid.IntRange(1, 64).Draw(t, "processors")}
		s.Most = 64 * s.Start
		got, err := Find(context.Background(), s, m.try)
		if len(m.asks) > mostTries {
			t.Fatalf("%d trials", len(m.asks))
		}
		if none := (*NoScale)(nil); errors.As(err, &none) {
			for _, at := range m.asks {
				if m.load(at) <= 1 && at >= m.fast {
					t.Fatalf("%v, but scale %d is carried", err, at)
				}
			}
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Contains(m.asks, got.Scale) || m.load(got.Scale) > 1.0001 || got.Note == "" && got.Scale < m.fast {
			t.Fatalf("found %d of %v, load %v", got.Scale, m.asks, m.load(got.Scale))
		}
		if least := slices.Min(m.asks); least < got.Scale && m.load(least) < 0.999 && least >= m.fast {
			t.Fatalf("found %d, but %d is carried", got.Scale, least)
		}
	})
}

func TestRound(t *testing.T) {
	for x, want := range map[float64]int{0.2: 1, 1: 1, 1.2: 2, 2: 2, 9: 10, 10: 10, 11: 12, 13: 15, 15: 15, 16: 20, 41: 50, 61: 80, 81: 100, 101: 120, 149: 150, 151: 200, 201: 250, 4001: 5000} {
		if got := round(x); got != want {
			t.Errorf("%v is rounded to %d, want %d", x, got, want)
		}
	}
}

// Each kind of load has a share of its own, and the worst is named.
func TestLoad(t *testing.T) {
	const ms = units.Millisecond
	for _, c := range []struct {
		trial Trial
		share float64
		of    string
	}{
		{Trial{Line: 10 * ms, Expected: 100 * ms, Node: "tor", Thread: 12 * ms, Threads: 15 * ms}, 1, "the packet thread of tor"}, // 15 ms, less a fifth
		{Trial{Line: 10 * ms, Expected: 100 * ms, Node: "tor", Thread: 12 * ms, Threads: 48 * ms}, 2, "the packet threads of all nodes"},
		{Trial{Line: 10 * ms, Thread: ms, Threads: ms, Compute: 100 * ms, Gradients: 150 * ms}, 1.5, "the gradients of all workers"},
		{Trial{Thread: ms / 10, Threads: ms / 10}, 1.0 / 8, "the packet thread"}, // of an instant
	} {
		got := c.trial.Load(2)
		if d := got.Share - c.share; d > 1e-9 || d < -1e-9 || !strings.HasPrefix(got.Of, c.of) {
			t.Errorf("%+v: %+v, want %v of %s", c.trial, got, c.share, c.of)
		}
	}
	slow := Trial{Name: "a on rack", Iteration: 116 * ms, Expected: 110 * ms}
	if err := Overloaded(7, 2, []Trial{slow}); err != nil || Slow([]Trial{slow})["a on rack"] == "" {
		t.Errorf("an iteration that is late: refused %v, slow %v", err, Slow([]Trial{slow}))
	}
	slow.Iteration = 115 * ms
	if got := Slow([]Trial{slow}); len(got) != 0 {
		t.Errorf("an iteration that is late by less: %v", got)
	}
	busy := Trial{Name: "a on rack", Line: 10 * ms, Node: "tor", Thread: 16 * ms}
	if err := Overloaded(100, 2, []Trial{busy}); err == nil || !strings.Contains(err.Error(), "scale 100: this machine does not carry it: the packet thread of tor with a on rack: 2.0 times what the machine has for it: set scale=200 or more") {
		t.Error(err)
	}
}

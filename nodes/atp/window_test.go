package atp

import (
	"slices"
	"testing"
)

// step is what happens to a window: parameters of the expected packet (grow), or congestion that was
// met by a packet (halve).
type step struct {
	halve  bool
	packet uint64 // expected after it, or that met congestion
	next   uint64
	want   int // the window after it
}

// The arithmetic of §3.7, by hand, with each key of the configuration at both of its ends. A window
// starts at 20 packets of at most 100.
func TestWindow(t *testing.T) {
	for name, test := range map[string]struct {
		keys  func(*Config)
		steps []step
	}{
		"slow start: an MTU, 5 packets, for each parameter packet, until a mark": {nil, []step{
			{false, 1, 20, 25}, {false, 2, 26, 30}, {false, 3, 32, 35},
			{true, 10, 40, 17},                      // half of 35
			{false, 4, 40, 17}, {false, 39, 40, 17}, // above the threshold: an MTU a window
			{false, 40, 57, 22}, {false, 41, 58, 22}, {false, 57, 79, 27},
		}},
		"one MTU for each packet, up to the span": {nil, []step{
			{false, 1, 20, 25}, {false, 2, 20, 30}, {false, 3, 20, 35}, {false, 4, 20, 40}, {false, 5, 20, 45}, {false, 6, 20, 50}, {false, 7, 20, 55},
			{false, 8, 20, 60}, {false, 9, 20, 65}, {false, 10, 20, 70}, {false, 11, 20, 75}, {false, 12, 20, 80}, {false, 13, 20, 85}, {false, 14, 20, 90},
			{false, 15, 20, 95}, {false, 16, 20, 100}, {false, 17, 20, 100}, {true, 18, 120, 50},
		}},
		"a window is halved once, whatever it meets": {nil, []step{
			{true, 3, 20, 10}, {true, 4, 20, 10}, {true, 19, 25, 10}, {true, 20, 30, 5}, {true, 29, 30, 5}, {true, 30, 35, 2}, {true, 35, 37, 1}, {true, 37, 38, 1},
		}},
		"each mark halves": {func(c *Config) { c.EachMark = true }, []step{
			{true, 3, 20, 10}, {true, 4, 20, 5}, {true, 5, 20, 2}, {true, 6, 20, 1},
		}},
		"doubling: a packet for each": {func(c *Config) { c.Doubling = true }, []step{
			{false, 1, 20, 21}, {false, 2, 22, 22}, {true, 5, 25, 11}, {false, 24, 25, 11}, {false, 25, 40, 16},
		}},
		"avoidance from the start: an MTU a window": {func(c *Config) { c.Avoidance = true }, []step{
			{false, 1, 20, 20}, {false, 19, 38, 20}, {false, 20, 40, 25}, {false, 21, 46, 25}, {false, 39, 64, 25}, {false, 40, 65, 30},
		}},
		"least window of an MTU": {func(c *Config) { c.LeastWindow = 5 }, []step{
			{true, 3, 20, 10}, {true, 20, 30, 5}, {true, 30, 35, 5}, {false, 35, 36, 10},
		}},
		"without congestion control": {func(c *Config) { c.Fixed = true }, []step{
			{false, 1, 20, 20}, {true, 3, 20, 20}, {false, 40, 60, 20},
		}},
	} {
		t.Run(name, func(t *testing.T) {
			c := testConfig(0, 2, 1)
			c.Window, c.Span, c.SequenceBits = 20, 100, 0
			if test.keys != nil {
				test.keys(&c)
			}
			c.resolve()
			w := newWindow(&c, 0)
			if w.size != 20 {
				t.Fatalf("starts at %d", w.size)
			}
			for i, s := range test.steps {
				before := w.size
				if !s.halve {
					w.grow(s.packet, s.next)
				} else if changed := w.halve(s.packet, s.next); changed != (s.want != before || s.packet >= 20 && before == c.LeastWindow) {
					t.Errorf("step %d, %+v: says that it halved: %v", i, s, changed)
				}
				if w.size != s.want {
					t.Fatalf("step %d, %+v: window of %d packets", i, s, w.size)
				}
			}
		})
	}
}

// 200 packets are shared evenly among streams, which have one at least and a span at most.
func TestWindowsAtTheStart(t *testing.T) {
	for _, test := range []struct {
		window, threads, servers, least, span int
		want                                  []int
	}{
		{0, 1, 1, 0, 0, []int{200}},
		{0, 3, 1, 0, 0, []int{67, 67, 66}},
		{0, 2, 2, 0, 0, []int{50, 50, 50, 50}},
		{3, 2, 2, 0, 0, []int{1, 1, 1, 1}},
		{3, 2, 1, 5, 0, []int{5, 5}},
		{0, 1, 1, 0, 150, []int{150}},
	} {
		c := testConfig(0, 2, test.servers)
		c.Window, c.Threads, c.LeastWindow, c.Span, c.SequenceBits = test.window, test.threads, test.least, test.span, 0
		core, err := New(c)
		if err != nil {
			t.Fatal(err)
		}
		var got []int
		for i := range core.streams {
			got = append(got, core.streams[i].window.size)
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%+v: windows of %v", test, got)
		}
	}
}

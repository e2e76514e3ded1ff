package xagg

import (
	"math"
	"slices"
	"testing"

	wire "github.com/inalab/inalab/internal/wire/xagg"
)

// "Checks whether there is any packet loss in the [1025, 2048] interval" for index 2048 (§IV-D).
func TestGroupOfACheck(t *testing.T) {
	for gradient, want := range map[uint32][2]uint32{
		2048: {1025, 2048}, 1024: {1, 1024}, 1: {1, 1}, 1025: {1025, 1025}, 10000: {9217, 10000}, 0: {1, 0},
		math.MaxUint32: {math.MaxUint32 - 1022, math.MaxUint32},
	} {
		if from, to := (Check{Gradient: gradient}).Group(); from != want[0] || to != want[1] {
			t.Errorf("%d asks about %d to %d, want %v", gradient, from, to, want)
		}
	}
}

// Lost are the packets of that host that did not come, in that iteration, in that table.
func TestLostList(t *testing.T) {
	c := testConfig(2, 2048)
	c.Parent = parent
	b := newBench(t, c)
	missing := map[uint32]bool{1025: true, 1100: true, 2047: true}
	for g := uint32(1); g <= 2048; g++ {
		if b.take(packet{host: 1, gradient: g}); !missing[g] {
			b.take(packet{host: 2, gradient: g})
		}
	}
	want := []uint32{1025, 1100, 2047}
	for _, check := range b.a.Drain(nil) {
		got := b.a.Lost(nil, check)
		if check.Host == 2 && check.Gradient == 2048 != slices.Equal(got, want) || check.Host == 1 && got != nil {
			t.Errorf("%+v: lost %v", check, got)
		}
	}
	all := Check{Host: 1, Gradient: 2048, Iteration: 0} // the next iteration
	if got := b.a.Lost(nil, all); len(got) != wire.Group {
		t.Errorf("%d are lost of an iteration that did not begin", len(got))
	}
	b.take(packet{host: 1, gradient: 1100, ahead: 1})
	if got := b.a.Lost(nil, all); len(got) != wire.Group-1 || slices.Contains(got, 1100) {
		t.Errorf("%d are lost after one came", len(got))
	}
	if got := b.a.Lost(nil, Check{Host: 2, Gradient: 2048, Iteration: testIteration}); !slices.Equal(got, []uint32{1025, 2047}) {
		t.Errorf("lost %v, want none that has gone on", got)
	}
	if got := b.a.Lost(nil, Check{Host: parent, Gradient: 5, Iteration: testIteration, Flags: wire.Result}); len(got) != 5 {
		t.Errorf("lost results %v", got)
	}
	if got := b.a.Lost(nil, Check{Host: 1, Gradient: math.MaxUint32}); got != nil {
		t.Errorf("lost %v of fragments that there are not", got)
	}
}

// A server that comes back to the tree after half of all iteration numbers and more has elements that look
// like those of later iterations. They have none of the packets that are asked about.
func TestLostAfterManyIterations(t *testing.T) {
	b := newBench(t, testConfig(2, 3))
	b.take(packet{host: 1, gradient: 1})
	for _, passed := range []int{1, 1<<15 - 1, 1 << 15, 1<<15 + 1, 1<<16 - 2} {
		b.reconfigure(func(c *Config) { c.Window.Current = testIteration + uint16(passed) })
		if got := b.a.Lost(nil, Check{Host: 1, Gradient: 3, Iteration: b.c.Window.Current}); len(got) != 3 {
			t.Errorf("after %d iterations lost are %v, want all", passed, got)
		}
	}
}

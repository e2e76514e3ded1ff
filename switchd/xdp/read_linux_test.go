package xdp

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	wire "github.com/inalab/inalab/internal/wire/xagg"
	"github.com/inalab/inalab/switchd/program/xagg"
)

// lostByElement is Lost by the elements themselves, a system call for each.
func lostByElement(a *Aggregator, list []uint32, c xagg.Check) ([]uint32, error) {
	from, to := c.Group()
	for g := from; g <= to; g++ {
		e, err := a.Sum(g)
		if err != nil {
			return list, err
		}
		if e.Lacks(c, a.cfg.Window) {
			list = append(list, g)
		}
	}
	return list, nil
}

// group is an aggregator that has every packet of a group of 1 KB each from one child, and every
// second of another.
func group(tb testing.TB) (*Aggregator, xagg.Check) {
	tb.Helper()
	c := testConfig(wire.Values, 2*wire.Group)
	a := load(tb, c)
	values := make([]int32, c.Values)
	for g := uint32(1); g <= wire.Group; g++ {
		for _, child := range []uint32{1, 2}[:1+g%2] {
			values[0] = int32(g)
			f := wire.Frame(wire.Path{Dst: c.Addr, Src: c.Addr}, wire.Header{Host: child, Gradient: g, Job: c.Job, Iteration: c.Window.Current}, values)
			if _, _, err := a.receive(f); err != nil {
				tb.Fatal(err)
			}
		}
	}
	return a, xagg.Check{Host: 2, Gradient: wire.Group, Iteration: c.Window.Current}
}

// What marks say is what elements say.
func TestLostByMarks(t *testing.T) {
	a, c := group(t)
	want, err := lostByElement(a, nil, c)
	if err != nil {
		t.Fatal(err)
	}
	got, err := a.Lost(nil, c)
	if err != nil || !slices.Equal(got, want) || len(want) != wire.Group/2 {
		t.Errorf("%d are lost by marks, %d by elements: %v", len(got), len(want), err)
	}
}

// Batches of any length are the elements one by one.
func TestBatches(t *testing.T) {
	a, _ := group(t)
	for _, c := range []struct{ from, n int }{{1, 0}, {1, 1}, {1, readBatch}, {5, readBatch + 1}, {2*wire.Group - 2, 3}, {1, 2 * wire.Group}, {2 * wire.Group, 1}} {
		list := make([]xagg.Element, c.n)
		if err := a.Sums(uint32(c.from), list); err != nil {
			t.Fatalf("%+v: %v", c, err)
		}
		for i, e := range list {
			g := c.from + i
			want := xagg.Element{Values: make([]int32, wire.Values)}
			if g <= wire.Group {
				want.Counter = uint16(1 + g%2)
				want.Bitmap, want.Iteration, want.Values[0] = 1<<want.Counter-1, a.cfg.Window.Current, int32(int(want.Counter)*g)
			}
			if e.Bitmap != want.Bitmap || e.Counter != want.Counter || e.Iteration != want.Iteration || !slices.Equal(e.Values, want.Values) {
				t.Fatalf("%+v: element %d is %+v, want %+v", c, g, e, want)
			}
		}
	}
}

func TestReadingIsRefused(t *testing.T) {
	a, _ := group(t)
	many := make([]xagg.Element, 3)
	for from, n := range map[uint32]int{0: 1, 2*wire.Group + 1: 1, 2*wire.Group - 1: 3, 1<<32 - 1: 3} {
		if err := a.Sums(from, many[:n]); err == nil {
			t.Errorf("%d elements from %d were read", n, from)
		}
	}
	root := testConfig(wire.MinValues, 4)
	root.Parent = 0
	r := load(t, root)
	_, err := r.Lost(nil, xagg.Check{Host: 1, Gradient: 4, Flags: wire.Result})
	if errs := r.Results(1, many); !errors.Is(err, errNoTable) || !errors.Is(errs, errNoTable) {
		t.Errorf("results that nobody keeps: %v, %v", err, errs)
	}
}

// Elements are read while packets come, and none is half of one sum and half of another: all values of a
// sum are equal, and the mark says how many packets are in.
func TestElementsAreReadWhole(t *testing.T) {
	const packets, elements = 30, 64
	c := testConfig(wire.MaxValues, elements)
	c.Children = nil
	for i := range packets {
		c.Children = append(c.Children, xagg.Child{ID: 1 << i})
	}
	a := load(t, c)
	done := make(chan error, 1)
	go func() {
		defer close(done)
		values := slices.Repeat([]int32{1}, wire.MaxValues)
		for _, child := range c.Children {
			for g := uint32(1); g <= elements; g++ {
				f := wire.Frame(wire.Path{Dst: c.Addr, Src: c.Addr}, wire.Header{Host: child.ID, Gradient: g, Job: c.Job, Iteration: c.Window.Current}, values)
				if _, _, err := a.receive(f); err != nil {
					done <- err
					return
				}
			}
		}
	}()
	list := make([]xagg.Element, elements)
	for over := false; !over; {
		select {
		case err := <-done:
			if err != nil {
				t.Fatal(err)
			}
			over = true
		default:
		}
		if err := a.Sums(1, list); err != nil {
			t.Fatal(err)
		}
		for i := range list {
			checkWhole(t, &list[i], over, packets)
		}
		one, err := a.Sum(7)
		if err != nil {
			t.Fatal(err)
		}
		checkWhole(t, &one, over, packets)
	}
}

func checkWhole(t *testing.T, e *xagg.Element, over bool, packets uint16) {
	t.Helper()
	for _, v := range e.Values {
		if v != int32(e.Counter) || over && e.Counter != packets {
			t.Fatalf("an element of %d packets has the value %d", e.Counter, v)
		}
	}
}

// A group of 1024 elements of 1 KB: the lost list by elements and by marks, and all values one by one
// and in batches.
func BenchmarkGroup(b *testing.B) {
	a, c := group(b)
	var list []uint32
	elements := make([]xagg.Element, wire.Group)
	for _, way := range []struct {
		name string
		f    func() error
	}{
		{"lost/elements", func() (err error) { list, err = lostByElement(a, list[:0], c); return err }},
		{"lost/marks", func() (err error) { list, err = a.Lost(list[:0], c); return err }},
		{"values/one", func() error {
			var errs error
			for g := uint32(1); g <= wire.Group; g++ {
				_, err := a.Sum(g)
				errs = errors.Join(errs, err)
			}
			return errs
		}},
		{"values/batch", func() error { return a.Sums(1, elements) }},
	} {
		b.Run(way.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := way.f(); err != nil {
					b.Fatal(fmt.Errorf("%s: %w", way.name, err))
				}
			}
		})
	}
}

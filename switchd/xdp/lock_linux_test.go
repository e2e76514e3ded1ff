package xdp

import (
	"errors"
	"fmt"
	"math/bits"
	"net/netip"
	"runtime"
	"sync/atomic"
	"testing"

	wire "github.com/inalab/inalab/internal/wire/xagg"
	"github.com/inalab/inalab/switchd/program/xagg"
)

// Threads that give the program packets for the same elements at once lose no value. Without the lock
// of an element this nearly always fails where two CPUs run the program.
func TestSameElementOnManyCPUs(t *testing.T) {
	const threads, each, elements = 2, 15, 2000
	c := xagg.Config{Values: wire.MaxValues, Fragments: elements, Host: 1 << 31, Addr: netip.MustParseAddr("10.0.0.9")}
	for i := range threads * each {
		c.Children = append(c.Children, xagg.Child{ID: 1 << i})
	}
	a := load(t, c)
	done := make(chan error, threads)
	var arrived atomic.Int64
	for th := range threads {
		// Before each element they wait for each other.
		wait := func(g uint32) {
			for arrived.Add(1); arrived.Load() < threads*int64(g); {
				runtime.Gosched()
			}
		}
		go func() { done <- pour(a, c.Children[th*each:(th+1)*each], wait) }()
	}
	for range threads {
		if err := <-done; err != nil {
			t.Fatal(err)
		}
	}
	n := int32(threads * each)
	for g := uint32(1); g <= elements; g++ {
		e, err := a.Sum(g)
		if err != nil || int32(e.Counter) != n {
			t.Fatalf("element %d has %d packets of %d, %v", g, e.Counter, n, err)
		}
		for at, v := range e.Values {
			if v != n*int32(at+1) {
				t.Fatalf("value %d of element %d is %d, want %d", at, g, v, n*int32(at+1))
			}
		}
	}
	if tally, err := a.Tally(); err != nil || tally[xagg.Finished] != elements || tally[xagg.Duplicate] != 0 {
		t.Errorf("%v %v", tally.Counts(), err)
	}
}

// pour gives the program a packet of each child for each element, for which it waits first.
func pour(a *Aggregator, children []xagg.Child, wait func(g uint32)) error {
	errs := pin(bits.TrailingZeros32(children[0].ID) % 2) // told at the end, as the others wait for this one
	values := make([]int32, a.cfg.Values)
	for at := range values {
		values[at] = int32(at + 1)
	}
	f := wire.Frame(wire.Path{Src: netip.MustParseAddr("10.0.0.1"), Dst: a.cfg.Addr}, wire.Header{}, values)
	for g := uint32(1); g <= a.cfg.Fragments; g++ {
		wait(g)
		for _, child := range children {
			h := wire.Header{Host: child.ID, Gradient: g}
			h.Put(f[wire.HeaderOffset:])
			if v, _, err := a.receive(f); err != nil || v != xagg.Drop {
				errs = fmt.Errorf("verdict %d, %w", v, errors.Join(errs, err))
			}
		}
	}
	return errs
}

package xdp

import (
	"errors"
	"fmt"

	"github.com/cilium/ebpf"

	wire "github.com/inalab/inalab/internal/wire/xagg"
	"github.com/inalab/inalab/switchd/program/xagg"
)

var errNoTable = errors.New("the aggregator keeps no such elements: it has sums if it was loaded with children, and results if with a parent")

// Tally returns the counters, summed over CPUs.
func (a *Aggregator) Tally() (t xagg.Tally, err error) {
	if a.closed {
		return t, ErrClosed
	}
	for c := range t {
		var each []uint64
		if err := a.kernel.Counters.Lookup(uint32(c), &each); err != nil {
			return t, fmt.Errorf("read counter %v: %w", xagg.Counter(c), err)
		}
		for _, n := range each {
			t[c] += n
		}
	}
	return t, nil
}

// Sum returns the element of gradients with a gradient id, as it is between two packets. Its values are
// valid until the next call.
func (a *Aggregator) Sum(gradient uint32) (xagg.Element, error) {
	return a.element(&a.sums, gradient)
}

// Result returns the stored result with a gradient id, in the same way.
func (a *Aggregator) Result(gradient uint32) (xagg.Element, error) {
	return a.element(&a.results, gradient)
}

// Sums is [Aggregator.Sum] for len(into) gradient ids from a first one, each element as it is between
// two packets: one system call reads up to 256.
func (a *Aggregator) Sums(from uint32, into []xagg.Element) error {
	return a.elements(&a.sums, from, into)
}

// Results is [Aggregator.Result] in the same way.
func (a *Aggregator) Results(from uint32, into []xagg.Element) error {
	return a.elements(&a.results, from, into)
}

func (a *Aggregator) element(s *shelf, gradient uint32) (e xagg.Element, err error) {
	if err := a.check(s, gradient, 1); err != nil {
		return e, err
	}
	if err := s.read(gradient - 1); err != nil {
		return e, fmt.Errorf("read element %d: %w", gradient, err)
	}
	return s.at(0), nil
}

func (a *Aggregator) elements(s *shelf, from uint32, into []xagg.Element) error {
	if err := a.check(s, from, len(into)); err != nil {
		return err
	}
	if err := s.readAll(from-1, len(into)); err != nil {
		return fmt.Errorf("read %d elements from %d: %w", len(into), from, err)
	}
	for i := range into {
		into[i] = s.at(i)
	}
	return nil
}

// check returns why n elements from a gradient id on cannot be read.
func (a *Aggregator) check(s *shelf, from uint32, n int) error {
	switch {
	case a.closed:
		return ErrClosed
	case s.values == nil:
		return errNoTable
	case from == 0 || uint64(from)+uint64(n) > uint64(s.values.MaxEntries())+1:
		return fmt.Errorf("%d elements from gradient id %d: they are numbered 1 to %d", n, from, s.values.MaxEntries())
	}
	return nil
}

// Lost appends the gradient ids of a check's group whose packet did not come from its host (the Lost
// List of XAgg §IV-D). Packets that come meanwhile may or may not be in it. It makes no system call.
func (a *Aggregator) Lost(list []uint32, c xagg.Check) ([]uint32, error) {
	s := &a.sums
	if c.Flags.Has(wire.Result) {
		s = &a.results
	}
	if err := a.check(s, 1, 0); err != nil {
		return list, fmt.Errorf("look for lost packets: %w", err)
	}
	from, to := c.Group()
	for g := from; g <= min(to, a.first.Fragments); g++ {
		if e := s.mark(g - 1); e.Lacks(c, a.cfg.Window) {
			list = append(list, g)
		}
	}
	return list, nil
}

// Drain takes what is in the check queue, and appends it to list.
func (a *Aggregator) Drain(list []xagg.Check) ([]xagg.Check, error) {
	if a.closed {
		return list, ErrClosed
	}
	for range a.cfg.CheckEntries() { // a bound, as packets may come faster
		var k kernelCheck
		err := a.kernel.Checks.LookupAndDelete(nil, &k)
		if errors.Is(err, ebpf.ErrKeyNotExist) {
			return list, nil
		}
		if err != nil {
			return list, fmt.Errorf("drain the check queue: %w", err)
		}
		list = append(list, xagg.Check{Host: k.Host, Gradient: k.Gradient, Iteration: k.Iteration, Flags: wire.Flags(k.Flags)})
	}
	return list, nil
}

package xdp

import (
	"encoding/binary"
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

// Sum returns the element of gradients with a gradient id, as it is between two packets.
func (a *Aggregator) Sum(gradient uint32) (xagg.Element, error) {
	return a.element(a.kernel.Sums, a.first.Sums(), gradient)
}

// Result returns the stored result with a gradient id.
func (a *Aggregator) Result(gradient uint32) (xagg.Element, error) {
	return a.element(a.kernel.Results, a.first.Results(), gradient)
}

func (a *Aggregator) element(m *ebpf.Map, t xagg.Table, gradient uint32) (e xagg.Element, err error) {
	switch {
	case a.closed:
		return e, ErrClosed
	case t.Required == 0:
		return e, errNoTable
	case gradient == 0 || gradient > m.MaxEntries():
		return e, fmt.Errorf("gradient id %d: elements are numbered 1 to %d", gradient, m.MaxEntries())
	}
	b := make([]byte, m.ValueSize())
	if err := m.LookupWithFlags(gradient-1, &b, ebpf.LookupLock); err != nil {
		return e, fmt.Errorf("read element %d: %w", gradient, err)
	}
	return elementOf(b), nil
}

// Lost appends the gradient ids of a check's group whose packet did not come from its host (the Lost
// List of XAgg §IV-D). Packets that come meanwhile may or may not be in it.
func (a *Aggregator) Lost(list []uint32, c xagg.Check) ([]uint32, error) {
	read := a.Sum
	if c.Flags.Has(wire.Result) {
		read = a.Result
	}
	from, to := c.Group()
	for g := from; g <= min(to, a.first.Fragments); g++ {
		e, err := read(g)
		if err != nil {
			return list, fmt.Errorf("look for lost packets: %w", err)
		}
		if e.Lacks(c) {
			list = append(list, g)
		}
	}
	return list, nil
}

// elementOf reads struct element of aggregator.c.
func elementOf(b []byte) xagg.Element {
	order := binary.NativeEndian
	e := xagg.Element{Bitmap: order.Uint32(b[4:]), Counter: order.Uint16(b[8:]), Iteration: order.Uint16(b[10:])}
	e.Values = make([]int32, (len(b)-elementHead)/4)
	for i := range e.Values {
		e.Values[i] = int32(order.Uint32(b[elementHead+4*i:]))
	}
	return e
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

package experiments

import (
	"encoding/binary"
	"fmt"

	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/sansio/sansiotest"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/units"
	wire "github.com/inalab/inalab/internal/wire/switchml"
	host "github.com/inalab/inalab/nodes/switchml"
)

// switchmlNet describes a switch and its workers in memory, that sum tensors of
// int32. Every value of worker w in block b is blockValue(w, b).
type switchmlNet struct {
	workers, tensor, slots int
	ready                  func(w int) units.Time                                   // when a worker begins; nil: at once
	up, down               units.Duration                                           // delay of the wires
	heard                  func(w int, up bool, h wire.Header, v int32) (lost bool) // every packet, with its first value
	sink                   trace.Sink                                               // of the switch; may be nil
}

func blockValue(w, b int) int32 { return int32(1000*b + w) }

// run runs to the end and checks every sum.
func (n switchmlNet) run() error {
	var net sansiotest.Network
	prog, err := switchmlProgram(n.workers, n.slots, n.sink)
	if err != nil {
		return err
	}
	sw := net.Add(prog)
	var cores []*intCore
	for w := range n.workers {
		core, err := host.New(host.Config{
			Node: fmt.Sprint("w", w), Workers: n.workers, Tensor: n.tensor, Elements: switchmlElements, Slots: n.slots,
			Flow: switchmlUp(w), Integers: true,
		})
		if err != nil {
			return err
		}
		c := &intCore{Core: core, q: make([]int32, n.tensor)}
		for i := range c.q {
			c.q[i] = blockValue(w, i/switchmlElements)
		}
		h := &sansiotest.Host{Core: c, Tensors: [][]float32{nil}}
		if n.ready != nil {
			h.Ready = func(int) units.Time { return n.ready(w) }
		}
		net.Connect(net.Add(h), 0, sw, sansio.Port(w), n.wire(w, true, n.up), n.wire(w, false, n.down))
		cores = append(cores, c)
	}
	if pending, err := net.Run(units.Time(3600 * units.Second)); pending || err != nil {
		return fmt.Errorf("%d workers, %d slots: still busy after an hour: %w", n.workers, n.slots, err)
	}
	return n.check(cores)
}

func (n switchmlNet) check(cores []*intCore) error {
	for w, c := range cores {
		if c.sums == nil {
			return fmt.Errorf("nothing is pending, but worker %d is not done", w)
		}
		for i, got := range c.sums {
			var want int32
			for v := range n.workers {
				want += blockValue(v, i/switchmlElements)
			}
			if got != want {
				return fmt.Errorf("worker %d: sum %d is %d, want %d", w, i, got, want)
			}
		}
	}
	return nil
}

func (n switchmlNet) wire(w int, up bool, delay units.Duration) *sansiotest.Wire {
	return &sansiotest.Wire{Delay: delay, Drop: func(f sansio.Train) bool {
		h, problem := wire.Parse(f.Body)
		return problem == wire.OK && n.heard != nil && n.heard(w, up, h, int32(binary.BigEndian.Uint32(f.Body[wire.HeaderLen:])))
	}}
}

// intCore reduces a tensor of int32 where a host has floats.
type intCore struct {
	*host.Core
	q, sums []int32
}

// Begin begins the integers in place of the floats.
func (c *intCore) Begin(now units.Time, gen int, _ []float32, eff *sansio.Effects) {
	c.BeginInts(now, gen, c.q, eff)
}

// Finish keeps the sums.
func (c *intCore) Finish(int) (result.Outcome, func([]float32)) {
	c.sums = append([]int32{}, c.Sums()...)
	return result.Outcome{}, func([]float32) {}
}

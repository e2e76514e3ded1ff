package rig

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
	"github.com/inalab/inalab/switchd/program/switchml/reference"
)

// Net describes a switch and its workers in memory, that sum tensors of
// int32. Every value of worker w in block b is BlockValue(w, b).
type Net struct {
	Workers, Tensor, Slots int
	Ready                  func(w int) units.Time                                   // when a worker begins; nil: at once
	Up, Down               units.Duration                                           // delay of the wires
	Heard                  func(w int, up bool, h wire.Header, v int32) (lost bool) // every packet, with its first value
	Sink                   trace.Sink                                               // of the switch; may be nil
}

func BlockValue(w, b int) int32 { return int32(1000*b + w) }

// Run runs to the end and checks every sum.
func (n Net) Run() error {
	var net sansiotest.Network
	cfg := SwitchMLConfig(n.Workers, n.Slots)
	cfg.Trace = n.Sink
	prog, err := reference.New(cfg)
	if err != nil {
		return err
	}
	sw := net.Add(prog)
	var cores []*Ints
	for w := range n.Workers {
		core, err := host.New(host.Config{
			Node: fmt.Sprint("w", w), Workers: n.Workers, Tensor: n.Tensor, Elements: Elements, Slots: n.Slots,
			Flow: SwitchMLUp(w), Integers: true,
		})
		if err != nil {
			return err
		}
		c := &Ints{Core: core, Q: make([]int32, n.Tensor)}
		for i := range c.Q {
			c.Q[i] = BlockValue(w, i/Elements)
		}
		h := &sansiotest.Host{Core: c, Tensors: [][]float32{nil}}
		if n.Ready != nil {
			h.Ready = func(int) units.Time { return n.Ready(w) }
		}
		net.Connect(net.Add(h), 0, sw, sansio.Port(w), n.wire(w, true, n.Up), n.wire(w, false, n.Down))
		cores = append(cores, c)
	}
	if pending, err := net.Run(units.Time(3600 * units.Second)); pending || err != nil {
		return fmt.Errorf("%d workers, %d slots: still busy after an hour: %w", n.Workers, n.Slots, err)
	}
	return n.check(cores)
}

func (n Net) check(cores []*Ints) error {
	for w, c := range cores {
		if c.Got == nil {
			return fmt.Errorf("nothing is pending, but worker %d is not done", w)
		}
		for i, got := range c.Got {
			var want int32
			for v := range n.Workers {
				want += BlockValue(v, i/Elements)
			}
			if got != want {
				return fmt.Errorf("worker %d: sum %d is %d, want %d", w, i, got, want)
			}
		}
	}
	return nil
}

func (n Net) wire(w int, up bool, delay units.Duration) *sansiotest.Wire {
	return &sansiotest.Wire{Delay: delay, Drop: func(f sansio.Train) bool {
		h, problem := wire.Parse(f.Body)
		return problem == wire.OK && n.Heard != nil && n.Heard(w, up, h, int32(binary.BigEndian.Uint32(f.Body[wire.HeaderLen:])))
	}}
}

// Ints reduces a tensor of int32 where a host has floats.
type Ints struct {
	*host.Core
	Q, Got []int32
}

// Begin begins the integers in place of the floats.
func (c *Ints) Begin(now units.Time, gen int, _ []float32, eff *sansio.Effects) {
	c.BeginInts(now, gen, c.Q, eff)
}

// Finish keeps the sums.
func (c *Ints) Finish(int) (result.Outcome, func([]float32)) {
	c.Got = append([]int32{}, c.Sums()...)
	return result.Outcome{}, func([]float32) {}
}

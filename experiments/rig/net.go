package rig

import (
	"encoding/binary"
	"fmt"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/sansio/sansiotest"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/units"
	wire "github.com/inalab/inalab/internal/wire/switchml"
	host "github.com/inalab/inalab/nodes/switchml"
	"github.com/inalab/inalab/switchd/program/switchml/pipeline"
)

// BlockValue is what worker w has in block b, of [Elements] values, of its tensor.
func BlockValue(w, b int) int32 { return int32(1000*b + w) }

// NewInts returns a host that sums n values, those of [BlockValue], with a core.
func NewInts(core sansiotest.IntCore, w, n int) *sansiotest.Ints {
	q := make([]int32, n)
	for i := range q {
		q[i] = BlockValue(w, i/Elements)
	}
	return &sansiotest.Ints{IntCore: core, Tensor: func(int) []int32 { return q }}
}

// Wrong counts the sums that a host, one of several, has that are not those of all
// their values; without any, all n are wrong.
func Wrong(h *sansiotest.Ints, workers, n int) (wrong int) {
	if len(h.Got) == 0 {
		return n
	}
	var want int32
	for i, got := range h.Got[0] {
		if i%Elements == 0 {
			want = 0
			for v := range workers {
				want += BlockValue(v, i/Elements)
			}
		}
		if got != want {
			wrong++
		}
	}
	return wrong + max(0, n-len(h.Got[0]))
}

// Net is a switch and its workers in memory, that sum tensors of int32.
type Net struct {
	Workers, Tensor int
	Switch          sansio.Machine
	Core            func(w int) (sansiotest.IntCore, error)
	Ready           func(w int) units.Time                        // when a worker begins; nil: at once
	Up, Down        units.Duration                                // delay of the wires
	Lost            func(w int, up bool, frame sansio.Train) bool // is given every frame
}

// Run runs to the end of every tensor.
func (n *Net) Run() (hosts []*sansiotest.Ints, err error) {
	var net sansiotest.Network
	sw := net.Add(n.Switch)
	for w := range n.Workers {
		core, err := n.Core(w)
		if err != nil {
			return nil, err
		}
		hosts = append(hosts, NewInts(core, w, n.Tensor))
		h := &sansiotest.Host{Core: hosts[w], Tensors: [][]float32{nil}}
		if n.Ready != nil {
			h.Ready = func(int) units.Time { return n.Ready(w) }
		}
		wire := func(up bool, delay units.Duration) *sansiotest.Wire {
			return &sansiotest.Wire{Delay: delay, Drop: func(f sansio.Train) bool { return n.Lost(w, up, f) }}
		}
		net.Connect(net.Add(h), 0, sw, sansio.Port(w), wire(true, n.Up), wire(false, n.Down))
	}
	if pending, err := net.Run(units.Time(3600 * units.Second)); pending || err != nil {
		return nil, fmt.Errorf("%d workers, tensors of %d: still busy after an hour: %w", n.Workers, n.Tensor, err)
	}
	for w, h := range hosts {
		if len(h.Got) == 0 {
			return nil, fmt.Errorf("nothing is pending, but worker %d is not done", w)
		}
	}
	return hosts, nil
}

// SwitchMLNet is a [Net] of SwitchML, whose switch runs the pipeline.
type SwitchMLNet struct {
	Net
	Slots int
	Heard func(w int, up bool, h wire.Header, v int32) (lost bool) // every packet, with its first value
	Sink  trace.Sink                                               // of the switch; may be nil
}

// NewSwitchMLNet returns a network whose wires take a microsecond.
func NewSwitchMLNet(workers, tensor, slots int) *SwitchMLNet {
	return &SwitchMLNet{Net: Net{Workers: workers, Tensor: tensor, Up: units.Microsecond, Down: units.Microsecond}, Slots: slots}
}

// Run runs to the end, and wants every sum right.
func (n *SwitchMLNet) Run() error {
	cfg := SwitchMLConfig(SwitchMLJob(1, 0, n.Workers, n.Slots, n.Workers))
	cfg.Trace = n.Sink
	var err error
	if n.Switch, err = pipeline.New(cfg, pipeline.Options{Ports: n.Workers}); err != nil {
		return err
	}
	n.Core = func(w int) (sansiotest.IntCore, error) {
		return host.New(SwitchMLWorker(w, n.Workers, n.Tensor, n.Slots))
	}
	n.Lost = func(w int, up bool, f sansio.Train) bool {
		h, problem := wire.Parse(f.Body)
		return problem == wire.OK && n.Heard(w, up, h, int32(binary.BigEndian.Uint32(f.Body[wire.HeaderLen:])))
	}
	hosts, err := n.Net.Run()
	for w, h := range hosts {
		if wrong := Wrong(h, n.Workers, n.Tensor); wrong > 0 {
			return fmt.Errorf("worker %d: %d sums are wrong", w, wrong)
		}
	}
	return err
}

// SwitchMLWorker describes worker w of several, with a tensor of int32.
func SwitchMLWorker(w, workers, tensor, slots int) host.Config {
	return host.Config{
		Node: fmt.Sprint("w", w), Workers: workers, Tensor: tensor, Elements: Elements, Slots: slots, Flow: SwitchMLUp(w), Integers: true,
	}
}

package chip

import (
	"fmt"
	"net/netip"

	"github.com/inalab/inalab/experiments/rig"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/sansio/sansiotest"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
	wire "github.com/inalab/inalab/internal/wire/switchml"
	host "github.com/inalab/inalab/nodes/switchml"
	"github.com/inalab/inalab/switchd/program/switchml"
	"github.com/inalab/inalab/switchd/program/switchml/pipeline"
	"github.com/inalab/inalab/switchd/tofino"
)

// tree is layers of pipelines in memory, and workers below the last. The last port
// of every pipeline leads up, but for that of the top one.
//
//	top ─┬─ pipeline ─┬─ worker
//	     │            └─ ...  15
//	     └─ ...  16
type tree struct {
	layers, blocks, ports int
	// spoil may change the value that worker w has in a block; nil: nobody does. Of tests.
	spoil func(w, b int, v int32) int32

	net   sansiotest.Network
	chips []*pipeline.Engine // the top one first
	hosts []*rig.Ints
	ups   []*sansiotest.Wire // of workers
}

// Of a tree's links, either way, and its job.
const (
	treeDelay = units.Microsecond
	treeJob   = 1
	treeUDP   = wire.Port + treeJob // between pipelines
)

// treeHost and treeRouter are addresses that 65,536 of each kind can have.
func treeHost(w int) netip.Addr   { return netip.AddrFrom4([4]byte{10, 1, byte(w >> 8), byte(w)}) }
func treeRouter(s int) netip.Addr { return netip.AddrFrom4([4]byte{10, 2, byte(s >> 8), byte(s)}) }

func treeHostMAC(w int) inet.MAC   { return inet.MAC{2, 0, 0, 1, byte(w >> 8), byte(w)} }
func treeRouterMAC(s int) inet.MAC { return inet.MAC{2, 0, 0, 2, byte(s >> 8), byte(s)} }

// run builds the tree and runs it to the end of the tensor.
func (n *tree) run() error {
	workers := n.ports
	for range n.layers - 1 {
		workers *= n.ports - 1
	}
	if _, err := n.pipeline(1, -1, workers); err != nil {
		return err
	}
	if pending, err := n.net.Run(units.Time(60 * units.Second)); pending || err != nil {
		return fmt.Errorf("still busy after a minute: %w", err)
	}
	return nil
}

// pipeline adds a pipeline of a layer, from 1, and all that is below it; above is the
// number of its parent, -1: it is the top.
func (n *tree) pipeline(layer, above, workers int) (sansiotest.NodeID, error) {
	number, down := len(n.chips), n.ports
	job := switchml.Job{ID: treeJob, Elements: rig.Elements, Slots: treeSlots}
	if above >= 0 {
		down--
		job.Parent = &switchml.Parent{MAC: treeRouterMAC(above), Addr: treeRouter(above), Port: sansio.Port(down), UDP: treeUDP}
	}
	n.chips = append(n.chips, nil)
	var below []sansiotest.NodeID
	for port := range down {
		w := switchml.Worker{Port: sansio.Port(port)}
		if layer == n.layers {
			w.Addr, w.MAC = treeHost(len(n.hosts)), treeHostMAC(len(n.hosts))
			id, err := n.worker(number, workers)
			if err != nil {
				return 0, err
			}
			below = append(below, id)
		} else {
			w.Addr, w.MAC, w.UDP = treeRouter(len(n.chips)), treeRouterMAC(len(n.chips)), treeUDP
			id, err := n.pipeline(layer+1, number, workers)
			if err != nil {
				return 0, err
			}
			below = append(below, id)
		}
		job.Workers = append(job.Workers, w)
	}
	return n.chip(number, job, below, layer == n.layers)
}

// chip adds a pipeline over what is below it.
func (n *tree) chip(number int, job switchml.Job, below []sansiotest.NodeID, hosts bool) (sansiotest.NodeID, error) {
	timing := tofino.DefaultTiming()
	c, err := pipeline.New(switchml.Config{
		Node: fmt.Sprint("pipeline", number), Router: treeRouter(number), MAC: treeRouterMAC(number), Jobs: []switchml.Job{job},
	}, pipeline.Options{Timing: &timing})
	if err != nil {
		return 0, err
	}
	n.chips[number] = c
	id := n.net.Add(c)
	for port, child := range below {
		up, from := &sansiotest.Wire{Delay: treeDelay}, sansio.Port(n.ports-1)
		if hosts {
			from = 0
			n.ups = append(n.ups, up)
		}
		n.net.Connect(child, from, id, sansio.Port(port), up, &sansiotest.Wire{Delay: treeDelay})
	}
	return id, nil
}

// worker adds a worker below a pipeline.
func (n *tree) worker(above, workers int) (sansiotest.NodeID, error) {
	w := len(n.hosts)
	core, err := host.New(host.Config{
		Node: fmt.Sprint("w", w), Workers: workers, Tensor: n.blocks * rig.Elements, Elements: rig.Elements, Slots: treeSlots, Integers: true,
		Flow: inet.Flow{SrcMAC: treeHostMAC(w), DstMAC: treeRouterMAC(above), Src: treeHost(w), Dst: treeRouter(above), SrcPort: rig.Port, DstPort: wire.Port},
	})
	if err != nil {
		return 0, err
	}
	c := &rig.Ints{Core: core, Q: make([]int32, n.blocks*rig.Elements)}
	for i := range c.Q {
		b := i / rig.Elements
		c.Q[i] = rig.BlockValue(w, b)
		if n.spoil != nil {
			c.Q[i] = n.spoil(w, b, c.Q[i])
		}
	}
	n.hosts = append(n.hosts, c)
	return n.net.Add(&sansiotest.Host{Core: c, Tensors: [][]float32{nil}}), nil
}

// right counts the workers whose sums are all right.
func (n *tree) right() (right int) {
	want := make([]int32, n.blocks)
	for b := range want {
		for w := range n.hosts {
			want[b] += rig.BlockValue(w, b)
		}
	}
	for _, h := range n.hosts {
		ok := len(h.Got) == n.blocks*rig.Elements
		for i, got := range h.Got {
			ok = ok && got == want[i/rig.Elements]
		}
		if ok {
			right++
		}
	}
	return right
}

// counted returns a counter of a pipeline.
func (n *tree) counted(number int, name string) uint64 {
	for _, c := range n.chips[number].Counters() {
		if c.Name == name {
			return c.N
		}
	}
	return 0
}

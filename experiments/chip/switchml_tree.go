package chip

import (
	"context"
	"fmt"
	"net/netip"

	"github.com/inalab/inalab/experiments/experiment"
	"github.com/inalab/inalab/experiments/rig"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/sansio/sansiotest"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
	wire "github.com/inalab/inalab/internal/wire/switchml"
	host "github.com/inalab/inalab/nodes/switchml"
	"github.com/inalab/inalab/reports/claims"
	"github.com/inalab/inalab/reports/render"
	"github.com/inalab/inalab/switchd/program/switchml"
	"github.com/inalab/inalab/switchd/program/switchml/pipeline"
	"github.com/inalab/inalab/switchd/tofino"
)

// hierarchy is SwitchML §7: how many workers layers of switches can have, where
// each pipeline of 16 ports is a switch of its own.
func hierarchy() experiment.Experiment {
	return experiment.Experiment{
		ID: "switchml.hierarchy", Title: "workers below two and three layers of emulated pipelines, all of which sum a tensor",
		Switch: []claims.Switch{claims.SwitchPipelineTimed},
		Claims: []claims.ID{"switchml.s7.hier-240", "switchml.s7.hier-3600"},
		Quick:  "a tensor of one packet in place of four",
		Run:    runHierarchy,
	}
}

// treeBlocks are the packets of a worker's tensor; with one on each slot of the pool
// and as many again, slots are used twice.
const (
	treeBlocks = 4
	treeSlots  = 2
)

func runHierarchy(ctx context.Context, e *experiment.Env) (f experiment.Findings, err error) {
	if err := oneTooMany(); err != nil {
		return f, err
	}
	t := claims.Table{
		ID: "switchml.hierarchy", Title: fmt.Sprintf("Layers of pipelines, each of %d ports: one leads up, the others down; the top one's all lead down", pipeline.MaxPorts),
		Columns: []claims.Column{
			{Name: "layers"}, {Name: "pipelines"}, {Name: "workers"}, {Name: "workers with every sum right"}, {Name: "elements"}, {Name: "packets up, a worker"},
			{Name: "packets into the top"}, {Name: "time", Unit: "us"},
		},
		Notes: []string{
			fmt.Sprintf("A pipeline with a worker more than it has ports is refused. Links take %v each way and have no rate; passes take their time.", treeDelay),
		},
	}
	for i, id := range []claims.ID{"switchml.s7.hier-240", "switchml.s7.hier-3600"} {
		n := tree{layers: 2 + i, blocks: experiment.Cut(e, treeBlocks, 1), ports: pipeline.MaxPorts}
		if err := ctx.Err(); err != nil {
			return f, err
		}
		if err := n.run(); err != nil {
			return f, fmt.Errorf("%d layers: %w", n.layers, err)
		}
		right := n.right()
		m := claims.Number(float64(right))
		f.Set(id, m.On("emulated pipelines with 64 values a packet, under a virtual clock").Noting("%d pipelines; the sums of %d of %d workers are right; a pipeline with one port more is refused", len(n.chips), right, len(n.hosts)))
		t.Add(n.row()...)
	}
	f.Tables = []claims.Table{t}
	return f, nil
}

// oneTooMany tries to give a pipeline more workers than ports.
func oneTooMany() error {
	cfg := switchml.Config{Node: "full", Router: treeRouter(0), Jobs: []switchml.Job{{ID: 1, Elements: rig.Elements, Slots: treeSlots}}}
	for w := range pipeline.MaxPorts + 1 {
		cfg.Jobs[0].Workers = append(cfg.Jobs[0].Workers, switchml.Worker{MAC: treeHostMAC(w), Addr: treeHost(w), Port: sansio.Port(w)})
	}
	if _, err := pipeline.New(cfg, pipeline.Options{}); err == nil {
		return fmt.Errorf("a pipeline of %d ports takes %d workers", pipeline.MaxPorts, len(cfg.Jobs[0].Workers))
	}
	return nil
}

func (n *tree) row() []render.Cell {
	sent := 0
	for _, w := range n.ups {
		sent += w.Frames
	}
	into := sansio.CountOf(n.chips[0].Counters(), switchml.CountPackets)
	return []render.Cell{
		render.Int(n.layers), render.Int(len(n.chips)), render.Int(len(n.hosts)), render.Int(n.right()), render.Int(n.blocks * rig.Elements),
		render.Number(float64(sent)/float64(len(n.hosts)), 2), render.Int(into), render.Number(units.Duration(n.net.Now()).Seconds()*1e6, 2),
	}
}

// tree is layers of pipelines in memory, and workers below the last. The last port
// of every pipeline leads up, but for that of the top one.
//
//	top ─┬─ pipeline ─┬─ worker
//	     │            └─ ...  15
//	     └─ ...  16
type tree struct {
	layers, blocks, ports int
	spoil                 func(w int, values []int32) // may change what a worker has; nil: nobody does. Of tests.

	net   sansiotest.Network
	chips []*pipeline.Engine // the top one first
	hosts []*sansiotest.Ints
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
		var id sansiotest.NodeID
		var err error
		if layer == n.layers {
			w.Addr, w.MAC = treeHost(len(n.hosts)), treeHostMAC(len(n.hosts))
			id, err = n.worker(number, workers)
		} else {
			w.Addr, w.MAC, w.UDP = treeRouter(len(n.chips)), treeRouterMAC(len(n.chips)), treeUDP
			id, err = n.pipeline(layer+1, number, workers)
		}
		if err != nil {
			return 0, err
		}
		below, job.Workers = append(below, id), append(job.Workers, w)
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
	cfg := rig.SwitchMLWorker(w, workers, n.blocks*rig.Elements, treeSlots)
	cfg.Flow.SrcMAC, cfg.Flow.DstMAC, cfg.Flow.Src, cfg.Flow.Dst = treeHostMAC(w), treeRouterMAC(above), treeHost(w), treeRouter(above)
	core, err := host.New(cfg)
	if err != nil {
		return 0, err
	}
	c := rig.NewInts(core, w, cfg.Tensor)
	if n.spoil != nil {
		n.spoil(w, c.Tensor(0))
	}
	n.hosts = append(n.hosts, c)
	return n.net.Add(&sansiotest.Host{Core: c, Tensors: [][]float32{nil}}), nil
}

// right counts the workers whose sums are all right.
func (n *tree) right() (right int) {
	for _, h := range n.hosts {
		if rig.Wrong(h, len(n.hosts), n.blocks*rig.Elements) == 0 {
			right++
		}
	}
	return right
}

package chip

import (
	"context"
	"fmt"

	"github.com/inalab/inalab/experiments/experiment"
	"github.com/inalab/inalab/experiments/rig"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/reports/claims"
	"github.com/inalab/inalab/reports/render"
	"github.com/inalab/inalab/switchd/program/switchml"
	"github.com/inalab/inalab/switchd/program/switchml/pipeline"
)

// hierarchy is SwitchML §7: how many workers layers of switches can have, where
// each pipeline of 16 ports is a switch of its own.
func hierarchy() experiment.Experiment {
	return experiment.Experiment{
		ID: "switchml.hierarchy", Title: "workers below two and three layers of emulated pipelines, all of which sum a tensor",
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
		n := tree{layers: 2 + i, blocks: treeBlocks, ports: pipeline.MaxPorts}
		if e.Quick {
			n.blocks = 1
		}
		if err := ctx.Err(); err != nil {
			return f, err
		}
		if err := n.run(); err != nil {
			return f, fmt.Errorf("%d layers: %w", n.layers, err)
		}
		right := n.right()
		m := claims.Number(float64(right))
		m.Model = "emulated pipelines with 64 values a packet, under a virtual clock"
		m.Note = fmt.Sprintf("%d pipelines; the sums of %d of %d workers are right; a pipeline with one port more is refused", len(n.chips), right, len(n.hosts))
		f.Set(id, m)
		t.Rows = append(t.Rows, n.row())
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
	into := n.counted(0, switchml.CountPackets)
	return []render.Cell{
		render.Int(n.layers), render.Int(len(n.chips)), render.Int(len(n.hosts)), render.Int(n.right()), render.Int(n.blocks * rig.Elements),
		render.Number(float64(sent)/float64(len(n.hosts)), 2), render.Int(into), render.Number(units.Duration(n.net.Now()).Seconds()*1e6, 2),
	}
}

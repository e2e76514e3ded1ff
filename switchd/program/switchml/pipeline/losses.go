package pipeline

import (
	"fmt"

	"github.com/inalab/inalab/internal/rng"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/switchd/dataplane"
	"github.com/inalab/inalab/switchd/tofino"
	"github.com/inalab/inalab/switchd/tofino/fit"
)

// Lose is SetDrop as a control plane calls it.
func (e *Engine) Lose(l dataplane.Loss) error {
	if err := e.SetDrop(l.Port, Direction(l.Leaving), l.Probability); err != nil {
		return dataplane.Refuse(dataplane.RefusedDrop, "name a port of pipe 0, and 0 to 1", "%v", err)
	}
	return nil
}

// Losses returns what the drop simulator does, by port.
func (e *Engine) Losses() (out []dataplane.Loss) {
	for port := range sansio.Port(e.opts.Ports) {
		for _, dir := range []Direction{Arriving, Leaving} {
			if l, there := e.lossy[lossyPort{port, dir}]; there {
				out = append(out, dataplane.Loss{Port: port, Leaving: bool(dir), Probability: l.probability})
			}
		}
	}
	return out
}

// ReseedLosses begins the dice of a port and direction anew.
func (e *Engine) ReseedLosses(port sansio.Port, leaving bool, seed uint64) error {
	side := fit.Ingress
	if Direction(leaving) == Leaving {
		side = fit.Egress
	}
	err := fmt.Errorf("%s has ports 0 to %d", e.cfg.Node, e.opts.Ports-1)
	if e.hasPort(port) {
		err = e.chip.ReseedPort(tofino.FrontPort(int(port)), side, rng.Root(seed))
	}
	if err != nil {
		return dataplane.Refuse(dataplane.RefusedDrop, "name a port of pipe 0", "dice of port %d: %v", port, err)
	}
	return nil
}

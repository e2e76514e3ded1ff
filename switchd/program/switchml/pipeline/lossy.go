package pipeline

import (
	"fmt"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/switchd/program/switchml"
	"github.com/inalab/inalab/switchd/tofino"
	"github.com/inalab/inalab/switchd/tofino/ir"
	"github.com/inalab/inalab/switchd/tofino/vm"
)

// Direction of packets at a port, as its peer's wire has them.
type Direction bool

// The directions.
const (
	Arriving Direction = false // from the peer, in the ingress
	Leaving  Direction = true  // to the peer, in the egress
)

// String returns "arriving" or "leaving".
func (d Direction) String() string {
	if d == Leaving {
		return "leaving"
	}
	return "arriving"
}

type lossyPort struct {
	port sansio.Port
	dir  Direction
}

// loss is an entry of the drop simulator.
type loss struct {
	id          vm.EntryID
	probability float64
}

// SetDrop lets the packets of SwitchML at a port of the chassis be lost with a
// probability, each by itself, as [switchml.DropBelow] rounds it; 0 ends that. Arrivals of unknown senders and malformed ones are dropped for what they are.
func (e *Engine) SetDrop(port sansio.Port, dir Direction, probability float64) error {
	if !e.hasPort(port) {
		return fmt.Errorf("losing packets at port %d of %s: it has ports 0 to %d", port, e.cfg.Node, e.opts.Ports-1)
	}
	if !(probability >= 0 && probability <= 1) {
		return fmt.Errorf("losing packets at port %d of %s with probability %v: use 0 to 1", port, e.cfg.Node, probability)
	}
	table, prefix := tableArrivals, "arriving"
	if dir == Leaving {
		table, prefix = tableDepartures, "leaving"
	}
	at := lossyPort{port, dir}
	if l, there := e.lossy[at]; there {
		if err := e.chip.RemoveEntry(table, l.id); err != nil {
			return err
		}
		delete(e.lossy, at)
	}
	if probability == 0 {
		return nil
	}
	entry := ir.Entry{Values: []uint64{uint64(tofino.FrontPort(int(port)))}, Action: prefix + "_all"}
	if below := switchml.DropBelow(probability); below < 1<<diceBits {
		entry.Action, entry.Args = prefix+"_some", []uint64{below}
	}
	id, err := e.chip.AddEntry(table, entry)
	if err == nil {
		e.lossy[at] = loss{id, probability}
	}
	return err
}

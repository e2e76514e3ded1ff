package live

import (
	"context"
	"fmt"

	"github.com/inalab/inalab/internal/pktio"
	"github.com/inalab/inalab/internal/pktio/udp"
	"github.com/inalab/inalab/nodes/traffic"
	"github.com/inalab/inalab/switchd/program/transit"
)

// CollectorEnd takes the reports of a program in switches.
type CollectorEnd struct {
	Program string
	Socket  udp.Config
}

// collectorEnd is a collector with its socket.
type collectorEnd struct {
	program string
	machine *traffic.Collector
	device  *udp.Device
}

func (e *CollectorEnd) open() (*collectorEnd, error) {
	p, ok := transit.Find(e.Program)
	if !ok || p.Reports == nil {
		return nil, fmt.Errorf("program %q sends no reports", e.Program)
	}
	dev, err := udp.Open(e.Socket)
	if err != nil {
		return nil, err
	}
	return &collectorEnd{e.Program, traffic.NewCollector(p.Reports.Read), dev}, nil
}

func (e *collectorEnd) close() error { return e.device.Close() }

// run drives the machine. It goes on for a while when the run is over.
func (e *collectorEnd) run(ctx context.Context, clock pktio.Clock) (r EndReport, err error) {
	ctx, cancel := lingering(ctx)
	defer cancel()
	r.Flow, r.Collects = "collector/"+e.program, e.program
	r.Drive, err = pktio.Drive(ctx, pktio.DriveConfig{Machine: e.machine, Device: e.device, Clock: clock, Prompt: true})
	r.Device, r.Observed = e.device.Stats(), e.machine.Observed()
	return r, flowError(r.Flow, err)
}

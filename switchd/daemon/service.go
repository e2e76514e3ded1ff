package daemon

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/netip"

	"github.com/inalab/inalab/nodes/shell"
	"github.com/inalab/inalab/switchd/dataplane"
	"github.com/inalab/inalab/topo/plan"
)

// ServiceConfig describes what answers clients of a user's own, which take part in jobs
// without a worker process of the lab. The engine of the switch must take jobs.
type ServiceConfig struct {
	// Listen is the management address and port, as "10.0.0.1:50099". The address is
	// one of the switch's namespace, on an interface that is none of its ports:
	// those belong to the switch program, and the kernel hears nothing of them.
	Listen string
	Config json.RawMessage // for the system's NewService
	// FramesFrom is the UDP port that results come from. They leave frame by frame and
	// without a checksum: a client that takes over an interface is no kernel. Zero:
	// results leave as trains.
	FramesFrom uint16
}

// Service answers clients.
type Service interface {
	// Serve answers those that connect to a listener until Close, which closes it.
	Serve(net.Listener) error
	// Close ends all connections, and returns when they have ended.
	Close()
}

// ServiceMaker is a [System] that answers clients of a user's own.
type ServiceMaker interface {
	// NewService makes a service of its configuration, for a switch and its jobs.
	NewService(config json.RawMessage, sw *plan.Switch, jobs Jobs) (Service, error)
}

// Jobs are those of the one engine of a switch.
type Jobs interface {
	// Change removes jobs, of which some may be gone already, and adds one, unless
	// it is nil, with no packet in between. A *dataplane.Refusal means that jobs were
	// removed and the new one was not added, any other error that nothing was done.
	Change(remove []int, add dataplane.Document) error
	// Refused returns the jobs that the engine has refused and still has; an error means
	// that it cannot be told.
	Refused() ([]dataplane.JobRefusal, error)
}

// service is a service that listens.
type service struct {
	Service
	listener net.Listener
}

// openService makes what answers clients, if there is to be something, in the network
// namespace of the calling thread.
func (d *daemon) openService() error {
	if d.cfg.Service == nil {
		return nil
	}
	name := d.cfg.Chassis.System
	maker, ok := d.system.(ServiceMaker)
	if !ok {
		return fmt.Errorf("%q has no service for clients: run a system that has one", name)
	}
	if n := len(d.chassis.PFEs()); n != 1 {
		return fmt.Errorf("a service of %s on a switch with %d forwarding engines: it must have one", name, n)
	}
	if _, ok := d.chassis.Engine(0).(dataplane.Managed); !ok {
		return fmt.Errorf("a service of %s on a switch whose program takes no jobs: give it one that does", name)
	}
	s, err := maker.NewService(d.cfg.Service.Config, &d.cfg.Chassis.Switch, engineJobs{d})
	if err != nil {
		return err
	}
	l, err := listenTCP(d.cfg.Service.Listen)
	if err != nil {
		return fmt.Errorf("service of %s: %w", name, err)
	}
	d.service = &service{s, l}
	return nil
}

// listenTCP listens on a literal address. No name is looked up, so the socket is
// made by the calling thread, in its namespace.
func listenTCP(addr string) (net.Listener, error) {
	if _, err := netip.ParseAddrPort(addr); err != nil {
		return nil, fmt.Errorf("listen on %q: it must be an address and a port, as 10.0.0.1:50099", addr)
	}
	var cfg net.ListenConfig
	return cfg.Listen(context.Background(), "tcp", addr)
}

// closeService ends the service and all its calls.
func (d *daemon) closeService() error {
	if d.service == nil {
		return nil
	}
	d.service.Close()
	if err := d.service.listener.Close(); !errors.Is(err, net.ErrClosed) { // the service closes it, if it had it already
		return err
	}
	return nil
}

// serveService answers clients until end is called, which waits for the last answer.
func (d *daemon) serveService() (end func() error) {
	if d.service == nil {
		return func() error { return nil }
	}
	return serving(func() error { return d.service.Serve(d.service.listener) }, d.closeService)
}

// engineJobs changes the jobs of the switch's engine.
type engineJobs struct{ *daemon }

// Change has jobs changed between two rounds of the drive.
func (e engineJobs) Change(remove []int, add dataplane.Document) error {
	var err error
	if !e.node.Ask(func() { err = e.change(remove, add) }) {
		return e.busy()
	}
	return err
}

// Refused has the engine asked between two rounds of the drive.
func (e engineJobs) Refused() (out []dataplane.JobRefusal, err error) {
	if e.refusals.engine == nil {
		return nil, nil
	}
	if !e.node.Ask(func() { out = e.refusals.engine.Refusals(0) }) {
		return nil, e.busy()
	}
	return out, nil
}

func (e engineJobs) busy() error {
	return fmt.Errorf("switch %s did not get to it within %v: try again", e.cfg.Chassis.Switch.Name, shell.Patience)
}

// change is Change on the goroutine of the drive. Jobs that somebody else has
// removed are gone all the same.
func (e engineJobs) change(remove []int, add dataplane.Document) error {
	now := e.node.Clock.Now()
	for _, id := range remove {
		_, err := e.chassis.RemoveJob(now, 0, uint8(id))
		if r := (*dataplane.Refusal)(nil); err != nil && (!errors.As(err, &r) || r.Reason != dataplane.RefusedUnknownJob) {
			return err
		}
	}
	if add == nil {
		return nil
	}
	_, err := e.chassis.AddJob(now, 0, add)
	return err
}

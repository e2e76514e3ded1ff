package daemon

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"sync"

	"github.com/inalab/inalab/internal/pktio"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
	"github.com/inalab/inalab/switchd/control/switchmlrpc"
	"github.com/inalab/inalab/switchd/dataplane"
	"github.com/inalab/inalab/switchd/program/switchmljob"
	"github.com/inalab/inalab/switchd/program/switchmlsession"
)

// Sessions describes the control plane that a switch has for SwitchML clients.
// Its engine must take jobs.
type Sessions struct {
	// Listen is the management address and port, as "10.0.0.1:50099". The address is
	// one of the switch's namespace, on an interface that is none of its ports:
	// those belong to the switch program, and the kernel hears nothing of them.
	Listen   string
	Slots    int            // of each set, for each job; zero: all that a switch has
	Patience units.Duration // of Barrier and Broadcast; zero: switchmlsession.DefaultPatience
}

// sessions is a control plane that listens.
type sessions struct {
	listener net.Listener
	server   *switchmlrpc.Server
	jobs     *engineJobs
}

// openSessions makes the control plane for SwitchML clients, if there is to be one,
// in the network namespace of the calling thread.
func (d *daemon) openSessions(dev pktio.Device) error {
	if d.cfg.Sessions == nil {
		return nil
	}
	cfg, sw := d.cfg.Sessions, &d.cfg.Chassis.Switch
	if n := len(d.chassis.PFEs()); n != 1 {
		return fmt.Errorf("SwitchML sessions on a switch with %d forwarding engines: it must have one", n)
	}
	if _, ok := d.chassis.Engine(0).(dataplane.Managed); !ok {
		return errors.New("SwitchML sessions on a switch whose program takes no jobs: give it one that does")
	}
	machine := switchmlsession.Config{Switch: sw.Name, MAC: inet.MAC(sw.MAC), Addr: sw.Router, Slots: cfg.Slots, Patience: cfg.Patience}
	for _, n := range sw.Neighbors {
		machine.Hosts = append(machine.Hosts, switchmlsession.Host{MAC: inet.MAC(n.MAC), Addr: n.Addr, Port: sansio.Port(n.Port)})
	}
	s := &sessions{jobs: &engineJobs{daemon: d, dev: dev, clock: pktio.NewClock(d.originNs)}}
	var err error
	if s.server, err = switchmlrpc.New(machine, s.jobs); err != nil {
		return err
	}
	if s.listener, err = listenTCP(cfg.Listen); err != nil {
		return fmt.Errorf("SwitchML sessions: %w", err)
	}
	d.sessions = s
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

// closeSessions ends the control plane for SwitchML clients and all its calls.
func (d *daemon) closeSessions() error {
	if d.sessions == nil {
		return nil
	}
	d.sessions.server.Close()
	if err := d.sessions.listener.Close(); !errors.Is(err, net.ErrClosed) { // the server closes it, if it had it already
		return err
	}
	return nil
}

// serveSessions answers SwitchML clients until end is called, which waits for the
// last answer.
func (d *daemon) serveSessions() (end func() error) {
	if d.sessions == nil {
		return func() error { return nil }
	}
	var serving sync.WaitGroup
	var serveErr error
	serving.Go(func() { serveErr = d.sessions.server.Serve(d.sessions.listener) })
	return func() error {
		err := d.closeSessions()
		serving.Wait()
		return errors.Join(err, serveErr)
	}
}

// engineJobs changes the jobs of the switch's engine.
type engineJobs struct {
	*daemon
	dev   pktio.Device
	clock pktio.TimeSource
}

// Change has jobs changed between two rounds of the drive.
func (e *engineJobs) Change(remove []int, add *switchmljob.Job) error {
	var err error
	if !e.ask(e.dev, func() { err = e.change(remove, add) }) {
		return fmt.Errorf("switch %s did not get to it within %v: try again", e.cfg.Chassis.Switch.Name, answerPatience)
	}
	return err
}

// change is Change on the goroutine of the drive. Jobs that somebody else has
// removed are gone all the same.
func (e *engineJobs) change(remove []int, add *switchmljob.Job) error {
	now := e.clock.Now()
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

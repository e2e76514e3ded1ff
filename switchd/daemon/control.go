package daemon

import (
	"errors"
	"fmt"
	"sync"

	"github.com/inalab/inalab/nodes/shell"
	"github.com/inalab/inalab/switchd/control"
)

// openControl makes the socket of the control plane, if there is to be one.
func (d *daemon) openControl() (err error) {
	if d.cfg.Control != "" {
		d.control, err = control.Listen(d.cfg.Control)
	}
	return err
}

// closeControl removes the socket.
func (d *daemon) closeControl() error {
	if d.control == nil {
		return nil
	}
	return d.control.Close()
}

// serveControl answers the control plane until end is called, which removes the
// socket and waits for the last answer.
func (d *daemon) serveControl() (end func() error) {
	if d.control == nil {
		return func() error { return nil }
	}
	return serving(func() error { return d.control.Serve(d.manage) }, d.closeControl)
}

// serving has something served until end is called, which ends it by stop and waits for
// the last answer.
func serving(serve, stop func() error) (end func() error) {
	var running sync.WaitGroup
	var serveErr error
	running.Go(func() { serveErr = serve() })
	return func() error {
		err := stop()
		running.Wait()
		return errors.Join(err, serveErr)
	}
}

// manage has a request carried out between two rounds of the drive.
func (d *daemon) manage(r control.Request) control.Response {
	var out control.Response
	jobs, _ := d.system.(control.Layouter) // nil: jobs do not come and go
	do := func() { out = control.Dispatch(d.node.Clock.Now(), d.chassis, jobs, r) }
	if r.Op == control.OpEvents {
		do = func() { out = control.ReadEvents(d.node.Clock.Now(), d.cfg.Chassis.Switch.Name, d.log, r) }
	}
	if d.node.Ask(do) {
		return out
	}
	return control.Response{
		Switch: d.cfg.Chassis.Switch.Name, Fault: control.FaultBusy,
		Error: fmt.Sprintf("it did not get to the request within %v: try again", shell.Patience),
	}
}

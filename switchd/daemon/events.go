package daemon

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/inalab/inalab/internal/pktio"
	"github.com/inalab/inalab/internal/units"
)

// answerPatience is how long a question waits for the loop. It makes a turn in
// microseconds, if it has a processor.
const answerPatience = time.Second

// ask has f called on the goroutine that drives the chassis, between two rounds,
// and reports whether it was. Who asks next waits.
func (d *daemon) ask(dev pktio.Device, f func()) bool {
	d.asking.Lock()
	defer d.asking.Unlock()
	return d.desk.Ask(dev, answerPatience, f)
}

// answer answers the parent until ctx ends. Only its own failure to speak is an
// error.
func (d *daemon) answer(ctx context.Context, dev pktio.Device, ctl Control) error {
	for ctl.AwaitAsk(ctx) == nil {
		a := Answer{Busy: true}
		d.ask(dev, func() { a = Answer{State: d.chassis.Snapshot(d.log)} })
		if epoch := units.Time(d.trace.epoch.Load()); a.State.Last != nil {
			a.State.Last.At -= epoch
		}
		if a.Busy {
			a.State.Node = d.cfg.Chassis.Switch.Name
		}
		if err := ctl.Answer(a); err != nil {
			return fmt.Errorf("answer: %w", err)
		}
	}
	return nil
}

// writeEvents leaves the events of the run to the parent; there are none before
// it was started.
func (d *daemon) writeEvents() error {
	if d.cfg.EventsPath == "" || !d.trace.started.Load() {
		return nil
	}
	f, err := os.OpenFile(d.cfg.EventsPath, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("create events: %w", err)
	}
	if err := errors.Join(d.log.Write(f, units.Time(d.trace.epoch.Load())), f.Close()); err != nil {
		return fmt.Errorf("write events: %w", err)
	}
	return nil
}

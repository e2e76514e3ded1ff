package daemon

import (
	"errors"
	"fmt"

	"github.com/inalab/inalab/nodes/shell"
	"github.com/inalab/inalab/switchd/dataplane"
)

// Teller is a [shell.Parent] that is told what people are to read while the switch runs.
type Teller interface {
	Tell(text string) error
}

// TellsClients is a [Service] that tells clients of refused jobs. It asks for them by Jobs.
type TellsClients interface {
	// JobsRefused says that there is something to tell.
	JobsRefused()
}

// refusals takes jobs that the engine refuses from the drive to those who are to know.
type refusals struct {
	engine dataplane.Refuser // nil: it refuses none
	told   int               // how many it has refused, as the drive knows
	list   chan dataplane.JobRefusal
}

// mostUntold bounds the refusals that wait to be told; further ones are seen in tables alone.
const mostUntold = dataplane.MaxJobID + 1

// openRefusals finds what refuses jobs, if clients are served.
func (d *daemon) openRefusals() {
	if d.service == nil {
		return
	}
	d.refusals.engine, _ = d.chassis.Engine(0).(dataplane.Refuser)
	d.refusals.list = make(chan dataplane.JobRefusal, mostUntold)
}

// look finds new refusals, on the goroutine of the drive. It never waits.
func (r *refusals) look() {
	if r.engine == nil {
		return
	}
	for _, refused := range r.engine.Refusals(r.told) {
		r.told = max(r.told, refused.Number)
		select {
		case r.list <- refused:
		default:
		}
	}
}

// serveRefusals tells the parent and clients of refusals until end is called, after the drive
// has ended.
func (d *daemon) serveRefusals(parent shell.Parent) (end func() error) {
	if d.refusals.engine == nil {
		return func() error { return nil }
	}
	return serving(func() (err error) {
		for r := range d.refusals.list {
			err = errors.Join(err, d.tell(parent, r))
		}
		return err
	}, func() error {
		close(d.refusals.list)
		return nil
	})
}

func (d *daemon) tell(parent shell.Parent, r dataplane.JobRefusal) error {
	if s, ok := d.service.Service.(TellsClients); ok {
		s.JobsRefused()
	}
	t, ok := parent.(Teller)
	if !ok {
		return nil
	}
	if err := t.Tell(d.cfg.Chassis.Switch.Name + ": " + r.Why); err != nil {
		return fmt.Errorf("telling of a refused job: %w", err)
	}
	return nil
}

package experiments

import (
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/switchd/dataplane"
)

// pfeFeed hands packets to an engine and takes what it sends, at the time at
// which it does.
type pfeFeed struct {
	engine dataplane.Engine
	sent   func(at units.Time, s *sansio.Send)
	eff    sansio.Effects
	now    units.Time
}

// arrive hands packets over, behind all that is due before.
func (d *pfeFeed) arrive(at units.Time, in ...sansio.Arrival) {
	d.until(at)
	d.engine.Handle(at, in, &d.eff)
	d.collect()
}

// until lets time pass.
func (d *pfeFeed) until(at units.Time) {
	for next := d.engine.NextDeadline(); next <= at; next = d.engine.NextDeadline() {
		d.now = next
		d.engine.Expire(next, &d.eff)
		d.collect()
	}
	d.now = at
}

func (d *pfeFeed) collect() {
	for i := range d.eff.Sends {
		if d.sent != nil {
			d.sent(d.now, &d.eff.Sends[i])
		}
	}
	d.eff.Reset()
}

package rig

import (
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/switchd/dataplane"
)

// Feed hands packets to an engine and takes what it sends, at the time at
// which it does.
type Feed struct {
	Engine dataplane.Engine
	Sent   func(at units.Time, s *sansio.Send)
	eff    sansio.Effects
	Now    units.Time
}

// Arrive hands packets over, behind all that is due before.
func (d *Feed) Arrive(at units.Time, in ...sansio.Arrival) {
	d.Until(at)
	d.Engine.Handle(at, in, &d.eff)
	d.collect()
}

// Until lets time pass.
func (d *Feed) Until(at units.Time) {
	for next := d.Engine.NextDeadline(); next <= at; next = d.Engine.NextDeadline() {
		d.Now = next
		d.Engine.Expire(next, &d.eff)
		d.collect()
	}
	d.Now = at
}

func (d *Feed) collect() {
	for i := range d.eff.Sends {
		if d.Sent != nil {
			d.Sent(d.Now, &d.eff.Sends[i])
		}
	}
	d.eff.Reset()
}

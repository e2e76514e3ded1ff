package sansiotest

import (
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
)

// Feed drives one machine by hand: it hands it packets, lets time pass from deadline
// to deadline, and hands over what it sends, at the time at which it does.
type Feed struct {
	Machine sansio.Machine
	Sent    func(at units.Time, s *sansio.Send) // the memory is borrowed; nil: nobody asks
	Now     units.Time

	eff sansio.Effects
}

// Arrive hands packets over, behind all that is due by then.
func (f *Feed) Arrive(at units.Time, in ...sansio.Arrival) {
	f.Until(at)
	f.Machine.Handle(at, in, &f.eff)
	f.take()
}

// Until lets time pass.
func (f *Feed) Until(at units.Time) {
	for next := f.Machine.NextDeadline(); next <= at && next != units.Never; next = f.Machine.NextDeadline() {
		f.Now = max(f.Now, next)
		f.Machine.Expire(f.Now, &f.eff)
		f.take()
	}
	f.Now = max(f.Now, at)
}

// Drain lets time pass until nothing is due any more.
func (f *Feed) Drain() {
	for next := f.Machine.NextDeadline(); next != units.Never; next = f.Machine.NextDeadline() {
		f.Until(next)
	}
}

func (f *Feed) take() {
	for i := range f.eff.Sends {
		if f.Sent != nil {
			f.Sent(f.Now, &f.eff.Sends[i])
		}
	}
	f.eff.Reset()
}

package meter

import (
	"slices"

	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
)

// Meter is a series that grows. A nil one counts nothing.
type Meter struct {
	series result.Series
	at     int        // the interval that counted last
	begin  units.Time // of it
	end    units.Time
}

// New returns a meter; of no interval it is nil.
func New(interval units.Duration) *Meter {
	if interval <= 0 {
		return nil
	}
	return &Meter{series: result.Series{Interval: interval}}
}

// Add counts bytes that came at a time; before the epoch they count in the first interval.
func (m *Meter) Add(now units.Time, n units.Bytes) {
	if m == nil {
		return
	}
	if now < m.begin || now >= m.end {
		m.seek(max(0, now))
	}
	m.series.Bytes[m.at] += n
}

// seek goes to the interval of a time.
func (m *Meter) seek(now units.Time) {
	s := &m.series
	for now/units.Time(s.Interval) >= result.MaxIntervals {
		s.Double()
	}
	m.at = int(now / units.Time(s.Interval))
	m.begin = s.Start(m.at)
	m.end = m.begin.Add(s.Interval)
	if missing := m.at + 1 - len(s.Bytes); missing > 0 {
		s.Bytes = append(s.Bytes, make([]units.Bytes, missing)...)
	}
}

// Series returns a copy of what was counted; of a nil meter that is nil.
func (m *Meter) Series() *result.Series {
	if m == nil {
		return nil
	}
	return &result.Series{Interval: m.series.Interval, Bytes: slices.Clone(m.series.Bytes)}
}

// Machine counts the payload of what comes to the machine inside.
type Machine struct {
	sansio.Machine
	Meter *Meter
}

// Handle counts, and passes everything on.
func (m *Machine) Handle(now units.Time, in []sansio.Arrival, eff *sansio.Effects) {
	var n units.Bytes
	for i := range in {
		n += units.Bytes(in[i].Train.PayloadBytes())
	}
	m.Meter.Add(now, n)
	m.Machine.Handle(now, in, eff)
}

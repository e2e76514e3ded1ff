package traffic

import (
	"github.com/inalab/inalab/internal/units"
)

// Pattern says when a flow sends. Times count from the start of the run.
type Pattern struct {
	Rate    units.Rate     // while it is on, of IP packets of UDP, of the byte stream of TCP; zero: TCP sends what it can
	Packet  units.Bytes    // IP packet of UDP, write of TCP
	On, Off units.Duration // in turn, on first; zero: always on
	Start   units.Duration
	Stop    units.Duration // nothing is sent from then on; zero: the run's end
}

// stop returns the instant from which on nothing is sent.
func (p *Pattern) stop() units.Time {
	if p.Stop == 0 {
		return units.Never
	}
	return units.Time(p.Stop)
}

// at returns whether the flow is on, and the begin of its next on-time, or never.
func (p *Pattern) at(now units.Time) (on bool, next units.Time) {
	start := units.Time(p.Start)
	period := units.Time(p.On + p.Off)
	switch {
	case now < start:
		next = start
	case period == 0:
		on, next = true, units.Never
	default:
		begin := now - (now-start)%period
		on, next = now < begin.Add(p.On), begin.Add(p.On+p.Off)
	}
	if next >= p.stop() {
		next = units.Never
	}
	return on && now < p.stop(), next
}

// Writer tells when a flow of TCP writes.
type Writer struct{ pacer Pacer }

// NewWriter returns the writer of a pattern.
func NewWriter(p Pattern) Writer { return Writer{NewPacer(p)} }

// Due returns when the next write is due, or never. Without a rate that is now, while the flow
// is on.
func (w *Writer) Due(now units.Time) units.Time {
	p := &w.pacer.pattern
	if p.Rate > 0 {
		return w.pacer.Due()
	}
	on, next := p.at(now)
	if on {
		return now
	}
	return next
}

// Next goes on to the write behind the one that is due.
func (w *Writer) Next() { w.pacer.Next() }

// Pacer tells when the packets of a pattern with a rate are due. Each on-time begins with
// a packet.
type Pacer struct {
	pattern Pattern
	line    units.Serializer
	begin   units.Time     // of the on-time at hand
	offset  units.Duration // of the next packet in it
	halted  bool
}

// NewPacer returns the pacer of a pattern, which has a rate.
func NewPacer(p Pattern) Pacer {
	return Pacer{pattern: p, line: units.Serializer{Rate: p.Rate}, begin: units.Time(p.Start)}
}

// Due returns when the next packet is due, or never.
func (p *Pacer) Due() units.Time {
	due := p.begin.Add(p.offset)
	if p.halted || due >= p.pattern.stop() {
		return units.Never
	}
	return due
}

// Next goes on to the packet behind the one that is due.
func (p *Pacer) Next() {
	p.offset += p.line.Advance(p.pattern.Packet)
	if on := p.pattern.On; on > 0 && p.offset >= on {
		p.begin = p.begin.Add(on + p.pattern.Off)
		p.offset, p.line = 0, units.Serializer{Rate: p.pattern.Rate}
	}
}

// Halt makes the packet before the last.
func (p *Pacer) Halt() { p.halted = true }

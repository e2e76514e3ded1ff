package atp

import (
	"math/bits"
	"slices"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	wire "github.com/inalab/inalab/internal/wire/atp"
)

// Verdict is what is to be done with a packet, before its aggregator is looked at.
type Verdict uint8

// The verdicts.
const (
	Untouched Verdict = iota // goes on as it is: it is of no job here
	PassOn                   // goes on; its mark, if it has one, is in its header now
	Refused                  // goes on likewise, as a resend on its way to the server, which adds it
	Aggregate                // a gradient packet that may reserve an aggregator
	Resent                   // a gradient packet that frees its aggregator
	Parameter                // a parameter packet that frees its aggregator
	Drop                     // goes no further
)

// Packet is a packet that came: what [Table.Judge] is told, and what it finds.
type Packet struct {
	wire.Header
	At       sansio.Port // front-panel port
	Src, Dst [4]byte
	Marked   bool // in its IP header
	Deep     bool // it came to the port of headers of more than two levels
	Payload  []byte
	Unstored int

	Job  *Entry
	Part *Part  // the switch's, of a packet that is to be aggregated, or was sent again
	Bit  uint32 // its source's in the bitmap of that level
}

// Source returns who sent the packet, for events: the worker, or the first behind a switch.
func (p *Packet) Source() uint8 {
	if p.Part == nil {
		return 0
	}
	return p.Part.bits[bits.TrailingZeros32(p.Bit)].first
}

// ID is what an aggregator is reserved for: job and number. It is never 0.
func (p *Packet) ID() uint32 { return uint32(p.Header.Job)<<24 | p.Sequence }

// Judge reads the header of a packet and says what is to be done with it, before its aggregator is
// looked at; it counts that. Who sent it comes first: a packet on its way to another switch's
// aggregator has its bits in another bitmap, and would spoil the sum of one here.
func (t *Table) Judge(now units.Time, p *Packet) Verdict {
	p.Job, p.Part = nil, nil
	if passed := t.stranger(p); passed != "" {
		t.others.Add(passed, 1)
		return Untouched
	}
	p.Job.Counts[Packets]++
	p.Job.Last = now
	if p.Marked {
		p.Flags |= wire.ECN
		p.Job.Counts[Marks]++
	}
	if p.Flags.Has(wire.IsAck) {
		return t.judgeParameter(now, p)
	}
	return t.judgeGradient(p)
}

// stranger finds the job of a packet, or returns as what a packet is counted that has none.
func (t *Table) stranger(p *Packet) (passed string) {
	switch problem := p.read(); {
	case problem != wire.OK:
		return string(problem)
	case p.Flags.Has(wire.IsAck | wire.EdgeSwitch):
		return CountReserved
	}
	if p.Job = t.jobs[p.Header.Job]; p.Job == nil {
		return CountUnknownJob
	}
	if p.Upper.Levels != p.Job.deep {
		p.Job = nil
		return CountLevels
	}
	return ""
}

// read reads the header of the port that the packet came to.
func (p *Packet) read() wire.Problem {
	if p.Deep {
		return p.ReadDeep(p.Payload, p.Unstored)
	}
	return p.Read(p.Payload, p.Unstored)
}

// judgeParameter judges a parameter packet, or a request for floats, which frees nothing.
func (t *Table) judgeParameter(now units.Time, p *Packet) Verdict {
	s := p.Job.server(p.Src)
	switch {
	case s == nil || !slices.Contains(s.ports, p.At):
		t.Dropped(now, p, Forged)
		return p.counted(Forged, Drop)
	case p.Flags.Has(wire.Overflow) && !p.Flags.Has(wire.Resend):
		return p.counted(Floats, PassOn)
	case int(p.Index) >= t.cfg.Aggregators:
		return p.counted(Parameters, PassOn)
	}
	return p.counted(Parameters, Parameter)
}

func (t *Table) judgeGradient(p *Packet) Verdict {
	if p.Flags.Has(wire.Overflow) {
		return p.counted(Floats, PassOn)
	}
	if !p.here() {
		return p.counted(NotHere, PassOn)
	}
	switch {
	case p.FanIn(p.Part.Level) != p.Part.FanIn:
		return p.counted(BadFanIn, Refused)
	case t.cfg.Aggregators == 0:
		return p.counted(Collisions, Refused)
	case int(p.Index) >= t.cfg.Aggregators:
		return p.counted(BadIndex, Refused)
	case p.Flags.Has(wire.Resend):
		return p.counted(Resends, Resent)
	}
	return Aggregate
}

func (p *Packet) counted(c Counter, v Verdict) Verdict {
	p.Job.Counts[c]++
	return v
}

// here reports whether the packet is for an aggregator of this switch: whether it is from one of
// the sources of the switch's part in the aggregation for its server, by that one's port. It sets Part and Bit.
func (p *Packet) here() bool {
	s := p.Job.server(p.Dst)
	level := p.Next()
	if s == nil || level == p.Levels() || s.parts[level] == nil {
		return false
	}
	part, bit := s.parts[level], p.Bitmap(level)
	if bits.OnesCount32(bit) != 1 || !slices.Contains(part.bits[bits.TrailingZeros32(bit)].ports, p.At) {
		return false
	}
	p.Part, p.Bit = part, bit
	return true
}

// server returns the server of an address; nil: the job has none there.
func (e *Entry) server(addr [4]byte) *server {
	for i := range e.servers {
		if e.servers[i].addr == addr {
			return &e.servers[i]
		}
	}
	return nil
}

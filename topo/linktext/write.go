package linktext

import (
	"strconv"

	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/topo"
)

// Of returns what a file says of a link that stands over a base: what differs.
func Of(s, base topo.LinkSpec) (l Link) {
	if s.Rate != base.Rate {
		l.Rate = text(s.Rate)
	}
	if s.Delay != base.Delay {
		l.Delay = text(s.Delay)
	}
	if s.Jitter != base.Jitter {
		l.Jitter = text(s.Jitter)
	}
	if s.Queue != base.Queue {
		l.Queue = text(s.Queue)
	}
	if s.LossEvery != base.LossEvery {
		l.LossEvery = &s.LossEvery
	}
	if s.Loss != base.Loss || s.Bursts != base.Bursts {
		l.Loss = share(s.Loss)
		if b := s.Bursts; b != (topo.Bursts{}) {
			l.Bursts = &Bursts{Enter: share(b.Enter), Leave: share(b.Leave), Good: share(b.Good), Bad: share(b.Bad)}
		}
	}
	if s.Marking != base.Marking {
		l.ECN = markingText(s.Marking)
	}
	mishapsOf(&l, s, base)
	return l
}

// mishapsOf writes what happens to frames on the wire beside losses by chance.
func mishapsOf(l *Link, s, base topo.LinkSpec) {
	for _, of := range []struct {
		text     *string
		is, base float64
	}{{&l.Reorder, s.Reorder, base.Reorder}, {&l.Duplicate, s.Duplicate, base.Duplicate}, {&l.Corrupt, s.Corrupt, base.Corrupt}} {
		if of.is != of.base {
			*of.text = share(of.is)
		}
	}
	if s.ReorderGap != base.ReorderGap {
		l.ReorderGap = &s.ReorderGap
	}
	if s.Distribution != base.Distribution {
		l.Distribution = s.Distribution.String()
	}
	if s.Script != base.Script {
		l.Drop = dropsOf(s.Script)
	}
}

// dropsOf writes a script.
func dropsOf(s topo.Script) []Drop {
	drops, err := s.Drops()
	if err != nil {
		panic("writing a script of losses: " + err.Error()) // it was read, or made by [topo.NewScript]
	}
	out := []Drop{}
	for _, d := range drops {
		out = append(out, Drop{Job: &d.Job, Slot: int(d.Slot), Packets: d.Packets})
	}
	return out
}

func markingText(m topo.Marking) *ECN {
	if m.Threshold() {
		return &ECN{Threshold: text(m.Max)}
	}
	e := &ECN{Min: text(m.Min), Max: text(m.Max), P: share(m.P)}
	if m.Weight != 0 {
		e.Weight = share(m.Weight)
	}
	return e
}

// text writes a quantity without rounding.
func text[T interface {
	units.Rate | units.Duration | units.Bytes
	MarshalText() ([]byte, error)
}](q T) string {
	b, err := q.MarshalText()
	if err != nil {
		panic("writing a quantity: " + err.Error()) // they have no error
	}
	return string(b)
}

// share writes a probability so that [Fraction] reads it back.
func share(v float64) string {
	if v == 1 {
		return "100%"
	}
	return strconv.FormatFloat(v, 'f', -1, 64)
}

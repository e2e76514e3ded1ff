package reference

import (
	"fmt"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/units"
	wire "github.com/inalab/inalab/internal/wire/trioml"
	"github.com/inalab/inalab/switchd/program/trioml"
)

// NewAdvanced is New for a PFE that also classifies stragglers and notifies the
// workers, and relays the notices of PFEs below.
func NewAdvanced(cfg trioml.Config, s trioml.Stragglers) (*Program, error) {
	s, err := s.Resolved()
	if err != nil {
		return nil, fmt.Errorf("configuring trioml on %s: %w", cfg.Node, err)
	}
	p, err := New(cfg)
	if err != nil {
		return nil, err
	}
	p.classifier = &classifier{timer: timer{int64(s.Look), int64(s.Threads(cfg.Jobs))}, permanentAfter: uint32(s.PermanentAfter)}
	return p, nil
}

// classifier is the second, slower type of timer threads.
type classifier struct {
	timer
	permanentAfter uint32 // strikes of a permanent straggler
	firing         int64  // number of the next one
	fired          bool   // since phaseMattered was last called
}

// stragglers is what the classifier knows of the sources of a job.
type stragglers struct {
	missed  trace.Mask  // by a block that has aged out since the last look
	ended   int         // blocks that had ended at the last look
	strikes [256]uint32 // looks in a row with a straggler event
}

// next returns the instant of the next firing; without a classifier there is none.
func (c *classifier) next() units.Time {
	if c == nil {
		return units.Never
	}
	return c.at(c.firing)
}

// phaseMattered reports whether there was a look since the last call.
func (c *classifier) phaseMattered() bool {
	if c == nil {
		return false
	}
	fired := c.fired
	c.fired = false
	return fired
}

// classify runs the classifying threads that are due. A driver that is late by a
// period or more gets one firing of each thread.
func (p *Program) classify(now units.Time, eff *sansio.Effects) {
	c := p.classifier
	if int64(now.Sub(c.next())) >= c.period {
		c.firing = max(c.firing, c.firstAfter(now)-c.n)
	}
	for ; c.next() <= now; c.firing++ {
		c.fired = true
		for id := c.firing % c.n; id < int64(len(p.jobs)); id += c.n {
			if j := p.jobs[id]; j != nil {
				p.classifySources(j, eff)
			}
		}
	}
}

// classifySources looks at every source of a job. A job of which no block has ended
// since the last look says nothing about them.
func (p *Program) classifySources(j *job, eff *sansio.Effects) {
	known := &j.stragglers
	if j.ended == known.ended {
		return
	}
	known.ended = j.ended
	missed := known.missed.Or(j.absent)
	known.missed = trace.Mask{}
	for i, strikes := range &known.strikes {
		s := uint8(i)
		switch {
		case !j.Mask.Has(s):
		case missed.Has(s):
			p.strike(j, s, eff)
		case strikes > 0:
			known.strikes[s] = 0
			p.notify(j, wire.Notice{Source: s, Change: wire.AgeBack}, eff)
		}
	}
}

// strike gives a source one more strike. Blocks do not wait for a permanent straggler
// until its next packet.
func (p *Program) strike(j *job, s uint8, eff *sansio.Effects) {
	n := j.stragglers.strikes[s] + 1
	j.stragglers.strikes[s] = n
	if n >= p.classifier.permanentAfter {
		j.absent.Set(s)
	}
	notice := wire.Notice{Source: s, Change: wire.AgeTemporary, Strikes: uint8(min(n, 255))}
	switch n {
	case p.classifier.permanentAfter:
		notice.Change = wire.AgePermanent
		p.notify(j, notice, eff)
	case 1:
		p.notify(j, notice, eff)
	}
}

package reference

import (
	"github.com/inalab/inalab/internal/trace"
	wire "github.com/inalab/inalab/internal/wire/trioml"
	"github.com/inalab/inalab/switchd/program/trioml"
)

// complete reports whether no source is missing from the block but absent ones; a block
// that lacks some is degraded.
func (r *record) complete() bool {
	if r.Received == r.job.Mask {
		return true
	}
	if r.Sources == 0 || r.Received.Or(r.job.absent) != r.job.Mask {
		return false
	}
	r.Degraded = true
	return true
}

// endAbsence notes a packet of a source. If it takes part in the newest generation,
// blocks wait for the source again; the block of the packet itself may be done.
func (j *job) endAbsence(h wire.Header) {
	if !j.started || !wire.GenBefore(h.Gen, j.newest) {
		j.absent.Clear(h.Source)
	}
}

// markAbsent notes the sources that an aged block lacks. The blocks that wait for no
// other source are sent when a timer thread visits them, or with their next
// packet: one thread cannot send them all at once.
func (p *Program) markAbsent(aged *record) {
	if p.cfg.Age == trioml.AgeAbsent {
		aged.job.absent = aged.job.absent.Or(aged.job.Mask.Without(aged.Received))
	}
}

// Remembers reports whether a source is absent, or a timer thread still at work.
func (p *Program) Remembers() bool {
	if p.timed.busy() {
		return true
	}
	for _, j := range p.jobs {
		if j != nil && j.absent != (trace.Mask{}) {
			return true
		}
	}
	return false
}

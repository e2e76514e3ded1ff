package reference

import (
	"github.com/inalab/inalab/internal/trace"
	wire "github.com/inalab/inalab/internal/wire/trioml"
)

// AgePolicy says what follows when a block is aged out (ambiguity
// trio.close-to-ideal).
type AgePolicy string

const (
	// AgePerBlock: nothing. Each block that a straggler misses waits a timeout of
	// its own, so that a window of blocks does, and the next window after it. It is
	// what the paper's text describes.
	AgePerBlock AgePolicy = "per-block"
	// AgeAbsent: the sources that the block missed are absent. Blocks do not wait
	// for them until they are heard from again.
	AgeAbsent AgePolicy = "absent-after-first"
)

// complete reports whether nobody is missing from the block but those who are
// absent; a block that lacks some is degraded.
func (r *record) complete() bool {
	if r.rcvd == r.job.mask {
		return true
	}
	if r.sources == 0 || r.rcvd.Or(r.job.absent) != r.job.mask {
		return false
	}
	r.degraded = true
	return true
}

// hear ends the absence of a source that takes part in the newest generation, be
// it that the block of its packet is done.
func (j *job) hear(h wire.Header) {
	if !j.started || !wire.GenBefore(h.Gen, j.newest) {
		j.absent.Clear(h.Source)
	}
}

// giveUp notes who is missing from a block that was aged out. The blocks that wait
// for nobody else are sent when a timer thread visits them, or with their next
// packet: one thread cannot send them all at once.
func (p *Program) giveUp(aged *record) {
	if p.cfg.Age == AgeAbsent {
		aged.job.absent = aged.job.absent.Or(aged.job.mask.Without(aged.rcvd))
	}
}

// Remembers reports whether a source is absent.
func (p *Program) Remembers() bool {
	for _, j := range p.jobs {
		if j != nil && j.absent != (trace.Mask{}) {
			return true
		}
	}
	return false
}

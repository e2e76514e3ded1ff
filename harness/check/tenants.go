package check

import (
	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/internal/trace"
)

// Tenants tells, from the trace of switch programs, what becomes of jobs that
// share them: what landed in whose blocks, what was dropped, and how many blocks
// each had open at once. It is a trace.Sink, for all events in order of time.
type Tenants struct {
	jobs  map[uint8]*Tenant
	open  map[holder]map[uint32]bool // blocks that are open
	last  map[string]uint8           // by engine: job of the latest contribution
	turns int
}

// holder is a job at an engine.
type holder struct {
	node string
	job  uint8
}

// Tenant is what became of one job.
type Tenant struct {
	Landed   uint64            // packets that were added to a block of it
	Dropped  map[string]uint64 // packets in its name that were dropped, by reason
	MostOpen int               // blocks of it that were open at the same time at one engine
	Strange  uint64            // blocks opened in its name that its tensor does not have

	blocks uint32
}

// NewTenants returns an empty account of a set of jobs that name blocks by number
// ([job.Naming] without slots).
func NewTenants(s *job.Set) *Tenants {
	t := &Tenants{jobs: map[uint8]*Tenant{}, open: map[holder]map[uint32]bool{}, last: map[string]uint8{}}
	for _, j := range s.Jobs {
		t.jobs[j.ID] = &Tenant{Dropped: map[string]uint64{}, blocks: uint32(j.Naming().Blocks)}
	}
	return t
}

// Job returns what became of a job so far; nil: it is not of the set.
func (t *Tenants) Job(id uint8) *Tenant { return t.jobs[id] }

// Turns returns how often a packet landed at an engine right after one of another
// job.
func (t *Tenants) Turns() int { return t.turns }

// Event takes one event.
func (t *Tenants) Event(e *trace.Event) {
	j := t.jobs[e.Job]
	if j == nil {
		return
	}
	switch h := (holder{e.Node, e.Job}); e.Kind {
	case trace.BlockOpened: // also in place of one of an older generation
		if e.Block >= j.blocks {
			j.Strange++
		}
		if t.open[h] == nil {
			t.open[h] = map[uint32]bool{}
		}
		t.open[h][e.Block] = true
		j.MostOpen = max(j.MostOpen, len(t.open[h]))
	case trace.BlockSent:
		delete(t.open[h], e.Block)
	case trace.Dropped:
		j.Dropped[e.Note]++
	case trace.Contribution:
		j.Landed++
		if before, ok := t.last[e.Node]; ok && before != e.Job {
			t.turns++
		}
		t.last[e.Node] = e.Job
	}
}

package stall

import (
	"slices"

	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/nodes/worker"
	"github.com/inalab/inalab/switchd/chassis"
)

// Snapshot is all nodes of a run at one time, or nearly.
type Snapshot struct {
	At       units.Time
	Switches []chassis.Snapshot
	Servers  []chassis.EngineState // of those that tell what they wait for
	Workers  []worker.Snapshot     // that answered
	Busy     []string              // nodes that are there, but too busy to answer
	Silent   []string              // nodes that do not answer
	Dead     []string              // nodes whose process has ended in mid-run
}

// Idle reports whether no worker has anything left to do by itself: none sleeps,
// computes, or is too busy to say. One that joins waits for another one's model.
func (s *Snapshot) Idle() bool {
	return len(s.Busy) == 0 && !slices.ContainsFunc(s.Workers, func(w worker.Snapshot) bool {
		return w.State != worker.StateReducing && w.State != worker.StateJoining && w.State != worker.StateDone
	})
}

// Moved reports whether a worker got on between two snapshots: it is elsewhere in
// the run, or waits for other packets. Packets that are sent again and again move
// nobody.
func Moved(before, after *Snapshot) bool {
	for _, b := range before.Workers {
		i := slices.IndexFunc(after.Workers, func(w worker.Snapshot) bool { return w.Node == b.Node })
		if i < 0 {
			continue
		}
		a := after.Workers[i]
		if a.Iteration != b.Iteration || a.State != b.State || !slices.Equal(a.Waits, b.Waits) {
			return true
		}
		if len(a.Waits) == 0 && a.Counts != b.Counts { // a core that does not tell
			return true
		}
	}
	return false
}

// last returns the latest event of all.
func (s *Snapshot) last() (last *trace.Event) {
	consider := func(e *trace.Event) {
		if e != nil && (last == nil || e.At > last.At) {
			last = e
		}
	}
	for i := range s.Switches {
		consider(s.Switches[i].Last)
	}
	for i := range s.Workers {
		consider(s.Workers[i].Last)
	}
	return last
}

// worker returns what a worker said.
func (s *Snapshot) worker(node string) (worker.Snapshot, bool) {
	i := slices.IndexFunc(s.Workers, func(w worker.Snapshot) bool { return w.Node == node })
	if i < 0 {
		return worker.Snapshot{}, false
	}
	return s.Workers[i], true
}

// engine returns what an engine or a server said.
func (s *Snapshot) engine(node string) (chassis.EngineState, bool) {
	for _, sw := range s.Switches {
		for _, e := range sw.Engines {
			if e.Node == node {
				return e, true
			}
		}
	}
	if i := slices.IndexFunc(s.Servers, func(e chassis.EngineState) bool { return e.Node == node }); i >= 0 {
		return s.Servers[i], true
	}
	return chassis.EngineState{}, false
}

// link returns the state of a link by its ends.
func (s *Snapshot) link(match func(chassis.LinkState) bool) (chassis.LinkState, bool) {
	for _, sw := range s.Switches {
		if i := slices.IndexFunc(sw.Links, match); i >= 0 {
			return sw.Links[i], true
		}
	}
	return chassis.LinkState{}, false
}

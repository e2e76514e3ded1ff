package worker

import (
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/units"
)

// Waiter is a collective that can say what it waits for. Asking changes nothing.
type Waiter interface {
	// Waiting returns at most limit packets that have no result.
	Waiting(limit int) []trace.Wait
}

// Beside returns the server in a worker's core, and its name; empty: there is none.
func (w *Worker) Beside() (name string, server any) {
	if core, ok := w.Job.Core().(interface {
		Beside() (name string, server any)
	}); ok {
		return core.Beside()
	}
	return "", nil
}

// States of a worker, as it tells them.
const (
	StateWaiting    = "waiting for the start"
	StateJoining    = "waiting for a model"
	StateDelayed    = "asleep"
	StateComputing  = "computing"
	StateReducing   = "reducing"
	StateEvaluating = "evaluating"
	StatePaused     = "paused"
	StateDone       = "done"
)

// Snapshot is how far a worker has come.
type Snapshot struct {
	Node      string       `json:"node"`
	Worker    int          `json:"worker"`
	Iteration int          `json:"iteration"` // the one it is in: model updates so far
	State     string       `json:"state"`
	Until     units.Time   `json:"until_ps,omitempty"` // end of a delay, compute or pause, or the start to come
	Waits     []trace.Wait `json:"waits,omitempty"`    // while reducing
	Counts    uint64       `json:"counts"`             // packets and drops that the core counted: it grows as anything happens
	Last      *trace.Event `json:"last,omitempty"`     // latest event; nil: none, or not recorded

	// Frames that its socket sent and received; zero where there is no socket.
	TxFrames uint64 `json:"tx_frames,omitempty"`
	RxFrames uint64 `json:"rx_frames,omitempty"`
}

// maxWaits bounds the list of a snapshot: enough for the pools and windows of
// the papers (assumed).
const maxWaits = 4096

// Snapshot returns how far the worker has come; log may be nil.
func (w *Worker) Snapshot(log *trace.Log) Snapshot {
	s := Snapshot{Iteration: w.Job.Iteration(), State: StateReducing}
	switch j := w.Job.(type) {
	case *Loop:
		j.describe(&s)
	case *Bench:
		s.Node, s.Worker = j.node, j.worker
		if j.Done() {
			s.State = StateDone
		}
	}
	if waiter, ok := w.Job.Core().(Waiter); ok && s.State == StateReducing {
		s.Waits = waiter.Waiting(maxWaits)
	}
	for _, c := range w.Job.Core().Counters() {
		s.Counts += c.N
	}
	if e, ok := log.Last(); ok {
		s.Last = &e
	}
	return s
}

func (l *Loop) describe(s *Snapshot) {
	s.Node, s.Worker, s.State = l.cfg.Node, l.cfg.Worker, l.stateName()
	switch l.state {
	case waiting:
		s.Until = l.cfg.start()
	case delayed, computing, charged, paused:
		s.Until = l.wake
	}
}

func (l *Loop) stateName() string {
	switch l.state {
	case waiting:
		return StateWaiting
	case joining:
		return StateJoining
	case delayed:
		return StateDelayed
	case computing, charged:
		return StateComputing
	case evaluating:
		return StateEvaluating
	case paused:
		return StatePaused
	case done:
		return StateDone
	}
	return StateReducing
}

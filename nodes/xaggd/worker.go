package xaggd

import (
	"fmt"
	"net/netip"

	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/reuse"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/xaggctl"
	"github.com/inalab/inalab/nodes/xagg/groups"
	"github.com/inalab/inalab/nodes/xagg/rates"
)

// Worker is the agent of a worker: a collective of the training loop.
type Worker struct {
	agent
	cfg    WorkerConfig
	parent Peer
	since  uint16 // version of the edge to the parent
	orders orders

	gen      int
	begun    bool // an iteration was begun
	complete bool // all results of the latest are here
	q        []int32
	sums     []int32
	borrowed []int32 // of BeginInts
	spare    reuse.List[memory]

	sending sending
	pace    pacer
	look    lookup
	recv    *groups.Receiver // of results

	round round // t1 and t2

	retransmits int
	saturated   int
}

// memory is that of one generation.
type memory struct{ q, sums []int32 }

// NewWorker returns the agent of a worker beside its store.
func NewWorker(cfg WorkerConfig, store Store) (*Worker, error) {
	cfg.resolve()
	if err := cfg.validate(); err != nil {
		return nil, fmt.Errorf("configuring XAgg worker %s: %w", cfg.Node, err)
	}
	w := &Worker{cfg: cfg, parent: cfg.Parent, since: cfg.Tree, pace: newPacer(&cfg.Common), orders: orders{hosts: cfg.Hosts}, round: round{due: units.Never}}
	w.agent = newAgent(&w.cfg.Common, workerRole, store, cfg.Store())
	w.look = lookup{agent: &w.agent, flags: resultFlag}
	c := w.negotiator()
	c.Parent = rates.ID(cfg.Parent.ID)
	var err error
	if w.node, err = rates.New(c); err != nil {
		return nil, fmt.Errorf("configuring XAgg worker %s: %w", cfg.Node, err)
	}
	w.spare.Free(w.blank())
	return w, nil
}

// held returns the elements of a gradient that are held.
func (w *Worker) held() int { return w.cfg.Sample.Elements(w.cfg.Tensor, w.cfg.Values) }

// hold takes memory for a generation.
func (w *Worker) hold() {
	m, ok := w.spare.Take()
	if !ok {
		m = w.blank()
	}
	w.q, w.sums = m.q, m.sums
}

func (w *Worker) blank() memory {
	return memory{reuse.Touched[int32](w.held()), reuse.Touched[int32](w.held())}
}

// Begin starts the all-reduce of generation gen.
func (w *Worker) Begin(now units.Time, gen int, grad []float32, eff *sansio.Effects) {
	if w.q == nil {
		w.hold()
	}
	w.saturated = w.cfg.Scaling.Quantise(w.q, grad[:len(w.q)])
	if w.saturated > 0 {
		w.count.Add(CountSaturated, uint64(w.saturated))
	}
	w.begin(now, gen, w.q, eff)
}

// BeginInts starts the all-reduce of an int32 tensor.
func (w *Worker) BeginInts(now units.Time, gen int, q []int32, eff *sansio.Effects) {
	w.saturated = 0
	w.begin(now, gen, q[:w.held()], eff)
}

func (w *Worker) begin(now units.Time, gen int, q []int32, eff *sansio.Effects) {
	w.gen, w.borrowed, w.begun, w.complete, w.retransmits = gen, q, true, false, 0
	if w.sums == nil {
		w.hold()
	}
	w.move(w.cfg.FirstIteration + uint16(gen))
	w.recv = w.receiver()
	w.restart(now)
	w.round.begin(now, w.gen == 0)
	w.polls = now.Add(w.cfg.Poll)
	w.node.Begin(now, w.iteration)
	w.progress(now, eff)
}

// receiver begins the books of results. The configuration was good when the worker was made.
func (w *Worker) receiver() *groups.Receiver {
	r, _ := groups.NewReceiver(w.cfg.Results, []groups.Host{hostBit(w.cfg.Root.ID)}, w.look.has)
	return r
}

// Handle takes control messages.
func (w *Worker) Handle(now units.Time, in []sansio.Arrival, eff *sansio.Effects) {
	w.each(in, func(src netip.Addr, m *xaggctl.Message) { w.take(now, src, m, eff) })
	w.progress(now, eff)
}

// Expire does what is due.
func (w *Worker) Expire(now units.Time, eff *sansio.Effects) {
	w.overdue(now, eff)
	w.expireNode(now)
	w.results(now, eff)
	w.tellRound(now, eff)
	w.progress(now, eff)
}

// NextDeadline returns when something is due.
func (w *Worker) NextDeadline() units.Time {
	at := min(w.late.next(), w.node.NextDeadline(), w.polls, w.round.due)
	if w.begun && !w.complete {
		at = min(at, w.recv.NextDeadline(), w.sending.ended())
		if w.sending.pending() {
			at = min(at, w.pace.due(w.node.Rate()))
		}
	}
	return at
}

// Complete reports whether all results of generation gen are here.
func (w *Worker) Complete(gen int) bool { return w.begun && gen == w.gen && w.complete }

// Sums returns the sums of the complete generation.
func (w *Worker) Sums() []int32 { return w.sums }

// Finish ends the complete generation gen. Its tensors go to the function that it returns,
// which may be called before the generation is Returned, on any goroutine.
func (w *Worker) Finish(gen int) (result.Outcome, func(mean []float32)) {
	q, sums, cfg := w.borrowed, w.sums, w.cfg
	w.spare.Lend(memory{w.q, w.sums})
	w.q, w.sums, w.borrowed = nil, nil, nil
	mean := func(dst []float32) {
		cfg.Scaling.Mean(dst[:len(sums)], sums, cfg.Workers)
		if cfg.Recorder != nil {
			cfg.Recorder.Sent(gen, q)
			cfg.Recorder.Delivered(gen, sums)
		}
	}
	return result.Outcome{Retransmits: w.retransmits, Contributed: true, Saturated: w.saturated}, mean
}

// Returned takes the memory of n generations back, whose means have been written.
func (w *Worker) Returned(n int) { w.spare.Returned(n) }

// Counters returns those of the agent, without those of its store.
func (w *Worker) Counters() []sansio.Count {
	var out sansio.Tally
	out.Merge(w.counters())
	out.Merge(w.sending.drops())
	return out.List()
}

// Waiting returns at most limit packets that have no result.
func (w *Worker) Waiting(limit int) (out []trace.Wait) {
	if !w.begun || w.complete {
		return nil
	}
	w.look.forget()
	for i := uint32(1); i <= w.cfg.Fragments && len(out) < limit; i++ {
		if !w.look.has(hostBit(w.cfg.Root.ID), i) {
			out = append(out, trace.Wait{Gen: uint32(w.gen), Block: i, Sent: w.sending.sent(i)})
		}
	}
	return out
}

// event tells of a packet of the generation at hand.
func (w *Worker) event(now units.Time, kind trace.Kind, index uint32, note string) {
	if w.cfg.Trace == nil {
		return
	}
	w.cfg.Trace.Event(&trace.Event{At: now, Kind: kind, Node: w.cfg.Node, Job: uint8(w.cfg.Job), Gen: uint32(w.gen), Block: index, Note: note})
}

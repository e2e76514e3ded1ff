package xaggd

import (
	"cmp"
	"fmt"
	"net/netip"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/units"
	wire "github.com/inalab/inalab/internal/wire/xagg"
	"github.com/inalab/inalab/internal/wire/xaggctl"
	"github.com/inalab/inalab/nodes/xagg/groups"
	"github.com/inalab/inalab/nodes/xagg/rates"
)

// Root is the agent of the parameter server: the root of the tree. It opens iterations.
type Root struct {
	gatherer
	conduct conducting
	closed  bool // all workers have the results of the iteration
	gen     int  // iterations that closed
	last    int  // how many there are; 0: unknown
	workers []*taker
	results resender
	pace    pacer
	resends units.Rate // of results
	ending  units.Time // when to say next that all results are sent; Never: not at all
	ended   units.Time // when the sums of the iteration, or of the last one, were all there
}

// taker is a worker that takes results.
type taker struct {
	Peer
	complete bool // it has all results of the iteration
}

var _ sansio.Machine = (*Root)(nil)

// NewRoot returns the agent of a parameter server beside its store.
func NewRoot(cfg RootConfig, store Store) (*Root, error) {
	cfg.resolve()
	if err := cfg.validate(); err != nil {
		return nil, fmt.Errorf("configuring XAgg parameter server %s: %w", cfg.Node, err)
	}
	r := &Root{pace: newPacer(&cfg.Common), ending: units.Never, resends: cfg.ResultRate, last: cfg.Iterations}
	r.agent = newAgent(&cfg.Common, rootRole, store, cfg.Store())
	r.conduct = conducting{cfg: cfg.Conductor, orders: orders{hosts: cfg.hosts()}}
	if cfg.Conductor != nil { // nothing is open before it allows that
		r.iteration, r.complete, r.closed = r.iteration-1, true, true
	}
	for _, w := range cfg.Workers {
		r.workers = append(r.workers, &taker{Peer: w})
	}
	if err := r.setup(cfg.Children); err != nil {
		return nil, fmt.Errorf("configuring XAgg parameter server %s: %w", cfg.Node, err)
	}
	c := r.negotiator()
	for _, child := range r.children {
		c.Children = append(c.Children, rates.ID(child.ID))
	}
	var err error
	if r.node, err = rates.New(c); err != nil {
		return nil, fmt.Errorf("configuring XAgg parameter server %s: %w", cfg.Node, err)
	}
	return r, nil
}

// Iteration returns the iteration that is open, as on the wire.
func (r *Root) Iteration() uint16 { return r.iteration }

// Ended returns when the sums of an iteration were all there, the latest time.
func (r *Root) Ended() units.Time { return r.ended }

// Finished reports whether all iterations are over: all workers have the results of the last.
func (r *Root) Finished() bool { return r.last > 0 && r.gen == r.last }

// Handle takes control messages.
func (r *Root) Handle(now units.Time, in []sansio.Arrival, eff *sansio.Effects) {
	r.start(now)
	r.each(in, func(src netip.Addr, m *xaggctl.Message) { r.take(now, src, m, eff) })
	r.progress(now, eff)
}

// Expire does what is due.
func (r *Root) Expire(now units.Time, eff *sansio.Effects) {
	r.start(now)
	r.overdue(now, eff)
	r.expirePlane(now)
	r.expireNode(now)
	r.overlook(now, eff)
	r.progress(now, eff)
}

// NextDeadline returns when something is due.
func (r *Root) NextDeadline() units.Time {
	at := min(r.deadline(), r.ending)
	if !r.Finished() {
		at = min(at, r.conduct.next())
	}
	if len(r.results.queue) > 0 {
		at = min(at, r.pace.due(r.rate()))
	}
	return at
}

// Counters returns those of the agent, without those of its store.
func (r *Root) Counters() []sansio.Count { return r.counters() }

// take takes a message of a child, or of a worker about results.
func (r *Root) take(now units.Time, src netip.Addr, m *xaggctl.Message, eff *sansio.Effects) {
	switch m.Kind {
	case xaggctl.Request, xaggctl.Done:
		if c := r.find(m.Host); c == nil {
			r.count.Add(DropStranger, 1)
		} else if r.from(&c.Peer, src) {
			r.below(now, c, m, eff)
		}
	case xaggctl.Lost, xaggctl.Complete:
		if w := r.worker(m.Host); w == nil {
			r.count.Add(DropStranger, 1)
		} else if r.from(&w.Peer, src) {
			r.taker(w, m)
		}
	default:
		r.managed(now, src, m)
	}
}

// below takes a message of a child. A request of the next iteration waits until that is open.
func (r *Root) below(now units.Time, c *child, m *xaggctl.Message, eff *sansio.Effects) {
	switch {
	case m.Kind == xaggctl.Done:
		r.done(now, c, m, eff)
	case !later(m.Iteration, r.iteration):
		r.timing.confirmed(now, m, &r.count)
		r.request(now, c, request(m))
	case m.Iteration != r.iteration+1:
		r.count.Add(DropEarly, 1)
	case m.Tree != c.Since:
		r.count.Add(DropOldTree, 1)
	case c.held == nil || int32(m.Number-c.held.Seq) > 0:
		c.held = request(m)
	}
}

// taker takes what a worker says of results.
func (r *Root) taker(w *taker, m *xaggctl.Message) {
	if !r.current(m, 0) {
		return
	}
	if m.Kind == xaggctl.Complete {
		w.complete = true
		return
	}
	for _, i := range m.Lost {
		if i > r.cfg.Fragments {
			r.count.Add(DropIndex, 1)
			continue
		}
		r.results.add(resend{w.ID, i}, wire.Retransmit)
	}
}

// progress does what follows from what came.
func (r *Root) progress(now units.Time, eff *sansio.Effects) {
	if !r.complete && r.whole() {
		r.complete, r.polls = true, units.Never
		r.ending, r.ended = now, now
		r.event(now)
	}
	r.pace.run(now, r.rate(), func() bool { return r.again(&r.results, wire.Result, r.lacking, eff) })
	if r.complete && !r.closed && r.ending <= now {
		r.ending = now.Add(cmp.Or(r.cfg.Results.Again, groups.DefaultAgain))
		r.finish(eff)
	}
	if r.complete && !r.closed && r.delivered() {
		r.closed, r.ending = true, units.Never
		r.gen++
		r.conduct.close(now, r.iteration)
	}
	if r.orders(now, eff); r.closed && !r.Finished() && r.conduct.opens(now, r.iteration+1) {
		r.open(now)
	}
	r.negotiate(now, r.neighbour, eff)
}

// event tells that the sums of an iteration are all there.
func (r *Root) event(now units.Time) {
	if r.cfg.Trace != nil {
		r.cfg.Trace.Event(&trace.Event{At: now, Kind: trace.Reduced, Node: r.cfg.Node, Job: uint8(r.cfg.Job), Gen: uint32(r.gen)})
	}
}

// finish tells workers that all results were sent.
func (r *Root) finish(eff *sansio.Effects) {
	for _, w := range r.workers {
		if !w.complete {
			r.send(&w.Peer, &xaggctl.Message{Kind: xaggctl.Done, Iteration: r.iteration}, eff)
		}
	}
}

// delivered reports whether all workers have all results.
func (r *Root) delivered() bool {
	for _, w := range r.workers {
		if !w.complete {
			return false
		}
	}
	return true
}

// open opens the next iteration: nobody needs an element of this one any more.
func (r *Root) open(now units.Time) {
	r.begin(r.iteration + 1)
	r.closed = false
	r.results.clear()
	for _, w := range r.workers {
		w.complete = false
	}
	for _, c := range r.children {
		if c.held != nil {
			r.request(now, c, c.held)
			c.held = nil
		}
	}
}

// rate returns the rate of results that are sent again; 0 where there are none.
func (r *Root) rate() units.Rate {
	if len(r.results.queue) == 0 {
		return 0
	}
	return r.resends
}

func (r *Root) worker(host uint32) *taker {
	for _, w := range r.workers {
		if w.ID == host {
			return w
		}
	}
	return nil
}

// lacking returns a worker that lacks results.
func (r *Root) lacking(host uint32) *Peer {
	if w := r.worker(host); w != nil && !w.complete {
		return &w.Peer
	}
	return nil
}

func (r *Root) neighbour(id rates.ID) *Peer {
	if c := r.find(uint32(id)); c != nil {
		return &c.Peer
	}
	return nil
}

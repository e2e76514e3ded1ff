package reference

import (
	"fmt"
	"slices"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/vtime"
	"github.com/inalab/inalab/switchd/program/trioml"
)

// ScanTime is what timer threads take, for runs under the virtual clock in which nothing
// else of the program takes time. The zero value: they take none either.
//
// A thread comes to its records one after the other, and builds the result of one that has
// aged before it goes on. From the time when it has come to an aged record until the result
// leaves, the block is its own: packets of the block wait, and find then that it is done. A
// thread that is still at work when its timer fires again is not started.
type ScanTime struct {
	Visit       units.Duration // of a record that has not aged
	Result      units.Duration // of one that has, without what its gradients take
	PerGradient units.Duration // of one gradient of its result
}

// validate accepts times that are no less than zero.
func (s ScanTime) validate() error {
	if s.Visit < 0 || s.Result < 0 || s.PerGradient < 0 {
		return fmt.Errorf("a timer thread that takes %v for a visit and %v and %v for a result: no time is below zero", s.Visit, s.Result, s.PerGradient)
	}
	return nil
}

// CountLostRun counts starts of timer threads that were still at work.
const CountLostRun = "trioml-timer-runs-lost"

// NewTimed is [New] with timer threads that take time.
func NewTimed(cfg trioml.Config, s ScanTime) (*Program, error) {
	if err := s.validate(); err != nil {
		return nil, err
	}
	p, err := New(cfg)
	if err == nil && s != (ScanTime{}) {
		p.timed = &timedScan{ScanTime: s, threads: make([]timedThread, len(p.scan.threads))}
	}
	return p, err
}

// timedScan is the timer threads that are at work.
type timedScan struct {
	ScanTime
	threads []timedThread
	events  vtime.Queue // targets: threads
}

// timedThread is one timer thread.
type timedThread struct {
	busy    bool
	ahead   []key   // of records that it has not come to
	owned   *record // that it builds the result of; nil: none
	waiting []held  // packets of that block
}

// held is a packet that waits until its block is done.
type held struct {
	payload []byte
	pad     int
}

// next returns when a thread has something to do.
func (s *timedScan) next() units.Time {
	if s != nil {
		if e, ok := s.events.Peek(); ok {
			return e.At
		}
	}
	return units.Never
}

// busy reports whether a thread is at work.
func (s *timedScan) busy() bool { return s.next() != units.Never }

// holds keeps a packet whose block has a thread that builds its result.
func (s *timedScan) holds(r *record, payload []byte, pad int) bool {
	if s == nil || r == nil || !r.owned {
		return false
	}
	t := &s.threads[r.thread]
	t.waiting = append(t.waiting, held{slices.Clone(payload), pad})
	return true
}

// start starts thread i.
func (p *Program) start(now units.Time, i int) {
	t := &p.timed.threads[i]
	if t.busy {
		p.count.Add(CountLostRun, 1)
		return
	}
	for _, r := range p.scan.records(i) {
		t.ahead = append(t.ahead, r.key())
	}
	if t.busy = len(t.ahead) > 0; t.busy {
		p.timed.events.Push(now, int32(i))
	}
}

// step lets the thread that is due go on.
func (p *Program) step(eff *sansio.Effects) {
	e := p.timed.events.Pop()
	i := int(e.Target)
	t := &p.timed.threads[i]
	p.release(e.At, t, eff)
	for len(t.ahead) > 0 {
		r := p.records[t.ahead[0]]
		t.ahead = t.ahead[1:]
		if r == nil {
			continue // done since
		}
		took := p.timed.Visit
		if p.ends(e.At, r) {
			r.owned, t.owned = true, r
			took = p.timed.Result + p.timed.PerGradient*units.Duration(r.Grads)
		}
		p.timed.events.Push(e.At.Add(took), e.Target)
		return
	}
	t.busy, t.ahead = false, t.ahead[:0]
}

// release sends the block that a thread owns, if it does, and lets the packets in that
// waited for it.
func (p *Program) release(now units.Time, t *timedThread, eff *sansio.Effects) {
	r, waiting := t.owned, t.waiting
	t.waiting = nil
	if r != nil {
		p.finish(now, r, eff)
	}
	for _, h := range waiting {
		p.packet(now, h.payload, h.pad, eff)
	}
}

// disown takes a record that ends from the thread that builds its result.
func (s *timedScan) disown(r *record) {
	if s != nil && r.owned {
		s.threads[r.thread].owned, r.owned = nil, false
	}
}

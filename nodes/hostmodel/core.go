package hostmodel

import (
	"math"

	"github.com/inalab/inalab/internal/units"
)

// task is what a core is busy with.
type task uint8

const (
	polling   task = iota // nothing: it polls its queue
	receiving             // frames of a burst, up to the machine
	answering             // what the machine answers to them, into the transmit buffer
	starting              // what the machine sends of its own accord, by a call of its own
	flushing              // a call for what is in the transmit buffer
)

// core is a processor core with the queue of a network card that is its own. Its loop
// is that of the public client (p4app-switchML, dpdk_worker_thread.cc): run to completion
// (SwitchML §5), with what came in before all else.
//
//	poll --frames--> burst: for each, receive and answer --> transmit buffer --full--> card
//	 |
//	 +--nothing----> Drain is over since the last call: transmit buffer -------------> card
//	                 what the machine sends of its own accord ------------------------> card
//
// A burst is handled in pieces that fit what is left of the buffer, so that the buffer
// leaves at the time of the packet that fills it.
type core struct {
	model *Model
	rx    queue // received, and waiting for the core
	tx    queue // answers that the core has still to make
	own   queue // what the machine sends of its own accord: first packets of a tensor, and what was lost
	burst int   // frames of rx that belong to the burst at hand

	task  task
	work  burst
	until units.Time // when the task is done, or an idle core flushes; Never: it waits
	idle  bool       // the last poll found nothing, and so do those since

	buffer burst // the transmit buffer
	filled int   // its frames

	// polled is the last poll that found nothing. called is the time that Drain counts
	// from: as in the client, a call for a full buffer sets it to polled, not to the
	// time of the call.
	polled, called units.Time
}

// start gives a core that is through with a task, or idle, its next.
func (c *core) start(now units.Time) {
	switch {
	case c.task != polling:
	case !c.tx.empty():
		c.answer(now)
	case c.burst > 0:
		c.receive(now, 0)
	case !c.idle || !c.rx.empty() || !c.own.empty() || c.until <= now:
		c.poll(now)
	}
}

// poll is one turn of the core's loop.
func (c *core) poll(now units.Time) {
	if !c.rx.empty() {
		c.wake(now)
		c.burst = c.rx.frames
		if c.model.Burst > 0 {
			c.burst = min(c.burst, c.model.Burst)
		}
		c.receive(now, c.model.PerBatch)
		return
	}
	if c.idle && c.filled == 0 && !c.own.empty() { // of a tensor that begins: between tensors nobody polls
		c.send(now)
		return
	}
	c.polled = now
	if now.Sub(c.called) >= c.model.Drain {
		c.called = now
		if c.filled > 0 {
			c.do(flushing, now, c.model.PerBatch)
			return
		}
	}
	if !c.own.empty() {
		c.send(now)
		return
	}
	c.idle, c.until = true, units.Never
	if c.filled > 0 {
		c.until = c.called.Add(c.model.Drain)
	}
}

// wake is the poll of an idle core that finds something. The client's clock runs on while
// it is idle, so that where in its Drain the clock stands then is chance. Taken is the
// longest wait, from now on: of the workers of a slot, the last decides.
func (c *core) wake(now units.Time) {
	if !c.idle {
		return
	}
	c.idle, c.polled = false, now
	if c.filled == 0 && now.Sub(c.called) >= c.model.Drain {
		c.called = now
	}
}

// room returns how many more frames the transmit buffer takes.
func (c *core) room() int {
	if c.model.Buffer == 0 {
		return math.MaxInt
	}
	return c.model.Buffer - c.filled
}

// receive takes the next piece of the burst, which takes so long beside its frames.
func (c *core) receive(now units.Time, beside units.Duration) {
	waited := c.rx.frames
	var message units.Duration
	c.work, message = c.take(&c.rx, min(c.burst, c.room()))
	c.burst -= waited - c.rx.frames
	c.do(receiving, now, beside+message+c.model.cost(c.work))
}

// answer takes what the machine answered, as far as the transmit buffer has room.
func (c *core) answer(now units.Time) {
	var cost units.Duration
	c.work, cost = c.take(&c.tx, c.room())
	if n, _ := c.work.frames(); c.model.Buffer == 0 || n == c.room() {
		cost += c.model.PerBatch
	}
	c.do(answering, now, cost+c.model.cost(c.work))
}

// send takes what the machine sends of its own accord.
func (c *core) send(now units.Time) {
	var cost units.Duration
	c.work, cost = c.take(&c.own, math.MaxInt)
	c.do(starting, now, cost+c.model.PerBatch+c.model.cost(c.work))
}

// take takes frames of a queue to work on, and returns what their messages cost.
func (c *core) take(q *queue, most int) (burst, units.Duration) {
	work, ends := q.take(most, c.model.Message > 0, c.work[:0])
	if ends {
		return work, c.model.Message
	}
	return work, 0
}

// do makes the core busy.
func (c *core) do(what task, now units.Time, takes units.Duration) {
	c.task, c.idle, c.until = what, false, now.Add(takes)
}

// store puts the answers that are made into the transmit buffer, and reports whether
// it is full.
func (c *core) store() (full bool) {
	n, _ := c.work.frames()
	c.buffer = append(c.buffer, c.work...)
	c.filled += n
	if c.filled < c.model.Buffer {
		return false
	}
	c.called = c.polled
	return true
}

// empty takes everything out of the transmit buffer, for the card.
func (c *core) empty(out burst) burst {
	out = append(out, c.buffer...)
	clear(c.buffer)
	c.buffer, c.filled = c.buffer[:0], 0
	return out
}

// cost is the time of a core for the frames of a burst, one way.
func (m *Model) cost(b burst) units.Duration {
	frames, payload := b.frames()
	d := units.Duration(frames) * m.Frame
	if m.Rate > 0 {
		d += m.Rate.TimeToSend(payload)
	}
	return d
}

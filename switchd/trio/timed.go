package trio

import (
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/switchd/microcode/isa"
	"github.com/inalab/inalab/switchd/microcode/vm"
	"github.com/inalab/inalab/switchd/trio/lookup"
	"github.com/inalab/inalab/switchd/trio/mem"
)

// clock is the PFE with time: threads, and what they wait for.
//
// No other thread sees what a thread does between two XTXNs. So these instructions are
// executed at once when the first XTXN is done, and the next XTXN becomes an event at the
// time at which its instruction is complete. XTXNs are done in the order of time.
//
// What the programs of one PFE share is its machine; packets keep their order within a program.
//
// Loops that do nothing but add are known ahead (idiom.Adds): their XTXNs are such events too,
// and their instructions are not executed one by one. Threads end in the same state, at the
// same time; a test holds both equal.
//
// An event inside can be seen outside after Timing.Output at the earliest. So a driver
// need not call for every event. It calls for those that can be seen, and the earlier
// ones are then done, each at its own time.
type clock struct {
	*machine
	outputs ring[output] // on their way out, behind the reorder engine
	reorder reorder
}

// machine is what programs on one PFE share.
type machine struct {
	Timing
	members []*PFE // the programs, in the order in which they came
	events  schedule
	threads []*thread // all there have been in use at once
	adding  []adding  // by thread
	idle    []int32   // those that are not in use
	ppes    ppes
	inputs  ring[work] // on their way to a thread, for Timing.Packet
	queue   ring[work] // waits for a thread
	engines *mem.Engines
	tails   units.Time // until when packet memory is busy with tails
	routes  lookup.Port
	filters lookup.Port
}

// output is a packet that leaves at a time.
type output struct {
	at     units.Time
	packet *packet
}

func newClock(p *PFE) (*clock, error) {
	cfg := &p.cfg
	engines, err := mem.NewEngines(cfg.Memory)
	m := &machine{
		Timing: *cfg.Timing, members: []*PFE{p}, ppes: newPPEs(cfg.PPEs, cfg.Threads), engines: engines,
		events: newSchedule(cfg.Timing.Instruction),
	}
	return &clock{machine: m, reorder: newReorder()}, err
}

// advanceTo does what is due up to a time. At one instant timers start threads
// first, then packets leave, then packets get threads, then threads go on.
func (p *PFE) advanceTo(now units.Time) {
	c := p.clock
	for {
		c.addUntil(c.quiet(now))
		at, goesOn, enters, leaves := now, false, false, false
		e := c.events.peek()
		if e.At <= at && e.At != units.Never {
			at, goesOn = e.At, true
		}
		if c.inputs.len() > 0 && c.inputs.front().ready <= at {
			at, enters = c.inputs.front().ready, true
		}
		if c.outputs.len() > 0 && c.outputs.front().at <= at {
			at, leaves = c.outputs.front().at, true
		}
		if w, ok := c.dueTimer(p, at); ok {
			w.owner.now = w.since
			w.owner.startTimer(w)
			continue
		}
		p.now = at
		switch {
		case leaves:
			p.emitNext()
		case enters:
			if w := c.inputs.pop(); !w.owner.retired {
				w.owner.now = at
				w.owner.dispatch(w)
			}
		case goesOn:
			c.events.drop(e)
			t := c.threads[e.Target]
			t.work.owner.now = at
			t.work.owner.step(t)
		default:
			return
		}
	}
}

// Inside returns how many packets that arrived are inside: they wait for a thread, have one,
// or are on their way out. In instant mode that is none between calls.
func (p *PFE) Inside() (n int) {
	if p.clock == nil {
		return 0
	}
	// ordered: a sum is the same in any order
	for _, f := range p.clock.reorder.flows {
		for k := f.first; k != nil; k = k.next {
			if !k.ended || k.pending || k.held {
				n++
			}
		}
	}
	for i := range p.clock.outputs.len() {
		if k := p.clock.outputs.at(i).packet; k.outOfFlow && !k.created {
			n++
		}
	}
	return n
}

// deadline returns when something may next be seen from outside.
func (c *clock) deadline(timer units.Time) units.Time {
	next := min(timer, c.events.peek().At)
	if c.inputs.len() > 0 {
		next = min(next, c.inputs.front().ready)
	}
	next = next.Add(c.Output)
	if c.outputs.len() > 0 {
		next = min(next, c.outputs.front().at)
	}
	return next
}

// receive takes a frame from a train that arrived.
func (p *PFE) receive(t *sansio.Train, i int, from sansio.Port) {
	c := p.clock
	if c.inputs.len()+c.queue.len() >= p.cfg.Queue+c.ppes.idle() {
		p.refuse(DropQueue)
		return
	}
	size := t.FrameBytes(i)
	if p.packetMemory()+size > p.cfg.PacketMemory-p.cfg.PacketMemory/packetReserve {
		p.refuse(DropMemory)
		return
	}
	k := p.newPacket()
	k.arrive(t, i, from, p.now)
	k.number = p.arrived
	k.own()
	p.used += size
	k.charge = size
	c.reorder.enter(k)
	w := work{owner: p, packet: k, since: p.now, ready: p.now.Add(c.Packet)}
	if c.Packet > 0 {
		c.inputs.push(w)
		return
	}
	p.dispatch(w)
}

// refuse drops a packet that has just arrived.
func (p *PFE) refuse(reason string) {
	p.count.Add(reason, 1)
	if p.tracer != nil {
		p.tracer.Refused(p.now, p.arrived, reason)
	}
}

// startTimer starts a thread of a timer as a packet would, unless the last thread of its
// part is still at work: two threads in one part would visit a record twice in less than a
// period.
func (p *PFE) startTimer(w work) {
	c, busy := p.clock, p.timers.busy(w)
	if *busy || c.ppes.full() && c.queue.len() >= p.cfg.Queue {
		p.count.Add(DropTimer, 1)
		return
	}
	*busy = true
	p.countRun(w)
	p.dispatch(w)
}

// dispatch gives work to the PPE with the fewest threads in use, or lets it wait
// for a thread.
func (p *PFE) dispatch(w work) {
	if c := p.clock; c.ppes.full() {
		c.queue.push(w)
		p.stats.queued(p.now, c.queue.len())
		return
	}
	p.launch(w)
}

func (p *PFE) launch(w work) {
	c := p.clock
	id := int32(len(c.threads))
	if last := len(c.idle) - 1; last >= 0 {
		id, c.idle = c.idle[last], c.idle[:last]
	} else {
		c.threads, c.adding = append(c.threads, &thread{id: id}), append(c.adding, adding{})
		c.events.enrol()
	}
	t := c.threads[id]
	t.ppe = c.ppes.take()
	p.stats.started(p.now, w.ready, c.ppes.total)
	p.prepare(t, w)
	p.execute(t, p.now.Add(c.Dispatch))
}

// execute runs a thread until it needs something or ends, and makes that an
// event. The first instruction may start at from.
func (p *PFE) execute(t *thread, from units.Time) {
	c, n := p.clock, uint64(1)
	if !p.startAdds(t) {
		before := t.Executed
		t.stop = p.goOn(t, nil)
		n = t.Executed - before
	}
	c.events.push(p.now, c.ppes.execute(&c.Timing, t.ppe, p.now, from, n), t.id)
}

// step goes on with a thread that has issued an XTXN, or has ended.
func (p *PFE) step(t *thread) {
	a := &p.clock.adding[t.id]
	switch {
	case p.retired:
		p.clock.free(t, p.now)
		return
	case a.owner != nil:
		p.clock.addNext(a, t, p.now)
		return
	}
	if t.stop != vm.Waits {
		p.finish(t)
		return
	}
	reply, resume, ok := p.request(t)
	if !ok {
		t.stop = vm.Killed
		p.finish(t)
		return
	}
	p.resume(t, reply, resume)
	p.execute(t, resume)
}

// request does the pending XTXN of a thread. It returns the reply, and when the
// thread goes on; false if it does not.
func (p *PFE) request(t *thread) (reply uint64, resume units.Time, ok bool) {
	c, r := p.clock, &t.Pending
	if forMemory(r.XTXN) {
		return p.accessTimed(t)
	}
	reply, ok = p.serve(t)
	resume = p.now.Add(c.Crossbar)
	switch r.XTXN {
	case isa.TailRead, isa.TailWrite:
		resume = c.moveTail(p.now, int(r.Len))
	case isa.FieldHash, isa.RouteLookup, isa.Filter:
		return reply, c.answered(p.now, r.XTXN, &p.tables.key), ok
	case isa.XtxnWait:
		return reply, max(p.now, t.done), ok
	}
	if r.Async {
		t.done = max(t.done, resume)
		resume = p.now
	}
	return reply, resume, ok
}

// moveTail returns when n bytes of a tail have been read or written.
func (c *clock) moveTail(now units.Time, n int) units.Time {
	cycles := (n + c.TailBytesPerCycle - 1) / c.TailBytesPerCycle
	c.tails = max(c.tails, now).Add(units.Duration(cycles) * Cycle)
	return c.tails.Add(c.Tail)
}

// finish ends a thread, and gives it to the work that has waited longest.
func (p *PFE) finish(t *thread) {
	c := p.clock
	p.conclude(t)
	k := t.work.packet
	if t.work.ofTimer() {
		*p.timers.busy(t.work) = false
	}
	if k != nil {
		k.ended = true
		if !k.pending && !k.held {
			p.release(k) // nothing of it will leave
		}
		p.releaseFlow(k)
	}
	c.free(t, p.now)
}

// free gives a thread that has ended to the work that has waited longest.
func (c *clock) free(t *thread, now units.Time) {
	t.work.owner.stats.busy(now, c.ppes.total-1)
	t.work = work{}
	c.ppes.free(t.ppe)
	c.idle = append(c.idle, t.id)
	for c.queue.len() > 0 {
		w := c.queue.pop()
		w.owner.stats.queued(now, c.queue.len())
		if !w.owner.retired {
			w.owner.now = now
			w.owner.launch(w)
			return
		}
	}
}

// reach takes a packet that was forwarded to the reorder engine.
func (c *clock) reach(k *packet, now units.Time) {
	if !c.reorder.hold(k) {
		c.send(k, now)
	}
}

// send lets a packet leave the reorder engine.
func (c *clock) send(k *packet, now units.Time) {
	k.pending = true
	c.outputs.push(output{now.Add(c.Output), k})
}

// emitNext sends the packet that is out first.
func (p *PFE) emitNext() {
	k := p.clock.outputs.pop().packet
	p.emit(k)
	k.pending = false
	if k.created || k.outOfFlow {
		p.recycle(k)
	}
}

// releaseFlow sends what no longer has to wait for a packet that has ended.
func (p *PFE) releaseFlow(k *packet) {
	c := p.clock
	for k != nil && k.flow.first == k {
		if c.reorder.release(k) {
			c.send(k, p.now)
		}
		if !k.ended {
			return
		}
		next := c.reorder.leave(k)
		if k.outOfFlow = true; !k.pending {
			p.recycle(k)
		}
		k = next
	}
}

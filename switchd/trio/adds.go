package trio

import (
	"math"

	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/switchd/microcode/vm"
	"github.com/inalab/inalab/switchd/microcode/vm/idiom"
	"github.com/inalab/inalab/switchd/trio/mem"
)

// adding is a thread in a loop of adds (idiom.Adds), with time. Its instructions are not
// executed one by one: registers, counters and local memory are set when the loop is left.
// Every XTXN is an event all the same, at its own time, charged in its turn. What it adds is done
// with the XTXNs of the same piece and page, or before anything else looks at the page
// (mem.Memory.DelayAdds). It has the size of a line of a cache.
type adding struct {
	owner   *PFE // nil: the thread is in no such loop
	row     mem.Row
	from    []byte // the tail or LMEM; nil: zeros
	at, end int32  // of it, in bytes: what is still to be added
	unit    int16  // bytes of an add
	ppe     int16
	pieces  int16 // of the tail that are still to be read
	behind  int16 // adds that were served and are not done yet, all to one page
	done    units.Time
}

// mostPieces of a tail are in one loop. A longer one begins anew.
const mostPieces = math.MaxInt16

// addLoop is what else is known of a loop of adds.
type addLoop struct {
	loop   *idiom.Adds
	stream idiom.Stream
	offset int // of the next piece of the tail
}

// startAdds begins a loop of adds, if a thread is at one; false if it is not. An observer of
// each instruction is to see them, and pages that are new are left to the instructions.
func (p *PFE) startAdds(t *thread) bool {
	at := t.PC()
	if at < 0 || p.adds[at] == nil || p.tracer != nil {
		return false
	}
	s, ok := p.adds[at].Begin(&t.Thread)
	if !ok {
		return false
	}
	row := mem.RowAt(mem.Addr(s.Paddr), s.Half)
	s.Count = uint64(p.memory.Known(row, int(s.Count)*int(s.Len)) / int(s.Len))
	if s.Count == 0 {
		return false
	}
	s.Count = min(s.Count, mostPieces)
	a := &p.clock.adding[t.id]
	*a = adding{owner: p, row: row, unit: int16(p.adds[at].Unit()), ppe: int16(t.ppe), done: t.done}
	t.adds = addLoop{p.adds[at], s, int(s.Offset)}
	if s.Kind == idiom.TailToSums {
		a.pieces = int16(s.Count)
	} else {
		a.from, a.at, a.end = t.LMEM[:], s.LMEM, s.LMEM+s.Len*int32(s.Count)
	}
	t.stop = vm.Waits
	return true
}

// addUntil serves loops of adds as long as nothing else comes before, up to a time.
func (c *clock) addUntil(limit units.Time) {
	for {
		c.addSoon(min(limit, c.events.besides().At-1))
		e := c.events.peek()
		if e.At > limit || e.At == units.Never || c.adding[e.Target].owner == nil {
			return
		}
		c.events.drop(e)
		c.addNext(&c.adding[e.Target], c.threads[e.Target], e.At)
	}
}

// addSoon serves what is soon, up to a time and to the first that is no add, ends its loop, or is
// followed by what is not soon.
func (c *clock) addSoon(limit units.Time) {
	for soon := &c.events.soon; soon.len() > 0; {
		e := *soon.front()
		a := &c.adding[e.Target]
		if e.At > limit || a.at == a.end || a.end-a.at == int32(a.unit) && a.pieces == 0 {
			return
		}
		soon.pop()
		resume := c.addOne(a, e.At)
		if !c.events.push(e.At, c.ppes.execute(&c.Timing, int(a.ppe), e.At, resume, 1), e.Target) {
			return
		}
	}
}

// addOne does and charges an add. It returns when the thread may go on.
func (c *clock) addOne(a *adding, now units.Time) (resume units.Time) {
	a.owner.now = now
	to, half := a.row.Place()
	a.take()
	taken, done := c.engines.Add(now, to, half, int(a.unit))
	a.done = max(a.done, done)
	return taken
}

// take notes an add, which is done with those behind it of the same piece and page.
func (a *adding) take() {
	unit, m := int(a.unit), a.owner.memory
	switch room := a.row.Rest(); {
	case a.from == nil:
	case room < unit:
		a.settle()
		m.AddRow(a.row, a.from[a.at:a.at+int32(unit)])
	case a.behind == 0 || room == int(mem.PageBytes):
		a.settle()
		m.Delay(a.row.Page())
		a.behind = 1
	default:
		a.behind++
	}
	a.row += mem.Row(unit) / 4
	if a.at += int32(unit); a.at == a.end {
		a.settle()
	}
}

// settle does the adds that are behind.
func (a *adding) settle() {
	if a.behind == 0 {
		return
	}
	n := int32(a.behind) * int32(a.unit)
	first, m := a.row-mem.Row(n/4), a.owner.memory
	a.behind = 0
	m.AddRow(first, a.from[a.at-n:a.at])
	m.Delayed(first.Page())
}

// delayAdds has the memory of a PFE with time ask for adds that are behind.
func (p *PFE) delayAdds() { p.memory.DelayAdds(func(page int) { p.clock.settle(p, page) }) }

// settle does all adds to a page of a program's memory that are behind.
func (c *clock) settle(p *PFE, page int) {
	for i := range c.adding {
		if a := &c.adding[i]; a.behind > 0 && a.owner == p && (a.row-1).Page() == page {
			a.settle()
		}
	}
}

// addNext serves the next XTXN of a loop of adds. After the last one the thread goes on behind
// the loop.
func (c *clock) addNext(a *adding, t *thread, now units.Time) {
	if a.at == a.end {
		a.owner.now = now
		a.readTail(t)
		resume := c.moveTail(now, int(t.adds.stream.Len))
		c.events.pushTail(c.ppes.execute(&c.Timing, t.ppe, now, resume, 1), t.id)
		return
	}
	resume := c.addOne(a, now)
	if a.at != a.end || a.pieces > 0 {
		c.events.push(now, c.ppes.execute(&c.Timing, t.ppe, now, resume, 1), t.id)
		return
	}
	a.leave(t)
	t.work.owner.execute(t, resume)
}

// readTail brings the next piece of the tail, which is to be added then. A piece that the tail does not
// end in need not be copied.
func (a *adding) readTail(t *thread) {
	s, loop := &t.adds.stream, &t.adds
	at := loop.offset
	loop.offset += int(s.Len)
	a.pieces--
	var tail []byte
	if t.work.packet != nil {
		tail = t.work.packet.tail
	}
	switch {
	case loop.offset <= len(tail):
		a.from = tail
	case at >= len(tail):
		a.from = nil
	default:
		t.readTail(uint64(at), t.LMEM[s.LMEM:s.LMEM+s.Len])
		a.from, at = t.LMEM[:], int(s.LMEM)
	}
	a.at, a.end = int32(at), int32(at)+s.Len
}

// leave leaves a thread as its instructions would have: local memory holds the last piece of the tail.
func (a *adding) leave(t *thread) {
	loop := &t.adds
	if s := &loop.stream; s.Kind == idiom.TailToSums {
		t.readTail(uint64(loop.offset)-uint64(s.Len), t.LMEM[s.LMEM:s.LMEM+s.Len])
	}
	loop.loop.End(&t.Thread, loop.stream.Count)
	t.done = a.done
	*a = adding{}
}

// quiet returns the last instant before anything may happen but that threads go on.
func (c *clock) quiet(now units.Time) units.Time {
	if c.inputs.len() > 0 {
		now = min(now, c.inputs.front().ready-1)
	}
	if c.outputs.len() > 0 {
		now = min(now, c.outputs.front().at-1)
	}
	for _, member := range c.members {
		if t, _ := member.timers.first(); t != nil {
			now = min(now, t.at-1)
		}
	}
	return now
}

package trio

import (
	"fmt"
	"slices"
	"strings"

	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/switchd/microcode/isa"
	"github.com/inalab/inalab/switchd/trio/mem"
)

// forMemory reports whether an XTXN is for shared memory or the hash unit.
func forMemory(x isa.XTXN) bool { return x >= isa.MemRead && x <= isa.HashScan }

// access does the pending XTXN of a thread on shared memory, without time. It
// returns false if the thread has to be killed.
func (p *PFE) access(t *thread) (uint64, bool) {
	r := &t.Pending
	m, a := p.memory, mem.Addr(r.Args[0])
	var reply uint64
	var f mem.Fault
	switch r.XTXN {
	case isa.MemRead:
		f = m.Read(a, t.Buffer())
	case isa.MemWrite:
		f = m.Write(a, t.Buffer())
	case isa.MemAdd32:
		f = m.Add32(a, r.Args[1], t.Buffer())
	case isa.CounterIncPhys:
		if f = m.CounterInc(a, uint32(r.Args[1])); f == mem.NoFault {
			p.counted(t, a, uint64(uint32(r.Args[1])))
		}
	case isa.MaskedWrite:
		f = m.MaskedWrite(a, r.Args[1], r.Args[2])
	case isa.HashLookup, isa.HashInsert, isa.HashDelete:
		reply, f = p.hash(r.XTXN, r.Args[0])
	case isa.HashScan:
		reply, f = p.scan(t)
	default:
		reply, f = p.fetch(t, a)
	}
	if f != mem.NoFault {
		t.reason = memoryFaults[f]
		return 0, false
	}
	return reply, true
}

// fetch does what replies with a word of memory.
func (p *PFE) fetch(t *thread, a mem.Addr) (uint64, mem.Fault) {
	m, v := p.memory, t.Pending.Args[1]
	switch t.Pending.XTXN {
	case isa.FetchAdd32:
		sum, f := m.FetchAdd32(a, v, uint32(t.Pending.Args[2]))
		return uint64(sum), f
	case isa.FetchAnd:
		return m.FetchAnd(a, v)
	case isa.FetchOr:
		return m.FetchOr(a, v)
	case isa.FetchXor:
		return m.FetchXor(a, v)
	case isa.FetchClear:
		return m.FetchClear(a, v)
	case isa.FetchSwap:
		return m.FetchSwap(a, v)
	}
	exceeds, f := m.Police(a, uint32(v), p.now)
	if exceeds {
		return 1, f
	}
	return 0, f
}

// hash does what the hash unit serves for one key.
func (p *PFE) hash(x isa.XTXN, key uint64) (reply uint64, f mem.Fault) {
	h := p.memory.Hash()
	switch x {
	case isa.HashLookup:
		if a, found := h.Lookup(key); found {
			reply = isa.HashHit | uint64(a)
		}
	case isa.HashInsert:
		a, created, ok := h.Insert(key)
		switch {
		case !ok:
			return isa.HashFull, mem.NoFault
		case created:
			p.changes++
			p.phase.created(a, p.now)
			reply = isa.HashCreated
		}
		reply |= uint64(a)
	case isa.HashDelete:
		if p.phase.watched() {
			if a, found := h.Peek(key); found {
				p.phase.deleted(a, p.now)
			}
		}
		p.changes++
		h.Delete(key)
	}
	return reply, mem.NoFault
}

// scan does a step of a scan of the hash table.
func (p *PFE) scan(t *thread) (uint64, mem.Fault) {
	args := &t.Pending.Args
	s, f := p.memory.Hash().Scan(uint32(args[0]), uint32(args[1]), uint32(args[2]))
	reply := uint64(s.Record) | uint64(s.Next&isa.ScanCursorMask)<<isa.ScanCursorShift
	if s.Found {
		reply |= isa.ScanFound
		p.scanned(t, s)
	}
	if s.Ref {
		reply |= isa.ScanRef
	}
	if s.End {
		reply |= isa.ScanEnd
	}
	return reply, f
}

// accessTimed is access with time. The thread continues when memory has taken its
// request, if that is asynchronous, and otherwise when the reply has arrived.
func (p *PFE) accessTimed(t *thread) (reply uint64, resume units.Time, ok bool) {
	if reply, ok = p.access(t); !ok {
		return 0, p.now, false
	}
	taken, done := p.clock.charge(p, t)
	p.startEvents()
	if t.Pending.Async {
		t.done = max(t.done, done)
		return reply, taken, true
	}
	return reply, done, true
}

// charge has the engines serve a request that was done.
func (c *clock) charge(p *PFE, t *thread) (taken, done units.Time) {
	r := &t.Pending
	a := mem.Addr(r.Args[0])
	switch r.XTXN {
	case isa.MemRead, isa.MemWrite:
		return c.engines.Access(p.now, a, int(r.Len))
	case isa.MemAdd32:
		return c.engines.Add(p.now, a, int(r.Args[1]), int(r.Len))
	case isa.FetchAdd32:
		return c.engines.Add(p.now, a, int(r.Args[1]), mem.WordBytes/2)
	case isa.CounterIncPhys:
		return c.engines.Access(p.now, a, mem.CounterBytes)
	case isa.Police:
		return c.engines.Access(p.now, a, mem.PolicerBytes)
	case isa.HashLookup, isa.HashInsert, isa.HashDelete, isa.HashScan:
		return c.engines.Hash(p.now, p.memory.Hash().Cost())
	}
	return c.engines.Access(p.now, a, mem.WordBytes)
}

// memoryFaults are the reasons of faults of memory, made once.
var memoryFaults = func() (names [mem.NumFaults]string) {
	for f := range names {
		names[f] = "pfe-" + strings.ReplaceAll(mem.Fault(f).String(), " ", "-")
	}
	return names
}()

// checkSymbols reports what of the program's shared memory is not there.
func checkSymbols(prog *isa.Program, l mem.Layout) error {
	for _, s := range prog.Symbols {
		if !s.Kind.Shared() {
			continue
		}
		end := s.Value + (s.Size+mem.WordBytes-1)/mem.WordBytes
		within := func(r mem.Range) bool { return s.Value >= uint64(r.Start) && end <= uint64(r.End) }
		if !within(l.SRAM) && !within(l.DRAM) {
			return fmt.Errorf("program %s: %s %s of %v at word %#x does not fit: "+
				"programs have SRAM from %#x to %#x and DRAM from %#x to %#x; enlarge it, or have fewer hash records",
				prog.Name, s.Kind, s.Name, units.Bytes(s.Size), s.Value, l.SRAM.Start, l.SRAM.End, l.DRAM.Start, l.DRAM.End)
		}
	}
	return nil
}

// Memory returns the shared memory with its hash table, in which a control plane sets up
// records. Change it only between calls, and ask for NextDeadline again afterwards.
func (p *PFE) Memory() *mem.Memory { return p.memory }

// occupied reports whether a part of the hash table has a record.
func (p *PFE) occupied(part, parts int) bool {
	return !p.memory.Hash().PartEmpty(uint32(part), uint32(parts))
}

// records returns how many records threads of timers that only scan may have to
// do with.
func (p *PFE) records() int { return p.memory.Hash().Len() - p.permanent }

// OldestWork returns when the oldest work of a thread in use arrived. No thread holds
// anything that it read before. It is units.Never if no thread is in use, which is always
// the case between calls in instant mode.
func (p *PFE) OldestWork() units.Time {
	oldest := units.Never
	if p.clock == nil {
		return oldest
	}
	for _, t := range p.clock.threads {
		if t.work.owner == p && !slices.Contains(p.clock.idle, t.id) {
			oldest = min(oldest, t.work.since)
		}
	}
	return oldest
}

// SetPermanent says how many records of the hash table timers have nothing to do with,
// such as those of jobs. While there are no others, threads of a timer that only scans
// (Timer.ScansOnly) are not started.
func (p *PFE) SetPermanent(records int) { p.permanent = records }

package trio

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/suggest"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/switchd/dataplane"
	"github.com/inalab/inalab/switchd/microcode/isa"
	"github.com/inalab/inalab/switchd/trio/mem"
)

// Threads start for events other than packets and timers (trio §2.2): "certain internal
// events, including statistical collection", and "external events". An external event is
// raised by the control plane. A statistics event is raised by a counter of the program, when
// one of its elements reaches a multiple of the number that the program declares. Both are
// dispatched as packets are. A thread of a statistics entry raises no statistics event:
// what it counts could start it again without end.

// event is what has started a thread that has no packet and belongs to no timer. The zero value
// is none.
type event struct {
	source *source
	notes  uint64 // work register
}

// ofTimer reports whether a timer has started the thread.
func (w *work) ofTimer() bool { return w.packet == nil && w.event.source == nil }

// source is an entry of the program for events.
type source struct {
	isa.Entry
	start, end mem.Addr // of the counter; zero for an external event
	raised     uint64   // threads that were started
}

func (s *source) stat() EventStat {
	out := EventStat{Entry: s.Kind.String() + " " + s.Name, Raised: s.raised}
	if s.Kind == isa.EntryStatistics {
		out.Every, out.Unit = s.Every, s.unit()
	}
	return out
}

// unit is what a counter counts to its threshold.
func (s *source) unit() string {
	if s.Bytes {
		return "bytes"
	}
	return "packets"
}

// sourcesOf lists the entries for events.
func sourcesOf(prog *isa.Program) (out []source) {
	for _, e := range prog.Entries {
		if e.Kind != isa.EntryEvent && e.Kind != isa.EntryStatistics {
			continue
		}
		s := source{Entry: e}
		if c, ok := prog.Symbol(e.Name); ok && e.Kind == isa.EntryStatistics {
			s.start, s.end = mem.Addr(c.Value), mem.Addr(c.Value+c.Size/mem.WordBytes)
		}
		out = append(out, s)
	}
	return out
}

// Raise starts a thread of an event entry of the program, with a number for it in its work
// register. What is due before comes first. It is a call of the machine as Handle is.
func (p *PFE) Raise(now units.Time, event string, value uint32, eff *sansio.Effects) error {
	if err := p.RaiseEvent(now, event, value); err != nil {
		return err
	}
	p.enter(now, eff)
	p.leave()
	return nil
}

// told is an external event whose thread the next call starts.
type told struct {
	at     units.Time
	source int
	value  uint32
}

// RaiseEvent is Raise for a control plane, whose calls send nothing: the next Handle or Expire
// starts the thread, and NextDeadline asks for it at once.
func (p *PFE) RaiseEvent(now units.Time, event string, value uint32) error {
	var names []string
	for i := range p.sources {
		switch s := &p.sources[i]; {
		case s.Kind != isa.EntryEvent:
		case s.Name == event:
			p.told = append(p.told, told{now, i, value})
			return nil
		default:
			names = append(names, s.Name)
		}
	}
	fix := "declare one, as in event reset entry LABEL;"
	if len(names) > 0 {
		fix = "raise one of " + strings.Join(names, ", ")
	}
	return dataplane.Refuse(dataplane.RefusedEvent, fix, "program %s has no entry for event %s%s", p.cfg.Program.Name, event, suggest.DidYouMean(event, names))
}

// startTold starts the threads of the external events that were raised.
func (p *PFE) startTold() {
	for len(p.told) > 0 {
		e := p.told[0]
		p.told = p.told[:copy(p.told, p.told[1:])]
		p.raise(e.source, uint32(p.sources[e.source].raised), e.value)
		p.startEvents()
	}
}

// SetThreshold changes the number at whose multiples the elements of a counter raise its
// statistics event; zero: never.
func (p *PFE) SetThreshold(counter string, every uint64) error {
	var names []string
	for i := range p.sources {
		switch s := &p.sources[i]; {
		case s.Kind != isa.EntryStatistics:
		case s.Name == counter:
			s.Every = every
			return nil
		default:
			names = append(names, s.Name)
		}
	}
	return p.noThreshold(counter, names)
}

func (p *PFE) noThreshold(counter string, have []string) error {
	declared := ""
	if c, ok := p.cfg.Program.Symbol(counter); ok {
		declared = fmt.Sprintf(", which is declared at %v", c.Pos)
	}
	return fmt.Errorf("program %s has no statistics entry of counter %s%s%s", p.cfg.Program.Name, counter, declared, suggest.DidYouMean(counter, have))
}

// Thresholds have names, too: COUNTER.every is the number of packets, or bytes, at whose
// multiples an element raises the statistics event of the counter.
const (
	thresholdSuffix = ".every"
	never           = "never"
)

// isThreshold reports whether a name is that of the threshold of a counter, and of which.
func (p *PFE) isThreshold(name string) (counter string, ok bool) {
	if counter, ok = strings.CutSuffix(name, thresholdSuffix); !ok {
		return "", false
	}
	c, ok := p.cfg.Program.Symbol(counter)
	return counter, ok && c.Kind == isa.SymbolCounter
}

// setThresholdByName writes a threshold: a number, or never.
func (p *PFE) setThresholdByName(counter string, w dataplane.Write) (dataplane.Written, error) {
	i := slices.IndexFunc(p.sources, func(s source) bool { return s.Kind == isa.EntryStatistics && s.Name == counter })
	if i < 0 {
		return dataplane.Written{}, dataplane.Refuse(dataplane.RefusedName, fmt.Sprintf("declare one, as in statistics %s every 1000 packets entry LABEL;", counter), "%v", p.noThreshold(counter, nil))
	}
	s := &p.sources[i]
	var every uint64
	if w.Value != never {
		n, err := strconv.ParseUint(w.Value, 0, 64)
		if err != nil || n == 0 {
			return dataplane.Written{}, dataplane.Refuse(dataplane.RefusedValue, "give a number from 1 on, or "+never, "%s: %q is no number of %s", w.Name, w.Value, s.unit())
		}
		every = n
	}
	out := dataplane.Written{Name: w.Name, Type: s.unit(), Was: everyText(s.Every), Is: everyText(every)}
	s.Every = every
	return out, nil
}

func everyText(n uint64) string {
	if n == 0 {
		return never
	}
	return strconv.FormatUint(n, 10)
}

// counted raises the statistics event of a counter that a thread has incremented by a packet
// of so many bytes.
func (p *PFE) counted(t *thread, a mem.Addr, bytes uint64) {
	for i := range p.sources {
		s := &p.sources[i]
		if a < s.start || a >= s.end || s.Every == 0 {
			continue
		}
		after, all, _ := p.memory.Counter(a) // it has just been written
		before := after - 1
		if s.Bytes {
			before, after = all-bytes, all
		}
		if before/s.Every == after/s.Every {
			continue
		}
		if from := t.work.event.source; from != nil && from.Kind == isa.EntryStatistics {
			p.count.Add(CountNested, 1)
			continue
		}
		p.raise(i, uint32(a-s.start)/counterWords, uint32(after/s.Every))
	}
}

// raise notes an event. Its thread is started when the XTXN that raised it has been charged, or
// without time when the thread at work has ended.
func (p *PFE) raise(i int, first, second uint32) {
	s := &p.sources[i]
	s.raised++
	p.raised = append(p.raised, work{owner: p, event: event{s, uint64(first)<<32 | uint64(second)}, since: p.now, ready: p.now})
}

// startEvents starts the threads of the events that were raised.
func (p *PFE) startEvents() {
	for len(p.raised) > 0 {
		w := p.raised[0]
		p.raised = p.raised[:copy(p.raised, p.raised[1:])]
		if c := p.clock; c != nil && c.ppes.full() && c.queue.len() >= p.cfg.Queue {
			p.count.Add(DropEvent, 1)
			continue
		}
		p.count.Add(CountEvents, 1)
		if p.clock == nil {
			p.single.execute(w)
		} else {
			p.dispatch(w)
		}
	}
}

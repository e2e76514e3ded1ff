package replay

import (
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/switchd/microcode/isa"
	"github.com/inalab/inalab/switchd/microcode/vm"
	"github.com/inalab/inalab/switchd/trio"
	"github.com/inalab/inalab/switchd/trio/mem"
)

// watch is told of all that threads do, and makes lives of it.
type watch struct {
	trio.NopObserver
	run    *Run
	names  *names
	layout mem.Layout

	threads map[*vm.Thread]*work // at work
	packets map[uint64]*Life     // that are not over, by number
	order   []*Life              // that were not handed over, in the order of their beginning
	arrived uint64
	working int          // threads at work
	left    []units.Time // of frames that the PFE has let go and the run has not yet
	tally   tally
}

// work is a thread and what it held when it was last looked at.
type work struct {
	*Life
	before *view // nil: no steps are kept
}

func newWatch(r *Run) *watch {
	return &watch{
		run: r, names: newNames(r.cfg.Program), threads: map[*vm.Thread]*work{}, packets: map[uint64]*Life{},
		tally: newTally(),
	}
}

// busy reports whether packets are inside, or threads at work.
func (w *watch) busy() bool { return w.working > 0 || len(w.packets) > 0 }

// arrives begins the life of a packet.
func (w *watch) arrives(at units.Time, port sansio.Port, n int) {
	w.arrived++
	l := &Life{Packet: w.arrived, At: at, Port: port, Bytes: n}
	w.packets[w.arrived] = l
	w.order = append(w.order, l)
	w.tally.arrived(n)
}

// leftAt returns when the next frame that is carried out left the PFE.
func (w *watch) leftAt() units.Time {
	at := w.left[0]
	w.left = w.left[1:]
	return at
}

// Started begins the life of a thread that has no packet.
func (w *watch) Started(_ units.Time, t *vm.Thread, from trio.Work) {
	l := w.packets[from.Packet]
	if l == nil {
		l = &Life{At: from.Since, Timer: from.Timer, Part: from.Part, Run: from.Run, Event: from.Event, Notes: from.Notes}
		w.order = append(w.order, l)
	}
	k := &work{Life: l}
	if w.run.cfg.Steps {
		k.before = viewOf(t)
	}
	w.threads[t] = k
	w.working++
}

// Executed notes an instruction and what it has changed.
func (w *watch) Executed(t *vm.Thread, at int, issued bool) {
	k := w.threads[t]
	if issued {
		w.wait(t, k)
	}
	if k.before == nil {
		return
	}
	s := Step{Instruction: at, Changes: w.names.changes(k.before, t)}
	if issued {
		s.XTXN = &Call{Text: w.names.call(&t.Pending)}
	}
	k.add(s)
}

// wait finds an XtxnWait that has nothing to wait for.
func (w *watch) wait(t *vm.Thread, k *work) {
	switch {
	case t.Pending.Async:
		k.outstanding = true
	case t.Pending.XTXN == isa.XtxnWait:
		if !k.outstanding {
			w.tally.idle(w.place(int(t.Pending.Instr)))
		}
		k.outstanding = false
	}
}

// Served notes the reply of an XTXN.
func (w *watch) Served(now, resume units.Time, t *vm.Thread, reply uint64) {
	k := w.threads[t]
	if k.before == nil {
		return
	}
	if s := k.last(); s != nil && s.XTXN != nil {
		s.XTXN.At, s.XTXN.Took = now, resume.Sub(now)
		s.XTXN.Reply = w.names.reply(t.Pending.XTXN, reply)
		s.XTXN.Changes = w.names.changes(k.before, t)
	}
}

// Sent notes a packet that its thread has sent on.
func (w *watch) Sent(_ units.Time, t *vm.Thread, created bool) {
	k := w.threads[t]
	k.Sent = append(k.Sent, Sending{t.Pending.Args[0], created})
	if k.Packet > 0 {
		k.inside++
	}
}

// Left notes a packet that has left.
func (w *watch) Left(now units.Time, packet uint64, created bool) {
	w.left = append(w.left, now)
	l := w.packets[packet]
	if l == nil { // created by a timer's thread
		return
	}
	l.inside--
	if !created {
		l.Took = now.Sub(l.At)
	}
	w.close(l)
}

// Gone notes a packet that its thread dropped.
func (w *watch) Gone(_ units.Time, t *vm.Thread, created bool, reason string) {
	k := w.threads[t]
	k.Gone = append(k.Gone, Dropping{reason, created})
}

// Failed notes where a thread did wrong.
func (w *watch) Failed(_ units.Time, t *vm.Thread, at int, reason string) {
	f := &Fault{Reason: reason, Instruction: at, Pos: w.place(at), Place: w.place(at).String(), Rule: w.rule(reason, w.threads[t].Packet > 0)}
	if t.Fault() == vm.NoFault { // an XTXN was refused
		f.XTXN = w.names.call(&t.Pending)
	}
	w.threads[t].Fault = f
}

// Ended ends a thread.
func (w *watch) Ended(now units.Time, t *vm.Thread, f trio.Fate) {
	k := w.threads[t]
	delete(w.threads, t)
	w.working--
	l := k.Life
	l.Fate, l.Instructions, l.over = f, t.Executed, true
	for _, n := range t.Issued {
		l.XTXNs += n
	}
	if f != trio.Forwarded {
		l.Took = now.Sub(l.At)
	}
	w.close(l)
}

// Refused ends the life of a packet that never had a thread.
func (w *watch) Refused(_ units.Time, packet uint64, reason string) {
	l := w.packets[packet]
	l.Before, l.Fate, l.over = reason, trio.Dropped, true
	w.close(l)
}

// close forgets a packet that is over.
func (w *watch) close(l *Life) {
	if l.over && l.inside == 0 {
		delete(w.packets, l.Packet)
	}
}

// flush hands lives that are over to who wants them, in the order of their beginning; all
// is to take even those that are not.
func (w *watch) flush(all bool) error {
	n := 0
	for _, l := range w.order {
		if !all && (!l.over || l.inside > 0) {
			break
		}
		n++
		w.tally.add(l)
		if w.run.cfg.Ended == nil {
			continue
		}
		if err := w.run.cfg.Ended(l); err != nil {
			return err
		}
	}
	clear(w.order[:n])
	w.order = w.order[n:]
	return nil
}

// place returns where an instruction stands in the source.
func (w *watch) place(instruction int) isa.Pos {
	list := w.run.cfg.Program.Instructions
	if instruction < 0 || instruction >= len(list) {
		return isa.Pos{File: w.run.cfg.Program.Name}
	}
	return list[instruction].Pos
}

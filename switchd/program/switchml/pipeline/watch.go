package pipeline

import (
	"cmp"
	"slices"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/switchd/program/switchml"
	"github.com/inalab/inalab/switchd/tofino"
	"github.com/inalab/inalab/switchd/tofino/fit"
	"github.com/inalab/inalab/switchd/tofino/vm"
)

// watcher counts by job what passes do, and makes the events of the reference
// program of it: it reads the fields that a pass has left, and bitmaps.
type watcher struct {
	sink  trace.Sink // nil: no events
	node  string
	next  tofino.Observer              // nil: none
	jobs  [spareNumbers * maxJobs]*job // by multicast group
	state *state
	count sansio.Tally
	at    fields
	rdma  bool // the program is that for RoCE

	misfits []*job // to be refused after the batch at hand

	together bool   // frames pass together, and events wait for the end of the batch
	told     []told // those that wait
}

// told is an event of a frame.
type told struct {
	frame uint64
	trace.Event
}

// fields are those that the watcher looks at.
type fields struct {
	role, reason, before, where fit.FieldID
	judged                      fit.FieldID
	id                          [4]fit.FieldID
	port, queue                 fit.FieldID // of RoCE: UDP port, queue pair
	inside, leaving             carried
}

// carried is what goes from pass to pass: in the internal header, and once that is
// gone in metadata.
type carried struct{ group, verdict, from fit.FieldID }

// of returns where it is behind a pass.
func (f *fields) of(o *tofino.Observation) *carried {
	if o.Verdict.Drop == 0 && !o.Verdict.Bypass {
		return &f.leaving
	}
	return &f.inside
}

func (w *watcher) bind(c *tofino.Chip) (err error) {
	for _, n := range w.names() {
		if *n.at, err = c.Field(n.field); err != nil {
			return err
		}
	}
	return nil
}

// name is a field and where its number goes.
type name struct {
	field string
	at    *fit.FieldID
}

// names lists the fields.
func (w *watcher) names() []name {
	if w.rdma {
		return w.rdmaNames()
	}
	return []name{
		{"meta.role", &w.at.role}, {"meta.reason", &w.at.reason}, {"meta.before", &w.at.before}, {"sml.where", &w.at.where},
		{"meta.judged", &w.at.judged}, {"md.group", &w.at.inside.group}, {"md.verdict", &w.at.inside.verdict}, {"md.from", &w.at.inside.from},
		{"meta.group", &w.at.leaving.group}, {"meta.verdict", &w.at.leaving.verdict}, {"meta.from", &w.at.leaving.from},
		{"sml.id0", &w.at.id[0]}, {"sml.id1", &w.at.id[1]}, {"sml.id2", &w.at.id[2]}, {"sml.id3", &w.at.id[3]},
	}
}

// Passed looks at the pass of a packet that decides: the last one that adds, or one by
// which it is dropped or goes on to workers as it is; and at its last.
func (w *watcher) Passed(o *tofino.Observation) {
	switch {
	case o.Reason != vm.OK:
	case w.rdma:
		w.passedRDMA(o)
	case o.Side == fit.Ingress:
		switch final := o.Verdict.Drop == 0 && !o.Verdict.Bypass; {
		case o.Field(w.at.judged) == 1, o.Verdict.Drop != 0, final && o.Field(w.at.role) == roleParent:
			w.decided(o)
		case final && w.sink != nil:
			w.left(o)
		}
	}
	if w.next != nil {
		w.next.Passed(o)
	}
}

// ofNobody are drops that no job counts: of packets that are nobody's, or that the
// reference program does not take for those of SwitchML.
var ofNobody = []uint64{dropUnknownWorker, dropGone, dropIPLength, dropUDPLength}

// decided counts what becomes of a packet.
func (w *watcher) decided(o *tofino.Observation) {
	j := w.jobs[o.Field(w.at.of(o).group)]
	role := o.Field(w.at.role)
	reason := uint64(0)
	if o.Verdict.Drop != 0 {
		reason = o.Field(w.at.reason)
	}
	switch {
	case j == nil || slices.Contains(ofNobody, reason):
	case reason == dropIncomplete, reason == dropRefused:
		j.Counts.Dropped++
	case role == roleParent && reason == 0:
		j.Counts.Passed++
		w.count.Add(switchml.CountPassedOn, 1)
	default:
		if role == roleMember {
			j.Counts.Packets++
			j.Counts.Last = o.At
		}
		if reason != 0 && reason != dropAbsorbed {
			w.dropped(o, j, reason)
			if role == roleMember {
				w.misfit(o, j, reason)
			}
			return
		}
		w.taken(o, j)
	}
}

// taken counts a packet that was added, or is answered.
func (w *watcher) taken(o *tofino.Observation, j *job) {
	switch w.verdict(o) {
	case verdictUnicast:
		j.Counts.Answered++
		w.count.Add(switchml.CountAnswered, 1)
		return
	case verdictUpAgain:
		j.Counts.Answered++
		w.count.Add(switchml.CountSentUp, 1)
		return
	case verdictMulticast, verdictUp:
		j.Counts.Results++
		w.count.Add(switchml.CountResults, 1)
	}
	before := uint32(o.Field(w.at.before))
	if before == 0 {
		set, slot := w.spot(o, j)
		j.phases[set][slot] = phase{w.packet(o, j), o.At}
	}
	if w.sink != nil {
		w.event(o, trace.Contribution, j, before|1<<o.Field(w.at.of(o).from), "")
	}
}

// left tells of a packet that is sent, after its last pass.
func (w *watcher) left(o *tofino.Observation) {
	j := w.jobs[o.Field(w.at.of(o).group)]
	if j == nil {
		return
	}
	note := ""
	switch w.verdict(o) {
	case verdictUnicast:
		note = switchml.CountAnswered
	case verdictUpAgain:
		note = switchml.CountSentUp
	}
	bitmap := ^uint32(0) // peers in the next phase are not in it any more
	if note == "" {
		set, slot := w.spot(o, j)
		bitmap = w.state.seen(j.pipe, j.Base+slot)[set]
	}
	w.event(o, trace.BlockSent, j, bitmap, note)
}

// misfit notes a job that is to be refused for a packet that was dropped.
func (w *watcher) misfit(o *tofino.Observation, j *job, reason uint64) {
	_, slot := w.spot(o, j)
	if j.Misfit(reasons[reason], j.Workers[o.Field(w.at.of(o).from)].ID, slot) {
		w.misfits = append(w.misfits, j)
	}
}

func (w *watcher) dropped(o *tofino.Observation, j *job, reason uint64) {
	j.Counts.Dropped++
	if w.sink != nil {
		e := w.blank(o, trace.Dropped, j, reasons[reason])
		w.tell(o, &e)
	}
}

// event tells the sink, which there must be.
func (w *watcher) event(o *tofino.Observation, kind trace.Kind, j *job, bitmap uint32, note string) {
	e := w.blank(o, kind, j, note)
	e.Mask = j.mask(bitmap)
	e.Count = e.Mask.Len()
	w.tell(o, &e)
}

// tell gives an event to the sink: at once, or with those of the batch.
func (w *watcher) tell(o *tofino.Observation, e *trace.Event) {
	if w.together {
		w.told = append(w.told, told{o.Frame, *e})
		return
	}
	w.sink.Event(e)
}

// flush gives the events of a batch to the sink, frame by frame.
func (w *watcher) flush() {
	byFrame := func(a, b told) int { return cmp.Compare(a.frame, b.frame) }
	if !slices.IsSortedFunc(w.told, byFrame) {
		slices.SortStableFunc(w.told, byFrame)
	}
	for i := range w.told {
		w.sink.Event(&w.told[i].Event)
	}
	w.told = w.told[:0]
}

func (w *watcher) blank(o *tofino.Observation, kind trace.Kind, j *job, note string) trace.Event {
	_, slot := w.spot(o, j)
	e := trace.Event{At: o.At, Kind: kind, Node: w.node, Job: j.ID, Gen: w.packet(o, j), Block: j.Block(slot), Note: note}
	if o.Field(w.at.role) != roleParent {
		e.Source = j.Workers[o.Field(w.at.of(o).from)].ID
	}
	return e
}

// spot returns the slot of a packet as its job counts it, and its set.
func (w *watcher) spot(o *tofino.Observation, j *job) (set, slot int) {
	where := int(o.Field(w.at.where))
	if w.rdma {
		return where / indexSet & 1, where>>indexSlot&(1<<slotBits-1) - j.Base
	}
	return where >> 15, where & (1<<entryBits - 1)
}

// verdict returns what becomes of a packet that has one. Of RoCE it is not kept to the end.
func (w *watcher) verdict(o *tofino.Observation) uint64 {
	at := w.at.of(o)
	switch {
	case !w.rdma || at == &w.at.inside:
		return o.Field(at.verdict)
	case o.Verdict.Multicast:
		return verdictMulticast
	}
	return verdictUnicast
}

// packet returns the packet id, or the number of the message.
func (w *watcher) packet(o *tofino.Observation, j *job) (id uint32) {
	if j.rdma != nil {
		return j.rdma.sent[o.Field(w.at.of(o).from)][o.Field(w.at.queue)].number
	}
	for i, f := range w.at.id {
		id |= uint32(o.Field(f)) << (8 * i)
	}
	return id
}

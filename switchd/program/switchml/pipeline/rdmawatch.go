package pipeline

import (
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/roce"
	"github.com/inalab/inalab/switchd/program/switchml"
	"github.com/inalab/inalab/switchd/tofino"
	"github.com/inalab/inalab/switchd/tofino/fit"
)

// rdmaNames lists the fields of the program for RoCE.
func (w *watcher) rdmaNames() []name {
	return []name{
		{"meta.role", &w.at.role}, {"meta.reason", &w.at.reason}, {"meta.before", &w.at.before}, {"meta.where", &w.at.where}, {"meta.judged", &w.at.judged},
		{"md.group", &w.at.inside.group}, {"md.verdict", &w.at.inside.verdict}, {"md.from", &w.at.inside.from},
		{"meta.group", &w.at.leaving.group}, {"meta.worker", &w.at.leaving.from}, {"udp.dst", &w.at.port}, {"bth.queue", &w.at.queue},
	}
}

// passedRDMA looks at the passes of a packet of RoCE: the first, that which decides, the
// last, and those of its copies on their way out.
func (w *watcher) passedRDMA(o *tofino.Observation) {
	if o.Side == fit.Egress {
		if o.Field(w.at.reason) == 0 {
			w.count.Add(switchml.CountRDMASent, 1)
		}
		return
	}
	if o.Passes == 1 && o.Field(w.at.port) == uint64(roce.Port) {
		w.count.Add(switchml.CountRDMAPackets, 1)
	}
	switch {
	case o.Field(w.at.judged) == 1:
		w.judgedRDMA(o)
	case o.Verdict.Drop != 0:
		w.droppedRDMA(o)
	case !o.Verdict.Bypass && w.sink != nil:
		w.left(o)
	}
}

// judgedRDMA counts what becomes of a packet that came to its slot.
func (w *watcher) judgedRDMA(o *tofino.Observation) {
	w.count.Add(switchml.CountPackets, 1)
	j := w.jobs[o.Field(w.at.inside.group)]
	if j == nil {
		return
	}
	j.Counts.Packets++
	j.Counts.Last = o.At
	set, _ := w.spot(o, j)
	if m := &j.rdma.sent[o.Field(w.at.inside.from)][o.Field(w.at.queue)]; m.set != set {
		m.set = set
		m.number++
	}
	if reason := o.Field(w.at.reason); o.Verdict.Drop != 0 && reason != dropAbsorbed {
		w.dropped(o, j, reason)
		return
	}
	w.taken(o, j)
}

// droppedRDMA tells of a packet that never came to a slot.
func (w *watcher) droppedRDMA(o *tofino.Observation) {
	reason, j := o.Field(w.at.reason), w.jobs[o.Field(w.at.inside.group)]
	switch {
	case reason == dropUnknownWorker:
		w.count.Add(switchml.CountPackets, 1)
	case reason == dropGone || reason == dropStrangeQueue || reason == dropSpeaksUDP || j == nil:
	case reason == dropIncomplete:
		w.count.Add(switchml.CountPackets, 1)
		j.Counts.Dropped++
	default:
		if reason == dropArrival {
			j.Counts.Dropped++
		}
		block := uint32(0)
		if reason == dropSequence || reason == dropKey || reason == dropShape {
			block = uint32(o.Field(w.at.queue))
		}
		w.refused(j, int(o.Field(w.at.inside.from)), block, o.At, reasons[reason])
	}
}

// wrongICRC counts a frame that a port has dropped.
func (w *watcher) wrongICRC(j *job, place int, at units.Time) {
	w.count.Add(switchml.CountRDMAPackets, 1)
	w.refused(j, place, 0, at, switchml.DropRDMAICRC)
}

// refused tells of a packet of a worker that is of no message.
func (w *watcher) refused(j *job, place int, block uint32, at units.Time, reason string) {
	if w.sink != nil {
		w.sink.Event(&trace.Event{At: at, Kind: trace.Dropped, Node: w.node, Job: j.ID, Block: block, Source: j.Workers[place].ID, Note: reason})
	}
}

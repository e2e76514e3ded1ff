package atp

import (
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/units"
)

// Notes of [trace.Freed] events: what freed an aggregator.
const (
	ByParameter = "parameter packet"
	ByResend    = "resend"
	ByAge       = "age"
	ByForget    = "forgotten"
)

// Events have generation 0, and the sequence number as the block: a switch does not know which numbers
// are of one stream, so it cannot tell how often they wrapped.

// Traced reports whether there is anybody to tell: asked before a mask is made.
func (t *Table) Traced() bool { return t.cfg.Trace != nil }

// Event tells what happened to a packet; in is who is in the aggregator afterwards, or was in it.
func (t *Table) Event(now units.Time, kind trace.Kind, p *Packet, in trace.Mask, note string) {
	if t.cfg.Trace == nil {
		return
	}
	t.cfg.Trace.Event(&trace.Event{
		At: now, Kind: kind, Node: t.cfg.Node, Job: p.Header.Job, Block: p.Sequence,
		Source: p.Source(), Mask: in, Count: in.Len(), Index: p.Index, Note: note,
	})
}

// Dropped tells that a packet was dropped.
func (t *Table) Dropped(now units.Time, p *Packet, why Counter) {
	t.Event(now, trace.Dropped, p, trace.Mask{}, why.String())
}

// Freed tells that an aggregator was freed, whosever packet did it.
func (t *Table) Freed(now units.Time, a *Aggregator, note string) {
	if t.cfg.Trace == nil {
		return
	}
	e := trace.Event{At: now, Kind: trace.Freed, Node: t.cfg.Node, Job: a.Job, Block: a.Sequence, Index: uint16(a.Index), Note: note}
	if a.Part != nil {
		e.Mask = a.Part.Mask(a.Bitmap)
		e.Count = e.Mask.Len()
	}
	t.cfg.Trace.Event(&e)
}

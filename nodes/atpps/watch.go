package atpps

import (
	"fmt"

	"github.com/inalab/inalab/internal/trace"
	wire "github.com/inalab/inalab/internal/wire/atp"
)

// Notes of [trace.Stored] events: how a packet came that is not the first of its sender, or not all of it.
const (
	Collided = "collided" // a switch had no aggregator for it
	Resent   = "sent again"
	InMemory = "in memory" // of the worker on the server's host
)

// Notes of [trace.Answered] events.
const (
	AnsweredAgain  = "again"
	AskedForFloats = "floats"
	GoesOn         = "go on from here" // the job is set up anew
	moved          = "index %d from now on"
)

// Events have generation 0, as those of switches, and the sequence number as the block.

// drop counts a packet that is dropped, and tells it where the packet says whose it is.
func (s *Server) drop(p *packet, reason string) {
	s.count.Add(reason, 1)
	if s.cfg.Trace != nil && p.set != (trace.Mask{}) {
		s.cfg.Trace.Event(&trace.Event{
			At: s.now, Kind: trace.Dropped, Node: s.cfg.Node, Job: s.cfg.Job, Block: p.Sequence, Source: uint8(worker(p.set)), Index: p.Index, Note: reason,
		})
	}
}

// stored tells that a packet was added.
func (s *Server) stored(e *entry, p *packet) {
	if s.cfg.Trace == nil {
		return
	}
	note := ""
	switch {
	case p.set == s.local:
		note = InMemory
	case p.Flags.Has(wire.Collision):
		note = Collided
	case p.Flags.Has(wire.Resend):
		note = Resent
	}
	s.cfg.Trace.Event(&trace.Event{
		At: s.now, Kind: trace.Stored, Node: s.cfg.Node, Job: s.cfg.Job, Block: p.Sequence,
		Source: uint8(worker(p.set)), Mask: e.set, Count: p.set.Len(), Index: p.Index, Note: note,
	})
}

// event tells what happened to a fragment.
func (s *Server) event(kind trace.Kind, e *entry, note string) {
	if s.cfg.Trace == nil {
		return
	}
	s.cfg.Trace.Event(&trace.Event{
		At: s.now, Kind: kind, Node: s.cfg.Node, Job: s.cfg.Job, Block: e.numbers.Of(e.packet), Mask: e.set, Count: e.set.Len(), Index: e.index, Note: note,
	})
}

// moved says which index a fragment's answer brings, if it brings one.
func (s *Server) moved(e *entry) string {
	var h wire.Header
	if s.cfg.Trace == nil || s.read(&h, e.answer, s.payloadLen()-len(e.answer)) != wire.OK || !h.Flags.Has(wire.Collision) {
		return ""
	}
	return fmt.Sprintf(moved, h.Bitmaps[0])
}

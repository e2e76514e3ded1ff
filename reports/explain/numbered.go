package explain

import (
	"fmt"
	"slices"
	"strings"

	"github.com/inalab/inalab/internal/result"
)

// Notes of events of servers, as package nodes/atpps has them.
const (
	noteCollided = "collided"
	noteResent   = "sent again"
	noteInMemory = "in memory"
	noteAgain    = "again"
	noteFloats   = "floats"
)

// numbered says what an event is where packets have sequence numbers, switches aggregate for who
// comes first, and servers add the rest; empty: what it is elsewhere.
func (l *Life) numbered(e *result.Event) string {
	switch e.Kind {
	case kindHostSent:
		return fmt.Sprintf("sent its packet, for aggregator %d", e.Index)
	case kindRetransmit:
		return fmt.Sprintf("sent its packet again (%s), for aggregator %d", e.Note, e.Index)
	case kindOpened:
		return fmt.Sprintf("aggregator %d is free: reserved it at the packet of %s", e.Index, l.from(e))
	case kindContribution:
		return fmt.Sprintf("packet of %s arrived: %s", l.from(e), l.bitmap(e))
	case kindSent:
		return "sent the sum on towards the server: " + l.bitmap(e)
	case kindCollided:
		return fmt.Sprintf("collision: aggregator %d has %s, so the packet of %s went on to the server", e.Index, owner(e), l.from(e))
	case kindPassedOn:
		return fmt.Sprintf("passed on the packet of %s: with the resend flag it reserves nothing", l.from(e))
	case kindFreed:
		return fmt.Sprintf("aggregator %d is freed: %s", e.Index, freedBy(e.Note))
	case kindStored:
		return l.stored(e)
	case kindAnswered:
		return l.answered(e)
	case kindResult:
		return "took the parameters"
	}
	return ""
}

// from names who sent a packet to a switch: the worker, or the switch that the worker is behind. Events
// of the second switch have the first worker of a rack.
func (l *Life) from(e *result.Event) string {
	own := l.engine(e.Node)
	if own != nil && own.Below != nil {
		if k := slices.Index(own.Sources, e.From); k >= 0 {
			return own.Below[k]
		}
		return e.From
	}
	for i := range l.Run.Engines {
		at := &l.Run.Engines[i]
		if at.Server || own == nil || !slices.Contains(at.Sources, e.From) {
			continue
		}
		if n, m := len(at.Sources), len(own.Sources); n < m || n == m && own.Top {
			own = at
		}
	}
	if own == nil || own.Node == e.Node {
		return e.From
	}
	return own.Node
}

// owner names whose an aggregator is.
func owner(e *result.Event) string {
	if e.Note == "" { // there were more names than are kept
		return "another packet's sum"
	}
	return e.Note
}

// freedBy says what freed an aggregator, of the notes of package switchd/program/atp.
func freedBy(note string) string {
	switch note {
	case "parameter packet":
		return "the parameter packet passed"
	case "resend":
		return "a packet of the same number came as a resend"
	case "age":
		return "it was abandoned for longer than the age limit"
	case "forgotten":
		return "the switch lost what it had"
	}
	return note
}

// stored says what a server took.
func (l *Life) stored(e *result.Event) string {
	what := "the packet of " + e.From
	switch n := len(l.Run.Workers); {
	case e.Count == n && n > 1:
		what = fmt.Sprintf("the sum of all %d workers", n)
	case e.Count > 1:
		what = fmt.Sprintf("a sum of %s", workers(e.Count))
	}
	switch e.Note {
	case noteCollided:
		what += ", which had collided"
	case noteResent:
		what += ", a resend"
	case noteInMemory:
		what += ", which is on the same host, in memory"
	}
	return fmt.Sprintf("took %s: %s", what, l.bitmap(e))
}

// answered says what a server sent.
func (l *Life) answered(e *result.Event) string {
	to := workers(len(l.Run.Workers))
	switch e.Note {
	case "":
		return "sent the parameters to " + to
	case noteAgain:
		return fmt.Sprintf("sent the parameters to %s again, since a packet came once more", to)
	case noteFloats:
		return fmt.Sprintf("asked %s for floats: the sum does not fit", to)
	}
	return fmt.Sprintf("sent the parameters to %s, with %s", to, e.Note)
}

// servers reports whether servers add what switches did not.
func (l *Life) servers() bool {
	return slices.ContainsFunc(l.Run.Engines, func(e result.TracedEngine) bool { return e.Server })
}

// aggregated says where the sum of a block with a number was made, and why there; empty: it was not.
func (l *Life) aggregated(own []result.Event) string {
	var sums, collisions []string
	var server, local string
	packets := 0
	for i := range own {
		switch e := &own[i]; e.Kind {
		case kindSent:
			sums = insert(sums, e.Node)
		case kindCollided:
			collisions = insert(collisions, fmt.Sprintf("%s at %s", owner(e), e.Node))
		case kindStored:
			server = e.Node
			if packets++; e.Note == noteInMemory {
				local = e.From
			}
		}
	}
	switch {
	case packets == 0:
		return ""
	case packets == 1 && len(sums) > 0 && len(collisions) == 0:
		return "aggregated in " + names(sums)
	case packets == 2 && local != "" && len(sums) > 0 && len(collisions) == 0:
		return fmt.Sprintf("aggregated in %s, but for the packet of %s, which is on the server's host", names(sums), local)
	}
	text := fmt.Sprintf("at the server %s, of %d packets", server, packets)
	if len(sums) > 0 {
		text += ", with what was added in " + names(sums)
	}
	if len(collisions) > 0 {
		text += ", because of a collision with " + strings.Join(collisions, " and ")
	}
	return text
}

// rescued returns the workers whose resends a block owes its result to: whose own packets the server
// took, or where these only had switches send what they had, all who sent again.
func (l *Life) rescued(own []result.Event) []string {
	var again, taken []string
	helped := false
	for i := range own {
		switch e := &own[i]; {
		case e.Kind == kindRetransmit:
			again = insert(again, e.Node)
		case e.Kind == kindStored && e.Note == noteResent:
			helped = true
			if e.Count == 1 {
				taken = insert(taken, e.From)
			}
		}
	}
	switch {
	case !helped:
		return nil
	case len(taken) > 0:
		return taken
	}
	return again
}

// insert appends a name that is not in a list.
func insert(list []string, name string) []string {
	if slices.Contains(list, name) {
		return list
	}
	return append(list, name)
}

package explain

import (
	"fmt"
	"slices"
	"strings"

	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/units"
)

// Kinds of events, as package trace calls them.
const (
	kindOpened       = "block-opened"
	kindContribution = "contribution"
	kindSent         = "block-sent"
	kindAged         = "block-aged"
	kindScanned      = "timer-scan"
	kindDropped      = "dropped"
	kindHostSent     = "sent"
	kindNotSent      = "not-sent"
	kindRetransmit   = "retransmit"
	kindResult       = "result"
	kindDelayBegan   = "delay-began"
	kindDelayEnded   = "delay-ended"
	kindCollided     = "collided"
	kindPassedOn     = "passed-on"
	kindFreed        = "freed"
	kindStored       = "stored"
	kindAnswered     = "answered"
)

// SchemaVersion is that of the JSON form of a life.
const SchemaVersion = 1

// Life is what happened to one block.
type Life struct {
	SchemaVersion int           `json:"schema_version"`
	Run           result.Traced `json:"run"`
	Iteration     int           `json:"iteration"`
	Block         int           `json:"block"`
	Slot          *int          `json:"slot,omitempty"`   // where blocks go through slots
	Set           *int          `json:"set,omitempty"`    // of the two, 0 or 1
	Packet        uint32        `json:"packet,omitempty"` // the how manieth of the slot, from 1
	Number        uint32        `json:"number,omitempty"` // where packets have sequence numbers
	Start         units.Time    `json:"start_ps"`         // of the first packet; times below count from it
	Lines         []Line        `json:"lines"`
	Verdict       Verdict       `json:"verdict"`
}

// Line is one thing that happened.
type Line struct {
	After  units.Duration `json:"after_ps"` // the first packet; negative before it
	Node   string         `json:"node"`
	Kind   string         `json:"kind"`
	Bitmap string         `json:"bitmap,omitempty"`
	What   string         `json:"what"`
}

func newLife(r *Run, iteration, block int) *Life {
	l := &Life{SchemaVersion: SchemaVersion, Run: r.Traced, Iteration: iteration, Block: block}
	var own []result.Event
	for _, e := range r.Events {
		if e.Iteration == iteration && e.Block == block {
			own = append(own, e)
		}
	}
	l.Start = own[0].At
	for _, e := range own {
		if e.Kind == kindHostSent {
			l.Start = e.At
			break
		}
	}
	if own[0].Packet > 0 {
		slot, set := own[0].Slot, int(own[0].Packet+1)%2 // a slot's first packet is in set 0
		l.Slot, l.Set, l.Packet = &slot, &set, own[0].Packet
	}
	l.Number = own[0].Number
	sleeps := sleepsIn(r, l.Start, own[len(own)-1].At)
	all := slices.Concat(own, sleeps)
	slices.SortStableFunc(all, func(a, b result.Event) int { return int(min(1, max(-1, a.At.Sub(b.At)))) })
	for i := range all {
		e := &all[i]
		l.Lines = append(l.Lines, Line{After: e.At.Sub(l.Start), Node: e.Node, Kind: e.Kind, Bitmap: e.Bitmap, What: l.words(e)})
	}
	l.Verdict = l.judge(own, sleeps)
	return l
}

// sleepsIn returns the delays of workers that touch a span of time: they are what
// a block waits for.
func sleepsIn(r *Run, from, to units.Time) (out []result.Event) {
	asleep := map[string]int{} // index of the beginning in out
	for _, e := range r.Events {
		switch {
		case e.At > to:
		case e.Kind == kindDelayBegan:
			asleep[e.Node] = len(out)
			out = append(out, e)
		case e.Kind == kindDelayEnded && e.At < from:
			if i, ok := asleep[e.Node]; ok { // over before it matters
				out[i].Kind = ""
			}
		case e.Kind == kindDelayEnded:
			out = append(out, e)
		}
	}
	return slices.DeleteFunc(out, func(e result.Event) bool { return e.Kind == "" })
}

// words says what an event is.
func (l *Life) words(e *result.Event) string {
	if l.Number > 0 {
		if words := l.numbered(e); words != "" {
			return words
		}
	}
	switch e.Kind {
	case kindHostSent:
		return "sent its packet"
	case kindNotSent:
		return "did not send its packet: the result was here already"
	case kindRetransmit:
		return "sent its packet again, since no result had come"
	case kindOpened:
		return "opened the block at the packet of " + e.From
	case kindContribution:
		return fmt.Sprintf("packet of %s arrived: %s", e.From, l.bitmap(e))
	case kindScanned:
		return fmt.Sprintf("%s: heard of since the last one, flag cleared: %s", scan(e), l.bitmap(e))
	case kindAged:
		return fmt.Sprintf("%s: not heard of since the last one, gave up on %s: %s", scan(e), names(l.missing(e)), l.bitmap(e))
	case kindSent:
		return l.sent(e)
	case kindDropped:
		return fmt.Sprintf("dropped the packet of %s: %s", e.From, e.Note)
	case kindResult:
		if e.Degraded {
			return "took the degraded result, of " + workers(e.Count)
		}
		return "took the result"
	case kindDelayBegan:
		return "fell asleep (injected delay)"
	case kindDelayEnded:
		return "woke up"
	}
	return e.Kind
}

// scan names a visit of a timer thread, where it is known which one it was.
func scan(e *result.Event) string {
	if e.Note == "" {
		return "timer scan"
	}
	return "timer scan by " + e.Note
}

func (l *Life) sent(e *result.Event) string {
	if e.From != "" {
		return fmt.Sprintf("sent the result to %s again: its packet came once more", e.From)
	}
	to := workers(len(l.Run.Workers))
	if engine := l.engine(e.Node); engine != nil && !engine.Top {
		to = "the level above"
	}
	if e.Degraded {
		return fmt.Sprintf("sent a degraded result, of %s, to %s", workers(e.Count), to)
	}
	return "sent the result to " + to
}

func (l *Life) bitmap(e *result.Event) string {
	return fmt.Sprintf("%s (%d of %d)", e.Bitmap, strings.Count(strings.TrimPrefix(e.Bitmap, "0b"), "1"), max(0, len(e.Bitmap)-2))
}

func (l *Life) engine(node string) *result.TracedEngine {
	for i := range l.Run.Engines {
		if l.Run.Engines[i].Node == node {
			return &l.Run.Engines[i]
		}
	}
	return nil
}

// missing returns the sources of an engine that its bitmap lacks.
func (l *Life) missing(e *result.Event) (out []string) {
	engine := l.engine(e.Node)
	if engine == nil || len(e.Bitmap) != 2+len(engine.Sources) {
		return nil
	}
	for i, name := range engine.Sources {
		if e.Bitmap[len(e.Bitmap)-1-i] == '0' {
			out = append(out, name)
		}
	}
	return out
}

func workers(n int) string {
	if n == 1 {
		return "1 worker"
	}
	return fmt.Sprintf("%d workers", n)
}

func names(list []string) string {
	if len(list) == 0 {
		return "nobody"
	}
	return strings.Join(list, ", ")
}

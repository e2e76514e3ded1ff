package explain

import (
	"fmt"
	"slices"
	"strings"

	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/units"
)

// Outcomes of a block.
const (
	Complete = "complete" // every worker is in it, and has it
	Degraded = "degraded" // every worker has it, and some are not in it
	Missing  = "missing"  // some worker never got it
)

// Verdict is what became of a block.
type Verdict struct {
	Outcome     string         `json:"outcome"`           // complete, degraded or missing
	Without     []string       `json:"without,omitempty"` // workers that are not in the result
	Lacking     []string       `json:"lacking,omitempty"` // workers that have no result
	Took        units.Duration `json:"took_ps"`           // from the first packet to the last result
	Retransmits int            `json:"retransmits,omitempty"`
	Drops       int            `json:"drops,omitempty"`
	Aggregated  string         `json:"aggregated,omitempty"` // where, and why there, if servers add what switches do not
	Rescued     []string       `json:"rescued,omitempty"`    // workers whose resends brought the result
	WaitedFor   string         `json:"waited_for,omitempty"` // what took most of the time
	Text        string         `json:"text"`
}

// judge draws the conclusion from the events of a block.
func (l *Life) judge(own, sleeps []result.Event) Verdict {
	v := Verdict{Outcome: Complete, Without: l.without(own)}
	got := map[string]bool{}
	for _, e := range own {
		switch e.Kind {
		case kindResult:
			got[e.Node] = true
			v.Took = e.At.Sub(l.Start)
		case kindRetransmit:
			v.Retransmits++
		case kindDropped:
			v.Drops++
		}
	}
	for _, w := range l.Run.Workers {
		if !got[w] {
			v.Lacking = append(v.Lacking, w)
		}
	}
	switch {
	case len(v.Lacking) > 0:
		v.Outcome = Missing
	case len(v.Without) > 0:
		v.Outcome = Degraded
	}
	if l.servers() {
		v.Aggregated, v.Rescued = l.aggregated(own), l.rescued(own)
	}
	v.WaitedFor = l.waitedFor(own, sleeps, v)
	v.Text = v.text(l)
	return v
}

// without returns the workers that are not in what the top engine sent, or, if
// it sent nothing, in what it has; where servers add the rest, of that of the block.
func (l *Life) without(own []result.Event) []string {
	last := map[string]*result.Event{} // by engine, its block as it was when first sent
	sent := map[string]bool{}
	for i := range own {
		e := &own[i]
		if e.Bitmap == "" || sent[e.Node] {
			continue
		}
		last[e.Node], sent[e.Node] = e, e.Kind == kindSent || e.Kind == kindAnswered && e.Note != noteFloats
	}
	var out []string
	servers := l.servers()
	for _, engine := range l.Run.Engines {
		switch {
		case servers && (!engine.Server || last[engine.Node] == nil):
		case servers || engine.Top:
			out = l.absent(engine.Node, last)
		}
	}
	return slices.DeleteFunc(slices.Clone(l.Run.Workers), func(w string) bool { return !slices.Contains(out, w) })
}

// absent returns the workers that are not in an engine's block: those missing in
// its bitmap, and those missing below.
func (l *Life) absent(node string, last map[string]*result.Event) (out []string) {
	engine := l.engine(node)
	if engine == nil {
		return nil
	}
	var missing []string
	if e := last[node]; e != nil {
		missing = l.missing(e)
	} else {
		missing = engine.Sources
	}
	for _, source := range engine.Sources {
		below := l.engine(source)
		switch {
		case below == nil && slices.Contains(missing, source):
			out = append(out, source)
		case below != nil && slices.Contains(missing, source):
			out = append(out, below.Sources...)
		case below != nil:
			out = append(out, l.absent(source, last)...)
		}
	}
	return out
}

// waitedFor names what took most of the time: a timer, or the last packet.
func (l *Life) waitedFor(own, sleeps []result.Event, v Verdict) string {
	opened := map[string]units.Time{}
	for _, e := range own {
		if _, known := opened[e.Node]; !known && e.Bitmap != "" {
			opened[e.Node] = e.At
		}
		if e.Kind == kindAged {
			return fmt.Sprintf("the timer of %s, which gave up %v after the first packet%s", e.Node, e.At.Sub(opened[e.Node]), l.asleep(sleeps, v.Without))
		}
	}
	var arrivals []result.Event // of workers' packets
	for _, e := range own {
		if e.Kind == kindContribution && slices.Contains(l.Run.Workers, e.From) && l.from(&e) == e.From {
			arrivals = append(arrivals, e)
		}
	}
	if n := len(arrivals); n > 1 {
		last := arrivals[n-1]
		if gap := last.At.Sub(arrivals[n-2].At); 2*gap > last.At.Sub(l.Start) {
			return fmt.Sprintf("%s, whose packet came %v after all others%s", last.From, gap, l.asleep(sleeps, []string{last.From}))
		}
	}
	return ""
}

// asleep says which of the workers slept.
func (l *Life) asleep(sleeps []result.Event, workers []string) string {
	var out []string
	for _, e := range sleeps {
		if slices.Contains(workers, e.Node) && !slices.Contains(out, e.Node) {
			out = append(out, e.Node)
		}
	}
	if len(out) == 0 {
		return ""
	}
	return fmt.Sprintf("; %s slept", strings.Join(out, ", "))
}

func (v *Verdict) text(l *Life) string {
	var s string
	switch v.Outcome {
	case Complete:
		s = fmt.Sprintf("complete, of all %d workers; %v from the first packet to the last result", len(l.Run.Workers), v.Took)
	case Degraded:
		s = fmt.Sprintf("degraded, without %s; %v from the first packet to the last result", names(v.Without), v.Took)
	case Missing:
		s = fmt.Sprintf("missing: no result at %s", names(v.Lacking))
		if len(v.Without) > 0 {
			s += "; in the switch it lacks " + names(v.Without)
		}
	}
	if v.Aggregated != "" {
		s += "; " + v.Aggregated
	}
	if len(v.Rescued) > 0 {
		s += "; rescued by a resend of " + names(v.Rescued)
	}
	if v.WaitedFor != "" {
		s += "; it waited for " + v.WaitedFor
	}
	if v.Retransmits > 0 {
		s += fmt.Sprintf("; packets sent again: %d", v.Retransmits)
	}
	if v.Drops > 0 {
		s += fmt.Sprintf("; packets dropped: %d", v.Drops)
	}
	return s
}

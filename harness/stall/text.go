package stall

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/nodes/worker"
)

// String returns the diagnosis as the end of an error message.
func (d Diagnosis) String() string {
	var parts []string
	add := func(format string, args ...any) { parts = append(parts, fmt.Sprintf(format, args...)) }
	missing := strings.Join(d.Missing, ", ")
	switch {
	case d.What == "":
		add("no worker says which packet it waits for")
	case d.Result:
		add("%s waits for the result of %s, which %s has sent", missing, d.What, d.Engine)
	case d.Has != "":
		add("%s at %s waits for %s: it has %s", d.What, d.Engine, missing, d.Has)
	case missing != "":
		add("%s waits for %s: nobody's packet came to %s", d.What, missing, cmp.Or(d.Reached, "an engine"))
	default:
		add("workers wait for %s", d.What)
	}
	if d.Hop.Name != "" {
		add("first hop without packets: %s (%s)", d.Hop.Name, d.Hop.Why)
	} else {
		add("no hop has lost a packet")
	}
	if len(d.Absent) > 0 {
		add("no answer from %s", strings.Join(d.Absent, ", "))
	}
	if d.Last != "" {
		add("last event: %s", d.Last)
	} else {
		add("events were not recorded")
	}
	return strings.Join(parts, "; ")
}

// packetName names a packet for a person.
func (d *diagnosis) packetName(p packet) string {
	iteration, block := d.naming.Block(p.gen, p.block)
	if d.naming.Slots == 0 {
		return fmt.Sprintf("block %d of iteration %d", block, iteration)
	}
	of := fmt.Sprintf("block %d", block)
	if block == job.NoBlock {
		of = "the exponents"
	}
	return fmt.Sprintf("slot %d (set %d, packet %d: %s of iteration %d)", p.block, (p.gen+1)%2, p.gen, of, iteration)
}

// condition says what a worker does.
func (d *diagnosis) condition(w worker.Snapshot) string {
	switch w.State {
	case worker.StateDelayed, worker.StateComputing, worker.StatePaused, worker.StateWaiting:
		return fmt.Sprintf("%s until %v in iteration %d", w.State, w.Until, w.Iteration)
	case worker.StateReducing:
		return fmt.Sprintf("it waits for %d other results in iteration %d", len(w.Waits), w.Iteration)
	}
	return fmt.Sprintf("%s, iteration %d", w.State, w.Iteration)
}

// describe puts an event into words.
func (d *diagnosis) describe(e *trace.Event) string {
	at := fmt.Sprintf("%v %s: %s", e.At, e.Node, e.Kind)
	switch e.Kind {
	case trace.DelayBegan, trace.DelayEnded, trace.Reduced, trace.Skipped, trace.Joined:
		return fmt.Sprintf("%s in iteration %d", at, e.Gen)
	case trace.Contribution, trace.Dropped, trace.BlockOpened:
		at += " of " + d.Who(e.Node, e.Source)
	}
	if e.Note != "" {
		at += " (" + e.Note + ")"
	}
	return at + ", " + d.packetName(packet{e.Gen, e.Block})
}

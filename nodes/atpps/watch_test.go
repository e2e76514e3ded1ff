package atpps

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/inalab/inalab/internal/trace"
	wire "github.com/inalab/inalab/internal/wire/atp"
)

// events is what a server told.
type events struct{ list []trace.Event }

func (e *events) Event(v *trace.Event) { e.list = append(e.list, *v) }

// A server tells what it took and what it sent, and why.
func TestEventsOfServers(t *testing.T) {
	told := new(events)
	cfg := twoRacks()
	cfg.Trace = told
	r := newRig(t, cfg)
	one := func(int, int) int32 { return 1 }
	give := func(set trace.Mask, flags wire.Flags) {
		r.give(packetOf(&cfg, set, 2, flags).fill(set, one))
	}
	give(maskOf(0), wire.Resend|wire.Collision|wire.EdgeSwitch)
	give(maskOf(2, 3), 0)
	give(maskOf(2), wire.Resend)
	give(maskOf(4), 0)
	give(maskOf(1), wire.Resend)
	give(maskOf(1), wire.Resend)
	at := func(kind trace.Kind, source uint8, count int, note string, mask ...uint8) trace.Event {
		return trace.Event{Kind: kind, Node: "server", Job: testJob, Block: 2, Source: source, Count: count, Note: note, Mask: maskOf(mask...)}
	}
	want := []trace.Event{
		at(trace.Stored, 0, 1, Collided, 0),
		at(trace.Stored, 2, 2, "", 0, 2, 3),
		at(trace.Dropped, 2, 0, DropDuplicate),
		at(trace.Stored, 4, 1, "", 0, 2, 3, 4),
		at(trace.Stored, 1, 1, Resent, 0, 1, 2, 3, 4),
		at(trace.Answered, 0, 5, "index 13 from now on", 0, 1, 2, 3, 4),
		at(trace.Answered, 0, 5, AnsweredAgain, 0, 1, 2, 3, 4),
	}
	if diff := cmp.Diff(want, told.list); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
}

// Where sums do not fit, a server tells that it asks for floats.
func TestEventsOfFloats(t *testing.T) {
	told := new(events)
	cfg := twoRacks()
	cfg.Trace = told
	r := newRig(t, cfg)
	r.give(packetOf(&cfg, maskOf(0), 2, 0).fill(maskOf(0), func(int, int) int32 { return 1<<31 - 1 }))
	if n := len(told.list); n != 1 || told.list[0].Kind != trace.Answered || told.list[0].Note != AskedForFloats {
		t.Errorf("events %+v", told.list)
	}
}

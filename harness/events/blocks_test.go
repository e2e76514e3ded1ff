package events_test

import (
	"testing"

	"github.com/inalab/inalab/harness/events"
	"github.com/inalab/inalab/harness/sim"
	"github.com/inalab/inalab/harness/system/ring"
	"github.com/inalab/inalab/harness/system/switchml"
	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/nodes/worker"
	"github.com/inalab/inalab/reports/explain"
)

// How long blocks took is what their recorded events say, and the slowest is the one that is explained.
func TestBlocks(t *testing.T) {
	j := newJob(t, scene{system: switchml.System{Retransmit: true}, topology: "rack", iterations: 2, lossEvery: 25})
	log := trace.NewLog(events.RunLimit)
	if _, err := new(sim.Patterns).RunJob(t.Context(), j, worker.Images{}, sim.Observer{Log: log}); err != nil {
		t.Fatal(err)
	}
	got := events.Blocks(j, []*trace.Log{log})
	rec := events.New(j, events.Want{Mode: events.Troubled}, []*trace.Log{log}, nil)
	life, err := explain.Find([]explain.Run{{Traced: rec.Run, Events: rec.Events}}, explain.Query{})
	if err != nil {
		t.Fatal(err)
	}
	if want := 2 * rec.Run.Blocks; got == nil || got.N != want || got.Max != life.Verdict.Took {
		t.Fatalf("got %+v, want %d blocks, of which the slowest takes %v", got, want, life.Verdict.Took)
	}
	if !(0 < got.P50 && got.P50 <= got.P99 && got.P99 <= got.Max) || got.Resending < life.Verdict.Took/2 || life.Verdict.Retransmits == 0 {
		t.Errorf("got %+v, and %d packets of the slowest were sent again", got, life.Verdict.Retransmits)
	}
}

// A run without blocks, and one of which nothing is known, has none.
func TestNoBlocks(t *testing.T) {
	j := newJob(t, scene{system: ring.System{}, topology: "rack", iterations: 1})
	for _, logs := range [][]*trace.Log{nil, {trace.NewLog(1)}} {
		if got := events.Blocks(j, logs); got != nil {
			t.Errorf("got %+v", got)
		}
	}
}

// Times in which blocks waited to be sent again count once, however many waited.
func TestResendingOverlaps(t *testing.T) {
	j := newJob(t, scene{system: switchml.System{Retransmit: true}, topology: "rack", iterations: 1})
	log := trace.NewLog(events.RunLimit)
	event := func(at units.Time, kind trace.Kind, slot uint32) {
		log.Event(&trace.Event{At: at, Node: "h0", Kind: kind, Gen: 2, Block: slot})
	}
	for slot, at := range []units.Time{0, 5, 30} {
		event(at, trace.Sent, uint32(slot))
	}
	event(20, trace.Retransmit, 0)
	event(25, trace.Retransmit, 1)
	event(32, trace.Retransmit, 2)
	for slot, at := range []units.Time{40, 50, 60} {
		event(at, trace.ResultIn, uint32(slot))
	}
	want := result.Blocks{N: 3, P50: 40, P99: 45, Max: 45, Resending: 27}
	if got := events.Blocks(j, []*trace.Log{log}); got == nil || *got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

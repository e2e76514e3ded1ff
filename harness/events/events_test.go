package events_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/harness/events"
	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/sim"
	"github.com/inalab/inalab/harness/system/switchml"
	"github.com/inalab/inalab/harness/system/trioml"
	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/nodes/train/profiles"
	"github.com/inalab/inalab/nodes/worker"
	"github.com/inalab/inalab/reports/explain"
	"github.com/inalab/inalab/switchd/chassis/chassistest"
	"github.com/inalab/inalab/topo"
	"github.com/inalab/inalab/topo/gen"
)

// scene is a small run under the virtual clock.
type scene struct {
	system     job.System
	topology   string
	p          float64
	lossEvery  int // of the link of h2
	downToo    bool
	uplink     bool // in its place that of the switch of h2 to spine0
	iterations int
}

func newJob(t rapid.TB, s scene) *job.Job {
	link := topo.LinkSpec{Rate: 50 * units.MbitPerSecond, Delay: units.Microsecond}
	p := chassistest.Plan(t, s.topology, gen.Params{Hosts: 4, Link: link, Fabric: topo.LinkSpec{Rate: 4 * link.Rate}})
	model, err := profiles.Lookup("resnet50")
	if err != nil {
		t.Fatal(err)
	}
	sw, _ := p.Switch(p.Hosts[2].Switch)
	port := &sw.Ports[p.Hosts[2].SwitchPort]
	port.In.LossEvery = s.lossEvery
	if s.uplink {
		port.In.LossEvery = 0
		sw.Ports[2].Out.LossEvery = s.lossEvery // as the sender models it
	}
	if s.downToo {
		port.Out.LossEvery = s.lossEvery
	}
	j, err := job.New(job.Spec{System: s.system, Plan: p, Model: model, Scale: 6000, Iterations: s.iterations, Seed: 1, StraggleP: s.p, Virtual: true, Replay: true, Exact: true})
	if err != nil {
		t.Fatal(err)
	}
	return j
}

// tb is a test, or a check of one.
type tb interface {
	rapid.TB
	Context() context.Context
}

// record runs a job and keeps what is wanted, once through its file.
func record(t tb, j *job.Job, want events.Want) (explain.Run, result.Cell) {
	o := sim.Observer{Log: trace.NewLog(events.RunLimit)}
	cell, runErr := new(sim.Patterns).RunJob(t.Context(), j, worker.Images{}, o)
	if runErr != nil && !errors.Is(runErr, sim.ErrStalled) {
		t.Fatal(runErr)
	}
	rec := events.New(j, want, []*trace.Log{o.Log}, runErr)
	if rec.Run.Kept+rec.Run.LeftOut+rec.Run.Lost != uint64(o.Log.Len()) {
		t.Errorf("%d kept, %d left out, %d lost of %d", rec.Run.Kept, rec.Run.LeftOut, rec.Run.Lost, o.Log.Len())
	}
	var file bytes.Buffer
	enc := json.NewEncoder(&file)
	if err := enc.Encode(explain.Header{Run: rec.Run}); err != nil {
		t.Fatal(err)
	}
	for _, e := range rec.Events {
		if err := enc.Encode(e); err != nil {
			t.Fatal(err)
		}
	}
	runs, err := explain.Read(&file)
	if err != nil || len(runs) != 1 || !slices.Equal(runs[0].Events, rec.Events) {
		t.Fatalf("%d runs read back, %v", len(runs), err)
	}
	return runs[0], cell
}

// The life of every block of a run with losses, retransmissions, stragglers or a
// stall is consistent: times and bitmaps grow, a result has what the bitmap says,
// and the verdicts agree with what the workers counted.
func TestLifeOfEveryBlock(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := scene{
			p: rapid.SampledFrom([]float64{0, 0.16}).Draw(t, "p"), iterations: 3,
			lossEvery: rapid.SampledFrom([]int{0, 7, 31}).Draw(t, "loss every"),
		}
		switch rapid.IntRange(0, 4).Draw(t, "system") {
		case 0:
			s.system, s.topology, s.downToo = switchml.System{Retransmit: true}, "rack", true
		case 1:
			s.system, s.topology = switchml.System{}, "rack" // stalls where frames are lost
		case 2:
			s.system, s.topology = trioml.System{}, "rack"
		case 3:
			s.system, s.topology = trioml.System{}, "mx480"
		case 4:
			s.system, s.topology, s.downToo = switchml.System{Retransmit: true}, "leaf-spine", true
		}
		j := newJob(t, s)
		run, cell := record(t, j, events.Want{Mode: events.All})
		degraded, again := 0, 0
		for i := range j.Iterations {
			for b := range j.Naming().Blocks {
				life, err := explain.Find([]explain.Run{run}, explain.Query{Iteration: &i, Block: &b})
				if err != nil {
					if run.Error == "" {
						t.Fatal(err)
					}
					continue // the run did not get so far
				}
				checkLife(t, life, run.Error != "")
				if life.Verdict.Outcome == explain.Degraded {
					degraded++
				}
				again += life.Verdict.Retransmits
			}
		}
		checkTotals(t, cell, run, degraded, again)
	})
}

func checkLife(t *rapid.T, l *explain.Life, stalled bool) {
	name := fmt.Sprintf("block %d of iteration %d", l.Block, l.Iteration)
	ones := map[string]int{}
	sent := map[string]bool{}
	for i, line := range l.Lines {
		if i > 0 && line.After < l.Lines[i-1].After {
			t.Errorf("%s: time goes back at %q", name, line.What)
		}
		if line.Bitmap == "" {
			continue
		}
		n := strings.Count(line.Bitmap[2:], "1")
		switch {
		case n < ones[line.Node]:
			t.Errorf("%s: the bitmap of %s shrinks at %q", name, line.Node, line.What)
		case line.Kind == "contribution" && n != ones[line.Node]+1:
			t.Errorf("%s: %d sources after %d at %q", name, n, ones[line.Node], line.What)
		case line.Kind == "contribution" && sent[line.Node]:
			t.Errorf("%s: %s adds to what it has sent", name, line.Node)
		}
		ones[line.Node], sent[line.Node] = n, sent[line.Node] || line.Kind == "block-sent"
	}
	v := l.Verdict
	missing := v.Outcome == explain.Missing
	if missing != (len(v.Lacking) > 0) || missing && !stalled || !missing && (v.Outcome == explain.Degraded) != (len(v.Without) > 0) || v.Took < 0 || !strings.HasPrefix(v.Text, v.Outcome) {
		t.Errorf("%s: verdict %+v of a run that stalled: %v", name, v, stalled)
	}
	for _, write := range []func() error{func() error { return l.WriteText(new(bytes.Buffer)) }, func() error { return l.WriteJSON(new(bytes.Buffer)) }} {
		if err := write(); err != nil {
			t.Error(err)
		}
	}
}

// checkTotals compares with the samples: one worker's count of degraded blocks,
// and everybody's retransmissions, those of exponents besides.
func checkTotals(t *rapid.T, cell result.Cell, run explain.Run, degraded, again int) {
	if run.Error != "" {
		return
	}
	want, sentAgain := 0, 0
	for _, s := range cell.Samples {
		if s.Worker == 0 {
			want += s.Degraded
		}
		sentAgain += s.Retransmits
	}
	for _, e := range run.Events {
		if e.Kind == "retransmit" && e.Block == result.NoBlock {
			again++
		}
	}
	if degraded != want || again != sentAgain {
		t.Errorf("%d degraded blocks and %d retransmissions, the samples say %d and %d", degraded, again, want, sentAgain)
	}
}

// A run that stalls for a packet of a switch names it, and its link.
func TestStallBelowASpine(t *testing.T) {
	run, _ := record(t, newJob(t, scene{system: switchml.System{}, topology: "leaf-spine", iterations: 1, lossEvery: 20, uplink: true}), events.Want{Mode: events.All})
	for _, says := range []string{" at spine0 waits for leaf1: it has 0b10 (1 of 2)", "first hop without packets: leaf1:p2->spine0:p1 ("} {
		if !strings.Contains(run.Error, says) {
			t.Errorf("%s\nlacks %q", run.Error, says)
		}
	}
}

// Events name hosts, switches and forwarding engines, wherever these are.
func TestEventsNameWhoIsBehindASource(t *testing.T) {
	for _, tc := range []struct {
		scene
		engines []result.TracedEngine
	}{
		{scene{system: switchml.System{}, topology: "rack"}, []result.TracedEngine{{Node: "tor", Sources: []string{"h0", "h1", "h2", "h3"}, Top: true}}},
		{scene{system: switchml.System{Transport: switchml.RoCE}, topology: "rack"}, []result.TracedEngine{{Node: "tor", Sources: []string{"h0", "h1", "h2", "h3"}, Top: true}}},
		{scene{system: trioml.System{}, topology: "mx480"}, []result.TracedEngine{
			{Node: "mx480/pfe1", Sources: []string{"h0", "h1"}}, {Node: "mx480/pfe2", Sources: []string{"h2", "h3"}},
			{Node: "mx480/pfe4", Sources: []string{"mx480/pfe1", "mx480/pfe2"}, Top: true},
		}},
		{scene{system: switchml.System{Retransmit: true}, topology: "leaf-spine"}, []result.TracedEngine{
			{Node: "leaf0", Sources: []string{"h0", "h1"}}, {Node: "leaf1", Sources: []string{"h2", "h3"}},
			{Node: "spine0", Sources: []string{"leaf1", "leaf0"}, Top: true},
		}},
	} {
		tc.iterations = 1
		run, _ := record(t, newJob(t, tc.scene), events.Want{Mode: events.All})
		if !reflect.DeepEqual(run.Engines, tc.engines) {
			t.Errorf("%s: engines %+v, want %+v", tc.topology, run.Engines, tc.engines)
		}
		from := map[string][]string{}
		for _, e := range run.Events {
			if e.Kind == "contribution" && !slices.Contains(from[e.Node], e.From) {
				from[e.Node] = append(from[e.Node], e.From)
			}
		}
		for _, e := range tc.engines {
			want := slices.Sorted(slices.Values(e.Sources))
			if got := slices.Sorted(slices.Values(from[e.Node])); !slices.Equal(got, want) {
				t.Errorf("%s: contributions at %s are of %v, want %v", tc.topology, e.Node, got, want)
			}
		}
	}
}

// What is kept by default is whole blocks: those of the first iteration, and those
// that something happened to.
func TestTroubledBlocksAreKeptWhole(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := scene{system: trioml.System{}, topology: "mx480", p: 0.08, iterations: 5, lossEvery: rapid.IntRange(20, 60).Draw(t, "loss every")}
		j := newJob(t, s)
		all, _ := record(t, j, events.Want{Mode: events.All})
		kept, _ := record(t, j, events.Want{Mode: events.Troubled})
		type place struct{ iteration, block int }
		count := func(list []result.Event) (n map[place]int, troubled map[place]bool) {
			n, troubled = map[place]int{}, map[place]bool{}
			for _, e := range list {
				at := place{e.Iteration, e.Block}
				n[at]++
				troubled[at] = troubled[at] || e.Degraded || e.Kind == "dropped" || e.Kind == "block-aged"
			}
			return n, troubled
		}
		whole, troubled := count(all.Events)
		have, _ := count(kept.Events)
		for at, n := range whole {
			want := 0
			if at.iteration == 0 || troubled[at] || at.block == result.NoBlock {
				want = n
			}
			if have[at] != want {
				t.Errorf("block %d of iteration %d: %d of %d events, want %d", at.block, at.iteration, have[at], n, want)
			}
		}
		one, _ := record(t, j, events.Want{Mode: events.One, Iteration: 2, Block: 3})
		only, _ := count(one.Events)
		if at := (place{2, 3}); only[at] != whole[at] || only[place{2, 4}] != 0 || only[place{1, 3}] != 0 {
			t.Errorf("asked for one block: %v", only)
		}
	})
}

func TestParseWant(t *testing.T) {
	for text, want := range map[string]events.Want{
		"none": {}, "troubled": {Mode: events.Troubled}, "all": {Mode: events.All},
		"12": {Mode: events.One, Iteration: 12, Block: -1}, "12/345": {Mode: events.One, Iteration: 12, Block: 345},
	} {
		if got, err := events.ParseWant(text); err != nil || got != want {
			t.Errorf("%q: %+v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "some", "-1", "1/", "1/-2", "1/2/3", "/2"} {
		if _, err := events.ParseWant(text); err == nil {
			t.Errorf("%q is accepted", text)
		}
	}
}

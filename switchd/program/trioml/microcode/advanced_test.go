package microcode

import (
	"fmt"
	"strings"
	"testing"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	wire "github.com/inalab/inalab/internal/wire/trioml"
	"github.com/inalab/inalab/switchd/program/trioml"
)

// watchers are the workers of a job that count on notices.
type watchers struct {
	t     *testing.T
	e     *Engine
	eff   sansio.Effects
	now   units.Time
	block uint32
	out   strings.Builder
}

// period runs one look: the named sources send some blocks in it.
func (w *watchers) period(sources ...uint8) {
	w.t.Helper()
	end := w.now + 100*ms
	for range 3 {
		for _, s := range sources {
			h := wire.Header{Job: 1, Block: w.block, Source: s, SrcCnt: 1}
			w.e.Handle(w.now, []sansio.Arrival{arrival(packet(h, 1, 2, 3))}, &w.eff)
		}
		w.block++
	}
	for d := w.e.NextDeadline(); d <= end; d = w.e.NextDeadline() {
		w.e.Expire(d, &w.eff)
	}
	w.now = end
	for _, s := range w.eff.Sends {
		for f := range s.Train.Frames() {
			if n, ok := wire.ParseNotice(s.Train.Payload(f)); ok {
				fmt.Fprintf(&w.out, "%v source %d: %s, strikes %d\n", w.now, n.Source, map[uint8]string{
					wire.AgeTemporary: "temporary", wire.AgePermanent: "permanent", wire.AgeBack: "back",
				}[n.Change], n.Strikes)
			}
		}
	}
	w.eff.Reset()
}

// A source that misses blocks is a temporary straggler, after three looks in a row
// a permanent one; when it sends again all are told. A job at rest says nothing.
func TestStragglersAreClassified(t *testing.T) {
	for _, age := range []trioml.AgePolicy{trioml.AgePerBlock, trioml.AgeAbsent} {
		job := testJob(1, 0)
		job.Sources = []uint8{0, 5, 70, 255}
		e, err := NewAdvanced(trioml.Config{Node: "pfe", Age: age, Threads: 4, Jobs: []trioml.Job{job}}, trioml.Stragglers{PermanentAfter: 3}, Options{Memory: roomy()})
		if err != nil {
			t.Fatal(err)
		}
		w := &watchers{t: t, e: e}
		all := job.Sources
		w.period(all...)
		w.period(0, 5, 70)
		w.period(all...)
		for range 2 {
			w.period(0, 70)
		}
		w.period()
		w.period(0, 70, 255)
		if got := e.Strikes(1, 5); got != 3 {
			t.Errorf("%s: source 5 has %d strikes, want 3", age, got)
		}
		w.period(0, 70, 255)
		w.period(all...)
		w.period(all...)
		want := `200ms source 255: temporary, strikes 1
300ms source 255: back, strikes 0
400ms source 5: temporary, strikes 1
400ms source 255: temporary, strikes 1
700ms source 5: permanent, strikes 3
700ms source 255: back, strikes 0
900ms source 5: back, strikes 0
`
		if got := w.out.String(); got != want {
			t.Errorf("%s: notices\n%s\nwant\n%s", age, got, want)
		}
	}
}

// The advanced program aggregates as the plain one does.
func TestAdvancedAggregates(t *testing.T) {
	e, err := NewAdvanced(trioml.Config{Node: "pfe", Jobs: []trioml.Job{testJob(1, 2)}}, trioml.Stragglers{}, Options{Memory: roomy()})
	if err != nil {
		t.Fatal(err)
	}
	var eff sansio.Effects
	for s := range uint8(2) {
		e.Handle(0, []sansio.Arrival{arrival(packet(wire.Header{Job: 1, Source: s, SrcCnt: 1}, 7, -8))}, &eff)
	}
	if len(eff.Sends) != 1 {
		t.Fatalf("%d results", len(eff.Sends))
	}
	h, problem := wire.Parse(eff.Sends[0].Train.Body)
	if problem != wire.OK || h.SrcCnt != 2 || h.Degraded {
		t.Errorf("result %+v %q", h, problem)
	}
	if _, err := NewAdvanced(trioml.Config{Jobs: []trioml.Job{testJob(1, 2)}}, trioml.Stragglers{PermanentAfter: -1}, Options{Memory: roomy()}); err == nil {
		t.Error("a negative threshold is taken")
	}
	if _, err := NewAdvanced(trioml.Config{Jobs: []trioml.Job{testJob(1, 2)}}, trioml.Stragglers{}, Options{Program: compiled(t), Memory: roomy()}); err == nil {
		t.Error("the plain program is taken for the advanced one")
	}
}

package sim

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
)

// echo sends what comes in back by the port it came by, with a delay before the
// first of all.
type echo struct {
	start units.Time
	sent  int
}

func (e *echo) Handle(_ units.Time, in []sansio.Arrival, eff *sansio.Effects) {
	for _, a := range in {
		e.sent++
		eff.Send([]sansio.Port{a.Port}, a.Train)
	}
}

func (e *echo) Expire(now units.Time, eff *sansio.Effects) {
	if now >= e.start {
		e.start = units.Never
		eff.Send([]sansio.Port{0}, sansio.Train{Header: []byte("hello")})
	}
}

func (e *echo) NextDeadline() units.Time { return e.start }

func never() bool { return false }

func TestEndlessAnswersAreNoticed(t *testing.T) {
	n := &Network{limit: 1000}
	a, b := n.AddNode("a", &echo{start: 5}), n.AddNode("b", &echo{start: units.Never})
	if err := n.Connect(a, 0, b, 0); err != nil {
		t.Fatal(err)
	}
	err := n.Run(t.Context(), Options{Done: never})
	if err == nil || !strings.Contains(err.Error(), "machines answer each other without time passing") {
		t.Errorf("got %v", err)
	}
}

func TestNothingLeftIsAStall(t *testing.T) {
	n := &Network{}
	n.AddNode("alone", &echo{start: 7}) // what it sends has nowhere to go
	err := n.Run(t.Context(), Options{Done: never})
	if !errors.Is(err, ErrStalled) || n.now != 7 || n.nodes[0].frames != 0 {
		t.Errorf("got %+v, %v", n.now, err)
	}
}

func TestAPortHasOneWire(t *testing.T) {
	n := &Network{}
	a, b := n.AddNode("a", &echo{}), n.AddNode("b", &echo{})
	if err := n.Connect(a, 0, b, 0); err != nil {
		t.Fatal(err)
	}
	if err := n.Connect(a, 0, b, 1); err == nil || !strings.Contains(err.Error(), "port 0 of a: it has a wire already") {
		t.Errorf("got %v", err)
	}
}

func TestTheRunEndsAtItsLimit(t *testing.T) {
	n := &Network{}
	n.AddNode("late", &echo{start: units.Time(units.Second)})
	if err := n.Run(t.Context(), Options{Done: never, Until: 10}); err == nil || !strings.Contains(err.Error(), "reached 10ps of virtual time") {
		t.Errorf("got %v", err)
	}
}

// A run ends when its context does, though its machines would go on for ever.
func TestCancelledRunEnds(t *testing.T) {
	n := &Network{}
	n.AddNode("clock", &metronome{})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := n.Run(ctx, Options{Done: never}); !errors.Is(err, context.Canceled) || n.steps > 1024 {
		t.Errorf("got %+v, %v", n.steps, err)
	}
}

// metronome is due every picosecond.
type metronome struct{ next units.Time }

func (m *metronome) Handle(units.Time, []sansio.Arrival, *sansio.Effects) {}
func (m *metronome) Expire(now units.Time, _ *sansio.Effects)             { m.next = now + 1 }
func (m *metronome) NextDeadline() units.Time                             { return m.next }

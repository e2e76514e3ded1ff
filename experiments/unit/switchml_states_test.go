package unit

import (
	"bytes"
	"testing"

	"github.com/inalab/inalab/experiments/rig"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	wire "github.com/inalab/inalab/internal/wire/switchml"
	host "github.com/inalab/inalab/nodes/switchml"
	"github.com/inalab/inalab/switchd/program/switchml/reference"
)

// With packets that overtake each other a lot goes wrong in Algorithm 3 (ambiguity
// switchml.late-duplicate); without them nothing does, nor with the check for late packets.
func TestExplorationFindsFaults(t *testing.T) {
	for _, b := range []slotBounds{{}, {reorder: true}, {late: true}, {reorder: true, late: true}} {
		b.workers, b.chunks = 2, 3
		states, bad, err := explore(b)
		if err != nil {
			t.Fatal(err)
		}
		if want := b.reorder && !b.late; (bad > 0) != want {
			t.Errorf("overtaking %v, check for late packets %v: %d of %d states are bad", b.reorder, b.late, bad, states)
		}
	}
}

// spoiled is a machine to whom packets come changed.
type spoiled struct {
	sansio.Machine
	change func(*wire.Header)
}

func (s *spoiled) Handle(now units.Time, in []sansio.Arrival, eff *sansio.Effects) {
	a := in[0]
	a.Train.Body = bytes.Clone(a.Train.Body)
	h, _ := wire.Parse(a.Train.Body)
	s.change(&h)
	h.Put(a.Train.Body)
	s.Machine.Handle(now, []sansio.Arrival{a}, eff)
}

// believer is a worker that takes whatever comes for the result that it waits for.
type believer struct {
	*host.Core
	spoiled
}

func (b *believer) NextDeadline() units.Time { return b.Core.NextDeadline() }

func (b *believer) Expire(now units.Time, eff *sansio.Effects) { b.Core.Expire(now, eff) }

func (b *believer) Handle(now units.Time, in []sansio.Arrival, eff *sansio.Effects) {
	b.spoiled.Handle(now, in, eff)
}

// deaf is a worker whose timer does nothing.
type deaf struct{ *host.Core }

func (deaf) NextDeadline() units.Time { return units.Never }

// A fault of the program of a switch, or of a worker, is found.
func TestExplorationFindsFaultsOfPrograms(t *testing.T) {
	for name, spoil := range map[string]func(*exploration){
		"none": func(*exploration) {},
		"a switch with one set": func(x *exploration) {
			x.program.fresh = func(*sansio.Effects) (sansio.Machine, error) {
				p, err := reference.New(rig.SwitchMLConfig(rig.SwitchMLJob(1, 0, 2, 1, 2)))
				return &spoiled{p, func(h *wire.Header) { h.Set = 0 }}, err
			}
		},
		"a worker that takes stale results": func(x *exploration) {
			fresh := x.hosts[0].fresh
			x.hosts[0].fresh = func(eff *sansio.Effects) (sansio.Machine, error) {
				m, err := fresh(eff)
				core := m.(*host.Core)
				return &believer{core, spoiled{core, func(h *wire.Header) {
					for _, w := range core.Waiting(1) {
						h.PacketID, h.Set = w.Gen, uint8(1-w.Gen&1)
					}
				}}}, err
			}
		},
		"a worker that sends nothing again": func(x *exploration) {
			fresh := x.hosts[1].fresh
			x.hosts[1].fresh = func(eff *sansio.Effects) (sansio.Machine, error) {
				m, err := fresh(eff)
				return deaf{m.(*host.Core)}, err
			}
		},
	} {
		x, err := newExploration(slotBounds{workers: 2, chunks: 3})
		if err != nil {
			t.Fatal(err)
		}
		spoil(x)
		for _, a := range append(x.hosts, &x.program) {
			if err := a.start(); err != nil {
				t.Fatal(err)
			}
		}
		if err := x.run(); err != nil || (x.bad > 0) != (name != "none") {
			t.Errorf("%s: %d of %d states are bad: %v", name, x.bad, x.states, err)
		}
	}
}

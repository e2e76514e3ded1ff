package pipeline

import (
	"bytes"
	"slices"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/wire/inet"
	wire "github.com/inalab/inalab/internal/wire/switchml"
	"github.com/inalab/inalab/switchd/program/switchml"
	"github.com/inalab/inalab/switchd/program/switchml/reference"
)

// twin gives the same packets to the reference program and to the chip, and holds
// what they do against each other.
type twin struct {
	*chip
	ref    *reference.Program
	refEff sansio.Effects
	told   events // by the reference

	public  bool // the chip is to misread as the public program does
	swapped int  // results that it has misread
}

func newTwin(t rapid.TB, cfg switchml.Config, o Options) *twin {
	t.Helper()
	w := &twin{chip: newChip(t, cfg, o)}
	cfg.Trace = &w.told
	var err error
	if w.ref, err = reference.New(cfg); err != nil {
		t.Fatal(err)
	}
	return w
}

// give returns what left both for an arrival: the same frames, port by port. Where the
// chip is to misread, it returns them as they should be.
func (w *twin) give(in ...sansio.Arrival) []sent {
	w.t.Helper()
	var mine []sansio.Arrival
	for _, a := range in {
		mine = append(mine, cloneArrival(a))
	}
	w.ref.Handle(0, in, &w.refEff)
	want, got := take(0, &w.refEff), w.handle(0, mine...)
	if w.public {
		return w.givePublic(want, got)
	}
	if len(in) > 1 || in[0].Train.Frames() > 1 { // the reference sends answers to one worker first
		want, got = ordered(want), ordered(got)
	}
	if !slices.EqualFunc(want, got, sameFrame) {
		w.t.Fatalf("%d frames left the chip, %d the reference program:\n%s", len(got), len(want), difference(got, want))
	}
	return got
}

// givePublic holds what the chip sends against what the public program would.
func (w *twin) givePublic(want, got []sent) []sent {
	w.t.Helper()
	const misread, read, bytes = inet.UDPHeaders + wire.HeaderLen + 4*128, inet.UDPHeaders + wire.HeaderLen + 4*192, 4 * lanes
	public := make([]sent, len(want))
	for i, s := range want {
		public[i] = sent{s.at, s.port, slices.Clone(s.frame)}
		if s.header().Size.Elements() == 256 {
			copy(public[i].frame[misread:misread+bytes], s.frame[read:read+bytes])
			w.swapped++
		}
	}
	if !slices.EqualFunc(public, got, sameFrame) {
		w.t.Fatalf("%d frames left the chip, %d the public program:\n%s", len(got), len(public), difference(got, public))
	}
	return want
}

func sameFrame(a, b sent) bool { return a.port == b.port && bytes.Equal(a.frame, b.frame) }

func ordered(list []sent) []sent {
	slices.SortFunc(list, func(a, b sent) int {
		if a.port != b.port {
			return int(a.port) - int(b.port)
		}
		return bytes.Compare(a.frame, b.frame)
	})
	return list
}

// agree holds counters, events and what can be seen of slots against each other.
func (w *twin) agree() {
	w.t.Helper()
	if want, got := w.ref.Counters(), shared(w.e.Counters()); !slices.Equal(want, got) {
		w.t.Fatalf("counters %v of the chip, %v of the reference program", got, want)
	}
	if !slices.Equal(w.told.list, w.events.list) {
		w.t.Fatalf("events %+v of the chip, %+v of the reference program", w.events.list, w.told.list)
	}
	if want, got := w.ref.Open(1<<20), w.e.Open(1<<20); !slices.Equal(want, got) {
		w.t.Fatalf("open slots %+v of the chip, %+v of the reference program", got, want)
	}
	for _, v := range w.ref.Views() {
		want, got := w.ref.View(0, v, 1<<20), w.e.View(0, v, 1<<20)
		if !slices.EqualFunc(want.Rows, got.Rows, slices.Equal) {
			w.t.Fatalf("view %s: %v of the chip, %v of the reference program", v, got.Rows, want.Rows)
		}
	}
}

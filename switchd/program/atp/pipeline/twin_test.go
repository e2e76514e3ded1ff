package pipeline

import (
	"bytes"
	"slices"
	"strings"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/switchd/dataplane"
	"github.com/inalab/inalab/switchd/program/atp"
	"github.com/inalab/inalab/switchd/program/atp/reference"
)

// twin gives the same packets to the reference program and to the chip, and holds what they do
// against each other.
type twin struct {
	*chip
	ref    *reference.Engine
	refEff sansio.Effects
	told   events // by the reference
	now    units.Time
}

func newTwin(t rapid.TB, cfg atp.Config, o Options) *twin {
	t.Helper()
	w := &twin{chip: newChip(t, cfg, o)}
	cfg.Trace = &w.told
	var err error
	if w.ref, err = reference.New(cfg); err != nil {
		t.Fatal(err)
	}
	return w
}

// give returns what left both for arrivals: the same frames in the same order.
func (w *twin) give(in ...sansio.Arrival) []sent {
	w.t.Helper()
	var mine []sansio.Arrival
	for _, a := range in {
		mine = append(mine, cloneArrival(a))
	}
	w.ref.Handle(w.now, in, &w.refEff)
	want, got := take(w.now, &w.refEff), w.handle(w.now, mine...)
	byPort := func(a, b sent) int { return int(a.port) - int(b.port) }
	slices.SortStableFunc(want, byPort)
	slices.SortStableFunc(got, byPort)
	if !slices.EqualFunc(want, got, func(a, b sent) bool { return a.port == b.port && bytes.Equal(a.frame, b.frame) }) {
		w.t.Fatalf("%d frames left the chip, %d the reference program:\n%s\n%v", len(got), len(want), difference(got, want), w.e.Counters())
	}
	return got
}

// difference tells of the first frames that are not the same.
func difference(got, want []sent) string {
	for i := range max(len(got), len(want)) {
		switch {
		case i >= len(got) || i >= len(want):
			return "one lacks, beside " + dump(append(slices.Clone(got), want...)[0].header())
		case got[i].port != want[i].port || !bytes.Equal(got[i].frame, want[i].frame):
			var b strings.Builder
			for _, s := range []sent{got[i], want[i]} {
				h := s.header()
				n := min(len(s.frame), 58)
				b.WriteString(strings.TrimSpace(strings.Join([]string{dump(s.frame[:n]), dump(h)}, " ")) + "\n")
			}
			for k := range 62 {
				if got[i].value(k) != want[i].value(k) {
					b.WriteString(dump([]any{"value", k, got[i].value(k), want[i].value(k)}))
					break
				}
			}
			return b.String()
		}
	}
	return "none"
}

// own are counters that only the chip has.
var own = []string{CountAbsorbed, CountDiffer, CountSecondPass, CountRecirculate, CountRound}

// agree holds counters, events and what can be seen of aggregators against each other.
func (w *twin) agree() {
	w.t.Helper()
	got := slices.DeleteFunc(w.e.Counters(), func(c sansio.Count) bool {
		return !strings.HasPrefix(c.Name, "atp") || slices.Contains(own, c.Name)
	})
	if want := w.ref.Counters(); !slices.Equal(want, got) {
		w.t.Fatalf("counters of the chip %v, of the reference program %v", got, want)
	}
	if !slices.Equal(w.told.list, w.events.list) {
		for i := range max(len(w.told.list), len(w.events.list)) {
			if i >= len(w.told.list) || i >= len(w.events.list) || w.told.list[i] != w.events.list[i] {
				w.t.Fatalf("event %d: %+v of the chip, %+v of the reference program", i, w.events.list[min(i, len(w.events.list)):], w.told.list[min(i, len(w.told.list)):])
			}
		}
	}
	w.told.list, w.events.list = w.told.list[:0], w.events.list[:0]
	if want, got := w.ref.Open(1<<20), w.e.Open(1<<20); !slices.Equal(want, got) {
		w.t.Fatalf("open aggregators %+v of the chip, %+v of the reference program", got, want)
	}
	if want, got := w.ref.Remembers(), w.e.Remembers(); want != got {
		w.t.Fatalf("the chip remembers something: %v, the reference program %v", got, want)
	}
	w.sameViews()
	w.sameHalves()
}

func (w *twin) sameViews() {
	w.t.Helper()
	for _, v := range []dataplane.View{dataplane.ViewJobs, dataplane.ViewSlots, dataplane.ViewBitmap} {
		want, got := w.ref.View(w.now, v, 1<<20), w.e.View(w.now, v, 1<<20)
		if !slices.EqualFunc(want.Rows, got.Rows, slices.Equal) {
			w.t.Fatalf("view %s: %v of the chip, %v of the reference program", v, got.Rows, want.Rows)
		}
	}
}

// sameHalves checks that both halves of each aggregator are the same packets'.
func (w *twin) sameHalves() {
	w.t.Helper()
	s := &w.e.state
	for i := range s.aggregators {
		a, b := s.describe(i), s.describe(s.aggregators+i)
		if a != b || s.id(i) == 0 && (a.Bitmap != 0 || a.Count != 0 || s.read(s.ecn, i) != 0 || s.read(s.ecn, s.aggregators+i) != 0) {
			w.t.Fatalf("aggregator %d: halves %+v and %+v, identity %#x", i, a, b, s.id(i))
		}
	}
}

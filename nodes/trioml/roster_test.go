package trioml_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/wire/inet"
	wire "github.com/inalab/inalab/internal/wire/trioml"
	"github.com/inalab/inalab/nodes/trioml"
	"github.com/inalab/inalab/nodes/worker"
)

var _ worker.Roster = (*trioml.Core)(nil)

// notice makes a packet that tells of a source; Job 0 means jobID.
func notice(n wire.Notice) sansio.Arrival {
	if n.Job == 0 {
		n.Job = jobID
	}
	body := make([]byte, wire.HeaderLen)
	n.Put(body)
	header := inet.UDPHeader(resultFlow())
	inet.SetUDPBody(header, len(body))
	return sansio.Arrival{Train: sansio.Train{Header: header, Body: body}}
}

// listener is a worker of four that heeds notices.
type listener struct {
	t   rapid.TB
	c   *trioml.Core
	eff sansio.Effects
}

func newListener(t rapid.TB, source uint8) *listener {
	t.Helper()
	cfg := testConfig()
	cfg.Workers, cfg.Source = 4, source
	c, err := trioml.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return &listener{t: t, c: c}
}

func (l *listener) receive(list ...wire.Notice) {
	for _, n := range list {
		l.c.Handle(0, []sansio.Arrival{notice(n)}, &l.eff)
	}
}

// reduce takes part in a generation.
func (l *listener) reduce(gen int) {
	l.c.Begin(0, gen, make([]float32, 5), &l.eff)
	l.c.Handle(0, generation(uint16(gen)), &l.eff)
	l.c.Finish(gen)
	l.eff.Reset()
}

// absent returns who is out of service in some generations.
func (l *listener) absent(gens ...int) (out [][]int) {
	for _, g := range gens {
		who := []int{}
		for w := range 4 {
			if m := l.c.Absent(g); m.Has(uint8(w)) {
				who = append(who, w)
			}
		}
		out = append(out, who)
	}
	return out
}

func (l *listener) wantAbsent(gens []int, want ...[]int) {
	l.t.Helper()
	if got := l.absent(gens...); !slices.EqualFunc(got, want, slices.Equal) {
		l.t.Errorf("absent in generations %v: %v, want %v", gens, got, want)
	}
}

// A notice of the router's generation g holds from g+2 on, the one that takes it
// back likewise; that a worker straggles for a time changes nothing.
func TestNoticesHoldFromTwoGenerationsOn(t *testing.T) {
	l := newListener(t, 0)
	l.receive(
		wire.Notice{Source: 2, Change: wire.AgeTemporary, Strikes: 1, Gen: 0},
		wire.Notice{Source: 2, Change: wire.AgePermanent, Strikes: 3, Gen: 1},
		wire.Notice{Source: 3, Change: wire.AgePermanent, Strikes: 3, Gen: 2},
		wire.Notice{Source: 2, Change: wire.AgeBack, Gen: 3},
	)
	l.wantAbsent([]int{0, 2, 3, 4, 5, 100}, nil, nil, []int{2}, []int{2, 3}, []int{3}, []int{3})
	for g := range 6 {
		l.reduce(g)
	}
	for name, want := range map[string]int{
		trioml.CountTemporary: 1, trioml.CountPermanent: 2, trioml.CountBack: 1, trioml.CountResharded: 3,
		trioml.CountNoticeAgain: 0, trioml.CountNoticeLate: 0, trioml.DropForeign: 0, string(wire.NoGrads): 0,
	} {
		if got := count(l.c.Counters(), name); got != want {
			t.Errorf("%s: %d, want %d", name, got, want)
		}
	}
}

// The generations of a notice are 16 bits; a worker that sleeps lags behind them.
func TestNoticesAcrossTheWrapOfGenerations(t *testing.T) {
	l := newListener(t, 1)
	l.c.Skip(65530)
	l.receive(wire.Notice{Source: 0, Change: wire.AgePermanent, Gen: 65535}, wire.Notice{Source: 0, Change: wire.AgeBack, Gen: 6})
	l.wantAbsent([]int{65536, 65537, 65543, 65544}, nil, []int{0}, []int{0}, nil)
}

// Copies of a notice are counted and change nothing. One that comes when its
// generation has begun holds from the next.
func TestRepeatedAndLateNotices(t *testing.T) {
	l := newListener(t, 0)
	for g := range 4 {
		l.reduce(g)
	}
	late := wire.Notice{Source: 1, Change: wire.AgePermanent, Gen: 2}
	l.receive(late, late, wire.Notice{Source: 1, Change: wire.AgeBack, Gen: 4}, wire.Notice{Source: 1, Change: wire.AgeBack, Gen: 4})
	l.wantAbsent([]int{4, 5, 6}, nil, []int{1}, nil)
	if again, late := count(l.c.Counters(), trioml.CountNoticeAgain), count(l.c.Counters(), trioml.CountNoticeLate); again != 2 || late != 1 {
		t.Errorf("%d notices repeated, %d late", again, late)
	}
}

// What is said of another job or of nobody is foreign; a worker that is told to
// heed none drops them as packets without gradients.
func TestNoticesThatAreNotHeeded(t *testing.T) {
	l := newListener(t, 0)
	l.receive(wire.Notice{Job: 9, Source: 1, Change: wire.AgePermanent}, wire.Notice{Source: 4, Change: wire.AgePermanent})
	l.wantAbsent([]int{9}, nil)
	if got := count(l.c.Counters(), trioml.DropForeign); got != 2 {
		t.Errorf("%d foreign notices", got)
	}
	c := newCore(t, testConfig())
	c.Handle(0, []sansio.Arrival{notice(wire.Notice{Source: 1, Change: wire.AgePermanent})}, &l.eff)
	if c.Absent(9) != (trace.Mask{}) || count(c.Counters(), string(wire.NoGrads)) != 1 {
		t.Errorf("a notice is heeded: %v", c.Counters())
	}
}

// A notice about a PFE holds for the workers below it, beside those about themselves.
func TestNoticesAboutPFEs(t *testing.T) {
	cfg := testConfig()
	cfg.Workers, cfg.Behind = 4, map[uint8][]uint8{201: {0, 1}, 202: {2, 3}}
	c := newCore(t, cfg)
	l := &listener{t: t, c: c}
	l.receive(
		wire.Notice{Source: 3, Change: wire.AgePermanent, Gen: 0},
		wire.Notice{Source: 202, Change: wire.AgePermanent, Gen: 1},
		wire.Notice{Source: 202, Change: wire.AgeBack, Gen: 2},
		wire.Notice{Source: 3, Change: wire.AgeBack, Gen: 3},
		wire.Notice{Source: 203, Change: wire.AgePermanent, Gen: 3},
	)
	l.wantAbsent([]int{1, 2, 3, 4, 5}, nil, []int{3}, []int{2, 3}, []int{3}, nil)
	if m := c.Absent(3); m.Len() != 2 {
		t.Errorf("absent are %v: not workers alone", m)
	}
	if n := count(c.Counters(), trioml.DropForeign); n != 1 {
		t.Errorf("%d foreign notices, want that about an unknown PFE", n)
	}
	for _, wrong := range []map[uint8][]uint8{{3: {0}}, {201: {4}}, {201: {}}} {
		cfg.Behind = wrong
		if _, err := trioml.New(cfg); err == nil {
			t.Errorf("workers behind PFEs are %v, of 4", wrong)
		}
	}
}

// Workers that hear the same notices in the same order, each in time but at
// generations of its own, agree on every generation.
func TestListenersAgree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const gens = 12
		var notices []wire.Notice
		newest := 0
		for range rapid.IntRange(0, 12).Draw(t, "notices") {
			newest = rapid.IntRange(newest, gens).Draw(t, "newest")
			notices = append(notices, wire.Notice{
				Source: uint8(rapid.IntRange(0, 3).Draw(t, "source")), Gen: uint16(newest),
				Change: rapid.SampledFrom([]uint8{wire.AgeTemporary, wire.AgePermanent, wire.AgeBack}).Draw(t, "change"),
			})
		}
		var first [][]int
		for w := range uint8(4) {
			l := newListener(t, w)
			var seen [][]int
			heard := 0
			for g := range gens {
				seen = append(seen, l.absent(g)...)
				due := heard // before the results of this generation
				for due < len(notices) && (int(notices[due].Gen) < g || rapid.Bool().Draw(t, "early")) {
					due++
				}
				l.receive(notices[heard:due]...)
				heard = due
				l.reduce(g)
			}
			if got := count(l.c.Counters(), trioml.CountNoticeLate); got != 0 {
				t.Fatalf("worker %d: %d notices are too late", w, got)
			}
			if w == 0 {
				first = seen
			}
			if !slices.EqualFunc(seen, first, slices.Equal) {
				t.Fatalf("absent by generation: worker %d says %v, worker 0 %v", w, seen, first)
			}
		}
	})
}

// Who is told to keeps more generations of results than others while it sleeps.
func TestResultsAreKeptAsFarAhead(t *testing.T) {
	cfg := testConfig()
	cfg.Ahead = 3 * trioml.MaxAhead
	c := newCore(t, cfg)
	var eff sansio.Effects
	for g := range uint16(cfg.Ahead) {
		c.Handle(0, generation(g), &eff)
	}
	for g := range cfg.Ahead {
		if !c.Complete(g) {
			t.Fatalf("generation %d is not complete", g)
		}
		c.Finish(g)
	}
	for _, wrong := range []int{-1, trioml.Farthest + 1} {
		cfg.Ahead = wrong
		if _, err := trioml.New(cfg); err == nil {
			t.Errorf("results of %d generations are kept", wrong)
		}
	}
}

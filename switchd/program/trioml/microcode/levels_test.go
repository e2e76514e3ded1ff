package microcode

import (
	"fmt"
	"strings"
	"testing"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	wire "github.com/inalab/inalab/internal/wire/trioml"
	"github.com/inalab/inalab/switchd/dataplane"
	"github.com/inalab/inalab/switchd/program/trioml"
	"github.com/inalab/inalab/switchd/program/trioml/reference"
)

// levels are two PFEs of two workers each and the one above them; a fabric takes
// no time.
type levels struct {
	t     *testing.T
	below [2]dataplane.Engine
	top   dataplane.Engine
	now   units.Time
	gen   uint16
	heard strings.Builder // notices, at the workers' ports
}

// topPFE is where results of the PFEs below go.
const topPFE = 3

func newLevels(t *testing.T, load func(trioml.Config, trioml.Stragglers) (dataplane.Engine, error), age trioml.AgePolicy) *levels {
	t.Helper()
	l := &levels{t: t}
	pfe := func(timeout units.Duration, j trioml.Job) dataplane.Engine {
		j.ID, j.Out, j.BlockMax = 0, resultFlow(), 64
		e, err := load(trioml.Config{Node: "pfe", Threads: 1, Timeout: timeout, Age: age, Jobs: []trioml.Job{j}}, trioml.Stragglers{PermanentAfter: 2})
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	for i := range l.below {
		first := uint8(2 * i)
		l.below[i] = pfe(0, trioml.Job{Sources: []uint8{first, first + 1}, To: []sansio.Port{dataplane.Fabric(topPFE)}, OutSource: uint8(200 + i)})
	}
	l.top = pfe(3*trioml.DefaultTimeout, trioml.Job{Sources: []uint8{200, 201}, To: []sansio.Port{0, 1, 2, 3}, OutSource: 203})
	return l
}

// up gives the top PFE what one below has sent.
func (l *levels) up(pfe int, eff *sansio.Effects) {
	for i := range eff.Sends {
		s := &eff.Sends[i]
		if len(s.To) != 1 || s.To[0] != dataplane.Fabric(topPFE) {
			l.t.Fatalf("PFE %d sends to %v", pfe, s.To)
		}
		var out sansio.Effects
		l.top.Handle(l.now, []sansio.Arrival{{Port: dataplane.Fabric(pfe), Train: s.Train}}, &out)
		l.down(&out)
	}
	eff.Reset()
}

// down writes down the notices that reach the workers.
func (l *levels) down(eff *sansio.Effects) {
	for _, s := range eff.Sends {
		for f := range s.Train.Frames() {
			if n, ok := wire.ParseNotice(s.Train.Payload(f)); ok {
				fmt.Fprintf(&l.heard, "%v to %v: source %d, change %d, strikes %d, generation %d\n", l.now, s.To, n.Source, n.Change, n.Strikes, n.Gen)
			}
		}
	}
}

// generation has some workers send a block of the next generation, and lets 100 ms go
// by, with one look of each PFE at their end.
func (l *levels) generation(workers ...uint8) {
	l.t.Helper()
	var eff sansio.Effects
	for _, w := range workers {
		h := wire.Header{Source: w, SrcCnt: 1, Gen: l.gen}
		l.below[w/2].Handle(l.now, []sansio.Arrival{arrival(packet(h, 1))}, &eff)
		l.up(int(w/2), &eff)
	}
	l.gen++
	end := l.now + 100*ms
	for {
		next := l.top.NextDeadline()
		for _, e := range l.below {
			next = min(next, e.NextDeadline())
		}
		if next > end {
			l.now = end
			return
		}
		l.now = next
		for i, e := range l.below {
			e.Expire(next, &eff)
			l.up(i, &eff)
		}
		l.top.Expire(next, &eff)
		l.down(&eff)
		eff.Reset()
	}
}

// Notices of a PFE below reach the ports of all workers, with the top's newest
// generation, though its own is older. Of a PFE from which nothing comes any more
// the top tells itself.
func TestNoticesCrossLevels(t *testing.T) {
	for name, load := range map[string]func(trioml.Config, trioml.Stragglers) (dataplane.Engine, error){
		"microcode": func(c trioml.Config, s trioml.Stragglers) (dataplane.Engine, error) {
			return NewAdvanced(c, s, Options{Memory: roomy()})
		},
		"reference": func(c trioml.Config, s trioml.Stragglers) (dataplane.Engine, error) {
			return reference.NewAdvanced(c, s)
		},
	} {
		for _, age := range []trioml.AgePolicy{trioml.AgePerBlock, trioml.AgeAbsent} {
			t.Run(fmt.Sprint(name, " ", age), func(t *testing.T) {
				l := newLevels(t, load, age)
				l.now = 1 * ms
				l.generation(0, 1, 2, 3)
				l.generation(0, 1, 3) // worker 2 is away
				l.generation(0, 1, 3)
				l.generation(0, 1) // and 3: nothing comes of their PFE
				l.generation(0, 1)
				l.generation(0, 1, 3) // 3 is back
				l.generation(0, 1, 2, 3)
				l.generation(0, 1, 2, 3)
				want := `200ms to [0 1 2 3]: source 2, change 2, strikes 1, generation 1
300ms to [0 1 2 3]: source 2, change 3, strikes 2, generation 2
400ms to [0 1 2 3]: source 201, change 2, strikes 1, generation 3
500ms to [0 1 2 3]: source 201, change 3, strikes 2, generation 4
600ms to [0 1 2 3]: source 201, change 4, strikes 0, generation 5
700ms to [0 1 2 3]: source 2, change 4, strikes 0, generation 6
`
				if got := l.heard.String(); got != want {
					t.Errorf("workers hear\n%swant\n%s", got, want)
				}
			})
		}
	}
}

// The PFE below lags behind: its notice holds from the generation of the top on.
func TestNoticesHaveTheGenerationOfTheTop(t *testing.T) {
	l := newLevels(t, func(c trioml.Config, s trioml.Stragglers) (dataplane.Engine, error) {
		return NewAdvanced(c, s, Options{Memory: roomy()})
	}, trioml.AgePerBlock)
	l.now = 1 * ms
	l.generation(0, 1, 3)
	var eff sansio.Effects
	for gen := range uint16(20) { // all of another PFE
		h := wire.Header{Source: 200, SrcCnt: 2, Gen: 10 + gen}
		l.top.Handle(l.now, []sansio.Arrival{{Port: dataplane.Fabric(0), Train: arrival(packet(h, 1)).Train}}, &eff)
	}
	l.heard.Reset()
	l.gen = 1
	var late sansio.Effects
	l.below[1].Handle(l.now, []sansio.Arrival{arrival(packet(wire.Header{Source: 3, SrcCnt: 1, Gen: 1}, 1))}, &late)
	for d := l.below[1].NextDeadline(); d <= 200*ms; d = l.below[1].NextDeadline() {
		l.below[1].Expire(d, &late)
	}
	l.up(1, &late)
	if got := l.heard.String(); !strings.Contains(got, "source 2, change 3, strikes 2, generation 29\n") {
		t.Errorf("workers hear\n%swant source 2 out of service in the top's generation 29", got)
	}
}

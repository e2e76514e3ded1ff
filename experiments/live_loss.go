package experiments

import (
	"context"
	"fmt"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/result"
	"github.com/inalab/inalab/internal/pktio/impair"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/nodes/switchml"
	"github.com/inalab/inalab/reports/claims"
	"github.com/inalab/inalab/reports/render"
)

// liveLoss is SwitchML Fig 6 on real packets.
func liveLoss() Experiment {
	return Experiment{
		ID: "switchml.fig6.live", Title: "aggregation under loss on real packets: SwitchML with retransmission and a ring over kernel TCP",
		Claims: []claims.ID{"switchml.fig6.loss-001", "switchml.fig6.loss-01"},
		Live:   true, Quick: "6 of 20 all-reduces of each run",
		Run: onLab(runLiveLoss),
	}
}

// Settings of Fig 6: 8 workers, 10 Gbit/s, 100 MB.
const (
	lossScale    = 100 // links of 100 Mbit/s
	lossElements = 100_000_000 / 4 / lossScale
	// lossTimeout is 1 ms in the paper. A round trip of the whole pool takes 1.4 ms
	// here and wake-ups come on top: with less than 4 ms, packets that are not lost
	// are sent again.
	lossTimeout = 4 * units.Millisecond
)

// lossRun is a loss rate, with both systems.
type lossRun struct {
	p         float64
	sml, ring liveRun
	gotSML    ran
	gotRing   ran
}

func newLossRuns(e *Env) []lossRun {
	n, warmup := 20, 1
	if e.Quick {
		n = 6
	}
	var out []lossRun
	for _, p := range lossRates {
		run := func(name string, sys job.System) liveRun {
			return liveRun{
				name: fmt.Sprintf("%s, loss %g%%", name, 100*p), sys: sys, topology: "rack", hosts: 8, mtu: mtu,
				rate: gigabit10, scale: lossScale, loss: p, elements: lossElements, iterations: n + warmup, warmup: warmup,
			}
		}
		sml := job.SwitchML{Elements: 256, Slots: slowPool, Unscaled: true, Retransmit: true, Timeout: lossTimeout}
		out = append(out, lossRun{p: p, sml: run("SwitchML-256", sml), ring: run("ring over TCP", ringTCP)})
	}
	return out
}

func runLiveLoss(ctx context.Context, l *lab) (Findings, error) {
	f := Findings{}
	runs := newLossRuns(l.env)
	for i := range runs {
		r := &runs[i]
		got, err := l.right(ctx, r.sml, r.ring)
		if err != nil {
			return f, err
		}
		r.gotSML, r.gotRing = got[0], got[1]
	}
	f.Tables = []claims.Table{liveFig6(runs)}
	none := &runs[0]
	ratio := func(i int) (sml, ring float64) {
		return runs[i].tat().Seconds() / none.tat().Seconds(), runs[i].ringTAT().Seconds() / none.ringTAT().Seconds()
	}
	order := func(i int) claims.Measured {
		return claims.Ranking(map[string]float64{"switchml": runs[i].tat().Milliseconds(), "ring_tcp": runs[i].ringTAT().Milliseconds()})
	}
	what := fmt.Sprintf("8 workers, 10 Gbit/s and 100 MB by the scale, pool of %d, timeout of %v; %s", slowPool, lossTimeout, tcpOf())
	set := func(id claims.ID, parts map[string]claims.Measured) {
		m := claims.Group(parts)
		m.Note = fmt.Sprintf("the timeout is %v for the paper's 1 ms: a round trip takes over 1 ms here", lossTimeout)
		f.Set(id, l.say(m, lossScale, what))
	}
	sml, ring := ratio(1)
	set("switchml.fig6.loss-001", map[string]claims.Measured{"switchml": claims.Number(sml), "ring_tcp": claims.Number(ring)})
	sml, ring = ratio(3)
	set("switchml.fig6.loss-01", map[string]claims.Measured{
		"tat_0_1pct": order(2), "tat_1pct": order(3), "inflation_ratio_1pct": claims.Number(ring / sml),
	})
	return f, nil
}

func (r *lossRun) tat() units.Duration     { return r.sml.each(&r.gotSML) }
func (r *lossRun) ringTAT() units.Duration { return r.ring.each(&r.gotRing) }

// lost returns the packets that links lost as they were asked to.
func lost(c *result.Cell) uint64 { return counted(c, impair.DropBernoulli, nil) }

func liveFig6(runs []lossRun) claims.Table {
	t := claims.Table{
		ID: "switchml.fig6.live", Title: "Time of an aggregation under loss, live",
		Columns: []claims.Column{
			{Name: "loss", Unit: "%"}, {Name: "SwitchML", Unit: "ms"}, {Name: "SwitchML inflation"}, {Name: "SwitchML packets lost"}, {Name: "sent again"},
			{Name: "ring over TCP", Unit: "ms"}, {Name: "ring inflation"}, {Name: "ring packets lost"}, {Name: "segments sent again"},
		},
		Notes: []string{"Packets lost and sent again are of all workers and all-reduces, warm-up included."},
	}
	for i := range runs {
		r := &runs[i]
		t.Rows = append(t.Rows, []render.Cell{
			render.Text(fmt.Sprintf("%g", 100*r.p)),
			render.Number(r.tat().Milliseconds(), 1), render.Number(r.tat().Seconds()/runs[0].tat().Seconds(), 2),
			render.Int(lost(&r.gotSML.Cell)), render.Int(counted(&r.gotSML.Cell, switchml.CountRetransmits, nil)),
			render.Number(r.ringTAT().Milliseconds(), 1), render.Number(r.ringTAT().Seconds()/runs[0].ringTAT().Seconds(), 2),
			render.Int(lost(&r.gotRing.Cell)), render.Int(counted(&r.gotRing.Cell, "tcp-retransmits", nil)),
		})
	}
	return t
}

package chip

import (
	"context"
	"fmt"

	"github.com/inalab/inalab/experiments/experiment"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/reports/claims"
	"github.com/inalab/inalab/reports/render"
	"github.com/inalab/inalab/switchd/program/switchml/pipeline"
	"github.com/inalab/inalab/switchd/tofino"
)

// lineRate is SwitchML §1 and §5: the emulated chip aggregates what its ports bring.
func lineRate() experiment.Experiment {
	return experiment.Experiment{
		ID: "switchml.s1.line-rate", Title: "the emulated pipeline with all its workers' ports at line rate",
		Claims: []claims.ID{"switchml.s1.line-rate"},
		Quick:  "8 of 16 rounds of the pool",
		Run:    runLineRate,
	}
}

// offered is workers that send at line rate, whatever comes back.
type offered struct {
	name     string
	elements int
	workers  int
	loop     units.Rate // of the ports that lead back

	got, sent int // results and packets while the load is steady
	growth    int // packets more inside the chip at its end than at its begin
	wrong     int
	busiest   tofino.PortStat
	busy      float64 // share of the time that the busiest port back sends
}

// rate returns results to packets: a worker gets one for each that it sends.
func (o *offered) rate() float64 { return float64(o.got) / float64(o.sent) }

// run offers so many rounds of the pool, the first of which fills the chip. Slots come
// again after a round, when their results have long left if the chip keeps up.
func (o *offered) run(rounds int) error {
	timing := tofino.DefaultTiming()
	timing.Loop = o.loop
	l, err := newLoad(o.elements, o.workers, o.workers, &timing)
	if err != nil {
		return err
	}
	gap := l.gap(timing.Front)
	inside := 0
	for phase := range rounds {
		if phase == 1 {
			o.got, inside = l.results, l.inside()
		}
		for slot := range loadSlots {
			for w := range o.workers {
				l.send(w, slot, phase)
			}
			l.now = l.now.Add(gap)
		}
	}
	o.got, o.sent, o.growth = l.results-o.got, (rounds-1)*loadSlots*o.workers, l.inside()-inside
	for _, p := range l.chip.Chip().Snapshot().Ports {
		if p.Kind != "front" && p.Busy > o.busiest.Busy {
			o.busiest, o.busy = p, p.Busy.Seconds()/units.Duration(l.now).Seconds()
		}
	}
	o.wrong = l.wrong
	return nil
}

func runLineRate(ctx context.Context, e *experiment.Env) (f experiment.Findings, err error) {
	rounds := 16
	if e.Quick {
		rounds = 8
	}
	const all = pipeline.MaxPorts
	loads := []offered{
		{name: "64", elements: 64, workers: all, loop: tofino.PortRate},
		{name: "256", elements: 256, workers: all, loop: tofino.PortRate},
		{name: "256, one port fewer", elements: 256, workers: all - 1, loop: tofino.PortRate},
		{name: "256, ports back twice as fast", elements: 256, workers: all, loop: 2 * tofino.PortRate},
	}
	for i := range loads {
		if err := ctx.Err(); err != nil {
			return f, err
		}
		if err := loads[i].run(rounds); err != nil {
			return f, err
		}
		if loads[i].wrong > 0 {
			return f, fmt.Errorf("values a packet %s: %d results are wrong", loads[i].name, loads[i].wrong)
		}
	}
	f.Tables = []claims.Table{lineTable(loads, rounds)}
	small, large, fewer := &loads[0], &loads[1], &loads[2]
	m := claims.Group(map[string]claims.Measured{
		"rate_over_offered_64": claims.Number(small.rate()), "rate_over_offered_256": claims.Number(large.rate()),
		"queue_growth_packets": claims.Number(float64(max(small.growth, large.growth))),
	})
	m.Model = fmt.Sprintf("emulated pipeline, %d workers at 100 Gbit/s; one recirculation port of 100 Gbit/s a pipe (assumed)", all)
	m.Note = fmt.Sprintf("256 values: port %v back into a pipe sends %.0f%% of the time; with %d workers, and the last port of their pipe in loopback as well, the rate is %.3g and %d packets more are inside at the end",
		large.busiest.Dev, 100*large.busy, fewer.workers, fewer.rate(), fewer.growth)
	f.Set("switchml.s1.line-rate", m)
	return f, nil
}

func lineTable(loads []offered, rounds int) claims.Table {
	t := claims.Table{
		ID: "switchml.s1.line-rate", Title: fmt.Sprintf("Results to packets offered at line rate, %d rounds of a pool of %d, the first not counted", rounds, loadSlots),
		Columns: []claims.Column{
			{Name: "values a packet"}, {Name: "workers"}, {Name: "packets offered"}, {Name: "results"}, {Name: "rate"}, {Name: "packets more inside"}, {Name: "busiest port back"}, {Name: "its time busy", Unit: "%"},
		},
		Notes: []string{
			"A port is pipe/port. Of the seven further passes that read a sum of 256 values two are in pipe 0, where workers are. Their ports cannot lead back, so that pipe 0 has its recirculation port, and with 15 workers one more.",
		},
	}
	for i := range loads {
		o := &loads[i]
		t.Rows = append(t.Rows, []render.Cell{
			render.Text(o.name), render.Int(o.workers), render.Int(o.sent), render.Int(o.got), render.Number(o.rate(), 3), render.Int(o.growth),
			render.Text(o.busiest.Dev.String()), render.Percent(o.busy),
		})
	}
	return t
}

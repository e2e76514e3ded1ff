package chip

import (
	"context"
	"fmt"

	"github.com/inalab/inalab/experiments/experiment"
	"github.com/inalab/inalab/experiments/rig"
	"github.com/inalab/inalab/internal/sansio"
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
	gap := l.PacketTime(timing.Front)
	inside, at := 0, units.Time(0)
	for phase := range rounds {
		if phase == 1 {
			o.got, inside = l.results, l.inside()
		}
		for slot := range loadSlots {
			l.Until(at)
			for w := range o.workers {
				l.Send(w, slot, phase, 1)
			}
			at = at.Add(gap)
		}
	}
	o.got, o.sent, o.growth = l.results-o.got, (rounds-1)*loadSlots*o.workers, l.inside()-inside
	for _, p := range l.chip.Chip().Snapshot().Ports {
		if p.Kind != "front" && p.Busy > o.busiest.Busy {
			o.busiest, o.busy = p, p.Busy.Seconds()/units.Duration(at).Seconds()
		}
	}
	o.wrong = l.wrong
	return l.Err
}

func runLineRate(ctx context.Context, e *experiment.Env) (f experiment.Findings, err error) {
	rounds := experiment.Cut(e, 16, 8)
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
	m := claims.NumberParts(map[string]float64{"rate_over_offered_64": small.rate(), "rate_over_offered_256": large.rate(), "queue_growth_packets": float64(max(small.growth, large.growth))})
	f.Set("switchml.s1.line-rate", m.On(fmt.Sprintf("emulated pipeline, %d workers at 100 Gbit/s; one recirculation port of 100 Gbit/s a pipe (assumed)", all)).
		Noting("256 values: port %v back into a pipe sends %.0f%% of the time; with %d workers, and the last port of their pipe in loopback as well, the rate is %.3g and %d packets more are inside at the end",
			large.busiest.Dev, 100*large.busy, fewer.workers, fewer.rate(), fewer.growth))
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
		t.Add(render.Text(o.name), render.Int(o.workers), render.Int(o.sent), render.Int(o.got), render.Number(o.rate(), 3), render.Int(o.growth),
			render.Text(o.busiest.Dev.String()), render.Percent(o.busy))
	}
	return t
}

// lineLoad is an emulated chip with time, to which workers send ones.
type lineLoad struct {
	*rig.SwitchML
	chip    *pipeline.Engine
	workers int
	results int // packets that have left
	wrong   int // of them whose values are not the number of workers
}

// loadSlots is the pool of a load, as in the paper at 100 Gbit/s.
const loadSlots = 512

// newLoad returns a chip with so many ports for as many workers at most.
func newLoad(elements, workers, ports int, timing *tofino.Timing) (*lineLoad, error) {
	j := job(1, 0, workers, loadSlots)
	j.Elements = elements
	e, err := pipeline.New(rig.SwitchMLConfig(j), pipeline.Options{Timing: timing, Ports: ports})
	if err != nil {
		return nil, err
	}
	l := &lineLoad{SwitchML: rig.NewSwitchMLOn(e, workers, ports, elements), chip: e, workers: workers}
	take := l.Sent
	l.Sent = func(at units.Time, s *sansio.Send) {
		take(at, s)
		l.count()
	}
	return l, nil
}

// count counts what has left.
func (l *lineLoad) count() {
	for _, r := range l.Got {
		l.results++
		if int(r.Value) != l.workers {
			l.wrong++
		}
	}
	l.Got = l.Got[:0]
}

// passes returns the passes through ingresses so far.
func (l *lineLoad) passes() uint64 { return l.chip.Chip().Snapshot().Ingress }

// inside returns the packets inside the chip.
func (l *lineLoad) inside() int { return l.chip.Chip().Snapshot().Inside }

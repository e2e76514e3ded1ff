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
	"github.com/inalab/inalab/switchd/program/switchml"
	"github.com/inalab/inalab/switchd/program/switchml/pipeline"
	"github.com/inalab/inalab/switchd/tofino"
)

// lineRate is SwitchML §1 and §5: the emulated chip aggregates what its ports bring.
func lineRate() experiment.Experiment {
	return experiment.Experiment{
		ID: "switchml.s1.line-rate", Title: "the emulated pipeline with all its workers' ports at line rate",
		Switch: []claims.Switch{claims.SwitchPipelineTimed},
		Claims: []claims.ID{"switchml.s1.line-rate", "switchml.s5.recirc-bandwidth"},
		Quick:  "8 of 16 rounds of the pool",
		Run:    runLineRate,
	}
}

// offered is workers that send at the rate of their links, whatever comes back.
type offered struct {
	name string
	traffic
	front units.Rate // of the workers' ports
	loop  units.Rate // of the ports that lead back

	got, sent int // results and packets while the load is steady
	growth    int // packets more inside the chip at its end than at its begin
	wrong     int
	left      units.Rate // of results by the workers' ports while the load is steady, with all headers
	busiest   tofino.PortStat
	busy      float64 // share of the time that the busiest port back sends
	queue     int     // cells, the most that waited for a port back
}

// traffic is who sends what.
type traffic struct {
	elements int // of a packet
	workers  int // at a port each
	jobs     int // of equal parts of them; 0: one
	faithful bool
}

// members returns the workers of a job.
func (t *traffic) members() int { return t.workers / max(t.jobs, 1) }

// rate returns results to packets: a worker gets one for each that it sends.
func (o *offered) rate() float64 { return float64(o.got) / float64(o.sent) }

// run offers so many rounds of the pool, the first of which fills the chip. Slots come
// again after a round, when their results have long left if the chip keeps up.
func (o *offered) run(rounds int) error {
	timing := tofino.DefaultTiming()
	timing.Front, timing.Loop = o.front, o.loop
	l, err := newLoad(o.traffic, &timing)
	if err != nil {
		return err
	}
	gap := l.PacketTime(timing.Front)
	inside, at, begin, busy := 0, units.Time(0), units.Time(0), units.Duration(0)
	for phase := range rounds {
		if phase == 1 {
			o.got, inside, begin, busy = l.results, l.inside(), l.Now, l.frontBusy()
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
	o.wrong = l.wrong
	o.left = units.Rate(float64(timing.Front) * (l.frontBusy() - busy).Seconds() / l.Now.Sub(begin).Seconds())
	o.portsBack(l.chip.Chip().Snapshot().Ports, units.Duration(at))
	return l.Err
}

// portsBack looks at the ports that lead back, after so long.
func (o *offered) portsBack(list []tofino.PortStat, after units.Duration) {
	for _, p := range list {
		if p.Kind == "front" {
			continue
		}
		if p.Busy > o.busiest.Busy {
			o.busiest, o.busy = p, p.Busy.Seconds()/after.Seconds()
		}
		for _, q := range p.Queues {
			o.queue = max(o.queue, q.Most)
		}
	}
}

func runLineRate(ctx context.Context, e *experiment.Env) (f experiment.Findings, err error) {
	rounds := experiment.Cut(e, 16, 8)
	const all, rate, tenth = pipeline.MaxPorts, tofino.PortRate, tofino.PortRate / 10
	loads := []offered{
		{name: "64", traffic: traffic{elements: 64, workers: all}, front: rate, loop: rate},
		{name: "256", traffic: traffic{elements: 256, workers: all}, front: rate, loop: rate},
		{name: "256, ports of the public program", traffic: traffic{elements: 256, workers: all, faithful: true}, front: rate, loop: rate},
		{name: "256, two jobs", traffic: traffic{elements: 256, workers: all, jobs: 2}, front: rate, loop: rate},
		{name: "256, two jobs at 10 Gbit/s", traffic: traffic{elements: 256, workers: all, jobs: 2}, front: tenth, loop: rate},
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
	small, large, two := &loads[0], &loads[1], &loads[3]
	m := claims.NumberParts(map[string]float64{"rate_over_offered_64": small.rate(), "rate_over_offered_256": large.rate(), "queue_growth_packets": float64(max(small.growth, large.growth)), "rate_of_two_jobs_256": two.rate()})
	f.Set("switchml.s1.line-rate", m.On(fmt.Sprintf("emulated pipeline, %d workers at 100 Gbit/s", all)).
		Noting("256 values: port %v, the busiest that leads back, sends %.0f%% of the time, and at most %d cells wait for one; two jobs of %d workers, both at that rate, get %.2f of their results in time",
			large.busiest.Dev, 100*large.busy, large.queue, two.members(), two.rate()))
	f.Set("switchml.s5.recirc-bandwidth", claims.NumberParts(map[string]float64{"ports_gbps": all * float64(rate) / 1e9, "results_gbps": float64(large.left) / 1e9}).
		On("emulated pipeline, the ports of one pipe for workers, those of the three others and the internal ones in loopback mode").
		Noting("%d workers offer %v each and get %.3f of their results while the load is steady; %d packets more wait at its end", all, rate, large.rate(), max(0, large.growth)))
	return f, nil
}

func lineTable(loads []offered, rounds int) claims.Table {
	t := claims.Table{
		ID: "switchml.s1.line-rate", Title: fmt.Sprintf("Results to packets offered at line rate, %d rounds of a pool of %d, the first not counted", rounds, loadSlots),
		Columns: []claims.Column{
			{Name: "values a packet"}, {Name: "workers"}, {Name: "packets offered"}, {Name: "results"}, {Name: "rate"}, {Name: "packets more inside"}, {Name: "busiest port back"}, {Name: "its time busy", Unit: "%"},
			{Name: "most in a queue back", Unit: "cells"},
		},
		Notes: []string{
			"A port is pipe/port, a cell 80 bytes. Of the seven further passes that read a sum of 256 values two are in pipe 0, where workers are at all front ports. They take its ports 0/64 and 0/68, one each, as in the public program: enough for the results of one job at 100 Gbit/s, not of two.",
		},
	}
	for i := range loads {
		o := &loads[i]
		t.Add(render.Text(o.name), render.Int(o.workers), render.Int(o.sent), render.Int(o.got), render.Number(o.rate(), 3), render.Int(o.growth),
			render.Text(o.busiest.Dev.String()), render.Percent(o.busy), render.Int(o.queue))
	}
	return t
}

// lineLoad is an emulated chip with time, to which workers send ones.
type lineLoad struct {
	*rig.SwitchML
	chip    *pipeline.Engine
	members int // of a job
	results int // packets that have left
	wrong   int // of them whose values are not the number of members
}

// loadSlots is the pool of a load, as in the paper at 100 Gbit/s.
const loadSlots = 512

// newLoad returns a chip with a port for each worker.
func newLoad(o traffic, timing *tofino.Timing) (*lineLoad, error) {
	var jobs []switchml.Job
	for first := 0; first < o.workers; first += o.members() {
		j := job(uint8(len(jobs)+1), first, o.members(), loadSlots)
		j.Elements = o.elements
		jobs = append(jobs, j)
	}
	cfg := rig.SwitchMLConfig(jobs...)
	cfg.Faithful = o.faithful
	e, err := pipeline.New(cfg, pipeline.Options{Timing: timing, Ports: o.workers})
	if err != nil {
		return nil, err
	}
	l := &lineLoad{SwitchML: rig.NewSwitchMLOn(e, o.workers, o.workers, o.elements), chip: e, members: o.members()}
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
		if int(r.Value) != l.members {
			l.wrong++
		}
	}
	l.Got = l.Got[:0]
}

// passes returns the passes through ingresses so far.
func (l *lineLoad) passes() uint64 { return l.chip.Chip().Snapshot().Ingress }

// frontBusy returns how long the workers' ports have sent so far, together.
func (l *lineLoad) frontBusy() (sum units.Duration) {
	for _, p := range l.chip.Chip().Snapshot().Ports {
		if p.Kind == "front" {
			sum += p.Busy
		}
	}
	return sum
}

// inside returns the packets inside the chip.
func (l *lineLoad) inside() int { return l.chip.Chip().Snapshot().Inside }

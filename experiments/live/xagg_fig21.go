package live

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/inalab/inalab/experiments/experiment"
	"github.com/inalab/inalab/experiments/testbed"
	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/live"
	"github.com/inalab/inalab/harness/netns"
	"github.com/inalab/inalab/harness/system/aggtree"
	"github.com/inalab/inalab/harness/system/tcpagg"
	"github.com/inalab/inalab/harness/system/xagg"
	"github.com/inalab/inalab/internal/pktio"
	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/nodes/xagg/conductor"
	"github.com/inalab/inalab/reports/claims"
	"github.com/inalab/inalab/reports/render"
	"github.com/inalab/inalab/reports/stat"
	"github.com/inalab/inalab/topo"
	"github.com/inalab/inalab/topo/plan"
)

// xaggFig21 is the sending rate of workers while the link of the node that aggregates becomes slower (XAgg §VI-C).
func xaggFig21() experiment.Experiment {
	return experiment.Experiment{
		ID: "xagg.fig21", Title: "sending rates of XAgg and TCP-Agg by 10 ms, on real packets, when the receiving bandwidth falls to a third",
		Switch: []claims.Switch{claims.SwitchHosts},
		Claims: []claims.ID{"xagg.fig21.smooth"},
		Live:   true, Quick: "1 of 5 rounds",
		Run: onLab(runXAggFig21),
	}
}

const (
	fig21Before = 60 * units.GbitPerSecond
	fig21After  = 20 * units.GbitPerSecond
	fig21Sample = 10 * units.Millisecond
	// fig21Queue holds a tenth of a second of packets at the new rate (assumed).
	fig21Queue = 250 * units.MiB
	// fig21At is in the midst of the second iteration: each takes 1 s before the change.
	fig21At  = 1500 * units.Millisecond
	fig21MiB = 3250
	// XAgg has packets of 32 values, the least, and one agent: a group of 1024 takes 60 ms of a worker's time at the first
	// rate here, and 0.3 ms at full scale with 256. Its gradient is shorter by the headers.
	fig21Values  = 32
	fig21XAggMiB = 2000
	// fig21Rest is the share of what a worker sends that is left out at the end, where senders run dry.
	fig21Rest = 0.05
	// fig21Tries are of a run in which the bandwidth fell before workers had begun, or after (assumed).
	fig21Tries = 3
)

// fig21Runs are two workers on the parameter server.
func fig21Runs() (runs []liveRun) {
	for _, s := range []struct {
		name string
		sys  job.System
		mib  int
	}{{"XAgg", xagg.System{Mode: conductor.Star, Agents: 1, Values: fig21Values}, fig21XAggMiB}, {"TCP-Agg", tcpagg.System{Tree: aggtree.Star}, fig21MiB}} {
		runs = append(runs, liveRun{
			name: s.name + ", receiving bandwidth that falls", sys: s.sys, topology: "rack", hosts: 2, mtu: testbed.MTU, rate: fig21Before, scale: slowScale,
			model: sized(s.mib), batch: 1, iterations: 2, change: slowerServer,
			links: func(l *topo.Link) { l.AtoB.Queue, l.BtoA.Queue = fig21Queue/slowScale, fig21Queue/slowScale },
		})
	}
	return runs
}

// slowerServer makes the way to the last host, the parameter server, slower in mid-run.
func slowerServer(s *job.Spec) {
	h := &s.Plan.Hosts[len(s.Plan.Hosts)-1]
	sw, _ := s.Plan.Switch(h.Switch)
	p := &sw.Ports[h.SwitchPort]
	spec := p.Out
	spec.Rate = fig21After / slowScale
	s.Changes = []job.LinkChange{{At: units.Time(fig21At), From: topo.End{Node: sw.Name, Port: p.Name}, To: p.Peer, Spec: spec}}
}

// fall is the rates of a run around the change, in bit/s by interval.
type fall struct {
	cell          result.Cell
	before, after []float64
}

// least returns the lowest rate after the change over the new rate.
func (f *fall) least() float64 { return slices.Min(f.after) / float64(fig21After/slowScale) }

// settled returns the median rate in the second half of what follows the change, over the new rate.
func (f *fall) settled() float64 {
	m, _ := stat.Median(f.after[len(f.after)/2:])
	return m / float64(fig21After/slowScale)
}

// fall carries a run out and samples what workers send in its second iteration.
func (l *lab) fall(ctx context.Context, r liveRun) (f fall, err error) {
	j, err := r.job(l.env)
	if err != nil {
		return f, err
	}
	var s *rateSampler
	epoch := int64(0)
	err = l.believed(ctx, r.name, r.hosts, func() (result.Fidelity, error) {
		s, epoch = newRateSampler(time.Duration(fig21Sample/units.Nanosecond)/2, interfaces(j.Hosts())), 1<<63-1
		_, err := inLab(ctx, 0, func(opt live.Options) (err error) {
			opt.Beside = func(lab *netns.Lab) error {
				s.start(ctx, lab)
				return nil
			}
			opt.Progress = func(list []result.Sample) {
				for _, at := range list {
					epoch = min(epoch, pktio.MonotonicNow()-int64(at.End/units.Time(units.Nanosecond)))
					if at.Iteration == r.iterations-1 {
						_ = s.end() // its error comes again
					}
				}
			}
			m, err := live.Bench(ctx, j, r.warmup, opt)
			f.cell = m.Cell
			return err
		})
		if ended := s.end(); err == nil {
			err = ended
		}
		return f.cell.Fidelity, err
	})
	if err != nil {
		return f, err
	}
	if f.cell.Wrong > 0 || f.cell.Checked == 0 {
		return f, fmt.Errorf("%s: %d of %d sums are wrong", r.name, f.cell.Wrong, f.cell.Checked)
	}
	at := epoch + int64(fig21At/units.Nanosecond)
	f.after = ratesOf(s.samples, at, fig21Sample, fig21Rest)
	const before = 10
	f.before = ratesOf(s.samples, at-int64(before*fig21Sample/units.Nanosecond), fig21Sample, fig21Rest)
	f.before = f.before[:min(before, len(f.before))]
	if usual, err := stat.Median(f.before); err != nil || usual < 0.6*float64(fig21Before/slowScale) || len(f.after) == 0 {
		return f, fmt.Errorf("%s: %w: workers were not sending when the bandwidth fell", r.name, ErrBusy)
	}
	return f, nil
}

// interfaces returns the names of hosts' interfaces.
func interfaces(hosts []plan.Host) map[string]string {
	out := map[string]string{}
	for i := range hosts {
		out[hosts[i].Name] = hosts[i].Iface
	}
	return out
}

func runXAggFig21(ctx context.Context, l *lab) (f experiment.Findings, err error) {
	runs := fig21Runs()
	falls := make([][]fall, len(runs))
	for round := range experiment.Cut(l.env, 5, 1) {
		for _, i := range turns(len(runs), round) {
			got, err := l.fall(ctx, runs[i])
			for try := 1; try < fig21Tries && errors.Is(err, ErrBusy); try++ {
				got, err = l.fall(ctx, runs[i])
			}
			if err != nil {
				return f, err
			}
			falls[i] = append(falls[i], got)
		}
	}
	t := claims.Table{
		ID: "xagg.fig21", Title: fmt.Sprintf("Sending rate of two workers together by %v, when the bandwidth of the parameter server falls from %v to %v", fig21Sample, fig21Before/slowScale, fig21After/slowScale),
		Columns: []claims.Column{{Name: "run"}, {Name: "before", Unit: "Mbit/s"}, {Name: "lowest after", Unit: "Mbit/s"}, {Name: "median after", Unit: "Mbit/s"}, {Name: "highest after", Unit: "Mbit/s"}, {Name: "below half", Unit: "ms"}, {Name: "fidelity"}},
		Notes:   []string{"Rates are what the interfaces of the workers sent, read from the kernel, what is sent again and acknowledgements among it. Below half is how long they were below half of the new rate."},
	}
	least, settled := make([]float64, len(runs)), make([]float64, len(runs))
	for i := range runs {
		var all, late []float64
		for k := range falls[i] {
			all, late = append(all, falls[i][k].least()), append(late, falls[i][k].settled())
			t.Add(fallRow(runs[i].name, &falls[i][k])...)
		}
		least[i], _ = stat.Median(all)
		settled[i], _ = stat.Median(late)
	}
	f.Tables = []claims.Table{t}
	m := claims.Group(map[string]claims.Measured{"xagg": claims.Number(least[0]), "settled": claims.Number(settled[0]), "minima": claims.Ranking(map[string]float64{"xagg": least[0], "tcp_agg": least[1]})}).
		Noting("TCP-Agg settles at %.3g of the new rate", settled[1])
	f.Set("xagg.fig21.smooth", l.say(m, slowScale, fmt.Sprintf("two workers on the parameter server, a queue of %v before it; median of %d rounds in turns; %s", fig21Queue/slowScale, len(falls[0]), kernelTCP())))
	return f, nil
}

func fallRow(name string, f *fall) []render.Cell {
	const mbit = 1e6
	before, _ := stat.Median(f.before)
	after, _ := stat.Median(f.after)
	low := 0
	for _, rate := range f.after {
		if rate < float64(fig21After/slowScale)/2 {
			low++
		}
	}
	return []render.Cell{
		render.Text(name), render.Number(before/mbit, 1), render.Number(slices.Min(f.after)/mbit, 1), render.Number(after/mbit, 1), render.Number(slices.Max(f.after)/mbit, 1),
		render.Number(float64(low)*fig21Sample.Milliseconds(), 0), render.Text(f.cell.Fidelity.Verdict),
	}
}

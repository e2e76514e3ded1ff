package live

import (
	"context"
	"fmt"

	"github.com/inalab/inalab/experiments/experiment"
	"github.com/inalab/inalab/experiments/testbed"
	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/system/ps"
	"github.com/inalab/inalab/reports/claims"
	"github.com/inalab/inalab/reports/render"
)

// dedicatedServers is dedicated parameter servers beside SwitchML (SwitchML §6.1).
func dedicatedServers() experiment.Experiment {
	return experiment.Experiment{
		ID: "switchml.s6.1.dedicated-ps", Title: "elements aggregated a second on real packets: dedicated parameter servers over kernel TCP, and SwitchML",
		Switch: []claims.Switch{claims.SwitchPipeline},
		Claims: []claims.ID{"switchml.s6.1.dedicated-ps"},
		Live:   true, Quick: "a tensor of 1 MiB in place of 4 MiB, 3 of 6 all-reduces, one round of 3",
		Run: onLab(runPSRates),
	}
}

// Settings of the comparison.
const (
	// psWorkers and as many servers keep 8 links busy both ways, with acknowledgements
	// on top: of psScale, half as fast as where SwitchML runs alone, this machine carries
	// them with time to spare.
	psWorkers = 4
	psScale   = 2 * slowScale
	// psMTU leaves room for 256 values in a TCP segment (headers with timestamps), so
	// that all systems send packets of one size.
	psMTU = 4*256 + 52
	// psElements are many beside the slices of 32 KiB that a server adds at a time,
	// which no scale divides.
	psElements = 1 << 20
)

// psRates is both runs, with SwitchML first.
type psRates struct{ rounds }

func newPSRates(e *experiment.Env) *psRates {
	const warmup = 1
	run := func(name string, sys job.System) liveRun {
		return liveRun{
			name: name, sys: sys, topology: "rack", hosts: psWorkers, mtu: psMTU, rate: testbed.Gigabit100, scale: psScale,
			elements: experiment.Cut(e, psElements, psElements/4), iterations: experiment.Cut(e, 6, 3) + warmup, warmup: warmup,
		}
	}
	runs := []liveRun{run(rate256, testbed.Pipe256), run("dedicated parameter servers over TCP", ps.System{Dedicated: true})}
	return &psRates{rounds{runs: runs, n: experiment.Cut(e, 3, 1)}}
}

// rate returns the elements a second of a run, in a round.
func (x *psRates) rate(run, round int) float64 {
	return x.runs[run].perSecond(&x.got[run][round])
}

// over returns the median over rounds of the ratio of a run to SwitchML, which ran
// in the same round.
func (x *psRates) over(run int) float64 {
	return x.median(func(round int) float64 { return x.rate(run, round) / x.rate(0, round) })
}

func runPSRates(ctx context.Context, l *lab) (f experiment.Findings, err error) {
	x := newPSRates(l.env)
	if err = x.carryOut(ctx, l); err != nil {
		return f, err
	}
	f.Tables = []claims.Table{x.table()}
	m := claims.Number(x.over(1)).
		Noting("links are the limit: what it costs a server's processor to add packets at 100 Gbit/s, which is what it falls short by in the paper, is not in this ratio, only headers, acknowledgements and waiting for slices")
	what := fmt.Sprintf("%d workers and as many servers, 256 values a packet in both systems; median of %d rounds in turns; servers over this kernel's TCP", psWorkers, x.n)
	f.Set("switchml.s6.1.dedicated-ps", l.say(m, psScale, what))
	return f, nil
}

func (x *psRates) table() claims.Table {
	t := claims.Table{
		ID: "switchml.s6.1.dedicated-ps", Title: fmt.Sprintf("Elements aggregated a second with %d workers on links of %v, MTU %d", psWorkers, testbed.Gigabit100/psScale, psMTU),
		Columns: []claims.Column{{Name: "system"}, {Name: "switch"}, {Name: "hosts"}, {Name: "tensor", Unit: "int32"}, {Name: "elements", Unit: "1e6/s"}, {Name: "over SwitchML"}, {Name: "fidelity"}},
		Notes:   []string{"Medians of rounds; the ratios are of runs of one round."},
	}
	for i := range x.runs {
		r := &x.runs[i]
		rate := x.median(func(round int) float64 { return x.rate(i, round) })
		t.Add(render.Text(r.name), render.Text(x.got[i][0].on), render.Int(r.hosts+job.Servers(r.sys, r.hosts)), render.Int(r.elements), render.Number(rate/1e6, 2),
			render.Number(x.over(i), 3), render.Text(x.verdicts(i)))
	}
	return t
}

package virtual

import (
	"context"
	"fmt"
	"slices"

	"github.com/inalab/inalab/experiments/chip"
	"github.com/inalab/inalab/experiments/experiment"
	"github.com/inalab/inalab/experiments/testbed"
	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/internal/rng"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/reports/figure"
	"github.com/inalab/inalab/reports/stat"
	program "github.com/inalab/inalab/switchd/program/trioml"
)

// Recovery: 20 packets back to back, one of six servers silent (Trio §6.2).
const (
	recoveryServers = 5  // that wait
	recoveryPhases  = 16 // of the timers, against which the packets are sent
	recoveryCompute = 300 * units.Millisecond

	recoveryMiB   = 5    // of the model: with a scale of 64 it is as many packets as are sent
	recoveryBytes = 4096 // of gradients in a packet
)

// recovered is how long packets waited, in timeouts, at one timeout, in one reading
// of what an aged block says about its source, and on one model of a PFE.
type recovered struct {
	on      recoveryPFE
	levels  int
	network network
	timeout units.Duration
	age     program.AgePolicy
	times   []float64 // of each packet of each server, at each phase of the timers
}

// quantile returns the time that a share of the packets do not exceed.
func (r *recovered) quantile(q float64) float64 {
	v, _ := stat.Quantile(r.times, q)
	return v
}

// packetTimes takes from the events of hosts how long each packet waited: from the call that
// sends it to that which takes its result. It is a [trace.Sink] of one iteration.
type packetTimes struct {
	sent map[hostBlock]units.Time
	took []units.Duration
}

// hostBlock is a packet of a host.
type hostBlock struct {
	node  string
	block uint32
}

// Event notes a packet, and what it took when its result is here.
func (p *packetTimes) Event(e *trace.Event) {
	at := hostBlock{e.Node, e.Block}
	switch e.Kind {
	case trace.Sent:
		p.sent[at] = e.At
	case trace.ResultIn:
		if sent, ok := p.sent[at]; ok {
			p.took = append(p.took, e.At.Sub(sent))
			delete(p.sent, at)
		}
	}
}

// run measures at every phase of the timers.
func (r *recovered) run(ctx context.Context, e *experiment.Env) error {
	sinks := make([]packetTimes, recoveryPhases)
	var jobs []*job.Job
	for phase := range sinks {
		sinks[phase].sent = map[hostBlock]units.Time{}
		j, err := r.job(e, phase, &sinks[phase])
		if err != nil {
			return err
		}
		jobs = append(jobs, j)
	}
	if _, err := runJobs(ctx, jobs...); err != nil {
		return err
	}
	for phase := range sinks {
		if got, want := len(sinks[phase].took), chip.RecoveryPackets*recoveryServers; got != want {
			return fmt.Errorf("%s, timeout of %v: %d packets of %d servers have a result, not %d: the server that is late must be silent until then",
				r.on.name, r.timeout, got, recoveryServers, want)
		}
		for _, took := range sinks[phase].took {
			r.times = append(r.times, float64(took)/float64(r.timeout))
		}
	}
	return nil
}

// job is one all-reduce of 20 packets for which one server is late by
// more than any timeout here.
func (r *recovered) job(e *experiment.Env, phase int, sink trace.Sink) (*job.Job, error) {
	profile := testbed.Model(e, "resnet50")
	profile.SizeMiB = recoveryMiB
	profile.Compute = recoveryCompute + r.timeout*units.Duration(phase)/recoveryPhases
	sys := testbed.Trio(e)
	sys.Timeout, sys.Age, sys.AddRate, sys.PFE = r.timeout, r.age, r.on.addRate, r.on.pfe
	return replay(e, sys, r.network, func(s *job.Spec) {
		s.Model, s.Iterations, s.StraggleP = profile, 1, 1
		s.Scale = int(recoveryMiB*units.MiB) / (recoveryBytes * chip.RecoveryPackets)
		s.Seed = e.Seed + rng.Root(phase)
		s.Host = e.Constants.DPDK()
		s.Trace = sink
	})
}

// upperPatience is the timeout of the upper level, in those of the lower one.
func upperPatience(e *experiment.Env) int { return testbed.Trio(e).TopPatience }

// ageingNames say what becomes of the source that an aged block misses.
var ageingNames = map[program.AgePolicy]string{
	program.AgePerBlock: "every block waits", program.AgeAbsent: "absent after the first block",
}

// recoveryFigure draws recovery over the timeout, in time and in timeouts, and
// below the distribution at each timeout.
func recoveryFigure(all []recovered) figure.Figure {
	timeouts := figure.Axis{Label: "timeout", Unit: "ms", Zero: true}
	inTime := figure.Panel{Title: "Recovery time", X: timeouts, Y: figure.Axis{Label: "recovery", Unit: "ms", Zero: true}}
	inTimeouts := figure.Panel{Title: "Against the timeout", X: timeouts, Y: figure.Axis{Label: "recovery", Unit: "timeouts", Zero: true}}
	f := figure.Figure{
		ID: "trio.fig14", Title: "Recovery from a straggler by the timeout of blocks", Columns: 2,
		Notes: []string{
			fmt.Sprintf("Each of %d packets back to back, from sending it to its result, one of six servers silent; %d phases of the timer threads.", chip.RecoveryPackets, recoveryPhases),
			"Above: medians; bars from 5% to 95% of packets, servers and phases. Below: the share that has a result by then.",
			chip.Model + ".",
			"How many timeouts it takes is a prediction: nothing of the paper is drawn beside.",
		},
	}
	var spread []figure.Panel
	for _, drawn := range recoveryLines(all) {
		inTime.Series = append(inTime.Series, recoveryLine(drawn, func(r *recovered) float64 { return r.timeout.Milliseconds() }))
		inTimeouts.Series = append(inTimeouts.Series, recoveryLine(drawn, func(*recovered) float64 { return 1 }))
		cdf := figure.Panel{Title: "Distribution: " + drawn[0].label(), X: figure.Axis{Label: "recovery", Unit: "timeouts"}, Y: figure.Axis{Label: "share of packets"}}
		for i := range drawn {
			cdf.Series = append(cdf.Series, figure.CDF(fmt.Sprintf("timeout %d ms", drawn[i].timeout/units.Millisecond), drawn[i].times))
		}
		spread = append(spread, cdf)
	}
	f.Panels = append([]figure.Panel{inTime, inTimeouts}, spread...)
	return f
}

// recoveryLines are the settings of the emulated PFE that were run at every timeout.
func recoveryLines(all []recovered) (out [][]recovered) {
	for len(all) > 0 {
		first := &all[0]
		n := slices.IndexFunc(all, func(r recovered) bool {
			return r.on.name != first.on.name || r.levels != first.levels || r.age != first.age
		})
		if n < 0 {
			n = len(all)
		}
		if n == len(recoveryTimeouts) && !first.on.pfe.Reference {
			out = append(out, all[:n])
		}
		all = all[n:]
	}
	return out
}

// label names a line of the figure.
func (r *recovered) label() string {
	if r.levels == 1 {
		return ageingNames[r.age] + ", one level"
	}
	return ageingNames[r.age]
}

// recoveryLine is the medians over timeouts, each times what unit says.
func recoveryLine(all []recovered, unit func(*recovered) float64) figure.Series {
	return figure.SeriesOf(all[0].label(), all, func(r *recovered) figure.Point {
		u, median := unit(r), r.quantile(0.5)
		return figure.Point{
			X: r.timeout.Milliseconds(), Y: u * median, Below: u * (median - r.quantile(0.05)), Above: u * (r.quantile(0.95) - median),
		}
	})
}

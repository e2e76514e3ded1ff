package virtual

import (
	"context"
	"fmt"
	"slices"

	"github.com/inalab/inalab/experiments/experiment"
	"github.com/inalab/inalab/experiments/testbed"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/units"
	host "github.com/inalab/inalab/nodes/atp"
	"github.com/inalab/inalab/reports/claims"
	"github.com/inalab/inalab/reports/render"
)

// atpFig10 is ATP Fig 10: what packets that one worker loses do to ATP, which sees losses by
// parameters out of order, and to SwitchML, which waits for a timeout.
func atpFig10() experiment.Experiment {
	return experiment.Experiment{
		ID: "atp.fig10", Title: "throughput under loss on the link of one worker: ATP without congestion control against SwitchML with a timeout of 1 ms",
		Claims: []claims.ID{"atp.s1.loss-34", "atp.s3.8.no-loss-below-01"},
		Quick:  "losses of 0, 0.1 and 1% alone; VGG16 divided by 32 in place of 16, and 4 tensors of 4 MB in place of 12; ATP with 12 threads left out",
		Run:    runATPFig10,
	}
}

// atpLosses are the loss rates that are run, 0 first and the highest last (ATP §5.2.3).
func atpLosses(e *experiment.Env) []float64 {
	return experiment.Cut(e, []float64{0, 1e-5, 1e-4, 1e-3, 1e-2}, []float64{0, 1e-3, 1e-2})
}

// noHarm is the loss rate below which throughput is not to suffer (ATP §3.8).
const noHarm = 1e-3

// Workloads of Fig 10.
const (
	lossTraining = iota // VGG16 divided: it computes, then aggregates
	lossMicro           // tensors of 4 MB behind one another
	lossLoads
)

// underATPLoss is a system at the loss rates.
type underATPLoss struct {
	name  string
	call  call
	took  [lossLoads][]units.Duration // by loss rate
	again [lossLoads][]int            // packets that the worker sent again
}

// resends counts those of a worker. It is a trace.Sink.
type resends struct {
	node string
	n    int
}

// Event counts.
func (r *resends) Event(e *trace.Event) {
	if e.Node == r.node && e.Kind == trace.Retransmit {
		r.n++
	}
}

// Systems of Fig 10, by the order of atpLossSystems: ATP in the reading of what three parameter packets
// out of order have sent again, and in the other one.
const (
	lossATP = iota
	lossSwitchML
	lossOther
	lossNSDI
	lossPublic
)

func atpLossSystems(e *experiment.Env) (out []*underATPLoss) {
	ina, window := testbed.ATP(e), lossWindow(e)
	ina.Fixed, ina.Timeout, ina.Window = true, units.Millisecond, window
	other, many := ina, ina
	other.Resend = host.Gaps
	many.Resend, many.Threads, many.Span = host.Gaps, publicThreads, window
	small, nsdi := testbed.InATP(), testbed.InATP()
	small.Slots, nsdi.Slots, nsdi.Elements = window, window, 256
	costs := testbed.ATPHost(e)
	again := map[bool]string{false: "the expected one", true: "all that lack"}
	calls := []call{
		lossATP:      onATP(e, "ATP, "+again[false], ina, costs),
		lossSwitchML: onATP(e, "SwitchML, 180 bytes", small, costs),
		lossOther:    onATP(e, "ATP, "+again[true], other, costs),
		lossNSDI:     onATP(e, "SwitchML-256", nsdi, costs),
		lossPublic:   onATP(e, fmt.Sprintf("ATP, all that lack, %d threads", publicThreads), many, costs),
	}
	for _, c := range experiment.Cut(e, calls, calls[:lossPublic]) {
		out = append(out, &underATPLoss{name: c.name, call: c})
	}
	return out
}

// publicThreads are those of a worker in the public code (in-ATP/ATP); the paper has no number.
const publicThreads = 12

// lossWindow is how many packets a worker has in flight without congestion control: those of the
// start (§3.7), or as many aggregators as give a job its peak throughput (§5.4.1: 1980 for three jobs).
func lossWindow(e *experiment.Env) int {
	if e.Reading("atp.no-cc-window") == "share" {
		return 660
	}
	return host.DefaultWindow
}

// loads returns the calls of the workloads.
func (s *underATPLoss) loads(e *experiment.Env, loss float64) (out [lossLoads]call) {
	p, _ := testbed.ATPModel(e, "vgg16")
	out[lossTraining], out[lossMicro] = s.call, s.call
	out[lossTraining].mib = p.SizeMiB / lossShare(e)
	out[lossMicro].mib = experiment.Cut(e, 48, 16)
	for i := range out {
		out[i].name, out[i].first = fmt.Sprintf("%s, loss %g", s.name, loss), loss
	}
	return out
}

// lossShare is what VGG16 is divided by, its gradient and its compute time.
func lossShare(e *experiment.Env) int { return experiment.Cut(e, 16, 32) }

// runATPLosses simulates all systems at all loss rates.
func runATPLosses(ctx context.Context, e *experiment.Env, systems []*underATPLoss) error {
	var calls []call
	var sent []*resends
	for _, loss := range atpLosses(e) {
		for _, s := range systems {
			for _, c := range s.loads(e, loss) {
				r := &resends{node: "h0"}
				c.trace = r
				calls, sent = append(calls, c), append(sent, r)
			}
		}
	}
	times, err := aggregate(ctx, e, calls)
	if err != nil {
		return err
	}
	p, _ := testbed.ATPModel(e, "vgg16")
	compute := p.Compute / units.Duration(lossShare(e))
	for range atpLosses(e) {
		for _, s := range systems {
			for i := range lossLoads {
				took := times[i]
				if i == lossTraining {
					took += compute
				}
				s.took[i], s.again[i] = append(s.took[i], took), append(s.again[i], sent[i].n)
			}
			times, sent = times[lossLoads:], sent[lossLoads:]
		}
	}
	return nil
}

// kept is the throughput at one of the loss rates, to that without loss.
func (s *underATPLoss) kept(load, loss int) float64 {
	return s.took[load][0].Seconds() / s.took[load][loss].Seconds()
}

func runATPFig10(ctx context.Context, e *experiment.Env) (experiment.Findings, error) {
	systems := atpLossSystems(e)
	if err := runATPLosses(ctx, e, systems); err != nil {
		return experiment.Findings{}, err
	}
	f := experiment.Findings{Tables: []claims.Table{atpFig10Table(e, systems)}}
	rates := atpLosses(e)
	last := len(rates) - 1
	gain := func(system, load int) float64 {
		return 100 * (systems[system].kept(load, last)/systems[lossSwitchML].kept(load, last) - 1)
	}
	model := fmt.Sprintf("ATP without congestion control and SwitchML of 180 bytes, %d packets in flight, on hosts with a packet rate; Bernoulli loss on the link of one worker, each way", lossWindow(e))
	f.Set("atp.s1.loss-34", claims.Number(gain(lossATP, lossMicro)).On(model).
		Noting("throughputs to those without loss, at 1%% on tensors of 4 MB; VGG16: %.3g%%; %s: %.3g%%, VGG16 %.3g%%",
			gain(lossATP, lossTraining), systems[lossOther].name, gain(lossOther, lossMicro), gain(lossOther, lossTraining)))
	at := slices.Index(rates, noHarm)
	kept := func(system, load int) float64 { return systems[system].kept(load, at) }
	f.Set("atp.s3.8.no-loss-below-01", claims.Number(kept(lossATP, lossTraining)).On(model).
		Noting("VGG16 divided by %d, none of whose communication is hidden, at 0.1%%; tensors of 4 MB: %.3g; %s: %.3g, 4 MB %.3g",
			lossShare(e), kept(lossATP, lossMicro), systems[lossOther].name, kept(lossOther, lossTraining), kept(lossOther, lossMicro)))
	return f, nil
}

func atpFig10Table(e *experiment.Env, systems []*underATPLoss) claims.Table {
	t := claims.Table{
		ID: "atp.fig10", Title: "Throughput under loss on the link of one worker, to that without loss",
		Columns: []claims.Column{{Name: "loss", Unit: "%"}, {Name: "system"}, {Name: "VGG16", Unit: "ms"}, {Name: "throughput kept"}, {Name: "4 MB", Unit: "ms"}, {Name: "kept"}, {Name: "sent again by the worker"}},
		Notes: []string{
			fmt.Sprintf("VGG16 divided by %d: compute time, then the gradient. 4 MB: tensors of that size behind one another, %d MiB in all.", lossShare(e), systems[0].loads(e, 0)[lossMicro].mib),
			fmt.Sprintf("%d packets in flight, timeouts of 1 ms. Three parameter packets out of order have ATP send the expected one again (§3.7), or all that lack, as the public code does.", lossWindow(e)),
		},
	}
	for i, p := range atpLosses(e) {
		for _, s := range systems {
			t.Add(render.Text(fmt.Sprintf("%g", 100*p)), render.Text(s.name), render.Number(s.took[lossTraining][i].Milliseconds(), 2), render.Number(s.kept(lossTraining, i), 3),
				render.Number(s.took[lossMicro][i].Milliseconds(), 2), render.Number(s.kept(lossMicro, i), 3), render.Int(s.again[lossMicro][i]))
		}
	}
	return t
}

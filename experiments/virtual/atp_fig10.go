package virtual

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/inalab/inalab/experiments/experiment"
	"github.com/inalab/inalab/experiments/testbed"
	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/system/atp"
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
		Switch: []claims.Switch{claims.SwitchPipelineTimed, claims.SwitchReference},
		Claims: []claims.ID{"atp.s1.loss-34", "atp.fig10.graceful", "atp.s3.8.no-loss-below-01"},
		Quick:  "losses of 0, 0.1 and 1% alone; VGG16 divided by 32 in place of 16; 4 threads, one for each tensor of 4 MB, in place of 12",
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
	lossTraining = iota // VGG16 divided: it computes, then aggregates its gradient
	lossMicro           // the gradient alone, which is tensors of 4 MB behind one another
)

// underATPLoss is a system at loss rates.
type underATPLoss struct {
	name  string
	call  call
	like  *underATPLoss // does the same where nothing is lost; nil: none that is run
	other *underATPLoss // SwitchML with as many packets in flight; nil: as many as are taken
	rates []float64
	took  map[float64]units.Duration // the gradient, by loss rate
	again map[float64]*resends       // of the worker that loses
	ran   string                     // what aggregated
}

// resends counts those of a worker. It is a trace.Sink.
type resends struct {
	node string
	n    int
	late int // of those, by ATP's timeouts
}

// Event counts.
func (r *resends) Event(e *trace.Event) {
	if e.Node == r.node && e.Kind == trace.Retransmit {
		if r.n++; e.Note == host.ByTimeout {
			r.late++
		}
	}
}

// timeouts is the cell for packets that a timeout had sent again: SwitchML knows nothing else.
func (r *resends) timeouts(sys job.System) render.Cell {
	if _, ok := sys.(atp.System); ok {
		return render.Int(r.late)
	}
	return render.Int(r.n)
}

// fig10 is the systems of Fig 10.
type fig10 struct {
	taken         lossReading
	atp, switchml *underATPLoss
	ends          []*underATPLoss // ATP where the paper leaves something open, one thing at a time
	list          []*underATPLoss // all of them, and others
}

// lossReading is what Fig 10 rests on where the paper says nothing.
type lossReading struct {
	resend  host.Resend
	alone   bool
	threads int
	window  int
	timeout units.Duration
}

func (r *lossReading) system(e *experiment.Env) atp.System {
	s := testbed.ATP(e)
	s.Fixed, s.Resend, s.ExpectedOnly, s.Threads, s.Window, s.Timeout = true, r.resend, r.alone, r.threads, r.window, r.timeout
	return s
}

func newFig10(e *experiment.Env) *fig10 {
	f, general, rates := &fig10{}, testbed.ATP(e), atpLosses(e)
	f.taken = lossReading{general.Resend, general.ExpectedOnly, lossThreads(e), lossWindow(e), units.Millisecond}
	f.atp = f.add(e, "ATP", f.taken.system(e), rates)
	small, nsdi := testbed.InATP(), testbed.InATP()
	small.Slots, nsdi.Slots, nsdi.Elements = f.taken.window, f.taken.window, 256
	f.switchml = f.add(e, switchML180, small, rates)
	f.add(e, "SwitchML-256", nsdi, rates)
	f.end(e, "resend: expected", func(r *lossReading) { r.resend = host.Expected })
	f.end(e, "resend: passed", func(r *lossReading) { r.resend = host.Passed })
	f.end(e, "resend: gaps", func(r *lossReading) { r.resend = host.Gaps })
	f.end(e, "timeout-resend: window", func(r *lossReading) { r.alone = false })
	f.end(e, "timeout-resend: expected", func(r *lossReading) { r.alone = true })
	f.end(e, "timeouts of 200 us", func(r *lossReading) { r.timeout = publicTimeout })
	f.end(e, "2 threads", func(r *lossReading) { r.threads = 2 })
	f.end(e, "1 thread", func(r *lossReading) { r.threads = 1 })
	f.end(e, "window of 200", func(r *lossReading) { r.window = host.DefaultWindow })
	f.end(e, "window of 660", func(r *lossReading) { r.window = shareWindow })
	return f
}

const switchML180 = "SwitchML, 180 bytes"

// add takes a system in.
func (f *fig10) add(e *experiment.Env, name string, sys job.System, rates []float64) *underATPLoss {
	s := &underATPLoss{name: name, call: onATP(e, name, sys, testbed.ATPHost(e)), rates: rates, took: map[float64]units.Duration{}, again: map[float64]*resends{}}
	f.list = append(f.list, s)
	return s
}

// end takes ATP in as it is with something else than what is taken. Threads and windows make a difference
// where nothing is lost, too.
func (f *fig10) end(e *experiment.Env, name string, change func(*lossReading)) {
	r, rates := f.taken, atpLosses(e)
	if change(&r); r == f.taken {
		return
	}
	rates = rates[len(rates)-2:]
	alike := r.threads == f.taken.threads && r.window == f.taken.window
	if !alike {
		rates = append([]float64{0}, rates...)
	}
	s := f.add(e, "ATP, "+name, r.system(e), rates)
	if alike {
		s.like = f.atp
	}
	if r.window != f.taken.window {
		small := testbed.InATP()
		small.Slots = r.window
		s.other = f.add(e, switchML180+", "+name, small, rates)
	}
	f.ends = append(f.ends, s)
}

// publicThreads are those of a worker in the public code (in-ATP/ATP); the paper has several (§4), and
// no number.
const publicThreads = 12

// publicTimeout is that of the public code behind the first packet of a tensor.
const publicTimeout = 200 * units.Microsecond

// lossThreads is the threads of a worker; of a quick run as many as it has whole tensors.
func lossThreads(e *experiment.Env) int {
	if e.Reading("atp.threads") == "two" {
		return 2
	}
	return experiment.Cut(e, publicThreads, 4)
}

// shareWindow is as many aggregators as give a job its peak throughput (§5.4.1: 1980 for three jobs).
const shareWindow = 660

// lossWindow is how many packets a worker has in flight without congestion control: those of the
// start (§3.7), or a job's share of the aggregators.
func lossWindow(e *experiment.Env) int {
	if e.Reading("atp.no-cc-window") == "share" {
		return shareWindow
	}
	return host.DefaultWindow
}

// lossShare is what VGG16 is divided by, its gradient and its compute time.
func lossShare(e *experiment.Env) int { return experiment.Cut(e, 16, 32) }

// run simulates all systems at their loss rates.
func (f *fig10) run(ctx context.Context, e *experiment.Env) error {
	p, _ := testbed.ATPModel(e, "vgg16")
	var calls []call
	var sent []*resends
	for _, s := range f.list {
		for _, loss := range s.rates {
			r := &resends{node: "h0"}
			c := s.call
			c.name, c.first, c.trace, c.mib = fmt.Sprintf("%s, loss %g", s.name, loss), loss, r, p.SizeMiB/lossShare(e)
			calls, sent = append(calls, c), append(sent, r)
		}
	}
	times, err := aggregate(ctx, e, calls)
	if err != nil {
		return err
	}
	for _, s := range f.list {
		for _, loss := range s.rates {
			s.took[loss], s.again[loss], s.ran = times[0], sent[0], calls[0].ran
			times, sent, calls = times[1:], sent[1:], calls[1:]
		}
	}
	return nil
}

// time is how long a workload takes.
func (s *underATPLoss) time(e *experiment.Env, load int, loss float64) units.Duration {
	took, ok := s.took[loss]
	if !ok {
		took = s.like.took[loss]
	}
	if load == lossMicro {
		return took
	}
	p, _ := testbed.ATPModel(e, "vgg16")
	return took + p.Compute/units.Duration(lossShare(e))
}

// kept is the throughput at a loss rate, to that without loss.
func (s *underATPLoss) kept(e *experiment.Env, load int, loss float64) float64 {
	return s.time(e, load, 0).Seconds() / s.time(e, load, loss).Seconds()
}

func runATPFig10(ctx context.Context, e *experiment.Env) (experiment.Findings, error) {
	x := newFig10(e)
	if err := x.run(ctx, e); err != nil {
		return experiment.Findings{}, err
	}
	f := experiment.Findings{Tables: []claims.Table{x.table(e)}}
	rates := atpLosses(e)
	highest := rates[len(rates)-1]
	gain := func(s *underATPLoss, load int) float64 {
		return 100 * (s.kept(e, load, highest)/cmp.Or(s.other, x.switchml).kept(e, load, highest) - 1)
	}
	model := fmt.Sprintf("ATP without congestion control and SwitchML of 180 bytes, %d packets in flight, %d threads, on hosts with a packet rate; Bernoulli loss on the link of one worker, each way", lossWindow(e), lossThreads(e))
	f.Set("atp.s1.loss-34", claims.Number(gain(x.atp, lossMicro)).On(model).
		Noting("throughputs to those without loss, at 1%% on tensors of 4 MB; VGG16: %.3g%%; %s", gain(x.atp, lossTraining),
			x.each(func(s *underATPLoss) string {
				return fmt.Sprintf("%.3g%%, VGG16 %.3g%%", gain(s, lossMicro), gain(s, lossTraining))
			})))
	order := func(loss float64) claims.Measured {
		return claims.Ranking(map[string]float64{"atp": x.atp.kept(e, lossMicro, loss), "switchml": x.switchml.kept(e, lossMicro, loss)})
	}
	f.Set("atp.fig10.graceful", claims.Group(map[string]claims.Measured{"loss_0_1pct": order(noHarm), "loss_1pct": order(highest)}).On(model).
		Noting("throughput kept on tensors of 4 MB; at 0.1 and 1%%, in SwitchML's: %s", x.each(func(s *underATPLoss) string {
			other := cmp.Or(s.other, x.switchml)
			return fmt.Sprintf("%.3g and %.3g", s.kept(e, lossMicro, noHarm)/other.kept(e, lossMicro, noHarm), s.kept(e, lossMicro, highest)/other.kept(e, lossMicro, highest))
		})))
	f.Set("atp.s3.8.no-loss-below-01", claims.Number(x.atp.kept(e, lossTraining, noHarm)).On(model).
		Noting("VGG16 divided by %d, none of whose communication is hidden, at 0.1%%; tensors of 4 MB: %.3g; %s", lossShare(e), x.atp.kept(e, lossMicro, noHarm),
			x.each(func(s *underATPLoss) string {
				return fmt.Sprintf("%.3g, 4 MB %.3g", s.kept(e, lossTraining, noHarm), s.kept(e, lossMicro, noHarm))
			})))
	return f, nil
}

// each says something of each end.
func (f *fig10) each(say func(*underATPLoss) string) string {
	var out []string
	for _, s := range f.ends {
		out = append(out, fmt.Sprintf("%s: %s", s.name, say(s)))
	}
	return strings.Join(out, "; ")
}

func (f *fig10) table(e *experiment.Env) claims.Table {
	t := claims.Table{
		ID: "atp.fig10", Title: "Throughput under loss on the link of one worker, to that without loss",
		Columns: []claims.Column{{Name: "loss", Unit: "%"}, {Name: "system"}, {Name: "switch"}, {Name: "VGG16", Unit: "ms"}, {Name: "throughput kept"}, {Name: "4 MB", Unit: "ms"}, {Name: "kept"}, {Name: "sent again by the worker"}, {Name: "by timeouts"}},
		Notes: []string{
			fmt.Sprintf("VGG16 divided by %d: compute time, then the gradient. 4 MB: the gradient alone, in tensors of that size behind one another.", lossShare(e)),
			fmt.Sprintf("%d packets in flight, timeouts of 1 ms, %d threads, but where a row says otherwise. resend: what is sent again because others came first; timeout-resend: what a timeout sends again.", lossWindow(e), lossThreads(e)),
			atpSwitchNote,
		},
	}
	for _, p := range atpLosses(e) {
		for _, s := range f.list {
			if !slices.Contains(s.rates, p) {
				continue
			}
			t.Add(render.Text(fmt.Sprintf("%g", 100*p)), render.Text(s.name), render.Text(s.ran), render.Number(s.time(e, lossTraining, p).Milliseconds(), 2), render.Number(s.kept(e, lossTraining, p), 3),
				render.Number(s.time(e, lossMicro, p).Milliseconds(), 2), render.Number(s.kept(e, lossMicro, p), 3), render.Int(s.again[p].n), s.again[p].timeouts(s.call.sys))
		}
	}
	return t
}

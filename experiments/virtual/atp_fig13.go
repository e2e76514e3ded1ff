package virtual

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/inalab/inalab/experiments/experiment"
	"github.com/inalab/inalab/experiments/testbed"
	"github.com/inalab/inalab/harness/system/atp"
	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/nodes/atpps"
	"github.com/inalab/inalab/nodes/worker"
	"github.com/inalab/inalab/reports/claims"
	"github.com/inalab/inalab/reports/figure"
	"github.com/inalab/inalab/reports/render"
)

// atpFig13a is ATP Fig 13a: a table of aggregators that jobs share, or have parts of.
func atpFig13a() experiment.Experiment {
	return experiment.Experiment{
		ID: "atp.fig13a", Title: "three VGG16 jobs in one switch that share its aggregators, or have parts of them",
		Switch: []claims.Switch{claims.SwitchPipelineTimed},
		Claims: []claims.ID{"atp.fig13a.dynamic-vs-static", "atp.s1.half-aggregators", "atp.fig13a.equal-at-100", "atp.s5.4.1.pta", "atp.abs.38-66", "atp.fig13a.degrades-less", "atp.fig13c.off-phase"},
		Quick:  "a 128th of the model and of its compute time in place of a 64th, 3 iterations of 6, 3 draws of 8 of when jobs begin",
		Run:    runATPFig13a,
	}
}

// fig13Jobs are the jobs, each with two workers and a server on hosts of their own (assumed: nine
// hosts, as the testbed has).
const fig13Jobs = 3

// peak is the share of the best training throughput that all packets in flight find
// aggregators for.
const peak = 0.99

// fig13Shares are the percent of the aggregators for peak throughput.
var fig13Shares = []int{100, 66, 50, 33}

// fig13Lab is the three jobs, which begin so long after one another.
func fig13Lab(e *experiment.Env, sys atp.System, starts []units.Duration) tenantLab {
	l := tenantLab{hosts: 3 * fig13Jobs, marks: threshold(e)}
	for i := range fig13Jobs {
		j := tenantJob{sys: sys, id: uint8(1 + i), on: []int{3 * i, 3*i + 1}, server: []int{3*i + 2}, model: "vgg16", cut: experiment.Cut(e, 64, 128), iterations: experiment.Cut(e, 6, 3)}
		if starts != nil {
			j.times = worker.Times{Start: starts[i]}
		}
		l.jobs = append(l.jobs, j)
	}
	return l
}

// need is what the search for the aggregators of peak throughput found.
type need struct {
	job   int                    // aggregators of one of the jobs
	ran   string                 // what aggregated
	tried map[int]units.Duration // time of an iteration by the aggregators of a job
	best  units.Duration         // iteration
	trip  units.Duration         // round trip of a packet in an empty network
	rate  units.Rate
}

// product is the packets that a round trip at the rate of the line takes in.
func (n *need) product() float64 { return n.trip.Seconds() * float64(n.rate) / 8 / testbed.ATPFrame }

// total is the aggregators of the jobs of Fig 13 together.
func (n *need) total() int { return fig13Jobs * n.job }

// findNeed searches for the smallest part of a table with which a job is as fast as with a large
// one.
func findNeed(ctx context.Context, e *experiment.Env, lab func(part int) tenantLab) (need, error) {
	n := need{tried: map[int]units.Duration{}, rate: testbed.Gigabit100}
	iteration := func(parts ...int) error {
		var labs []tenantLab
		for _, p := range parts {
			labs = append(labs, lab(p))
		}
		cells, err := together(ctx, e, labs)
		for i := range cells {
			n.tried[parts[i]], n.ran = warmMean(cells[i]), labs[i].ran
		}
		return err
	}
	powers := []int{20, 45, 90, 180, 360, 720, 1440}
	if err := iteration(powers...); err != nil {
		return n, err
	}
	n.best = n.tried[powers[0]]
	for _, d := range n.tried {
		n.best = min(n.best, d)
	}
	enough := func(p int) bool { return float64(n.best) >= peak*float64(n.tried[p]) }
	high := powers[slices.IndexFunc(powers, enough)]
	for low := high / 2; high-low > max(2, high/50); {
		mid := (low + high) / 2
		if err := iteration(mid); err != nil {
			return n, err
		}
		if enough(mid) {
			high = mid
		} else {
			low = mid
		}
	}
	n.job = high
	return n, nil
}

// roundTrip is how long a packet takes to its parameter packet in an empty network: what each takes of a
// tensor that is sent one by one.
func roundTrip(ctx context.Context, e *experiment.Env) (units.Duration, error) {
	sys := atp.System{Window: 1, Span: 1, Fixed: true, Unscaled: true}
	l := tenantLab{hosts: 3, jobs: []tenantJob{{sys: sys, on: []int{0, 1}, server: []int{2}, model: "vgg16", cut: 528, iterations: 1}}}
	cells, err := together(ctx, e, []tenantLab{l})
	if err != nil {
		return 0, err
	}
	model, c := l.jobs[0].profile(e), &cells[0][0]
	return (testbed.Took(c.Samples, 0) - model.Compute) / units.Duration(summed(c, atpps.CountAnswered)), nil
}

// shared is a share of the needed aggregators under the two ways to share them.
type shared struct {
	percent, aggregators int
	static               units.Duration   // iteration
	dynamic              []units.Duration // by draw of when jobs begin
	inStep               units.Duration   // dynamic, of jobs that begin at the same time
	atServer             float64          // share of contributions that servers added, of jobs that begin at the same time
	ran                  string           // what aggregated
}

// mean is the iteration under dynamic sharing.
func (s *shared) mean() units.Duration {
	var sum units.Duration
	for _, d := range s.dynamic {
		sum += d
	}
	return sum / units.Duration(len(s.dynamic))
}

// gain is the percent by which dynamic sharing has more throughput.
func (s *shared) gain() float64 { return 100 * (s.static.Seconds()/s.mean().Seconds() - 1) }

// draws are times at which jobs begin, evenly drawn within an iteration: nothing keeps jobs in step.
func draws(e *experiment.Env, within units.Duration) (out [][]units.Duration) {
	stream := e.Seed.Stream("atp.fig13a")
	for range experiment.Cut(e, 8, 3) {
		var starts []units.Duration
		for range fig13Jobs {
			starts = append(starts, within.Scale(stream.Uniform(0, 1)))
		}
		out = append(out, starts)
	}
	return out
}

// sharesOf simulates shares of what is needed.
func sharesOf(ctx context.Context, e *experiment.Env, n *need) ([]shared, error) {
	var out []shared
	for _, percent := range fig13Shares {
		out = append(out, shared{percent: percent, aggregators: n.total() * percent / 100})
	}
	starts := draws(e, n.best)
	var labs []tenantLab
	for i := range out {
		labs = append(labs, fig13Lab(e, staticTenant(e, out[i].aggregators, fig13Jobs), nil), fig13Lab(e, atpTenant(e, out[i].aggregators, n.job), nil))
		for _, s := range starts {
			labs = append(labs, fig13Lab(e, atpTenant(e, out[i].aggregators, n.job), s))
		}
	}
	cells, err := together(ctx, e, labs)
	if err != nil {
		return nil, err
	}
	for i, each := 0, 2+len(starts); i < len(out); i++ {
		at := cells[i*each : (i+1)*each]
		out[i].static, out[i].inStep, out[i].atServer = warmMean(at[0]), warmMean(at[1]), addedByServers(&at[1][0])
		out[i].ran = labs[i*each].ran
		for _, c := range at[2:] {
			out[i].dynamic = append(out[i].dynamic, warmMean(c))
		}
	}
	return out, nil
}

// addedByServers is the share of contributions of workers that no switch added.
func addedByServers(c *result.Cell) float64 {
	single, inside := float64(summed(c, atpps.CountSingle)), float64(summed(c, atpps.CountInSwitch))
	return single / (single + inside)
}

// serverTrafficLab is a job on three racks, with its server in the last.
func serverTrafficLab(e *experiment.Env, levels atp.Levels) tenantLab {
	sys := atpTenant(e, atp.DefaultAggregators, 0)
	sys.Levels = levels
	return tenantLab{topology: "multi-rack", racks: 3, hosts: 9, marks: threshold(e), jobs: []tenantJob{
		{sys: sys, on: []int{0, 1, 3, 4, 6, 7}, server: []int{8}, model: "vgg16", cut: 528, iterations: 1},
	}}
}

// serverTraffic is the packets that a server of three racks takes for a fragment, rack by rack
// over two levels.
func serverTraffic(ctx context.Context, e *experiment.Env) (float64, error) {
	var labs []tenantLab
	for _, levels := range []atp.Levels{atp.RackLevel, atp.TwoLevels} {
		labs = append(labs, serverTrafficLab(e, levels))
	}
	cells, err := together(ctx, e, labs)
	if err != nil {
		return 0, err
	}
	packets := func(i int) float64 { return float64(summed(&cells[i][0], atpps.CountPackets)) }
	return packets(0) / packets(1), nil
}

func runATPFig13a(ctx context.Context, e *experiment.Env) (f experiment.Findings, err error) {
	n, err := findNeed(ctx, e, func(part int) tenantLab {
		return fig13Lab(e, staticTenant(e, fig13Jobs*part, fig13Jobs), nil)
	})
	if err != nil {
		return f, err
	}
	if n.trip, err = roundTrip(ctx, e); err != nil {
		return f, err
	}
	shares, err := sharesOf(ctx, e, &n)
	if err != nil {
		return f, err
	}
	traffic, err := serverTraffic(ctx, e)
	if err != nil {
		return f, err
	}
	pause, err := offPhase(ctx, e, &n, shares[3].aggregators)
	if err != nil {
		return f, err
	}
	const model = "lines of 100 Gbit/s to a server of its own for each job, hosts whose packets cost no time; computing and communication take turns"
	all, half, third := &shares[0], &shares[2], &shares[3]
	loss := 100 * (1 - all.mean().Seconds()/half.mean().Seconds())
	f.Set("atp.fig13a.dynamic-vs-static", claims.Number(third.gain()).On(model).
		Noting("at %d of %d aggregators; of jobs that begin at the same time %.1f%%", third.aggregators, n.total(), 100*(third.static.Seconds()/third.inStep.Seconds()-1)))
	f.Set("atp.s1.half-aggregators", claims.Number(loss).On(model).
		Noting("of jobs that begin at the same time %.1f%%", 100*(1-all.inStep.Seconds()/half.inStep.Seconds())))
	f.Set("atp.fig13a.equal-at-100", claims.Number(all.static.Seconds()/all.mean().Seconds()).On(model))
	f.Set("atp.s5.4.1.pta", claims.NumberParts(map[string]float64{"knee_over_bdp_x": float64(n.job) / n.product()}).On(model).
		Noting("%d aggregators, a round trip in an empty network is %.3g us; the paper's 1980 imply %.3g", n.total(), n.trip.Seconds()*1e6, 660*testbed.ATPFrame*8/float64(n.rate)*1e6))
	f.Set("atp.abs.38-66", claims.NumberParts(map[string]float64{"sharing_gain": third.gain(), "ps_traffic_x": traffic}).On(model))
	lost := func(whole, part units.Duration) float64 { return 100 * (1 - whole.Seconds()/part.Seconds()) }
	f.Set("atp.fig13a.degrades-less", claims.Ranking(map[string]float64{"dynamic": lost(all.mean(), third.mean()), "static": lost(all.static, third.static)}).On(model))
	f.Set("atp.fig13c.off-phase", claims.Number(pause.step()).On(model).
		Noting("contributions that the switch adds for the job that gains least, while the third is off, over all draws of when jobs begin"))
	f.Tables = append(f.Tables, sharesTable(shares), needTable(&n))
	f.Figures = append(f.Figures, sharesFigure(shares), offFigure(&pause))
	return f, nil
}

func sharesTable(shares []shared) claims.Table {
	t := claims.Table{
		ID: "atp.fig13a", Title: "Time of an iteration of three VGG16 jobs by the aggregators of the switch",
		Columns: []claims.Column{
			{Name: "of the need", Unit: "%"}, {Name: "aggregators"}, {Name: "switch"}, {Name: "parts", Unit: "ms"}, {Name: "shared", Unit: "ms"}, {Name: "gain", Unit: "%"},
			{Name: "shared, in step", Unit: "ms"}, {Name: "added by servers, in step", Unit: "%"},
		},
		Notes: []string{
			"The model is cut in all, so times are short by that factor, and round trips are not.",
			"Shared: the mean of runs whose jobs begin at times drawn within an iteration. In step: they begin at the same time, and stay together.",
			insideNote,
		},
	}
	for i := range shares {
		s := &shares[i]
		t.Add(render.Int(s.percent), render.Int(s.aggregators), render.Text(s.ran), render.Number(s.static.Milliseconds(), 3), render.Number(s.mean().Milliseconds(), 3), render.Number(s.gain(), 1),
			render.Number(s.inStep.Milliseconds(), 3), render.Number(100*s.atServer, 1))
	}
	return t
}

func needTable(n *need) claims.Table {
	t := claims.Table{
		ID: "atp.fig13a.need", Title: "Time of an iteration by the aggregators of a job, static parts",
		Columns: []claims.Column{{Name: "aggregators of a job"}, {Name: "switch"}, {Name: "iteration", Unit: "ms"}},
		Notes:   []string{fmt.Sprintf("The smallest with %g%% of the best throughput is taken: %d for all three.", 100*peak, n.total())},
	}
	var tried []int
	for p := range n.tried {
		tried = append(tried, p)
	}
	slices.SortFunc(tried, cmp.Compare[int])
	for _, p := range tried {
		t.Add(render.Int(p), render.Text(n.ran), render.Number(n.tried[p].Milliseconds(), 3))
	}
	return t
}

func sharesFigure(shares []shared) figure.Figure {
	rate := func(d units.Duration) float64 { return 100 * shares[0].static.Seconds() / d.Seconds() }
	point := func(s *shared, d units.Duration) figure.Point { return figure.Point{X: float64(s.percent), Y: rate(d)} }
	return figure.Figure{
		ID: "atp.fig13a", Title: "Three jobs in one switch",
		Panels: []figure.Panel{{
			X: figure.Axis{Label: "aggregators of those needed", Unit: "%"}, Y: figure.Axis{Label: "training throughput", Unit: "%"},
			Series: []figure.Series{
				figure.SeriesOf("shared", shares, func(s *shared) figure.Point { return point(s, s.mean()) }),
				figure.SeriesOf("shared, in step", shares, func(s *shared) figure.Point { return point(s, s.inStep) }),
				figure.SeriesOf("parts", shares, func(s *shared) figure.Point { return point(s, s.static) }),
			},
		}},
		Notes: []string{"Of that with parts and all aggregators."},
	}
}

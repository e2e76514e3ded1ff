package chip

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/inalab/inalab/experiments/experiment"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/reports/claims"
	"github.com/inalab/inalab/reports/render"
	"github.com/inalab/inalab/switchd/trio"
)

// pfeFig16 is what the window does to latency and throughput of a PFE.
func pfeFig16() experiment.Experiment {
	return experiment.Experiment{
		ID: "trio.fig16", Title: "latency and throughput of one PFE by window, 512 and 1024 gradients per packet, 4 servers",
		Switch: []claims.Switch{claims.SwitchPFE},
		Claims: []claims.ID{"trio.fig16a.latency-vs-window", "trio.fig16b.throughput-vs-window", "trio.fig16.best-window-4096"},
		Quick:  "every fourth window up to 4096, and fewer rounds of it; nothing of what the paper leaves open is varied",
		Run:    runPFEFig16,
	}
}

// fig16Grads are the two sizes of packets of the figure.
var fig16Grads = []int{512, 1024}

// fig16Windows are the windows of a sweep, in packets of each server.
func fig16Windows(e *experiment.Env) (out []int) {
	step, most := experiment.Cut(e, 1, 2), experiment.Cut(e, 14, 12) // powers of two: windows up to 16384
	for i := 0; i <= most; i += step {
		out = append(out, 1<<i)
	}
	return out
}

// endWindows are those of a quick run, and all among which the best one is looked for elsewhere.
func endWindows() []int {
	windows := append(fig16Windows(&experiment.Env{Quick: true}), rangeWindows...)
	slices.Sort(windows)
	return slices.Compact(windows)
}

// windowKnee decides the best window: the smallest that reaches this share of the
// highest throughput of its sweep. Assumed; it was fixed before the sweep was run.
const windowKnee = 0.95

// A window is run in for some rounds before it is measured, and measured in as many: all start with
// their packets at once, and it takes a while until that is gone. In between are so many blocks, or
// those of one round; assumed. With four times as many the throughput is at most 3% lower or higher.
const (
	fig16Rounds      = 4
	fig16Blocks      = 4096 // at most, if that is a round
	quickFig16Blocks = 1024
	fig16Least       = 64 // blocks that are measured, so that a window of 1 is not measured once
)

// fig16Load is the load of one point.
func fig16Load(e *experiment.Env, grads, window int) pfeLoad {
	n := max(window, min(fig16Rounds*window, experiment.Cut(e, fig16Blocks, quickFig16Blocks)))
	return pfeLoad{grads: grads, window: window, warmup: n, count: max(n, fig16Least)}
}

// fig16Sweep is one size of packets on one machine.
type fig16Sweep struct {
	grads  int
	points []pfePoint // by window
}

// best returns the throughput that windows are held against, and the smallest
// window that comes near it.
func (s *fig16Sweep) best() (highest float64, window int) {
	for i := range s.points {
		highest = math.Max(highest, s.points[i].throughput())
	}
	for i := range s.points {
		if s.points[i].throughput() >= windowKnee*highest {
			return highest, s.points[i].load.window
		}
	}
	return highest, 0
}

// ceiling is what bounds the throughput of gradients: what the engines can add, or
// the links bring.
func (s *fig16Sweep) ceiling(adds float64) float64 {
	bits := 32 * float64(s.grads)
	links := pfeServers * float64(pfeLinkRate) * bits / float64(8*trioFrame(s.grads))
	return math.Min(32*adds, links)
}

func runPFEFig16(ctx context.Context, e *experiment.Env) (f experiment.Findings, err error) {
	m, err := NewTrio(e)
	if err != nil {
		return f, err
	}
	sweeps, err := sweepWindows(ctx, e, m, fig16Windows(e))
	if err != nil {
		return f, err
	}
	adds := e.Constants.Get("pfe.adds")
	f.Tables = append(f.Tables, fig16Table(&m, sweeps, adds))
	f.Figures = append(f.Figures, fig16Figure(sweeps, adds))
	if e.Quick || e.Varied {
		fig16Findings(&f, sweeps, nil, adds)
		return f, nil
	}
	short := experiment.Env{Quick: true, Progress: e.Progress}
	ends, err := fig16Ends(ctx, &short, m, endWindows())
	if err != nil {
		return f, err
	}
	for i := range ends {
		f.Tables[0].Rows = append(f.Tables[0].Rows, fig16Rows(ends[i].machine, ends[i].sweeps, adds)...)
	}
	fig16Findings(&f, sweeps, ends, adds)
	t, err := fig16Range(ctx, &short, m)
	f.Tables = append(f.Tables, t)
	return f, err
}

// sweepWindows measures every window with both sizes of packets. What is measured
// is rounds of the window, behind one that is not.
func sweepWindows(ctx context.Context, e *experiment.Env, m Machine, windows []int) ([]fig16Sweep, error) {
	var runs []pfeRun
	for i := len(windows) - 1; i >= 0; i-- { // the long runs first
		for _, n := range fig16Grads {
			runs = append(runs, pfeRun{m, fig16Load(e, n, windows[i])})
		}
	}
	e.Note("windows of %d to %d packets on %d PPEs of %d threads", windows[0], windows[len(windows)-1], m.PPEs, m.Threads)
	points, err := measureAll(ctx, runs)
	if err != nil {
		return nil, err
	}
	sweeps := make([]fig16Sweep, len(fig16Grads))
	for i, n := range fig16Grads {
		sweeps[i].grads = n
		for k := len(points) - len(fig16Grads) + i; k >= 0; k -= len(fig16Grads) {
			sweeps[i].points = append(sweeps[i].points, points[k])
		}
	}
	return sweeps, nil
}

// fig16End is the sweeps with a machine at one end of what an instruction takes.
type fig16End struct {
	machine Machine
	sweeps  []fig16Sweep
}

// fig16Ends measures windows at both ends.
func fig16Ends(ctx context.Context, e *experiment.Env, m Machine, windows []int) (out []fig16End, err error) {
	ends, err := m.Ends()
	if err != nil {
		return nil, err
	}
	for _, end := range ends {
		sweeps, err := sweepWindows(ctx, e, end, windows)
		if err != nil {
			return nil, err
		}
		out = append(out, fig16End{end, sweeps})
	}
	return out, nil
}

// fig16Measured is what the claims are about.
type fig16Measured struct{ latency, rate, best claims.Measured }

func measureFig16(sweeps []fig16Sweep, adds float64) fig16Measured {
	latency, rate, best := map[string]claims.Measured{}, map[string]float64{}, map[string]float64{}
	for i := range sweeps {
		s := &sweeps[i]
		name := fmt.Sprintf("n%d", s.grads)
		var rises []claims.Point
		least := math.Inf(1)
		for k := range s.points {
			p := &s.points[k]
			rises = append(rises, claims.Point{X: float64(p.load.window), Y: p.all.Seconds() * 1e6})
			if k > 0 {
				least = math.Min(least, p.throughput()/s.points[k-1].throughput())
			}
		}
		highest, window := s.best()
		latency[name] = claims.Series(rises...)
		rate[name+"_least_step"], rate[name+"_over_ceiling"] = least, highest/s.ceiling(adds)
		best[name] = float64(window)
	}
	return fig16Measured{claims.Group(latency), claims.NumberParts(rate), claims.NumberParts(best)}
}

func fig16Findings(f *experiment.Findings, sweeps []fig16Sweep, ends []fig16End, adds float64) {
	m := measureFig16(sweeps, adds)
	for i := range ends {
		at, end := ends[i].machine.Times(), measureFig16(ends[i].sweeps, adds)
		m.latency = m.latency.Over(claims.End{At: at, Measured: end.latency})
		m.rate = m.rate.Over(claims.End{At: at, Measured: end.rate})
		m.best = m.best.Over(claims.End{At: at, Measured: end.best})
	}
	f.Set("trio.fig16a.latency-vs-window", m.latency.On(Model))
	f.Set("trio.fig16b.throughput-vs-window", m.rate.On(Model))
	f.Set("trio.fig16.best-window-4096", m.best.On(Model).Noting("the smallest window with %g%% of the highest throughput", 100*windowKnee))
}

func fig16Table(m *Machine, sweeps []fig16Sweep, adds float64) claims.Table {
	t := claims.Table{
		ID: "trio.fig16", Title: "Latency and throughput of one PFE by window, 4 servers",
		Columns: []claims.Column{
			{Name: "instruction", Unit: "ns"}, {Name: "fixed", Unit: "us"}, {Name: "gradients"}, {Name: "window", Unit: "packets"}, {Name: "latency", Unit: "us"}, {Name: "of it waiting for a thread", Unit: "us"},
			{Name: "throughput", Unit: "Gbit/s"}, {Name: "of the ceiling", Unit: "%"}, {Name: "threads, most"}, {Name: "engines busy", Unit: "%"}, {Name: "requests held", Unit: "%"},
		},
		Notes: []string{
			"Latency: of all packets, from arrival to the end of the thread, mean. Throughput: gradients of all servers, 32 bits each.",
			"The ceiling is 6e9 additions a second (Trio §6.3), 192 Gbit/s. Engines also read and clear sums, which takes a ninth of them, and keep records.",
			"Engines busy, and requests held back by them: over the whole run.",
		},
	}
	for i := range sweeps {
		s := &sweeps[i]
		_, window := s.best()
		t.Notes = append(t.Notes, fmt.Sprintf("%d gradients, %s: %d is the smallest window with %g%% of the highest throughput.", s.grads, m.Times(), window, 100*windowKnee))
	}
	t.Rows = fig16Rows(*m, sweeps, adds)
	return t
}

// fig16Rows are the rows of a machine.
func fig16Rows(m Machine, sweeps []fig16Sweep, adds float64) [][]render.Cell {
	var t claims.Table
	for i := range sweeps {
		s := &sweeps[i]
		for k := range s.points {
			p := &s.points[k]
			r := p.end.Memory.Requests
			t.Add(instructionCell(&m), fixedCell(&m), render.Int(s.grads), render.Int(p.load.window), render.Number(p.all.Seconds()*1e6, 1), render.Number(p.waiting.Seconds()*1e6, 1),
				render.Number(p.throughput()/1e9, 1), render.Percent(p.throughput()/s.ceiling(adds)), render.Int(p.end.InUse.Max),
				render.Percent(busiest(&p.end)), render.Percent(float64(r.Held)/float64(max(r.Requests, 1))))
		}
	}
	return t.Rows
}

// busiest is the share of the run in which the busiest engine served.
func busiest(s *trio.Snapshot) (share float64) {
	for _, l := range s.Memory.Engines {
		share = math.Max(share, l.Busy.Seconds()/units.Time(s.At).Seconds())
	}
	return share
}

// rangeWindows are those that the range is swept over.
var rangeWindows = []int{256, 512, 1024, 2048, 4096}

// fig16Range is the best window over what the paper leaves open.
func fig16Range(ctx context.Context, e *experiment.Env, m Machine) (claims.Table, error) {
	t := claims.Table{
		ID: "trio.fig16.range", Title: "Best window by what the paper leaves open of a PFE, one thing at a time",
		Columns: []claims.Column{
			{Name: "what"}, {Name: "instruction", Unit: "ns"}, {Name: "fixed", Unit: "us"}, {Name: "gradients"}, {Name: "best window", Unit: "packets"},
			{Name: "latency there", Unit: "us"}, {Name: "highest throughput", Unit: "Gbit/s"},
		},
		Notes: []string{
			fmt.Sprintf("Windows of %d to %d, with as many rounds as in a quick run. Each is solved for the stated latency at 64 gradients and window 1.", rangeWindows[0], rangeWindows[len(rangeWindows)-1]),
			headNote(),
		},
	}
	target, err := statedLatency()
	if err != nil {
		return t, err
	}
	for _, c := range pfeChoices() {
		changed, err := c.at(m, target)
		if err != nil {
			return t, err
		}
		e.Note("%s", c.name)
		sweeps, err := sweepWindows(ctx, e, changed, rangeWindows)
		if err != nil {
			return t, err
		}
		for i := range sweeps {
			t.Add(fig16RangeRow(&c, &changed, &sweeps[i])...)
		}
	}
	return t, nil
}

func fig16RangeRow(c *pfeChoice, m *Machine, s *fig16Sweep) []render.Cell {
	highest, window := s.best()
	at := slices.IndexFunc(s.points, func(p pfePoint) bool { return p.load.window == window })
	return []render.Cell{
		render.Text(c.name), instructionCell(m), fixedCell(m), render.Int(s.grads), render.Int(window),
		render.Number(s.points[at].all.Seconds()*1e6, 1), render.Number(highest/1e9, 1),
	}
}

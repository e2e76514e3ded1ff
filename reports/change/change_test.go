package change_test

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/inalab/inalab/internal/golden"
	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/reports/archive"
	"github.com/inalab/inalab/reports/change"
	"github.com/inalab/inalab/reports/render"
)

// cell is a row of two workers and the given iteration times in ms.
func cell(system string, seed uint64, clock string, times ...float64) result.Cell {
	c := result.Cell{
		System: system, Topology: "rack", Model: "resnet50", Clock: clock, Seed: seed, Scale: 10, Workers: 2, Iterations: len(times), Checked: 100,
		Fidelity: result.Fidelity{Verdict: result.Exact},
	}
	for w := range 2 {
		at := units.Time(0)
		for i, ms := range times {
			end := at.Add(units.Millisecond.Scale(ms))
			c.Samples = append(c.Samples, result.Sample{System: system, Worker: w, Iteration: i, Start: at, End: end})
			at = end
		}
	}
	return c
}

var epoch = time.Date(2026, 1, 2, 15, 4, 5, 0, time.UTC)

// run is a results directory with such cells, which began so many seconds after the others.
func run(name string, after int, cells ...result.Cell) *change.Run {
	m := archive.Manifest{
		SchemaVersion: 1, Version: "v1.0.0", Scenario: "loss", Clock: "live", Scale: 10, Started: epoch.Add(time.Duration(after) * time.Second),
		Options: options(nil),
	}
	if len(cells) > 0 {
		m.Clock = cells[0].Clock
	}
	return &change.Run{Name: name, Manifest: m, Record: &archive.Record{Scenario: "loss", Cells: cells}}
}

// options are some of a resolved scenario, with changes.
func options(changes map[string]any) map[string]any {
	o := map[string]any{"Seed": 1.0, "Scale": 10.0, "Iterations": 4.0, "Trio": map[string]any{"Wake": "skip", "UnscaledPool": false, "Look": ""}, "Systems": []any{map[string]any{"System": "ring"}}}
	for k, v := range changes {
		o[k] = v
	}
	return o
}

func of(t *testing.T, old, fresh []*change.Run, rule change.Rule) *change.Comparison {
	t.Helper()
	c, err := change.Of(old, fresh, rule)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// schedule is what happens in each iteration, the same for both builds.
func schedule(seed uint64, n int) (times []float64) {
	r := rand.New(rand.NewPCG(seed, 1))
	for range n {
		ms := 100.0
		if r.Float64() < 0.2 {
			ms += 100 * r.Float64() // somebody straggles
		}
		times = append(times, ms)
	}
	return times
}

func scaled(times []float64, by float64) []float64 {
	out := slices.Clone(times)
	for i := range out {
		out[i] *= by
	}
	return out
}

// Under the virtual clock one pair of runs is enough, whatever the stragglers do.
func TestVirtualBuilds(t *testing.T) {
	for seed := range uint64(20) {
		times := schedule(seed, 10)
		old := run("old", 0, cell("ring", seed, "virtual", times...), cell("atp", seed, "virtual", times...))
		for _, w := range []struct {
			by   float64
			want change.Verdict
		}{{1, change.Unchanged}, {1.05, change.Slower}, {0.95, change.Faster}, {1.0005, change.Unchanged}} {
			fresh := run("new", 1, cell("ring", seed, "virtual", scaled(times, w.by)...), cell("atp", seed, "virtual", times...))
			c := of(t, []*change.Run{old}, []*change.Run{fresh}, change.Rule{})
			if c.Rows[1].Verdict != w.want || c.Rows[0].Verdict != change.Unchanged || c.Changed() != (w.want != change.Unchanged) {
				t.Errorf("seed %d, factor %v: ring is %s, atp %s", seed, w.by, c.Rows[1].Verdict, c.Rows[0].Verdict)
			}
		}
	}
}

// liveSeries makes pairs of runs of two rows whose machine is fast or slow in each run, and drifts.
func liveSeries(r *rand.Rand, pairs int, by float64) (old, fresh []*change.Run) {
	for i := range pairs {
		seed := uint64(i + 1)
		drift := 1 + 0.01*float64(i)
		side := func(name string, by float64) *change.Run {
			ring, atp := schedule(seed, 10), schedule(seed, 10)
			mood := by * drift * math.Exp(0.015*r.NormFloat64()) // from run to run (assumed: a busy host)
			for k := range ring {
				ring[k] *= mood * math.Exp(0.01*r.NormFloat64())
				atp[k] *= mood * math.Exp(0.01*r.NormFloat64())
			}
			return run(fmt.Sprintf("%s%d", name, i), 2*i, cell("ring", seed, "live", ring...), cell("atp", seed, "live", atp...))
		}
		old, fresh = append(old, side("old", 1)), append(fresh, side("new", by))
	}
	return old, fresh
}

// Live, equal builds raise an alarm in no more series than asked for, and a slow-down of 15% is found in all.
func TestLiveBuilds(t *testing.T) {
	const series = 300
	r := rand.New(rand.NewPCG(7, 7))
	alarms, found := 0, 0
	for range series {
		if old, fresh := liveSeries(r, 5, 1); of(t, old, fresh, change.Rule{}).Changed() {
			alarms++
		}
		old, fresh := liveSeries(r, 5, 1.15)
		if c := of(t, old, fresh, change.Rule{}); c.Rows[0].Verdict == change.Slower && c.Rows[1].Verdict == change.Slower {
			found++
		}
	}
	t.Logf("%d alarms, %d found", alarms, found)
	if float64(alarms) > 1.5*series*change.DefaultAlpha || found < series-3 {
		t.Errorf("%d false alarms and %d of 15%% found in %d series", alarms, found, series)
	}
}

// A change that is large but by chance, and one that is sure but small, are none.
func TestSizeAndChance(t *testing.T) {
	side := func(factors ...float64) (runs []*change.Run) {
		for i, f := range factors {
			runs = append(runs, run(fmt.Sprint(i), i, cell("ring", uint64(i), "live", 100*f, 100*f)))
		}
		return runs
	}
	old := side(1, 1, 1, 1, 1)
	small := 0.005
	for name, c := range map[string]struct {
		fresh []*change.Run
		rule  change.Rule
		want  change.Verdict
	}{
		"by chance": {side(1.5, 1, 1.01, 0.99, 1), change.Rule{}, change.Unchanged},
		"small":     {side(1.01, 1.011, 1.01, 1.009, 1.01), change.Rule{}, change.Unchanged},
		"both":      {side(1.05, 1.06, 1.05, 1.04, 1.05), change.Rule{}, change.Slower},
		"threshold": {side(1.01, 1.011, 1.01, 1.009, 1.01), change.Rule{Threshold: &small}, change.Slower},
		"alpha":     {side(1.05, 1.06, 1.05, 1.04, 1.05), change.Rule{Alpha: 1e-9}, change.Unchanged},
	} {
		if got := of(t, old, c.fresh, c.rule).Rows[0].Verdict; got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

// With one live run a side the pairs are stretches of iterations, and the threshold is higher.
func TestOnePairOfLiveRuns(t *testing.T) {
	times := schedule(3, 40)
	for by, want := range map[float64]change.Verdict{1.04: change.Unchanged, 1.15: change.Slower} {
		r := rand.New(rand.NewPCG(5, 5))
		fresh := scaled(times, by)
		for i := range fresh {
			fresh[i] *= math.Exp(0.01 * r.NormFloat64())
		}
		c := of(t, []*change.Run{run("a", 0, cell("ring", 1, "live", times...))}, []*change.Run{run("b", 1, cell("ring", 1, "live", fresh...))}, change.Rule{})
		if row := c.Rows[0]; row.Verdict != want || row.Factor.N != 10 || row.Pairs != 1 || row.Threshold != change.LoneThreshold {
			t.Errorf("by %v: %+v", by, row)
		}
		if text := strings.Join(c.Table().Notes, "\n"); !strings.Contains(text, "says nothing of how runs differ") {
			t.Errorf("it is not said that there is one pair:\n%s", text)
		}
	}
	one := of(t, []*change.Run{run("a", 0, cell("ring", 1, "live", 100))}, []*change.Run{run("b", 1, cell("ring", 1, "live", 200))}, change.Rule{})
	if one.Changed() {
		t.Error("a single iteration is a change")
	}
}

// Runs of one seed are paired in the order of their start, however they were named.
func TestRunsOfOneSeed(t *testing.T) {
	old := []*change.Run{run("x", 9, cell("ring", 1, "live", 200, 200)), run("y", 1, cell("ring", 1, "live", 100, 100))}
	fresh := []*change.Run{run("z", 2, cell("ring", 1, "live", 110, 110)), run("w", 10, cell("ring", 1, "live", 220, 220))}
	row := of(t, old, fresh, change.Rule{}).Rows[0]
	if math.Abs(row.Factor.Value-1.1) > 1e-9 || row.Pairs != 2 || row.Factor.P > 1e-6 {
		t.Errorf("got %+v", row)
	}
}

func TestUnlikeRuns(t *testing.T) {
	base := func() *change.Run { return run("a <b>", 0, cell("ring", 1, "live", 100, 100)) }
	for name, c := range map[string]struct {
		edit func(*change.Run)
		want string
	}{
		"clock":    {func(r *change.Run) { r.Manifest.Clock = "virtual" }, "runs of different clocks: a <b> is of live, b of virtual: compare live runs with live ones, virtual with virtual"},
		"scale":    {func(r *change.Run) { r.Manifest.Scale = 20 }, "runs of different scales: a <b> is of 10, b of 20: run both at one scale, as with --set scale=20"},
		"scenario": {func(r *change.Run) { r.Manifest.Scenario = "straggler" }, "runs of different scenarios: a <b> is of loss, b of straggler: compare runs of one scenario"},
		"value": {func(r *change.Run) {
			r.Manifest.Options = options(map[string]any{"Trio": map[string]any{"Wake": "naive"}})
		},
			"runs of different scenarios: trio.unscaled-pool is false in a <b> and not set in b: compare runs of one scenario, or allow the difference with --allow trio.unscaled-pool"},
		"list": {func(r *change.Run) {
			r.Manifest.Options = options(map[string]any{"Systems": []any{map[string]any{"System": "atp"}}})
		},
			"runs of different scenarios: systems[0].system is ring in a <b> and atp in b: compare runs of one scenario, or allow the difference with --allow systems[0].system"},
		"rows":  {func(r *change.Run) { r.Record.Cells[0].System = "atp" }, "there is no row in common: atp on rack at p=0% is only new, ring on rack at p=0% is only old"},
		"empty": {func(r *change.Run) { r.Record.Cells = nil }, "there is no row in common: ring on rack at p=0% is only old"},
	} {
		other := base()
		other.Name = "b"
		c.edit(other)
		_, err := change.Of([]*change.Run{base()}, []*change.Run{other}, change.Rule{})
		if err == nil || err.Error() != c.want {
			t.Errorf("%s: got %v", name, err)
		}
	}
	if _, err := change.Of(nil, []*change.Run{base()}, change.Rule{}); err == nil {
		t.Error("nothing is compared with something")
	}
}

// What does not move times may differ, and so may what the user allows, and keys that another build does not know.
func TestDifferencesThatMayBe(t *testing.T) {
	a, b := run("a", 0, cell("ring", 1, "live", 100, 100)), run("b", 0, cell("ring", 1, "live", 100, 100))
	b.Manifest.Options = options(map[string]any{"Seed": 5.0, "Description": "other", "Iterations": 8.0, "New": "x"})
	b.Manifest.Version = "v2.0.0"
	b.Manifest.Machine.Kernel = "Linux 9"
	c := of(t, []*change.Run{a}, []*change.Run{b}, change.Rule{Allow: []string{"iterations"}})
	text := strings.Join(c.Notes, "\n")
	for _, want := range []string{"allowed to differ: iterations, 4 and 8", "new is a key of one build only", "the runs are of different kernels"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not noted:\n%s", want, text)
		}
	}
}

// sides has everything once: a change, a row of one side each, what is not to be believed.
func sides() (old, fresh []*change.Run) {
	swept := func(c result.Cell, value string, index int) result.Cell {
		c.Point = result.Point{Index: index, Keys: []result.Swept{{Key: "link.loss", Value: value}}}
		return c
	}
	for i := range 3 {
		seed := uint64(i + 1)
		invalid, wrong := cell("ps", seed, "live", 50, 60), cell("xagg", seed, "live", 50, 60)
		a := run(fmt.Sprintf("old <%d>", i), i, swept(cell("ring", seed, "live", 100, 120), "0%", 0), swept(cell("ring", seed, "live", 100, 120), "1%", 1), invalid, wrong, cell("gone", seed, "live", 5, 5))
		invalid.Fidelity.Verdict, wrong.Wrong = result.Invalid, 3
		slow := 1.1 + 0.001*float64(i)
		b := run(fmt.Sprintf("new %d", i), i, swept(cell("ring", seed, "live", 100, 121), "0%", 0), swept(cell("ring", seed, "live", 100*slow, 120*slow), "1%", 1), invalid, wrong, cell("come", seed, "live", 5, 5))
		old, fresh = append(old, a), append(fresh, b)
	}
	return old, append(fresh, run("empty", 9))
}

func TestFormats(t *testing.T) {
	old, fresh := sides()
	table := of(t, old, fresh, change.Rule{}).Table()
	for _, f := range render.Formats {
		var b bytes.Buffer
		if err := render.Write(&b, table, render.Options{Format: f}); err != nil {
			t.Fatal(err)
		}
		golden.Equal(t, "changes."+string(f), b.String())
	}
}

func TestNothingToBelieve(t *testing.T) {
	bad := cell("ring", 1, "live", 100, 100)
	bad.Checked = 0
	c := of(t, []*change.Run{run("a", 0, cell("ring", 1, "live", 100, 100))}, []*change.Run{run("b", 0, bad)}, change.Rule{})
	if c.Judged() != 0 || c.Changed() || c.Rows[0].Verdict != change.LeftOut || c.Summary() != "no row can be judged: none has a pair of runs that can be believed" {
		t.Errorf("%s: %+v", c.Summary(), c.Rows)
	}
}

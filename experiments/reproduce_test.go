package experiments

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/inalab/inalab/experiments/experiment"
	"github.com/inalab/inalab/experiments/live"
	"github.com/inalab/inalab/internal/golden"
	"github.com/inalab/inalab/nodes/hostmodel"
	"github.com/inalab/inalab/reports/claims"
	"github.com/inalab/inalab/reports/render"
)

// watcher writes down what an observer is told.
type watcher struct{ lines []string }

func (w *watcher) Began(s Step) {
	w.note("began %d/%d %s %s%+g", s.Index+1, s.Of, s.Experiment.ID, s.Constant, s.Value)
}
func (w *watcher) Progress(s Step, text string) { w.note("%s: %s", s.Experiment.ID, text) }
func (w *watcher) Ended(s Step, o Outcome)      { w.note("ended %s %v", s.Experiment.ID, o.Err) }
func (w *watcher) Varies(runs int, _ float64)   { w.note("varies %d", runs) }

func (w *watcher) note(format string, args ...any) {
	w.lines = append(w.lines, fmt.Sprintf(format, args...))
}

func (w *watcher) text() string { return strings.Join(w.lines, "\n") }

// about returns a claim of a number: 2, give or take a tenth of it.
func about(id claims.ID, change ...func(*claims.Claim)) *claims.Claim {
	c := &claims.Claim{
		ID: id, Paper: "trio", Where: "§1", Value: claims.NumberValue(2), Unit: "x", Method: claims.Virtual,
		Check: claims.Within{Of: 2, Margin: 0.1, Relative: true}, PassMeans: claims.MeansNumber,
	}
	for _, f := range change {
		f(c)
	}
	return c
}

func onPacketsOnly(c *claims.Claim) { c.Method = claims.Live }
func noWay(c *claims.Claim)         { c.Method, c.Check = claims.NoWay, claims.None{} }
func fails(c *claims.Claim) {
	c.KnownFailure = &claims.KnownFailure{Measured: claims.NumberValue(3), Reason: "the compute time is not printed"}
}

// gives returns an experiment that measures one number for each of its claims.
func gives(id string, x float64, ids ...claims.ID) experiment.Experiment {
	return experiment.Experiment{ID: id, Title: "gives " + id, Claims: ids, Quick: "one of two", Run: func(context.Context, *experiment.Env) (experiment.Findings, error) {
		var f experiment.Findings
		for _, c := range ids {
			f.Set(c, claims.Number(x))
		}
		return f, nil
	}}
}

func selected(list ...*claims.Claim) claims.Selection { return claims.Selection{Claims: list} }

func checked(t *testing.T, sel claims.Selection, list []experiment.Experiment, opt Options) claims.Report {
	t.Helper()
	if opt.Observer == nil {
		opt.Observer = &watcher{}
	}
	r, err := Reproduce(t.Context(), sel, list, opt)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// resultOf is the one of a claim.
func resultOf(t *testing.T, r claims.Report, id claims.ID) claims.Result {
	t.Helper()
	i := slices.IndexFunc(r.Results, func(r claims.Result) bool { return r.ID == id })
	if i < 0 {
		t.Fatalf("no result of %s", id)
	}
	return r.Results[i]
}

// Experiments run in the order of the list, each once, and only where something
// is selected of them; results stand in the order of the selection.
func TestOrder(t *testing.T) {
	w := &watcher{}
	list := []experiment.Experiment{gives("first", 2, "a.1", "a.2"), gives("idle", 2, "b.1"), gives("last", 2, "c.1")}
	r := checked(t, selected(about("c.1"), about("a.2"), about("a.1")), list, Options{Observer: w})
	want := "began 1/2 first +0\nended first <nil>\nbegan 2/2 last +0\nended last <nil>"
	if w.text() != want {
		t.Errorf("the observer was told\n%s", w.text())
	}
	for i, id := range []claims.ID{"c.1", "a.2", "a.1"} {
		if got := r.Results[i]; got.ID != id || got.Verdict != claims.Reproduced {
			t.Errorf("result %d is %s, %s", i, got.ID, got.Verdict)
		}
	}
	if r.Summary().Unexpected > 0 || len(r.Notes) > 0 {
		t.Errorf("%v, notes %q", r.Summary(), r.Notes)
	}
}

func TestVerdicts(t *testing.T) {
	broken := gives("broken", 2, "broken")
	broken.Run = func(context.Context, *experiment.Env) (experiment.Findings, error) {
		return experiment.Findings{}, errors.New("no packets")
	}
	silent := gives("silent", 2, "silent")
	silent.Run = func(context.Context, *experiment.Env) (experiment.Findings, error) { return experiment.Findings{}, nil }
	greedy := gives("greedy", 2, "greedy")
	greedy.Run = func(context.Context, *experiment.Env) (f experiment.Findings, _ error) {
		f.Set("greedy", claims.Number(2))
		f.Set("other", claims.Number(2))
		return f, nil
	}
	onWires := gives("live", 2, "live.run")
	onWires.Live = true
	list := []experiment.Experiment{
		broken, silent, greedy, onWires, gives("far", 3, "far", "known", "nothing"), gives("near", 2, "near", "cured"),
	}
	r := checked(t, selected(
		about("near"), about("far"), about("known", fails), about("cured", fails), about("broken", fails), about("silent"), about("greedy"),
		about("live.run", onPacketsOnly), about("live.none", onPacketsOnly), about("none"), about("nothing", noWay),
	), list, Options{NoLive: "CAP_NET_ADMIN is missing"})
	for _, c := range []struct {
		id       claims.ID
		verdict  claims.Verdict
		expected bool
		reason   string
	}{
		{"near", claims.Reproduced, true, "2"},
		{"far", claims.NotReproduced, false, "3"},
		{"known", claims.KnownFail, true, "the compute time is not printed"},
		{"cured", claims.Reproduced, false, "passes unexpectedly"},
		{"broken", claims.NotReproduced, false, "the experiment failed: no packets"},
		{"silent", claims.NotReproduced, false, "experiment silent measured nothing for silent"},
		{"greedy", claims.NotReproduced, false, "experiment greedy measured other, which it does not list"},
		{"live.run", claims.NeedsRoot, true, "CAP_NET_ADMIN is missing"},
		{"live.none", claims.NeedsRoot, true, "CAP_NET_ADMIN is missing"},
		{"none", claims.NotYet, true, "no experiment measures it"},
		{"nothing", claims.NotCheckable, true, ""},
	} {
		got := resultOf(t, r, c.id)
		if got.Verdict != c.verdict || got.Expected != c.expected || !strings.Contains(got.Reason, c.reason) {
			t.Errorf("%s: %s, expected %v: %s", c.id, got.Verdict, got.Expected, got.Reason)
		}
	}
	if s := r.Summary(); s.Unexpected != 5 {
		t.Errorf("%d unexpected, want 5", s.Unexpected)
	}
}

// With privileges a live experiment runs, and a live claim without one waits.
func TestLiveWithPrivileges(t *testing.T) {
	onWires := gives("live", 2, "live.run")
	onWires.Live = true
	r := checked(t, selected(about("live.run", onPacketsOnly), about("live.none", onPacketsOnly)), []experiment.Experiment{onWires}, Options{})
	if got := resultOf(t, r, "live.run"); got.Verdict != claims.Reproduced {
		t.Errorf("%s: %s", got.Verdict, got.Reason)
	}
	if got := resultOf(t, r, "live.none"); got.Verdict != claims.NotYet {
		t.Errorf("%s: %s", got.Verdict, got.Reason)
	}
}

// A quick verdict says so, and how its experiment was cut; one of an experiment
// that cannot be cut is as good as in full.
func TestQuick(t *testing.T) {
	whole := gives("whole", 2, "b")
	whole.Quick = ""
	r := checked(t, selected(about("a"), about("b")), []experiment.Experiment{gives("cut", 2, "a"), whole}, Options{Quick: true, Seed: 7})
	if a, b := resultOf(t, r, "a"), resultOf(t, r, "b"); a.Quick != "one of two" || b.Quick != "" || *a.Seed != 7 {
		t.Errorf("quick %q and %q, seed %v", a.Quick, b.Quick, a.Seed)
	}
	if len(r.Notes) != 1 || !strings.HasPrefix(r.Notes[0], "quick: ") {
		t.Errorf("notes %q", r.Notes)
	}
}

// asks is an experiment that rests on constants and on a reading.
func asks(ids ...claims.ID) experiment.Experiment {
	x := gives("asks", 0, ids...)
	x.Run = func(_ context.Context, e *experiment.Env) (f experiment.Findings, _ error) {
		e.Note("at %s", e.Reading("trio.wake"))
		v := e.Constants.Get("delay") / 10 * (1 + e.Constants.Get("printed")/1000 + e.Constants.Get("weak")/100) // one product: nothing to fuse
		_ = e.Constants.Get("zero")
		for _, id := range ids {
			f.Set(id, claims.Number(v))
		}
		return f, nil
	}
	return x
}

func constants() *hostmodel.Constants {
	c := hostmodel.Defaults()
	c.Add(
		hostmodel.Constant{Name: "weak", Value: 1, Unit: "us", Assumed: true}, hostmodel.Constant{Name: "delay", Value: 19.6, Unit: "ms", Assumed: true},
		hostmodel.Constant{Name: "printed", Value: 5, Unit: "ms"}, hostmodel.Constant{Name: "zero", Value: 0, Unit: "ns", Assumed: true},
		hostmodel.Constant{Name: "idle", Value: 1, Unit: "ns", Assumed: true},
		hostmodel.Constant{Name: "ranged", Value: 2, Unit: "us", Assumed: true, Range: hostmodel.Range{Low: 0, High: 2}},
	)
	return c
}

func readings(t *testing.T) claims.Readings {
	t.Helper()
	l, err := claims.Load()
	if err != nil {
		t.Fatal(err)
	}
	r, err := l.Readings(nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// A result names the readings and the assumed constants that were asked for.
func TestWhatAResultRestsOn(t *testing.T) {
	w := &watcher{}
	dir := func(x string) string { return "out/" + x }
	r := checked(t, selected(about("a")), []experiment.Experiment{asks("a")}, Options{Constants: constants(), Readings: readings(t), Observer: w, Dir: dir})
	got := resultOf(t, r, "a")
	if want := []string{"weak", "delay", "zero"}; !slices.Equal(got.Constants, want) {
		t.Errorf("constants %q, want %q", got.Constants, want)
	}
	if !strings.HasPrefix(got.Reading, "trio.wake=") || got.RunDir != "out/asks" || got.Verdict != claims.Reproduced {
		t.Errorf("reading %q, directory %q, %s", got.Reading, got.RunDir, got.Reason)
	}
	if !slices.ContainsFunc(w.lines, func(l string) bool { return strings.HasPrefix(l, "asks: at ") }) {
		t.Errorf("no progress in\n%s", w.text())
	}
}

// predicted is a value that is not compared, and an experiment that predicts 1 to x.
func predicted(high float64) (*claims.Unseen, experiment.Experiment) {
	w := &claims.Unseen{ID: "trio.unseen", Paper: "trio", Unit: "x"}
	return w, experiment.Experiment{ID: "predicts", Predicts: []claims.ID{w.ID}, Run: func(_ context.Context, e *experiment.Env) (f experiment.Findings, _ error) {
		f.Predict(w.ID, claims.Prediction{Low: 1, High: high * e.Constants.Get("delay") / 19.6})
		return f, nil
	}}
}

func TestPredictions(t *testing.T) {
	w, x := predicted(3)
	sel := claims.Selection{Unseen: []*claims.Unseen{w}}
	got := resultOf(t, checked(t, sel, []experiment.Experiment{x}, Options{Constants: constants()}), w.ID)
	if got.Verdict != claims.Predicted || got.Measured.String() != "low 1, high 3" || !slices.Equal(got.Constants, []string{"delay"}) {
		t.Errorf("%s: %s, rests on %q", got.Verdict, got.Measured, got.Constants)
	}
	got = resultOf(t, checked(t, sel, nil, Options{}), w.ID)
	if got.Verdict != claims.NotYet || !got.Expected {
		t.Errorf("without an experiment: %s, %s", got.Verdict, got.Reason)
	}
	x.Live = true
	got = resultOf(t, checked(t, sel, []experiment.Experiment{x}, Options{NoLive: "no root"}), w.ID)
	if got.Verdict != claims.NeedsRoot || got.Reason != "no root" {
		t.Errorf("without root: %s, %s", got.Verdict, got.Reason)
	}
	x.Run = func(context.Context, *experiment.Env) (experiment.Findings, error) { return experiment.Findings{}, nil }
	got = resultOf(t, checked(t, sel, []experiment.Experiment{x}, Options{}), w.ID)
	if got.Expected || !strings.Contains(got.Reason, "predicted nothing for trio.unseen") {
		t.Errorf("without a prediction: %s, %s", got.Verdict, got.Reason)
	}
	bad, x := predicted(math.NaN())
	if _, err := Reproduce(t.Context(), claims.Selection{Unseen: []*claims.Unseen{bad}}, []experiment.Experiment{x}, Options{Constants: constants(), Observer: &watcher{}}); err == nil {
		t.Error("an interval up to NaN is taken")
	}
}

// What has run by the time that the context ends is reported, the rest is not.
func TestEndsWithTheContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	stops := gives("stops", 2, "b")
	stops.Run = func(context.Context, *experiment.Env) (experiment.Findings, error) {
		cancel()
		return experiment.Findings{}, ctx.Err()
	}
	w, x := predicted(3)
	sel := selected(about("a"), about("b"), about("c"), about("atp.fig1"))
	sel.Unseen = []*claims.Unseen{w}
	r, err := Reproduce(ctx, sel, []experiment.Experiment{gives("runs", 2, "a"), stops, gives("waits", 2, "c"), x}, Options{Observer: &watcher{}})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	if len(r.Results) != 2 || r.Results[0].ID != "a" || r.Results[1].ID != "atp.fig1" {
		t.Errorf("results %+v", r.Results)
	}
	if len(r.Notes) != 1 || !strings.HasPrefix(r.Notes[0], "incomplete: 3 claims") {
		t.Errorf("notes %q", r.Notes)
	}
}

func TestSensitivity(t *testing.T) {
	w, x := predicted(3)
	fed := about("fed", func(c *claims.Claim) { c.PassMeans = claims.MeansInput })
	parts := about("parts", func(c *claims.Claim) {
		c.Check = claims.Parts{Parts: []claims.Part{{Name: "big", Check: claims.Min{Value: 1}}, {Name: "small", Check: claims.Max{Value: 1}}}}
	})
	grouped := gives("grouped", 0, "parts")
	grouped.Run = func(_ context.Context, e *experiment.Env) (f experiment.Findings, err error) {
		d := e.Constants.Get("delay")
		if d > 20 {
			return f, errors.New("too slow")
		}
		f.Set("parts", claims.Group(map[string]claims.Measured{"big": claims.Number(d), "small": claims.Number(1 / d)}))
		return f, nil
	}
	ranged := gives("ranged", 0, "between")
	ranged.Run = func(_ context.Context, e *experiment.Env) (f experiment.Findings, err error) {
		f.Set("between", claims.Number(e.Constants.Get("ranged")))
		return f, nil
	}
	obs := &watcher{}
	sel := selected(about("a"), fed, parts, about("firm"), about("between"))
	sel.Unseen = []*claims.Unseen{w}
	report, found, err := Sensitivity(t.Context(), sel, []experiment.Experiment{asks("a", "fed"), grouped, gives("firm", 2, "firm"), ranged, x},
		Options{Constants: constants(), Readings: readings(t), Observer: obs})
	if err != nil {
		t.Fatal(err)
	}
	if report.Summary().Unexpected > 0 {
		t.Errorf("the report is not that of the constants as they are: %s", report.Summary())
	}
	// The upper end of ranged is its value, which needs no run.
	if !slices.Contains(obs.lines, "varies 9") || !slices.Contains(obs.lines, "began 7/9 ranged ranged+0") || !slices.Contains(obs.lines, "began 9/9 predicts delay+23.52") {
		t.Errorf("the observer was told\n%s", obs.text())
	}
	var text strings.Builder
	for _, f := range []render.Format{render.FormatTable, render.FormatCSV} {
		if err := render.Write(&text, found.Table(), render.Options{Format: f}); err != nil {
			t.Fatal(err)
		}
	}
	golden.Equal(t, "sensitivity.txt", text.String())
}

func TestEffect(t *testing.T) {
	p := func(x float64) *float64 { return &x }
	for _, c := range []struct {
		base, low, high *float64
		want            float64
	}{
		{p(10), p(9), p(12), 0.2},
		{p(10), p(7), p(12), -0.3},
		{p(-10), p(-7), p(-10), 0.3},
		{p(0), p(0), p(0), 0},
		{p(10), nil, p(12), 0.2},
		{p(0), p(1), p(2), math.NaN()},
		{nil, p(1), p(2), math.NaN()},
	} {
		i := Influence{Base: c.base, At: [2]*float64{c.low, c.high}}
		if got := i.Effect(); got != c.want && !(math.IsNaN(got) && math.IsNaN(c.want)) && math.Abs(got-c.want) > 1e-12 {
			t.Errorf("effect %v, want %v", got, c.want)
		}
	}
}

// A check of sensitivity that ends early keeps what it had found out.
func TestSensitivityEndsWithTheContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	runs := 0
	x := asks("a")
	inner := x.Run
	x.Run = func(ctx context.Context, e *experiment.Env) (experiment.Findings, error) {
		if runs++; runs == 4 { // as it is, one constant lower and higher, and then
			cancel()
		}
		return inner(ctx, e)
	}
	report, found, err := Sensitivity(ctx, selected(about("a")), []experiment.Experiment{x}, Options{Constants: constants(), Readings: readings(t), Observer: &watcher{}})
	if !errors.Is(err, context.Canceled) || len(report.Results) != 1 || len(found.List) != 1 {
		t.Errorf("%v, %d results, %d lines", err, len(report.Results), len(found.List))
	}
}

// A machine that was too busy is told from an experiment that is broken.
func TestUnbelievable(t *testing.T) {
	for err, want := range map[error]bool{nil: false, errors.New("no packets"): false, fmt.Errorf("ring: %w", live.ErrBusy): true} {
		if got := (Outcome{Err: err}).Unbelievable(); got != want {
			t.Errorf("%v: %v", err, got)
		}
	}
}

// What a machine lacks is no result: the claims are not run, which is as expected.
func TestLacking(t *testing.T) {
	x := experiment.Experiment{ID: "x", Claims: []claims.ID{"a"}, Live: true, Run: func(context.Context, *experiment.Env) (experiment.Findings, error) {
		return experiment.Findings{}, fmt.Errorf("deploy: %w: clang", live.ErrLacks)
	}}
	report, err := Reproduce(t.Context(), selected(about("a")), []experiment.Experiment{x}, Options{Constants: constants(), Readings: readings(t), Observer: &watcher{}})
	if err != nil || len(report.Results) != 1 {
		t.Fatalf("%v, %d results", err, len(report.Results))
	}
	if r := report.Results[0]; r.Verdict != claims.NeedsRoot || !r.Expected || !strings.Contains(r.Reason, "clang") {
		t.Errorf("%s, expected %v: %s", r.Verdict, r.Expected, r.Reason)
	}
}

package render

import (
	"strings"
	"testing"

	"github.com/inalab/inalab/internal/golden"
	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/reports/compare"
)

func TestComparisonGolden(t *testing.T) {
	single := []result.Cell{cell("trioml", 0.16, 0.1)}
	for name, c := range map[string]struct {
		cells []result.Cell
		o     Options
	}{
		"sweep-120.txt":     {sweep(), Options{}},
		"sweep-unicode.txt": {sweep(), Options{Unicode: true}},
		"sweep-80.txt":      {sweep(), Options{Width: 80}},
		"sweep-wide.txt":    {sweep(), Options{Format: FormatWide, Unicode: true}},
		"sweep.md":          {sweep(), Options{Format: FormatMarkdown}},
		"sweep.csv":         {sweep(), Options{Format: FormatCSV}},
		"sweep.json":        {sweep(), Options{Format: FormatJSON}},
		"troubled.txt":      {troubled(), Options{}},
		"troubled-wide.txt": {troubled(), Options{Format: FormatWide}},
		"troubled.md":       {troubled(), Options{Format: FormatMarkdown}},
		"troubled.csv":      {troubled(), Options{Format: FormatCSV}},
		"single.txt":        {single, Options{}},
		"single.csv":        {single, Options{Format: FormatCSV}},
		"empty.txt":         {nil, Options{}},
		"empty.md":          {nil, Options{Format: FormatMarkdown}},
		"empty.csv":         {nil, Options{Format: FormatCSV}},
		"empty.json":        {nil, Options{Format: FormatJSON}},
	} {
		t.Run(name, func(t *testing.T) {
			golden.Equal(t, name, write(t, Comparison(compare.Rows(c.cells, baseline), baseline), c.o))
		})
	}
}

// These columns come first, in this order: other programs read them.
func TestSummaryColumns(t *testing.T) {
	const promised = "system,model,clock,straggle_p,n,seed,scale,iter_ms,iter_ms_ci,iter_ms_expected,ratio_ideal,speedup_switchml," +
		"degraded_blocks,retransmits,wrong,checked,accuracy,fidelity,"
	var b strings.Builder
	if err := WriteSummary(&b, nil, baseline); err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(b.String(), promised) {
		t.Errorf("header %s", b.String())
	}
	golden.Equal(t, "COLUMNS.md", Columns(baseline))
	for _, key := range strings.Split(strings.TrimSpace(b.String()), ",") {
		if !strings.Contains(Columns(baseline), "\n| "+key+" ") {
			t.Errorf("COLUMNS.md does not describe %s", key)
		}
	}
}

// An invalid number is never a result: no format for people shows it bare.
func TestInvalidIsNeverAResult(t *testing.T) {
	c := cell("trioml", 0.16, 0.1)
	c.Fidelity.Verdict = result.Invalid
	rows := compare.Rows([]result.Cell{ideal(), cell("switchml256", 0.16, 1), c}, baseline)
	number := Number(rows[2].Iter.Value, 1).people
	for _, o := range []Options{{}, {Width: 80}, {Unicode: true}, {Format: FormatMarkdown}} {
		text := write(t, Comparison(rows, baseline), o)
		if strings.Contains(text, number) || !strings.Contains(text, "invalid") {
			t.Errorf("%+v shows %s:\n%s", o, number, text)
		}
	}
	if text := write(t, Comparison(rows, baseline), Options{Format: FormatWide}); !strings.Contains(text, "("+number+" ") {
		t.Errorf("wide does not show (%s:\n%s", number, text)
	}
	if text := write(t, Comparison(rows, baseline), Options{Format: FormatCSV}); !strings.Contains(text, ","+trimmed(rows[2].Iter.Value, 6)+",") || !strings.Contains(text, ",invalid,") {
		t.Errorf("CSV lost %s:\n%s", number, text)
	}
}

// A caution stands under the table with its cause, before what is said of the statistics, and in the row.
// Of a run that is invalid it stands there, too.
func TestCautionsStandUnderTheTable(t *testing.T) {
	slow, broken := cell("switchml256", 0.16, 1), cell("trioml", 0.16, 0.1)
	slow.Fidelity = result.Fidelity{Verdict: result.Exact}
	slow.Fidelity.Warn("it took 49 times as long: timers")
	broken.Fidelity = result.Fidelity{Verdict: result.Invalid, Reasons: []string{"CPU busy 99%"}}
	broken.Fidelity.Warn("it took 3 times as long: the machine")
	text := write(t, Comparison(compare.Rows([]result.Cell{slow, broken}, baseline), baseline), Options{})
	at := -1
	for _, want := range []string{"| caution", "- caution: ", "- invalid, trioml", "- caution, switchml256: it took 49 times as long: timers", "- caution, trioml: it took 3 times"} {
		i := strings.Index(text, want)
		if i <= at || strings.Count(text, want) != 1 {
			t.Errorf("%q is not there once, and behind what is before it:\n%s", want, text)
		}
		at = i
	}
}

// Rows whose settings differ show them, since nothing can be folded.
func TestSettingsThatDifferAreColumns(t *testing.T) {
	other := cell("trioml", 0.04, 0.1)
	other.Model, other.Clock, other.Seed, other.Scale = "vgg11", "virtual", 2, 1
	other.Fidelity.Verdict = result.Exact
	golden.Equal(t, "settings.txt", write(t, Comparison(compare.Rows([]result.Cell{cell("trioml", 0.04, 0.1), other}, baseline), baseline), Options{}))
}

// People see what was sent again where something was.
func TestResentIsShownWhereThereIsAny(t *testing.T) {
	clean, lossy := cell("switchml256", 0, 1), cell("trioml", 0, 1)
	lossy.Resent = result.Resent{Packets: 3, Bytes: 31022}
	for _, tc := range []struct {
		cells []result.Cell
		want  bool
	}{{[]result.Cell{clean}, false}, {[]result.Cell{clean, lossy}, true}} {
		text := write(t, Comparison(compare.Rows(tc.cells, baseline), baseline), Options{})
		if strings.Contains(text, "31022") != tc.want || strings.Contains(text, "| resent") && !tc.want {
			t.Errorf("shown: want %v:\n%s", tc.want, text)
		}
	}
}

func TestPrecision(t *testing.T) {
	for _, c := range []struct {
		ms   float64
		want int
	}{{0, 4}, {0.02, 4}, {0.9, 4}, {9, 3}, {99, 2}, {100, 1}, {54321, 1}} {
		computed := units.Duration(c.ms * float64(units.Millisecond))
		rows := compare.Rows([]result.Cell{{System: compare.Ideal, Computed: computed}}, baseline)
		if got := decimalsOf(rows); got != c.want {
			t.Errorf("%v ms with %d decimals, want %d", c.ms, got, c.want)
		}
	}
}

package expect

import (
	"fmt"
	"strings"
	"testing"

	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/reports/render"
)

func bound(v float64) *float64 { return &v }

func table() render.Table {
	t := render.Table{Columns: []render.Column{{Key: "link.loss", Name: "loss"}, {Key: "system", Name: "system"}, {Key: "straggle_p", Name: "p", Unit: "%"}, {Key: "inflation", Name: "/first"}}}
	for _, r := range []struct {
		loss, system string
		inflation    render.Cell
	}{
		{"0%", "ring", render.Number(1, 2)}, {"0%", "ideal", render.NA()}, {"1%", "ring", render.Number(1.5, 2)}, {"1%", "other", render.Number(9, 2).Suspect(true)},
	} {
		t.Rows = append(t.Rows, []render.Cell{render.Text(r.loss), render.Text(r.system), render.Percent(0.16), r.inflation})
	}
	return t
}

func TestJudge(t *testing.T) {
	ring := func(loss string) []result.Swept {
		return []result.Swept{{Key: "system", Value: "ring"}, {Key: "link.loss", Value: loss}}
	}
	for _, c := range []struct {
		check Check
		want  string
	}{
		{Check{Column: "inflation", Where: ring("1%"), Min: bound(1.5), Max: bound(1.5)}, "as expected: inflation where system=ring link.loss=1%, 1.5 at least, 1.5 at most (1 rows)"},
		{Check{Column: "inflation", Where: ring("1%"), Min: bound(1.6)}, "not as expected: inflation where system=ring link.loss=1%, 1.6 at least: link.loss=1% ring at p=16% has 1.5"},
		{Check{Column: "inflation", Max: bound(1.2)}, "not as expected: inflation, 1.2 at most: link.loss=1% ring at p=16% has 1.5"},
		{Check{Column: "inflation", Max: bound(1.5)}, "as expected: inflation, 1.5 at most (2 rows)"}, // neither the ideal nor what is invalid
		{Check{Column: "inflation", Where: ring("2%"), Max: bound(1)}, "not judged: inflation where system=ring link.loss=2%, 1 at most: there is no such row"},
		{Check{Column: "inflation", Where: []result.Swept{{Key: "straggle_p", Value: "16%"}}, Max: bound(2)}, "as expected: inflation where straggle_p=16%, 2 at most (2 rows)"},
		{Check{Column: "inflation", Where: []result.Swept{{Key: "inflation", Value: "1.50%"}}, Max: bound(2)}, "not judged: inflation where inflation=1.50%, 2 at most: there is no such row"}, // it is no percentage
		{Check{Column: "inflation", Where: []result.Swept{{Key: "straggle_p", Value: "0.16"}}, Max: bound(2)}, "as expected: inflation where straggle_p=0.16, 2 at most (2 rows)"},
	} {
		if got := fmt.Sprint(Judge(table(), nil, []Check{c.check})[0]); got != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
	}
}

func TestValidate(t *testing.T) {
	columns := []string{"system", "inflation"}
	for _, c := range []struct {
		check Check
		want  string // of the error; empty: none
	}{
		{Check{Column: "inflation", Min: bound(0)}, ""},
		{Check{Column: "inflaton", Min: bound(0)}, `"inflaton" is no column of summary.csv: there are system, inflation; did you mean "inflation"?`},
		{Check{Column: "inflation", Where: []result.Swept{{Key: "sys", Value: "ring"}}, Min: bound(0)}, `"sys" is no column`},
		{Check{Column: "inflation"}, "say what is expected: min, max or both"},
		{Check{Column: "inflation", Min: bound(2), Max: bound(1)}, "a min of 2 and a max of 1: nothing is in between"},
	} {
		err := c.check.Validate(columns)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: got %v, want %q", c.check, err, c.want)
		}
	}
}

// A check may be about another table, of which a row that is missing counts as 0.
func TestOtherTables(t *testing.T) {
	told := result.Cell{System: "ring", Clock: "virtual", Collected: true,
		Flows:   []result.Flow{{Name: "a", Kind: "udp", From: "h4", To: "h0"}, {Name: "b", Kind: "udp", From: "h4", To: "h1"}},
		Reports: []result.Report{{Program: "p", Collector: "h5", From: "h4", To: "h0", Reports: 7}},
		Transit: []result.TransitCount{{Switch: "tor", Program: "p", Counter: "dropped", N: 3}}}
	silent := told
	silent.System, silent.Reports = "other", nil
	on := func(table, column, key, value string, min, max *float64) Check {
		return Check{Table: table, Column: column, Where: []result.Swept{{Key: key, Value: value}}, Min: min, Max: max}
	}
	for _, c := range []struct {
		check Check
		cells []result.Cell
		want  string
	}{
		{on("flows", "reports", "flow", "a", bound(7), nil), []result.Cell{told}, "as expected: flows: reports where flow=a, 7 at least (1 rows)"},
		{on("flows", "reports", "flow", "b", nil, bound(0)), []result.Cell{told}, "as expected: flows: reports where flow=b, 0 at most (1 rows)"},
		{on("flows", "reports", "flow", "a", bound(1), nil), []result.Cell{told, silent}, "not as expected: flows: reports where flow=a, 1 at least: other flow a from h4 to h0 has 0"},
		{on("reports", "reports", "from", "h4", nil, bound(6)), []result.Cell{told}, "not as expected: reports: reports where from=h4, 6 at most: ring program p from h4 to h0 has 7"},
		{on("reports", "reports", "from", "h4", bound(1), nil), []result.Cell{silent}, "not as expected: reports: reports where from=h4, 1 at least: there is no such row"},
		{on("reports", "reports", "from", "h4", bound(0), bound(1)), []result.Cell{silent}, "not judged: reports: reports where from=h4, 0 at least, 1 at most: there is no such row"},
		{on("transit", "count", "counter", "dropped", bound(4), nil), []result.Cell{told}, "not as expected: transit: count where counter=dropped, 4 at least: ring program p counter dropped has 3"},
	} {
		if got := fmt.Sprint(Judge(table(), c.cells, []Check{c.check})[0]); got != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
	}
}

package export

import (
	"fmt"
	"io"
	"strings"

	"github.com/inalab/inalab/reports/junit"
	"github.com/inalab/inalab/reports/render"
)

// writeSummary writes one line for each report, each check that is not as it must be, and the values.
func writeSummary(w io.Writer, reports []*Report) error {
	tables := []render.Table{overview(reports)}
	if t := troubles(reports); len(t.Rows) > 0 {
		tables = append(tables, t)
	}
	if t := measured(reports); len(t.Rows) > 0 {
		tables = append(tables, t)
	}
	for i, t := range tables {
		if i > 0 {
			if _, err := io.WriteString(w, "\n"); err != nil {
				return fmt.Errorf("write summary: %w", err)
			}
		}
		if err := render.Write(w, t, render.Options{Format: render.FormatMarkdown}); err != nil {
			return err
		}
	}
	return nil
}

func overview(reports []*Report) render.Table {
	t := render.Table{Columns: []render.Column{
		{Key: "results", Name: "results"}, {Key: "verdict", Name: "verdict"},
		{Key: "passed", Name: "passed", Align: render.Right}, {Key: "failed", Name: "failed", Align: render.Right},
		{Key: "errors", Name: "errors", Align: render.Right}, {Key: "skipped", Name: "skipped", Align: render.Right},
		{Key: "seconds", Name: "time", Unit: "s", Align: render.Right}, {Key: "commit", Name: "commit"},
	}}
	bad := 0
	for _, r := range reports {
		s := r.suite()
		verdict := "ok"
		if s.Count(junit.Failed)+s.Count(junit.Errored) > 0 {
			verdict = "not ok"
			bad++
		}
		seconds := render.NA()
		if r.Seconds > 0 {
			seconds = render.Number(r.Seconds, 3)
		}
		t.Rows = append(t.Rows, []render.Cell{
			render.Text(r.Title()), render.Text(verdict), render.Int(s.Count(junit.Passed)), render.Int(s.Count(junit.Failed)),
			render.Int(s.Count(junit.Errored)), render.Int(s.Count(junit.Skipped)), seconds, render.Text(r.shortCommit()),
		})
	}
	t.Title = fmt.Sprintf("inalab: %d of %d results are ok", len(reports)-bad, len(reports))
	return t
}

// shortCommit is as long as git prints it.
func (r *Report) shortCommit() string {
	const digits = 12
	for _, f := range r.Facts {
		if f.Key == "commit" {
			return f.Value[:min(digits, len(f.Value))]
		}
	}
	return ""
}

// troubles lists what failed, and what could not be judged.
func troubles(reports []*Report) render.Table {
	t := render.Table{Title: "Not as it must be", Columns: []render.Column{
		{Key: "results", Name: "results"}, {Key: "check", Name: "check"}, {Key: "why", Name: "why"},
	}}
	for _, r := range reports {
		for _, c := range r.Checks {
			if c.Status == junit.Failed || c.Status == junit.Errored {
				t.Rows = append(t.Rows, []render.Cell{render.Text(r.Title()), render.Text(c.Class + ": " + c.Name), render.Text(c.Message)})
			}
		}
	}
	return t
}

func measured(reports []*Report) render.Table {
	t := render.Table{Title: "Measured", Columns: []render.Column{
		{Key: "of", Name: "of"}, {Key: "value", Name: "value", Align: render.Right}, {Key: "ci95", Name: "95% interval", Align: render.Right},
		{Key: "unit", Name: "unit"}, {Key: "n", Name: "n", Align: render.Right},
	}}
	for _, r := range reports {
		for _, v := range r.Values {
			interval := render.NA()
			if v.CI95 > 0 {
				interval = render.Text(fmt.Sprintf("±%.2g", v.CI95))
			}
			t.Rows = append(t.Rows, []render.Cell{
				render.Text(strings.Join(valuesOf(v.Of), " ")), render.Text(fmt.Sprintf("%.4g", v.Value)), interval, render.Text(v.Unit), render.Int(v.N),
			})
		}
	}
	return t
}

// valuesOf names what a value is of, short.
func valuesOf(of []Fact) (out []string) {
	for i, f := range of {
		if i > 0 {
			out = append(out, f.Key+"="+f.Value)
		} else {
			out = append(out, f.Value)
		}
	}
	return out
}

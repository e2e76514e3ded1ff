package runreport

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/inalab/inalab/reports/page"
	"github.com/inalab/inalab/reports/render"
)

// Refused is a directory that has no part in a report, and why.
type Refused struct {
	Path string
	Why  error
}

// Many returns the report of several runs: a table over all, then a section for each. Directories that were
// refused are named.
func Many(list []*Source, refused []Refused) *page.Page {
	var runs []*run
	for i, s := range list {
		runs = append(runs, newRun(s, fmt.Sprintf("run%d-", i+1)))
	}
	p := &page.Page{
		Title: plural(len(runs), "run"), Kind: "inalab · report of several runs", Subtitle: scenarios(list),
		Verdict: together(runs, refused), Lead: differences(list, refused), Foot: "Made from " + names(list) + ".",
		Sections: []page.Section{{ID: "runs", Title: "All runs", Blocks: []page.Block{page.Table{Table: overview(runs), Plain: true}, answers(runs)}}},
	}
	for i, r := range runs {
		b := r.banner()
		blocks := append([]page.Block{page.Bullets{Level: b.Level, Text: []string{b.Text}}}, r.lead()...)
		p.Sections = append(p.Sections, page.Section{ID: fmt.Sprintf("run%d", i+1), Title: fmt.Sprintf("Run %d: %s", i+1, r.Record.Scenario), Blocks: blocks, Sections: r.sections()})
	}
	return p
}

func scenarios(list []*Source) string {
	var out []string
	for _, s := range list {
		if !slices.Contains(out, s.Record.Scenario) {
			out = append(out, s.Record.Scenario)
		}
	}
	return words(out)
}

func names(list []*Source) string {
	var out []string
	for _, s := range list {
		out = append(out, s.Name)
	}
	return words(out)
}

// together is the verdict over all runs: the worst of theirs.
func together(runs []*run, refused []Refused) page.Verdict {
	v, by := page.Verdict{}, map[page.Level]int{}
	for _, r := range runs {
		t := r.tally()
		by[t.level()]++
	}
	v.Level = page.Good
	for _, l := range []page.Level{page.Doubt, page.Bad} {
		if by[l] > 0 {
			v.Level = l
		}
	}
	v.Text = fmt.Sprintf("%d of %s as they should be: every row can be believed, no sum is wrong, every expectation is met.",
		by[page.Good], plural(len(runs), "run"))
	if len(refused) > 0 {
		v.Level = page.Bad
		v.Text += " " + directories(len(refused)) + " could not be reported."
	}
	for _, f := range []struct {
		level page.Level
		name  string
	}{{page.Good, "As it should be"}, {page.Doubt, "With care"}, {page.Bad, "Not to be relied on"}} {
		if by[f.level] > 0 {
			v.Facts = append(v.Facts, page.Fact{Level: f.level, Name: f.name, Value: plural(by[f.level], "run")})
		}
	}
	return v
}

// differences names what keeps runs from being held against each other, and what was refused.
func differences(list []*Source, refused []Refused) (out []page.Block) {
	bad := page.Bullets{Level: page.Bad}
	for _, r := range refused {
		bad.Text = append(bad.Text, "Not reported: "+r.Why.Error())
	}
	if bad.Text != nil {
		out = append(out, bad)
	}
	doubt := page.Bullets{Level: page.Doubt}
	for _, d := range []struct {
		what string
		of   func(*Source) string
	}{
		{"versions of inalab", func(s *Source) string { return strings.TrimSpace(s.Manifest.Version + " " + s.Manifest.Commit) }},
		{"clocks", func(s *Source) string { return s.Manifest.Clock }},
		{"scales", func(s *Source) string { return fmt.Sprint(s.Manifest.Scale) }},
	} {
		var have []string
		for _, s := range list {
			if v := cmp.Or(d.of(s), "unknown"); !slices.Contains(have, v) {
				have = append(have, v)
			}
		}
		if len(have) > 1 {
			doubt.Text = append(doubt.Text, fmt.Sprintf("The runs are of different %s: %s. Differences between their times may come from that.", d.what, words(have)))
		}
	}
	if doubt.Text != nil {
		out = append(out, doubt)
	}
	return out
}

// answers are those of all runs.
func answers(runs []*run) (out page.List) {
	for i, r := range runs {
		out = append(out, page.Item{Name: fmt.Sprintf("Run %d, %s", i+1, r.Record.Scenario), Value: strings.Join(r.answer(), " ")})
	}
	return out
}

// overview is the table over all runs.
func overview(runs []*run) render.Table {
	t := render.Table{
		Title: "All runs",
		Columns: []render.Column{
			{Name: "run", Align: render.Right}, {Name: "scenario"}, {Name: "begun"}, {Name: "clock"}, {Name: "scale", Align: render.Right}, {Name: "seed", Align: render.Right},
			{Name: "version"}, {Name: "fidelity"}, {Name: "wrong sums", Align: render.Right}, {Name: "expectations", Align: render.Right},
		},
	}
	for i, r := range runs {
		c, m := r.tally(), &r.Manifest
		expected := render.NA()
		if c.expected > 0 {
			expected = render.Text(fmt.Sprintf("%d of %d met", c.met, c.expected))
		}
		t.Rows = append(t.Rows, []render.Cell{
			render.Int(i + 1), render.Text(r.Record.Scenario), render.Text(m.Started.UTC().Format(minute)), render.Text(m.Clock), render.Int(m.Scale), render.Int(m.Seed),
			render.Text(m.Version), render.Text(c.counts()), render.Text(fmt.Sprintf("%d of %d", c.wrong, c.checked)), expected,
		})
	}
	return t
}

func directories(n int) string {
	if n == 1 {
		return "1 directory"
	}
	return fmt.Sprintf("%d directories", n)
}

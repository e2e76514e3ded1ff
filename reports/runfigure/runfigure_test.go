package runfigure

import (
	"bytes"
	"strings"
	"testing"

	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/reports/compare"
	"github.com/inalab/inalab/reports/figure"
	"github.com/inalab/inalab/reports/stat"
)

func row(system string, ms float64, keys ...string) compare.Row {
	r := compare.Row{System: system, Iter: stat.Mean([]float64{ms - 1, ms, ms + 1})}
	for i := 0; i < len(keys); i += 2 {
		r.Point.Keys = append(r.Point.Keys, result.Swept{Key: keys[i], Value: keys[i+1]})
	}
	return r
}

func TestPanelsAndLines(t *testing.T) {
	var rows []compare.Row
	for i, hosts := range []string{"4", "8"} {
		for j, loss := range []string{"0%", "1%"} {
			rows = append(rows, row("ring", float64(100+10*i+j), "hosts", hosts, "link.loss", loss), row("other", float64(50+10*i+j), "hosts", hosts, "link.loss", loss))
		}
	}
	rows[7].Fidelity.Verdict = result.Invalid // not drawn
	f, ok := New("run", "a title", rows, [][]string{{"hosts"}, {"link.loss"}})
	if !ok || len(f.Panels) != 2 {
		t.Fatalf("%d panels, %v; want 2", len(f.Panels), ok)
	}
	p := f.Panels[1]
	if p.Title != "hosts = 8" || p.X.Label != "link.loss" || strings.Join(p.X.Names, " ") != "0% 1%" || len(p.Series) != 2 {
		t.Errorf("the second panel is %+v", p)
	}
	ring, other := p.Series[0], p.Series[1]
	if ring.Name != "ring" || len(ring.Points) != 2 || ring.Points[1].X != 1 || ring.Points[1].Y != 111 || ring.Points[1].Above == 0 {
		t.Errorf("the ring is %+v", ring)
	}
	if len(other.Points) != 1 {
		t.Errorf("an invalid run is drawn: %+v", other)
	}
	var svg bytes.Buffer
	if err := figure.Write(&svg, f); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"hosts = 8", "1%", "ring", "1 of 8 runs are not drawn"} {
		if !strings.Contains(svg.String(), want) {
			t.Errorf("the picture does not say %q", want)
		}
	}
}

// Without a sweep straggle probabilities are along the axis, and a system that ran on several
// topologies has a line for each.
func TestWithoutASweep(t *testing.T) {
	a, b, c := row("ring", 100), row("ring", 120), row("ring", 90)
	b.StraggleP, c.Topology = 0.16, "rack"
	f, ok := New("run", "a title", []compare.Row{a, b, c}, nil)
	if !ok || len(f.Panels) != 1 || strings.Join(f.Panels[0].X.Names, " ") != "0% 16%" || f.Panels[0].X.Label != "straggle probability" {
		t.Fatalf("got %+v, %v", f, ok)
	}
	if len(f.Panels[0].Series) != 2 || f.Panels[0].Series[1].Name != "ring on rack" {
		t.Errorf("lines %+v", f.Panels[0].Series)
	}
}

func TestNothingToDraw(t *testing.T) {
	if _, ok := New("run", "a title", nil, nil); ok {
		t.Error("a figure of no rows")
	}
	var rows []compare.Row
	for i := range maxPanels + 1 {
		rows = append(rows, row("ring", 100, "seed", strings.Repeat("1", i+1), "hosts", "2"))
	}
	if _, ok := New("run", "a title", rows, [][]string{{"seed"}, {"hosts"}}); ok {
		t.Error("a figure of more panels than it holds")
	}
}

// Jobs of one system have a line each, as far as a figure holds so many, and a job that ran
// in several labs one for each.
func TestLinesOfJobs(t *testing.T) {
	job := func(system, name, lab string) compare.Row {
		r := row(system, 100)
		r.Job, r.Lab = name, lab
		return r
	}
	lines := func(rows []compare.Row) (names []string) {
		f, ok := New("run", "a title", rows, nil)
		if !ok {
			t.Fatal("there is no figure")
		}
		for _, s := range f.Panels[0].Series {
			names = append(names, s.Name)
		}
		return names
	}
	rows := []compare.Row{job("ring", "a", "2 ring + x"), job("ring", "b", "2 ring + x"), job("x", "c", "2 ring + x"), job("ring", "a", "ring + y")}
	want := "ring job a of 2 ring + x, ring job b, x, ring job a of ring + y"
	if got := strings.Join(lines(rows), ", "); got != want {
		t.Errorf("lines %s, want %s", got, want)
	}
	rows = rows[2:3]
	for i := range 17 {
		rows = append(rows, job("ring", string(rune('a'+i)), ""))
	}
	if got := strings.Join(lines(rows), ", "); got != "x, ring" {
		t.Errorf("lines %s of 17 jobs, want one for each system", got)
	}
}

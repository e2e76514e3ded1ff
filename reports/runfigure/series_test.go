package runfigure

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/reports/figure"
)

// lab is the cells of a run of two jobs and a flow, with a megabyte in each of two intervals of
// a millisecond.
func lab(system string) []result.Cell {
	series := func(kind, name string, bytes ...units.Bytes) result.Throughput {
		return result.Throughput{Kind: kind, Name: name, Series: result.Series{Interval: units.Millisecond, Bytes: bytes}}
	}
	a := result.Cell{System: system, Topology: "rack", Job: "a", Throughput: []result.Throughput{series("job", "a", 0, 1e6, 1e6), series("tcp", "bulk", 5e5, 0, 0)}}
	b := result.Cell{System: system, Topology: "rack", Job: "b", Throughput: []result.Throughput{series("job", "b", 0, 0, 25e4)}}
	return []result.Cell{a, b}
}

func drawn(t *testing.T, f figure.Figure) string {
	t.Helper()
	var svg bytes.Buffer
	if err := figure.Write(&svg, f); err != nil {
		t.Fatal(err)
	}
	return svg.String()
}

// Jobs that share a lab share a panel; flows stand behind all jobs. Steps have a point where the rate
// changes and one at the end.
func TestPanelsOfSeries(t *testing.T) {
	cells := append(lab("ring"), lab("switchml256")...)
	f, ok := Series("run", "a title", cells)
	if !ok || len(f.Panels) != 2 || f.Columns != 1 {
		t.Fatalf("%d panels, %v; want 2", len(f.Panels), ok)
	}
	p := f.Panels[1]
	var names []string
	for _, s := range p.Series {
		names = append(names, s.Name)
	}
	if p.Title != "switchml256" || p.X.Unit != "ms" || p.Y.Unit != "Gbit/s" || !slices.Equal(names, []string{"job a", "job b", "flow bulk (TCP)"}) {
		t.Errorf("panel %q in %s and %s of %q", p.Title, p.X.Unit, p.Y.Unit, names)
	}
	at := func(s figure.Series) (out []string) {
		for _, pt := range s.Points {
			out = append(out, fmt.Sprintf("%.9g:%.9g", pt.X, pt.Y))
		}
		return out
	}
	for i, want := range []string{"0:0 1:8 3:8", "0:0 2:2 3:2", "0:4 1:0 3:0"} {
		if got := strings.Join(at(p.Series[i]), " "); got != want || p.Series[i].Kind != figure.Steps {
			t.Errorf("%s: %s, want %s", p.Series[i].Name, got, want)
		}
	}
	if svg := drawn(t, f); !strings.Contains(svg, "each interval of 1ms") || strings.Contains(svg, "left out") {
		t.Error("the picture does not say its interval")
	}
}

// A panel says what tells its run from others.
func TestTitlesOfSeries(t *testing.T) {
	one := result.Cell{System: "ring", Topology: "rack", Seed: 1, Throughput: lab("")[0].Throughput[:1]}
	other := func(change func(*result.Cell)) result.Cell {
		c := one
		change(&c)
		return c
	}
	point := result.Point{Keys: []result.Swept{{Key: "hosts", Value: "4"}}}
	for want, cells := range map[string][]result.Cell{
		"ring":          {one, other(func(c *result.Cell) { c.System = "ps" })},
		"ring on rack":  {one, other(func(c *result.Cell) { c.Topology = "mx480" })},
		"ring, p = 0%":  {one, other(func(c *result.Cell) { c.StraggleP = 0.16 })},
		"ring, seed 1":  {one, other(func(c *result.Cell) { c.Seed = 2 })},
		"ring, hosts=4": {other(func(c *result.Cell) { c.Point = point }), one},
	} {
		if f, _ := Series("run", "a title", cells); len(f.Panels) != 2 || f.Panels[0].Title != want {
			t.Errorf("panels %+v, want the title %q", f.Panels, want)
		}
	}
}

// Where a lab has several systems, its panel names all, and each job says its own.
func TestSeriesOfSeveralSystems(t *testing.T) {
	cells := lab("ring")
	cells[1].System, cells[0].Lab, cells[1].Lab = "trioml", "ring+trioml", "ring+trioml"
	f, _ := Series("run", "a title", cells)
	if len(f.Panels) != 1 || f.Panels[0].Title != "ring+trioml" || f.Panels[0].Series[0].Name != "job a (ring)" || f.Panels[0].Series[1].Name != "job b (trioml)" {
		t.Errorf("panels %+v", f.Panels)
	}
}

// What a figure does not hold, and what cannot be believed, is left out, and it says so.
func TestSeriesLeftOut(t *testing.T) {
	var cells []result.Cell
	for i := range maxPanels + 3 {
		cells = append(cells, lab(fmt.Sprintf("system%d", i))[0])
	}
	for i := range maxLines {
		cells[0].Throughput = append(cells[0].Throughput, cells[0].Throughput[0])
		cells[0].Throughput[i+2].Name = fmt.Sprintf("more%d", i)
	}
	cells[1].Fidelity.Verdict, cells[2].Fidelity.Verdict = result.Invalid, result.Busy
	f, ok := Series("run", "a title", cells)
	if !ok || len(f.Panels) != maxPanels || f.Columns != 2 || len(f.Panels[0].Series) != maxLines || f.Panels[1].Title != "system2" {
		t.Fatalf("%d panels in %d columns, %v", len(f.Panels), f.Columns, ok)
	}
	svg := drawn(t, f)
	for _, want := range []string{"2 of 14 runs are left out", "2 of 18 jobs and flows are left out", "1 of 15 runs are not drawn", "1 of 15 runs: the machine was at its limit"} {
		if !strings.Contains(svg, want) {
			t.Errorf("the picture does not say %q", want)
		}
	}
	if _, ok := Series("run", "a title", cells[1:2]); ok {
		t.Error("a figure of a run that cannot be believed")
	}
	if _, ok := Series("run", "a title", []result.Cell{{System: "ring"}}); ok {
		t.Error("a figure of a run without series")
	}
}

// A run is believed as far as each of the jobs that share its lab.
func TestVerdictsOfSeries(t *testing.T) {
	cells := append(lab("ring"), lab("switchml256")...)
	cells[1].Fidelity.Verdict, cells[3].Fidelity.Verdict = result.Busy, result.Invalid
	f, ok := Series("run", "a title", cells)
	if !ok || len(f.Panels) != 1 || f.Panels[0].Title != "ring" {
		t.Fatalf("panels %+v, %v", f.Panels, ok)
	}
	for _, want := range []string{"1 of 2 runs are not drawn", "1 of 2 runs: the machine"} {
		if svg := drawn(t, f); !strings.Contains(svg, want) {
			t.Errorf("the picture does not say %q", want)
		}
	}
}

// Units are those of the largest value, and there is one for each size.
func TestUnitsOfSeries(t *testing.T) {
	for _, c := range []struct {
		list    []scale
		largest float64
		want    string
	}{{times, 3, "s"}, {times, 0.999, "ms"}, {times, 1e-9, "us"}, {rates, 0, "bit/s"}, {rates, 999, "bit/s"}, {rates, 1e3, "kbit/s"}, {rates, 4e12, "Tbit/s"}} {
		if got := scaleFor(c.list, c.largest); got.unit != c.want {
			t.Errorf("%v is in %s, want %s", c.largest, got.unit, c.want)
		}
	}
}

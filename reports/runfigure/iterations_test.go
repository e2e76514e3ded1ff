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

// trained is a run of two workers, of which the second takes longer; the delays are those of the first.
func trained(system, job string, delays ...units.Duration) result.Cell {
	c := result.Cell{System: system, Job: job, Workers: 2, Iterations: len(delays), Fidelity: result.Fidelity{Verdict: result.Exact}}
	for i, d := range delays {
		for w := range 2 {
			c.Samples = append(c.Samples, result.Sample{Worker: w, Iteration: i, End: units.Time(10+2*w) * units.Time(units.Millisecond), Delay: d * units.Duration(1-w)})
		}
	}
	return c
}

func systemOf(c *result.Cell) string { return c.System }

// Means, the reach of the workers, and each delay once.
func TestIterations(t *testing.T) {
	cells := []result.Cell{trained("a", "", 0, 3*units.Millisecond), trained("b", "", 0, 3*units.Millisecond)}
	f, ok := Iterations("id", "title", cells, systemOf)
	if !ok || len(f.Panels) != 1 || len(f.Panels[0].Series) != 3 {
		t.Fatalf("got %+v", f)
	}
	if got, want := f.Panels[0].Series[0].Points, []figure.Point{{X: 0, Y: 11, Below: 1, Above: 1}, {X: 1, Y: 11, Below: 1, Above: 1}}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if got, want := f.Panels[0].Series[2].Points, []figure.Point{{X: 1, Y: 3}}; !slices.Equal(got, want) {
		t.Errorf("delays: got %v, want %v", got, want)
	}
}

// Whatever runs there are, the figure can be drawn, and says what it does not hold.
func TestIterationsOfMany(t *testing.T) {
	var cells []result.Cell
	for i := range 40 {
		cells = append(cells, trained(fmt.Sprint("system", i), fmt.Sprint(i%20), units.Millisecond), trained("same", "0", 0))
	}
	f, ok := Iterations("id", "title", cells, systemOf)
	if !ok {
		t.Fatal("there is no figure")
	}
	if err := figure.Write(&bytes.Buffer{}, f); err != nil {
		t.Error(err)
	}
	lines := map[string]bool{}
	drawn := 0
	for _, p := range f.Panels {
		for _, s := range p.Series {
			if lines[s.Name] = true; !s.Aside {
				drawn++
			}
		}
	}
	if want := fmt.Sprintf("%d of 80 runs are left out", 80-drawn); !strings.Contains(strings.Join(f.Notes, " "), want) || len(lines) > maxLines {
		t.Errorf("%d lines; notes %q, want %q", len(lines), f.Notes, want)
	}
}

func TestIterationsOfInvalidRuns(t *testing.T) {
	c := trained("a", "", 0)
	c.Fidelity.Verdict = result.Invalid
	if _, ok := Iterations("id", "title", []result.Cell{c}, systemOf); ok {
		t.Error("runs that are not to be believed have a figure")
	}
}

package runfigure

import (
	"slices"
	"testing"

	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/units"
)

// Each job has a line of what switches added and one of what servers did, as numbers of an interval;
// runs without such series have no panel.
func TestPanelsOfAggregations(t *testing.T) {
	cells := append(lab("ring"), lab("atp")...)
	if _, ok := Aggregations("run", "a title", cells[:2]); ok {
		t.Error("a figure of nothing")
	}
	for i := range 2 {
		for _, kind := range []string{result.KindSwitch, result.KindServer} {
			series := result.Series{Interval: units.Millisecond, Bytes: []units.Bytes{0, 4000, 500}}
			cells[2+i].Aggregations = append(cells[2+i].Aggregations, result.Aggregation{Kind: kind, Name: cells[2+i].Job, Series: series})
		}
	}
	f, ok := Aggregations("run", "a title", cells)
	if !ok || len(f.Panels) != 1 {
		t.Fatalf("%d panels, %v; want 1", len(f.Panels), ok)
	}
	p := f.Panels[0]
	var names []string
	for _, s := range p.Series {
		names = append(names, s.Name)
	}
	want := []string{"job a, in switches", "job a, at servers", "job b, in switches", "job b, at servers"}
	if p.Title != "atp" || p.Y.Unit != "thousands" || !slices.Equal(names, want) || p.Series[3].Points[1].Y != 4 || p.Series[3].Points[2].Y != 0.5 {
		t.Errorf("panel %q in %s of %q: %+v", p.Title, p.Y.Unit, names, p.Series[3].Points)
	}
	drawn(t, f)
}

package bench

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/inalab/inalab/reports/render"
	"github.com/inalab/inalab/reports/stat"
)

// PipelineVirtual is how fast a switch of SwitchML is simulated.
type PipelineVirtual struct {
	Engine     string  `json:"engine"`   // reference, pipeline, or pipeline with time
	Elements   int     `json:"elements"` // values of a packet
	Packets    uint64  `json:"packets"`
	Passes     uint64  `json:"passes"` // through an ingress; of the reference none
	WallS      float64 `json:"wall_s"` // median of the repeats
	PacketRate float64 `json:"packets_per_s"`
	PassRate   float64 `json:"passes_per_s"`
	Repeats    int     `json:"repeats"`
}

// Pipeline is what bench pipeline measured.
type Pipeline struct {
	Live    []PFELive         `json:"live"`
	Paired  float64           `json:"paired_ratio"` // median of pipeline over reference, run by run; 0: not measured
	Least   float64           `json:"paired_ratio_min"`
	Virtual []PipelineVirtual `json:"virtual"`
}

// SetLive takes the runs of two engines, which took turns; the first is the reference.
func (p *Pipeline) SetLive(engines []string, runs [][]AllReduce) (err error) {
	if p.Live, err = NewPFELive(engines, runs); err != nil {
		return err
	}
	if len(runs) != 2 || len(runs[0]) != len(runs[1]) {
		return errors.New("benchmark of the pipeline: it takes two engines, run by turns")
	}
	var ratios []float64
	for i := range runs[0] {
		if runs[0][i].AggregateInput > 0 {
			ratios = append(ratios, runs[1][i].AggregateInput/runs[0][i].AggregateInput)
		}
	}
	if len(ratios) == 0 {
		return errors.New("benchmark of the pipeline: the reference program moved nothing")
	}
	p.Paired, _ = stat.Median(ratios)
	p.Least = slices.Min(ratios)
	return nil
}

func (p *Pipeline) liveTable() render.Table {
	t := PFE{Live: p.Live}.liveTable()
	t.Title = "SwitchML on real packets, by what aggregates"
	t.Notes = append(t.Notes, fmt.Sprintf("pipeline over reference, run by run: median %.2f, least %.2f", p.Paired, p.Least))
	return t
}

func (p *Pipeline) virtualTable() render.Table {
	right := render.Right
	t := render.Table{
		Title: "A switch of SwitchML alone, without links or hosts",
		Columns: []render.Column{
			{Name: "engine"}, {Name: "values a packet", Align: right}, {Name: "packets", Align: right}, {Name: "passes", Align: right},
			{Name: "wall", Unit: "s", Align: right}, {Name: "packets", Unit: "1/s", Align: right}, {Name: "passes", Unit: "1/s", Align: right},
			{Name: "repeats", Align: right, Fold: true},
		},
		Notes: []string{"every pass is executed, table by table; with time each is an event; medians of the repeats, on one core"},
	}
	for _, r := range p.Virtual {
		passes, rate := render.NA(), render.NA()
		if r.Passes > 0 {
			passes, rate = render.Int(r.Passes), render.Number(r.PassRate, 0)
		}
		t.Rows = append(t.Rows, []render.Cell{
			render.Text(r.Engine), render.Int(r.Elements), render.Int(r.Packets), passes,
			render.Number(r.WallS, 3), render.Number(r.PacketRate, 0), rate, render.Int(r.Repeats),
		})
	}
	return t
}

// WritePipeline writes bench pipeline in any format: the live table if it was
// measured, then the other.
func WritePipeline(w io.Writer, p Pipeline, o render.Options) error {
	if o.Format == render.FormatJSON {
		return render.WriteJSON(w, struct {
			SchemaVersion int `json:"schema_version"`
			Pipeline
		}{render.SchemaVersion, p})
	}
	if len(p.Live) > 0 {
		if err := render.Write(w, p.liveTable(), o); err != nil {
			return err
		}
	}
	return render.Write(w, p.virtualTable(), o)
}

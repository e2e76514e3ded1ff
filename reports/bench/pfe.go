package bench

import (
	"fmt"
	"io"

	"github.com/inalab/inalab/reports/render"
	"github.com/inalab/inalab/reports/stat"
)

// PFELive is what one engine sustains on real packets, in bench pfe --format json.
type PFELive struct {
	Engine    string  `json:"engine"`
	Runs      int     `json:"runs"`
	Goodput   float64 `json:"aggregate_input_gbps"` // of the fastest run: payload that all workers hand in
	Median    float64 `json:"median_gbps"`          // of all runs
	Reference float64 `json:"of_reference"`         // median over that of the first engine
	Wrong     uint64  `json:"wrong"`
	Checked   uint64  `json:"checked"`
}

// PFEVirtual is how fast a PFE with time is simulated.
type PFEVirtual struct {
	Carries      string  `json:"carries"` // payload or lengths
	Packets      uint64  `json:"packets"`
	WallS        float64 `json:"wall_s"` // median of the repeats
	PacketRate   float64 `json:"packets_per_s"`
	XTXNRate     float64 `json:"xtxns_per_s"` // each is an event
	Instructions float64 `json:"instructions_per_s"`
	Repeats      int     `json:"repeats"`
}

// PFE is what bench pfe measured.
type PFE struct {
	Live    []PFELive    `json:"live"`
	Virtual []PFEVirtual `json:"virtual"`
}

// NewPFELive compares engines by their runs, which took turns, in the order in
// which they are given; the first is the reference.
func NewPFELive(engines []string, runs [][]AllReduce) ([]PFELive, error) {
	var out []PFELive
	for i, name := range engines {
		if len(runs[i]) == 0 {
			return nil, fmt.Errorf("benchmark of %s: it was not run", name)
		}
		best := Best(runs[i])
		mid := median(runs[i])
		row := PFELive{
			Engine: name, Runs: best.Runs, Goodput: best.AggregateInput, Median: mid, Reference: 1,
			Wrong: best.Wrong, Checked: best.Checked,
		}
		if i > 0 && out[0].Median > 0 {
			row.Reference = mid / out[0].Median
		}
		out = append(out, row)
	}
	return out, nil
}

func median(runs []AllReduce) float64 {
	var inputs []float64
	for _, r := range runs {
		inputs = append(inputs, r.AggregateInput)
	}
	mid, _ := stat.Median(inputs)
	return mid
}

func (p PFE) liveTable() render.Table {
	right := render.Right
	t := render.Table{
		Title: "Trio-ML on real packets, by what aggregates",
		Columns: []render.Column{
			{Name: "engine"}, {Name: "median", Unit: "Gbit/s", Align: right}, {Name: "/ reference", Align: right},
			{Name: "fastest", Unit: "Gbit/s", Align: right}, {Name: "runs", Align: right, Fold: true}, {Name: "#wrong", Align: right}, {Name: "checked", Align: right},
		},
		Notes: []string{"payload that all workers hand in; links unshaped; the engines take turns, run by run"},
	}
	for _, r := range p.Live {
		t.Rows = append(t.Rows, []render.Cell{
			render.Text(r.Engine), render.Number(r.Median, 2), render.Number(r.Reference, 2), render.Number(r.Goodput, 2),
			render.Int(r.Runs), wrong(r.Wrong, r.Checked), render.Int(r.Checked),
		})
	}
	return t
}

func (p PFE) virtualTable() render.Table {
	right := render.Right
	t := render.Table{
		Title: "A PFE with time under the virtual clock",
		Columns: []render.Column{
			{Name: "carries"}, {Name: "packets", Align: right}, {Name: "wall", Unit: "s", Align: right}, {Name: "packets", Unit: "1/s", Align: right},
			{Name: "XTXNs", Unit: "1/s", Align: right}, {Name: "instructions", Unit: "1/s", Align: right}, {Name: "repeats", Align: right, Fold: true},
		},
		Notes: []string{"every instruction is executed, and every XTXN is an event: nothing is memoised; medians of the repeats, on one core"},
	}
	for _, r := range p.Virtual {
		t.Rows = append(t.Rows, []render.Cell{
			render.Text(r.Carries), render.Int(r.Packets), render.Number(r.WallS, 3), render.Number(r.PacketRate, 0),
			render.Number(r.XTXNRate, 0), render.Number(r.Instructions, 0), render.Int(r.Repeats),
		})
	}
	return t
}

// WritePFE writes bench pfe in any format. A table in CSV is the live one if it
// was measured.
func WritePFE(w io.Writer, p PFE, o render.Options) error {
	if o.Format == render.FormatJSON {
		return render.WriteJSON(w, struct {
			SchemaVersion int `json:"schema_version"`
			PFE
		}{render.SchemaVersion, p})
	}
	if len(p.Live) > 0 {
		if err := render.Write(w, p.liveTable(), o); err != nil {
			return err
		}
	}
	return render.Write(w, p.virtualTable(), o)
}

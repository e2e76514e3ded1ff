package bench

import (
	"cmp"
	"fmt"
	"io"
	"slices"

	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/reports/render"
)

// AllReduce is one row of bench allreduce --format json.
type AllReduce struct {
	System           string  `json:"system"`
	Workers          int     `json:"workers"`
	Offload          bool    `json:"offload"` // whether the kernel sends and receives trains of packets
	SizeBytes        int64   `json:"size_bytes"`
	Count            int64   `json:"count"` // elements
	DType            string  `json:"dtype"`
	Iters            int     `json:"iters"`
	TimeUs           float64 `json:"time_us"`              // mean of an all-reduce
	AlgBW            float64 `json:"algbw_gbps"`           // Gbit/s of payload
	BusBW            float64 `json:"busbw_gbps"`           // Gbit/s, ring-equivalent
	AggregateInput   float64 `json:"aggregate_input_gbps"` // Gbit/s of payload that all workers hand in together
	PPS              float64 `json:"pps"`                  // packets that all workers send, a second
	WireBytesPerLink int64   `json:"wire_bytes_per_link"`  // of an all-reduce, on the busiest host link, one direction
	BoundRatio       float64 `json:"bound_ratio"`          // wire bytes per link over size
	Wrong            uint64  `json:"wrong"`
	Checked          uint64  `json:"checked"`
	CPUSeconds       float64 `json:"cpu_s"`                   // user and system time of all processes, over all iterations
	OffloadRatio     float64 `json:"offload_ratio,omitempty"` // aggregate input over that without offload
	Runs             int     `json:"runs"`                    // of which this is the fastest
}

// Measurement is what a benchmark measured of one system, size and path.
type Measurement struct {
	System  string
	Workers int
	Offload bool
	Size    units.Bytes // payload of one worker's tensor
	Count   int64       // elements in it
	DType   string
	Iters   int
	Elapsed units.Duration // all iterations; must be positive

	Packets          int64       // that all workers sent, over all iterations
	WireBytesPerLink units.Bytes // framing included, busiest host link and direction, over all iterations
	Wrong, Checked   uint64      // elements
	CPU              units.Duration
}

func (m Measurement) validate() error {
	switch {
	case m.Workers < 1:
		return fmt.Errorf("benchmark of %s: %d workers: it takes one or more", m.System, m.Workers)
	case m.Iters < 1:
		return fmt.Errorf("benchmark of %s: %d iterations: it takes one or more", m.System, m.Iters)
	case m.Size < 1:
		return fmt.Errorf("benchmark of %s: size of %d bytes: it takes one or more", m.System, m.Size)
	case m.Elapsed < 1:
		return fmt.Errorf("benchmark of %s: it took %v: a rate needs a time above zero", m.System, m.Elapsed)
	}
	return nil
}

// NewAllReduce derives a row from what was measured.
func NewAllReduce(m Measurement) (AllReduce, error) {
	if err := m.validate(); err != nil {
		return AllReduce{}, err
	}
	iters, seconds, n := float64(m.Iters), m.Elapsed.Seconds(), float64(m.Workers)
	algbw := 8 * float64(m.Size) * iters / seconds / 1e9
	return AllReduce{
		System: m.System, Workers: m.Workers, Offload: m.Offload,
		SizeBytes: int64(m.Size), Count: m.Count, DType: m.DType, Iters: m.Iters,
		TimeUs: seconds / iters * 1e6,
		AlgBW:  algbw, BusBW: algbw * 2 * (n - 1) / n, AggregateInput: algbw * n,
		PPS:              float64(m.Packets) / seconds,
		WireBytesPerLink: int64(m.WireBytesPerLink) / int64(m.Iters),
		BoundRatio:       float64(m.WireBytesPerLink) / iters / float64(m.Size),
		Wrong:            m.Wrong, Checked: m.Checked, CPUSeconds: m.CPU.Seconds(), Runs: 1,
	}, nil
}

// Best returns the fastest of several runs of one work, with the sums that were
// wrong or checked in all of them. There must be one or more.
func Best(runs []AllReduce) AllReduce {
	best := slices.MinFunc(runs, func(a, b AllReduce) int { return cmp.Compare(a.TimeUs, b.TimeUs) })
	best.Wrong, best.Checked, best.Runs = 0, 0, len(runs)
	for _, r := range runs {
		best.Wrong += r.Wrong
		best.Checked += r.Checked
	}
	return best
}

// CompareOffload fills in the ratio of each row with offload to the row of the
// same system, workers, size and number of runs without: the fastest run of the
// one path against the fastest of the other.
func CompareOffload(rows []AllReduce) {
	for i := range rows {
		for _, plain := range rows {
			if rows[i].Offload && !plain.Offload && rows[i].sameWork(plain) && plain.AggregateInput > 0 {
				rows[i].OffloadRatio = rows[i].AggregateInput / plain.AggregateInput
			}
		}
	}
}

func (r AllReduce) sameWork(o AllReduce) bool {
	return r.System == o.System && r.Workers == o.Workers && r.SizeBytes == o.SizeBytes && r.DType == o.DType && r.Runs == o.Runs
}

// allReduceColumns have the keys of [AllReduce], in its order.
var allReduceColumns = []column[AllReduce]{
	{render.Column{Key: "system", Name: "system", Fold: true}, func(r AllReduce) render.Cell { return render.Text(r.System) }},
	{render.Column{Key: "workers", Name: "n", Align: render.Right, Fold: true}, func(r AllReduce) render.Cell { return render.Int(r.Workers) }},
	{render.Column{Key: "offload", Name: "offload"}, func(r AllReduce) render.Cell { return render.Bool(r.Offload) }},
	{render.Column{Key: "size_bytes", Name: "size", Unit: "B", Align: render.Right}, func(r AllReduce) render.Cell { return render.Int(r.SizeBytes) }},
	{render.Column{Key: "count", Name: "count", Unit: "elements", Align: render.Right, Spare: 4}, func(r AllReduce) render.Cell { return render.Int(r.Count) }},
	{render.Column{Key: "dtype", Name: "type", Fold: true}, func(r AllReduce) render.Cell { return render.Text(r.DType) }},
	{render.Column{Key: "iters", Name: "iterations", Align: render.Right, Fold: true}, func(r AllReduce) render.Cell { return render.Int(r.Iters) }},
	{render.Column{Key: "time_us", Name: "time", Unit: "us", Align: render.Right}, func(r AllReduce) render.Cell { return render.Number(r.TimeUs, 1) }},
	{render.Column{Key: "algbw_gbps", Name: "algbw", Unit: "Gbit/s", Align: render.Right}, func(r AllReduce) render.Cell { return render.Number(r.AlgBW, 2) }},
	{render.Column{Key: "busbw_gbps", Name: "busbw", Unit: "Gbit/s", Align: render.Right, Spare: 1}, func(r AllReduce) render.Cell { return render.Number(r.BusBW, 2) }},
	{render.Column{Key: "aggregate_input_gbps", Name: "input", Unit: "Gbit/s", Align: render.Right}, func(r AllReduce) render.Cell { return render.Number(r.AggregateInput, 2) }},
	{render.Column{Key: "pps", Name: "packets", Unit: "1/s", Align: render.Right, Spare: 5}, func(r AllReduce) render.Cell { return render.Number(r.PPS, 0) }},
	{render.Column{Key: "wire_bytes_per_link", Name: "wire", Unit: "B/link", Align: render.Right, Spare: 3}, func(r AllReduce) render.Cell { return render.Int(r.WireBytesPerLink) }},
	{render.Column{Key: "bound_ratio", Name: "/ bound", Align: render.Right, Spare: 2}, func(r AllReduce) render.Cell { return render.Number(r.BoundRatio, 3) }},
	{render.Column{Key: "wrong", Name: "#wrong", Align: render.Right}, func(r AllReduce) render.Cell { return wrong(r.Wrong, r.Checked) }},
	{render.Column{Key: "checked", Name: "checked", Align: render.Right, Detail: true}, func(r AllReduce) render.Cell { return render.Int(r.Checked) }},
	{render.Column{Key: "cpu_s", Name: "CPU", Unit: "s", Align: render.Right, Detail: true}, func(r AllReduce) render.Cell { return render.Number(r.CPUSeconds, 2) }},
	{render.Column{Key: "offload_ratio", Name: "gain", Unit: "offload", Align: render.Right, Spare: 1}, offloadRatio},
	{render.Column{Key: "runs", Name: "runs", Align: render.Right, Fold: true}, func(r AllReduce) render.Cell { return render.Int(r.Runs) }},
}

func offloadRatio(r AllReduce) render.Cell {
	if r.OffloadRatio == 0 {
		return render.NA()
	}
	return render.Number(r.OffloadRatio, 2)
}

// wrong counts nothing where nothing was checked.
func wrong(wrong, checked uint64) render.Cell {
	c := render.Int(wrong)
	if checked == 0 {
		c = c.As("unchecked")
	}
	return c
}

// allReduceNotes stand under the table.
var allReduceNotes = []string{
	"algbw = size / time; busbw = algbw * 2(n-1)/n, ring-equivalent; input = n * size / time, what n workers hand in; all in Gbit/s of payload",
	"the factor of busbw is what a ring sends over each link; a switch that adds sends each byte over a link once, so there busbw overstates the link's load by 2(n-1)/n: compare algbw with the link rate",
	"wire: bytes on the busiest host link in one direction, headers and framing included; / bound: wire over size, since each worker must send its tensor, and receive the sum, once",
	"a row is the fastest of its runs; #wrong counts over all of them",
}

const gainNote = "gain: input of the fastest run with offload over that of the fastest without, of as many runs, which took turns"

// allReduceTable returns the rows for people, with the formulas below. Without
// a comparison there is no gain to show.
func allReduceTable(rows []AllReduce) render.Table {
	t := tableOf("All-reduce", allReduceNotes, allReduceColumns, rows)
	if slices.ContainsFunc(rows, func(r AllReduce) bool { return r.OffloadRatio != 0 }) {
		t.Notes = append(slices.Clone(t.Notes), gainNote)
		return t
	}
	gain := slices.IndexFunc(t.Columns, func(c render.Column) bool { return c.Key == "offload_ratio" })
	t.Columns[gain].Detail = true
	return t
}

// WriteAllReduce writes bench allreduce in any format.
func WriteAllReduce(w io.Writer, rows []AllReduce, o render.Options) error {
	return writeRows(w, rows, allReduceTable, o)
}

// column is a column of rows, with what stands in it.
type column[R any] struct {
	render.Column
	cell func(R) render.Cell
}

func tableOf[R any](title string, notes []string, columns []column[R], rows []R) render.Table {
	t := render.Table{Title: title, Notes: notes, Rows: make([][]render.Cell, len(rows))}
	for _, c := range columns {
		t.Columns = append(t.Columns, c.Column)
		for i, r := range rows {
			t.Rows[i] = append(t.Rows[i], c.cell(r))
		}
	}
	return t
}

// writeRows writes the rows of a benchmark as a table, or as JSON.
func writeRows[R any](w io.Writer, rows []R, table func([]R) render.Table, o render.Options) error {
	if o.Format != render.FormatJSON {
		return render.Write(w, table(rows), o)
	}
	return render.WriteJSON(w, struct {
		SchemaVersion int `json:"schema_version"`
		Rows          []R `json:"rows"`
	}{render.SchemaVersion, append([]R{}, rows...)})
}

package bench

import (
	"fmt"
	"io"
	"slices"

	"github.com/inalab/inalab/reports/render"
	"github.com/inalab/inalab/reports/stat"
)

// Aggregator is one row of bench aggregator --format json: medians over the runs.
type Aggregator struct {
	Aggregator  string   `json:"aggregator"`
	Values      int      `json:"values"` // of a packet
	Queues      int      `json:"queues"`
	Shared      bool     `json:"shared"`         // each queue's CPU has its sender, too
	OfferedPPS  float64  `json:"offered_pps"`    // packets that were sent in a second; 0: as many as possible
	PPS         float64  `json:"pps"`            // packets that came out in a second
	LeastPPS    float64  `json:"least_pps"`      // of a run
	MostPPS     float64  `json:"most_pps"`       // of a run
	Gbps        float64  `json:"gradients_gbps"` // Gbit/s of values that pps packets carry
	CorePPS     float64  `json:"core_pps"`       // packets for a second of the aggregator's CPU time; 0: unknown
	CoreGbps    float64  `json:"core_gbps"`      // Gbit/s of values that core_pps packets carry
	CoreNs      float64  `json:"core_ns"`        // CPU time of a packet; 0: unknown
	ProgramNs   float64  `json:"program_ns"`     // of it in the XDP program, which is measured by itself; 0: unknown
	CPU         *float64 `json:"cpu_share"`      // of a CPU; null: unknown
	Loss        *float64 `json:"loss"`           // share of the packets sent; null: a closed loop, or TCP
	Again       *float64 `json:"sent_again"`     // share of TCP's segments; null: no TCP
	Foreign     float64  `json:"foreign_cpu"`    // share of the aggregator's CPU that others had
	OfFirst     float64  `json:"of_first"`       // gradients_gbps over that of the first row with as many values
	Runs        int      `json:"runs"`           // of which these are medians
	Wrong       uint64   `json:"wrong"`          // values, over all runs
	Checked     uint64   `json:"checked"`        // of so many
	Description string   `json:"what,omitempty"` // a closed loop, where it is one
}

// AggregatorRun is what one run measured.
type AggregatorRun struct {
	PPS, CorePPS   float64 // CorePPS 0: unknown
	ProgramNs      float64 // 0: unknown
	CPU            *float64
	Loss, Again    *float64
	Foreign        float64
	Wrong, Checked uint64
}

// AggregatorMeasurement is the runs of one row.
type AggregatorMeasurement struct {
	Aggregator  string
	Values      int
	Queues      int
	Shared      bool
	OfferedPPS  float64
	Description string
	Runs        []AggregatorRun
}

// NewAggregators derives rows from what was measured.
func NewAggregators(list []AggregatorMeasurement) ([]Aggregator, error) {
	first := map[int]float64{} // by values
	var rows []Aggregator
	for i := range list {
		row, err := newAggregator(&list[i])
		if err != nil {
			return nil, err
		}
		if first[row.Values] == 0 {
			first[row.Values] = row.Gbps
		}
		row.OfFirst = row.Gbps / first[row.Values]
		rows = append(rows, row)
	}
	return rows, nil
}

func newAggregator(m *AggregatorMeasurement) (r Aggregator, err error) {
	if len(m.Runs) == 0 || m.Values < 1 {
		return r, fmt.Errorf("benchmark of %s: %d runs with %d values a packet: it takes one or more of both", m.Aggregator, len(m.Runs), m.Values)
	}
	r = Aggregator{
		Aggregator: m.Aggregator, Values: m.Values, Queues: m.Queues, Shared: m.Shared, OfferedPPS: m.OfferedPPS, Runs: len(m.Runs), Description: m.Description,
		PPS: m.median(func(x *AggregatorRun) float64 { return x.PPS }), CorePPS: m.median(func(x *AggregatorRun) float64 { return x.CorePPS }),
		ProgramNs: m.median(func(x *AggregatorRun) float64 { return x.ProgramNs }), Foreign: m.median(func(x *AggregatorRun) float64 { return x.Foreign }),
		CPU: m.known(func(x *AggregatorRun) *float64 { return x.CPU }), Loss: m.known(func(x *AggregatorRun) *float64 { return x.Loss }),
		Again: m.known(func(x *AggregatorRun) *float64 { return x.Again }),
	}
	if !(r.PPS > 0) {
		return r, fmt.Errorf("benchmark of %s with %d values a packet: nothing came out", m.Aggregator, m.Values)
	}
	r.LeastPPS, r.MostPPS = r.PPS, r.PPS
	for _, x := range m.Runs {
		r.LeastPPS, r.MostPPS = min(r.LeastPPS, x.PPS), max(r.MostPPS, x.PPS)
		r.Wrong, r.Checked = r.Wrong+x.Wrong, r.Checked+x.Checked
	}
	bits := 32 * float64(m.Values)
	r.Gbps, r.CoreGbps = r.PPS*bits/1e9, r.CorePPS*bits/1e9
	if r.CorePPS > 0 {
		r.CoreNs = 1e9 / r.CorePPS
	}
	return r, nil
}

func (m *AggregatorMeasurement) median(of func(*AggregatorRun) float64) float64 {
	all := make([]float64, len(m.Runs))
	for i := range m.Runs {
		all[i] = of(&m.Runs[i])
	}
	v, _ := stat.Median(all) // that runs are few is told by Runs
	return v
}

// known is the median of what every run knows; nil where one does not.
func (m *AggregatorMeasurement) known(of func(*AggregatorRun) *float64) *float64 {
	if slices.ContainsFunc(m.Runs, func(x AggregatorRun) bool { return of(&x) == nil }) {
		return nil
	}
	v := m.median(func(x *AggregatorRun) float64 { return *of(x) })
	return &v
}

// aggregatorColumns have the keys of [Aggregator], in its order.
var aggregatorColumns = []column[Aggregator]{
	{render.Column{Key: "aggregator", Name: "aggregator"}, func(r Aggregator) render.Cell { return render.Text(r.Aggregator) }},
	{render.Column{Key: "values", Name: "values", Align: render.Right}, func(r Aggregator) render.Cell { return render.Int(r.Values) }},
	{render.Column{Key: "queues", Name: "queues", Align: render.Right, Fold: true}, func(r Aggregator) render.Cell { return render.Int(r.Queues) }},
	{render.Column{Key: "shared", Name: "shared", Fold: true}, func(r Aggregator) render.Cell { return render.Bool(r.Shared) }},
	{render.Column{Key: "offered_pps", Name: "offered", Unit: "1/s", Align: render.Right, Fold: true}, func(r Aggregator) render.Cell { return known(r.OfferedPPS, 0) }},
	{render.Column{Key: "pps", Name: "packets", Unit: "1/s", Align: render.Right}, func(r Aggregator) render.Cell { return render.Number(r.PPS, 0) }},
	{render.Column{Key: "least_pps", Name: "least", Unit: "1/s", Align: render.Right, Spare: 4}, func(r Aggregator) render.Cell { return render.Number(r.LeastPPS, 0) }},
	{render.Column{Key: "most_pps", Name: "most", Unit: "1/s", Align: render.Right, Spare: 4}, func(r Aggregator) render.Cell { return render.Number(r.MostPPS, 0) }},
	{render.Column{Key: "gradients_gbps", Name: "gradients", Unit: "Gbit/s", Align: render.Right}, func(r Aggregator) render.Cell { return render.Number(r.Gbps, 2) }},
	{render.Column{Key: "core_pps", Name: "a core", Unit: "1/s", Align: render.Right}, func(r Aggregator) render.Cell { return known(r.CorePPS, 0) }},
	{render.Column{Key: "core_gbps", Name: "a core", Unit: "Gbit/s", Align: render.Right}, func(r Aggregator) render.Cell { return known(r.CoreGbps, 2) }},
	{render.Column{Key: "core_ns", Name: "packet", Unit: "ns", Align: render.Right, Spare: 1}, func(r Aggregator) render.Cell { return known(r.CoreNs, 0) }},
	{render.Column{Key: "program_ns", Name: "program", Unit: "ns", Align: render.Right, Spare: 2}, func(r Aggregator) render.Cell { return known(r.ProgramNs, 0) }},
	{render.Column{Key: "cpu_share", Name: "CPU", Unit: "%", Align: render.Right}, func(r Aggregator) render.Cell { return share(r.CPU) }},
	{render.Column{Key: "loss", Name: "loss", Unit: "%", Align: render.Right}, func(r Aggregator) render.Cell { return share(r.Loss) }},
	{render.Column{Key: "sent_again", Name: "sent again", Unit: "%", Align: render.Right, Spare: 3}, func(r Aggregator) render.Cell { return share(r.Again) }},
	{render.Column{Key: "foreign_cpu", Name: "others' CPU", Unit: "%", Align: render.Right}, func(r Aggregator) render.Cell { return render.Percent(r.Foreign) }},
	{render.Column{Key: "of_first", Name: "/ first", Align: render.Right}, func(r Aggregator) render.Cell { return render.Number(r.OfFirst, 2) }},
	{render.Column{Key: "runs", Name: "runs", Align: render.Right, Fold: true}, func(r Aggregator) render.Cell { return render.Int(r.Runs) }},
	{render.Column{Key: "wrong", Name: "#wrong", Align: render.Right, Fold: true}, func(r Aggregator) render.Cell { return wrong(r.Wrong, r.Checked) }},
	{render.Column{Key: "checked", Name: "checked", Align: render.Right, Detail: true}, func(r Aggregator) render.Cell { return render.Int(r.Checked) }},
	{render.Column{Key: "what", Name: "what", Detail: true}, func(r Aggregator) render.Cell { return render.Text(r.Description) }},
}

// known is a number of which 0 says that it is not known.
func known(v float64, decimals int) render.Cell {
	if v == 0 {
		return render.NA()
	}
	return render.Number(v, decimals)
}

func share(v *float64) render.Cell {
	if v == nil {
		return render.NA()
	}
	return render.Percent(*v)
}

// aggregatorNotes stand under the table.
var aggregatorNotes = []string{
	"rows take turns, run by run; medians. packets: what came to the parameter server. gradients: the values in them",
	"a core: for a second of CPU time that the aggregator's threads used, whatever else the machine did; of poll only with packets in hand. program: in the XDP program alone, from a run by itself",
	"CPU: of what others left of the aggregator's CPU (others' CPU). shared: each queue's CPU has its sender, and CPU time is of both",
	"loss: of packets sent as fast as possible it says how much faster the sender is. TCP loses nothing: sent again is its share of segments that it retransmitted",
	"switch, switch-plain: an all-reduce of two workers through the packet-socket switch, a closed loop, with and without segmentation offload; packets and gradients are the aggregate input of both workers",
	"veth is no card: no interrupts, no DMA, no link rate; tcp hands over super-packets that a card would cut, tcp-plain has the sender cut them",
}

// aggregatorTable returns the rows for people.
func aggregatorTable(rows []Aggregator) render.Table {
	return tableOf("Aggregators", aggregatorNotes, aggregatorColumns, rows)
}

// WriteAggregators writes bench aggregator in any format.
func WriteAggregators(w io.Writer, rows []Aggregator, o render.Options) error {
	return writeRows(w, rows, aggregatorTable, o)
}

package bench

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"github.com/inalab/inalab/internal/golden"
	"github.com/inalab/inalab/reports/render"
)

func ptr(v float64) *float64 { return &v }

// aggregated is XDP and TCP on packets of 256 values, three runs each, and a switch.
func aggregated(t *testing.T) []Aggregator {
	t.Helper()
	rows, err := NewAggregators([]AggregatorMeasurement{
		{Aggregator: "xdp", Values: 256, Queues: 1, Runs: []AggregatorRun{
			{PPS: 1e6, CorePPS: 1.25e6, ProgramNs: 600, CPU: ptr(1), Loss: ptr(0.5), Foreign: 0.1, Checked: 10},
			{PPS: 8e5, CorePPS: 1.2e6, ProgramNs: 590, CPU: ptr(0.9), Loss: ptr(0.25), Foreign: 0.2, Checked: 10},
			{PPS: 2e6, CorePPS: 1.3e6, ProgramNs: 700, CPU: ptr(0.95), Loss: ptr(0.75), Checked: 10, Wrong: 1},
		}},
		{Aggregator: "tcp", Values: 256, Queues: 1, Runs: []AggregatorRun{
			{PPS: 2.5e5, CPU: ptr(1), Again: ptr(0.01)}, {PPS: 2.5e5, CPU: nil, Again: ptr(0.02)}, {PPS: 3e5, CPU: ptr(1), Again: ptr(0)},
		}},
		{Aggregator: "xdp", Values: 32, Queues: 2, Shared: true, OfferedPPS: 1e5, Runs: []AggregatorRun{{PPS: 1e5, CorePPS: 4e6, Loss: ptr(0)}}},
		{Aggregator: "switch", Values: 256, Queues: 1, Description: "closed loop", Runs: []AggregatorRun{{PPS: 3e6, Checked: 5}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

func TestAggregatorByHand(t *testing.T) {
	rows := aggregated(t)
	for what, v := range map[string][2]float64{
		"median":      {rows[0].PPS, 1e6},
		"least":       {rows[0].LeastPPS, 8e5},
		"most":        {rows[0].MostPPS, 2e6},
		"gradients":   {rows[0].Gbps, 8.192},
		"a core":      {rows[0].CoreGbps, 10.24},
		"ns":          {rows[0].CoreNs, 800},
		"program":     {rows[0].ProgramNs, 600},
		"CPU":         {*rows[0].CPU, 0.95},
		"loss":        {*rows[0].Loss, 0.5},
		"others":      {rows[0].Foreign, 0.1},
		"wrong":       {float64(rows[0].Wrong), 1},
		"checked":     {float64(rows[0].Checked), 30},
		"first":       {rows[0].OfFirst, 1},
		"of first":    {rows[1].OfFirst, 0.25},
		"again":       {*rows[1].Again, 0.01},
		"no core":     {rows[1].CoreNs, 0},
		"other first": {rows[2].OfFirst, 1},
		"above":       {rows[3].OfFirst, 3},
	} {
		if math.Abs(v[0]-v[1]) > 1e-9*v[1] {
			t.Errorf("%s is %v, want %v", what, v[0], v[1])
		}
	}
	if rows[1].CPU != nil || rows[1].Loss != nil || rows[3].Again != nil {
		t.Errorf("CPU %v and loss %v of TCP, sent again %v by the switch; none is known", rows[1].CPU, rows[1].Loss, rows[3].Again)
	}
}

func TestAggregatorRefuses(t *testing.T) {
	for want, m := range map[string]AggregatorMeasurement{
		"of xdp: 0 runs with 32 values a packet":            {Aggregator: "xdp", Values: 32},
		"of xdp: 1 runs with 0 values a packet":             {Aggregator: "xdp", Runs: []AggregatorRun{{PPS: 1}}},
		"of xdp with 32 values a packet: nothing came out":  {Aggregator: "xdp", Values: 32, Runs: []AggregatorRun{{}}},
		"of poll with 64 values a packet: nothing came out": {Aggregator: "poll", Values: 64, Runs: []AggregatorRun{{PPS: math.NaN()}}},
	} {
		if _, err := NewAggregators([]AggregatorMeasurement{m}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %s", err, want)
		}
	}
}

// CSV has the keys of JSON, in the same order.
func TestAggregatorKeys(t *testing.T) {
	sameKeys[Aggregator](t, aggregatorText(t, aggregated(t), render.FormatCSV))
}

func aggregatorText(t *testing.T, rows []Aggregator, format render.Format) string {
	t.Helper()
	var b bytes.Buffer
	if err := WriteAggregators(&b, rows, render.Options{Format: format}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestAggregatorGolden(t *testing.T) {
	for name, format := range map[string]render.Format{"aggregator-wide.txt": render.FormatWide, "aggregator.csv": render.FormatCSV, "aggregator.json": render.FormatJSON} {
		t.Run(name, func(t *testing.T) { golden.Equal(t, name, aggregatorText(t, aggregated(t), format)) })
	}
}

package bench

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"github.com/inalab/inalab/internal/golden"
	"github.com/inalab/inalab/reports/render"
)

// simulated is SwitchML on 8 and on 64 workers, with payload and without, and a
// ring, three runs of each.
func simulated(t *testing.T) []Sim {
	t.Helper()
	rows, err := NewSim([]SimMeasurement{
		{System: "switchml256", Workers: 8, Carries: Payload, LinkEvents: 819_200, Packets: 819_200, QueueEvents: 102_400, Wall: []float64{0.25, 0.2, 0.9}, Checked: 3 << 20},
		{System: "switchml256", Workers: 64, Carries: Payload, LinkEvents: 819_200, Packets: 819_200, QueueEvents: 12_800, Wall: []float64{0.3, 0.3, 0.3}, Checked: 3 << 20},
		{System: "switchml256", Workers: 8, Carries: Lengths, LinkEvents: 1_638_400, Packets: 1_638_400, QueueEvents: 204_800, Wall: []float64{0.2, 0.3, 0.4}, Checked: 3072},
		{System: "ring", Workers: 8, Carries: Payload, LinkEvents: 200_000, Packets: 100_000, QueueEvents: 90_000, Wall: []float64{0.4, 0.5, 0.5}, Checked: 3 << 20},
	})
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

func TestSimByHand(t *testing.T) {
	rows := simulated(t)
	for what, v := range map[string][2]float64{
		"median":         {rows[0].WallS, 0.25},
		"link events":    {rows[0].LinkRate, 819_200 / 0.25},
		"ns":             {rows[0].NsPerEvent, 0.25e9 / 819_200},
		"queue events":   {rows[0].QueueRate, 102_400 / 0.25},
		"first":          {rows[0].Growth, 1},
		"growth":         {rows[1].Growth, 1.2},
		"other carries":  {rows[2].Growth, 1},
		"other system":   {rows[3].Growth, 1},
		"packets, twice": {rows[3].PacketRate, 200_000},
		"repeats":        {float64(rows[3].Repeats), 3},
	} {
		if math.Abs(v[0]-v[1]) > 1e-9*v[1] {
			t.Errorf("%s is %v, want %v", what, v[0], v[1])
		}
	}
}

func TestSimRefuses(t *testing.T) {
	for want, m := range map[string]SimMeasurement{
		"0 link events in 1s": {System: "ring", Wall: []float64{1}},
		"5 link events in 0s": {System: "ring", LinkEvents: 5, Wall: []float64{0}},
		"5 link events in ":   {System: "ring", LinkEvents: 5},
	} {
		if _, err := NewSim([]SimMeasurement{m}); err == nil || !strings.Contains(err.Error(), "benchmark of ring under the virtual clock: "+want) {
			t.Errorf("error %v, want %s", err, want)
		}
	}
}

// CSV has the keys of JSON, in the same order.
func TestSimKeys(t *testing.T) {
	sameKeys[Sim](t, simText(t, simulated(t), render.FormatCSV))
}

func simText(t *testing.T, rows []Sim, format render.Format) string {
	t.Helper()
	var b bytes.Buffer
	if err := WriteSim(&b, rows, render.Options{Format: format}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestSimGolden(t *testing.T) {
	for name, format := range map[string]render.Format{
		"sim.txt": render.FormatTable, "sim-wide.txt": render.FormatWide, "sim.md": render.FormatMarkdown, "sim.csv": render.FormatCSV, "sim.json": render.FormatJSON,
	} {
		t.Run(name, func(t *testing.T) { golden.Equal(t, name, simText(t, simulated(t), format)) })
	}
	golden.Equal(t, "sim-none.json", simText(t, nil, render.FormatJSON))
}

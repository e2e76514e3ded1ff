package bench

import (
	"bytes"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/inalab/inalab/internal/golden"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/reports/render"
)

// measured is 4 workers that reduced 64 MiB five times in a quarter of a second
// each.
func measured(offload bool, elapsed units.Duration) Measurement {
	return Measurement{
		System: "switchml256", Workers: 4, Offload: offload, Size: 64 * units.MiB, Count: 16 << 20, DType: "int32",
		Iters: 5, Elapsed: elapsed, Packets: 4 * 5 * 65536, WireBytesPerLink: 5 * 72 * units.MiB,
		Checked: 4 * 5 * 16 << 20, CPU: 2500 * units.Millisecond,
	}
}

func rows(t *testing.T) []AllReduce {
	t.Helper()
	var out []AllReduce
	for _, m := range []Measurement{measured(true, 1250*units.Millisecond), measured(false, 10*units.Second)} {
		r, err := NewAllReduce(m)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, r)
	}
	CompareOffload(out)
	return out
}

func TestAllReduceByHand(t *testing.T) {
	r := rows(t)[0]
	for what, v := range map[string][2]float64{
		"time":      {r.TimeUs, 250_000},
		"algbw":     {r.AlgBW, 67108864 * 8 / 0.25 / 1e9},
		"busbw":     {r.BusBW, 67108864 * 8 / 0.25 / 1e9 * 1.5},
		"input":     {r.AggregateInput, 4 * 67108864 * 8 / 0.25 / 1e9},
		"pps":       {r.PPS, 4 * 65536 / 0.25},
		"wire":      {float64(r.WireBytesPerLink), 72 << 20},
		"bound":     {r.BoundRatio, 1.125},
		"cpu":       {r.CPUSeconds, 2.5},
		"gain":      {r.OffloadRatio, 8},
		"no gain":   {rows(t)[1].OffloadRatio, 0},
		"wrong":     {float64(r.Wrong), 0},
		"checked":   {float64(r.Checked), 4 * 5 * 16 << 20},
		"size":      {float64(r.SizeBytes), 64 << 20},
		"one alone": {soloBusBW(t), 0},
	} {
		if math.Abs(v[0]-v[1]) > 1e-9*v[1] {
			t.Errorf("%s is %v, want %v", what, v[0], v[1])
		}
	}
}

func soloBusBW(t *testing.T) float64 {
	t.Helper()
	m := measured(true, units.Second)
	m.Workers = 1
	r, err := NewAllReduce(m)
	if err != nil {
		t.Fatal(err)
	}
	return r.BusBW
}

func TestNewAllReduceRefuses(t *testing.T) {
	for want, change := range map[string]func(*Measurement){
		"0 workers":       func(m *Measurement) { m.Workers = 0 },
		"0 iterations":    func(m *Measurement) { m.Iters = 0 },
		"size of 0 bytes": func(m *Measurement) { m.Size = 0 },
		"it took 0s":      func(m *Measurement) { m.Elapsed = 0 },
	} {
		m := measured(true, units.Second)
		change(&m)
		if _, err := NewAllReduce(m); err == nil || !strings.Contains(err.Error(), "benchmark of switchml256: "+want) {
			t.Errorf("error %v, want %s", err, want)
		}
	}
}

// Only rows of the same work are compared.
func TestCompareOffload(t *testing.T) {
	list := []AllReduce{
		{System: "ring", Workers: 4, SizeBytes: 10, Offload: true, AggregateInput: 6},
		{System: "ring", Workers: 4, SizeBytes: 10, AggregateInput: 2},
		{System: "ring", Workers: 8, SizeBytes: 10, Offload: true, AggregateInput: 6},
		{System: "trioml", Workers: 8, SizeBytes: 10, AggregateInput: 1},
		{System: "ring", Workers: 8, SizeBytes: 10, AggregateInput: 1, Runs: 3},
	}
	CompareOffload(list)
	if got := []float64{list[0].OffloadRatio, list[1].OffloadRatio, list[2].OffloadRatio, list[3].OffloadRatio}; got[0] != 3 || got[1] != 0 || got[2] != 0 || got[3] != 0 {
		t.Errorf("ratios %v", got)
	}
}

// Of several runs the fastest counts, but a wrong sum of any of them is shown.
func TestBest(t *testing.T) {
	got := Best([]AllReduce{
		{TimeUs: 30, AlgBW: 1, Wrong: 2, Checked: 10, Runs: 1}, {TimeUs: 10, AlgBW: 3, Checked: 10, Runs: 1}, {TimeUs: 20, AlgBW: 2, Checked: 10, Runs: 1},
	})
	if want := (AllReduce{TimeUs: 10, AlgBW: 3, Wrong: 2, Checked: 30, Runs: 3}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// CSV has the keys of JSON, in the same order.
func TestKeys(t *testing.T) {
	sameKeys[AllReduce](t, text(t, rows(t), render.Options{Format: render.FormatCSV}))
}

// sameKeys fails the test where the header of a CSV has not the keys that a row has in JSON, in their order.
func sameKeys[Row any](t *testing.T, csv string) {
	t.Helper()
	header, _, _ := strings.Cut(csv, "\n")
	var tags []string
	for f := range reflect.TypeFor[Row]().Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		tags = append(tags, name)
	}
	if want := strings.Join(tags, ","); header != want {
		t.Errorf("CSV has  %s\nJSON has %s", header, want)
	}
}

func text(t *testing.T, rows []AllReduce, o render.Options) string {
	t.Helper()
	var b bytes.Buffer
	if err := WriteAllReduce(&b, rows, o); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestAllReduceGolden(t *testing.T) {
	alone := rows(t)[1:]
	alone[0].Checked = 0
	for name, c := range map[string]struct {
		rows []AllReduce
		o    render.Options
	}{
		"allreduce-120.txt":   {rows(t), render.Options{}},
		"allreduce-80.txt":    {rows(t), render.Options{Width: 80, Unicode: true}},
		"allreduce-wide.txt":  {rows(t), render.Options{Format: render.FormatWide}},
		"allreduce.md":        {rows(t), render.Options{Format: render.FormatMarkdown}},
		"allreduce.csv":       {rows(t), render.Options{Format: render.FormatCSV}},
		"allreduce.json":      {rows(t), render.Options{Format: render.FormatJSON}},
		"allreduce-alone.txt": {alone, render.Options{}},
		"allreduce-none.json": {nil, render.Options{Format: render.FormatJSON}},
	} {
		t.Run(name, func(t *testing.T) { golden.Equal(t, name, text(t, c.rows, c.o)) })
	}
}

func TestTopology(t *testing.T) {
	top, err := NewTopology(64, 65, []float64{0.14, 0.13, 0.19}, []float64{0.05, 0.07, 0.06})
	if err != nil {
		t.Fatal(err)
	}
	if top.UpS != 0.14 || top.DownS != 0.06 || math.Abs(top.PerNodeMs-140.0/65) > 1e-9 || top.Repeats != 3 {
		t.Errorf("medians %+v", top)
	}
	for name, format := range map[string]render.Format{"topology.txt": render.FormatTable, "topology.json": render.FormatJSON, "topology.csv": render.FormatCSV} {
		var b bytes.Buffer
		if err := WriteTopology(&b, top, render.Options{Format: format}); err != nil {
			t.Fatal(err)
		}
		golden.Equal(t, name, b.String())
	}
	for _, up := range [][]float64{nil, {1}} {
		if _, err := NewTopology(64, 65, up, []float64{1, 2}); err == nil {
			t.Errorf("%d times up and two down were accepted", len(up))
		}
	}
}

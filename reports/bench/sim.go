package bench

import (
	"fmt"
	"io"

	"github.com/inalab/inalab/reports/render"
	"github.com/inalab/inalab/reports/stat"
)

// What the packets of a simulated run carry.
const (
	Payload = "payload" // every value
	Lengths = "lengths" // the values of sampled blocks; of the others only how long they are
)

// Sim is one row of bench sim --format json: medians over the repeats.
type Sim struct {
	System     string  `json:"system"`
	Workers    int     `json:"workers"`
	Carries    string  `json:"carries"`     // payload or lengths
	LinkEvents uint64  `json:"link_events"` // complete crossings of one link by one frame, in a run
	WallS      float64 `json:"wall_s"`      // of a run's events; set-up and the check of the sums excluded
	LinkRate   float64 `json:"link_events_per_s"`
	PacketRate float64 `json:"packets_per_s"`      // packets that hosts and switch programs sent
	QueueRate  float64 `json:"queue_events_per_s"` // events taken from the queue
	NsPerEvent float64 `json:"ns_per_event"`       // wall time of a link event
	Growth     float64 `json:"growth"`             // ns_per_event over that of the first row of the system that carries the same
	Repeats    int     `json:"repeats"`
	Wrong      uint64  `json:"wrong"`   // sums that were wrong, over all repeats
	Checked    uint64  `json:"checked"` // and those that were checked
}

// SimMeasurement is what was measured of one row. The counts are those of each
// repeat: they are all alike.
type SimMeasurement struct {
	System  string
	Workers int
	Carries string

	LinkEvents, Packets, QueueEvents uint64
	Wall                             []float64 // seconds of each repeat, above zero
	Wrong, Checked                   uint64    // sums, over all repeats
}

// NewSim derives the rows from what was measured.
func NewSim(list []SimMeasurement) ([]Sim, error) {
	type series struct{ system, carries string }
	first := map[series]float64{}
	var rows []Sim
	for _, m := range list {
		wall, _ := stat.Median(m.Wall) // that repeats are few is told by Repeats
		if !(wall > 0) || m.LinkEvents == 0 {
			return nil, fmt.Errorf("benchmark of %s under the virtual clock: %d link events in %vs: a rate needs both above zero", m.System, m.LinkEvents, wall)
		}
		row := Sim{
			System: m.System, Workers: m.Workers, Carries: m.Carries, LinkEvents: m.LinkEvents, WallS: wall,
			LinkRate: float64(m.LinkEvents) / wall, PacketRate: float64(m.Packets) / wall, QueueRate: float64(m.QueueEvents) / wall,
			NsPerEvent: wall * 1e9 / float64(m.LinkEvents), Repeats: len(m.Wall), Wrong: m.Wrong, Checked: m.Checked,
		}
		s := series{m.System, m.Carries}
		if first[s] == 0 {
			first[s] = row.NsPerEvent
		}
		row.Growth = row.NsPerEvent / first[s]
		rows = append(rows, row)
	}
	return rows, nil
}

// simColumns have the keys of [Sim], in its order.
var simColumns = []column[Sim]{
	{render.Column{Key: "system", Name: "system"}, func(r Sim) render.Cell { return render.Text(r.System) }},
	{render.Column{Key: "workers", Name: "n", Align: render.Right}, func(r Sim) render.Cell { return render.Int(r.Workers) }},
	{render.Column{Key: "carries", Name: "carries"}, func(r Sim) render.Cell { return render.Text(r.Carries) }},
	{render.Column{Key: "link_events", Name: "link events", Align: render.Right, Spare: 2}, func(r Sim) render.Cell { return render.Int(r.LinkEvents) }},
	{render.Column{Key: "wall_s", Name: "wall", Unit: "s", Align: render.Right, Spare: 1}, func(r Sim) render.Cell { return render.Number(r.WallS, 3) }},
	{render.Column{Key: "link_events_per_s", Name: "link events", Unit: "1/s", Align: render.Right}, func(r Sim) render.Cell { return render.Number(r.LinkRate, 0) }},
	{render.Column{Key: "packets_per_s", Name: "packets", Unit: "1/s", Align: render.Right}, func(r Sim) render.Cell { return render.Number(r.PacketRate, 0) }},
	{render.Column{Key: "queue_events_per_s", Name: "queue events", Unit: "1/s", Align: render.Right, Spare: 3}, func(r Sim) render.Cell { return render.Number(r.QueueRate, 0) }},
	{render.Column{Key: "ns_per_event", Name: "link event", Unit: "ns", Align: render.Right}, func(r Sim) render.Cell { return render.Number(r.NsPerEvent, 0) }},
	{render.Column{Key: "growth", Name: "growth", Align: render.Right}, func(r Sim) render.Cell { return render.Number(r.Growth, 2) }},
	{render.Column{Key: "repeats", Name: "repeats", Align: render.Right, Fold: true}, func(r Sim) render.Cell { return render.Int(r.Repeats) }},
	{render.Column{Key: "wrong", Name: "#wrong", Align: render.Right, Fold: true}, func(r Sim) render.Cell { return render.Int(r.Wrong) }},
	{render.Column{Key: "checked", Name: "checked", Align: render.Right, Detail: true}, func(r Sim) render.Cell { return render.Int(r.Checked) }},
}

// simNotes stand under the table.
var simNotes = []string{
	"link event: a frame's complete crossing of one link; a packet may cross several; a queue event wakes a machine",
	"payload: packets carry all values, which hosts write and read and switches add; lengths: they carry those of sampled blocks only",
	"wall: median of the repeats, in which the rows take turns; of a run's events only, set-up and the check of the sums left out; a run is one goroutine, and the garbage collector may use other cores",
	"growth: time of a link event over that of the first row of the same system that carries the same",
}

// simTable returns the rows for people.
func simTable(rows []Sim) render.Table {
	return tableOf("Virtual clock", simNotes, simColumns, rows)
}

// WriteSim writes bench sim in any format.
func WriteSim(w io.Writer, rows []Sim, o render.Options) error {
	return writeRows(w, rows, simTable, o)
}

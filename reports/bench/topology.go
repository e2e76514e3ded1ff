package bench

import (
	"fmt"
	"io"

	"github.com/inalab/inalab/reports/render"
	"github.com/inalab/inalab/reports/stat"
)

// Topology is bench topology --format json: medians over the repeats, from the
// first request to the last link ready, processes of nodes excluded.
type Topology struct {
	Hosts     int     `json:"hosts"`
	UpS       float64 `json:"up_s"`
	DownS     float64 `json:"down_s"`
	PerNodeMs float64 `json:"per_node_ms"` // median time up, shared out over hosts and switches
	Repeats   int     `json:"repeats"`
}

// NewTopology takes the seconds that each repeat took to come up and to go
// down. Nodes counts hosts and switches.
func NewTopology(hosts, nodes int, up, down []float64) (Topology, error) {
	if len(up) == 0 || len(up) != len(down) || nodes < 1 {
		return Topology{}, fmt.Errorf("benchmark of a topology: %d times up, %d down, %d nodes: it takes one or more of each, and as many up as down", len(up), len(down), nodes)
	}
	upS, _ := stat.Median(up) // that repeats are few is told by Repeats
	downS, _ := stat.Median(down)
	return Topology{Hosts: hosts, UpS: upS, DownS: downS, PerNodeMs: 1000 * upS / float64(nodes), Repeats: len(up)}, nil
}

// table returns one line for people.
func (t Topology) table() render.Table {
	return render.Table{
		Title: "Topology up and down",
		Columns: []render.Column{
			{Key: "hosts", Name: "hosts", Align: render.Right},
			{Key: "up_s", Name: "up", Unit: "s", Align: render.Right},
			{Key: "down_s", Name: "down", Unit: "s", Align: render.Right},
			{Key: "per_node_ms", Name: "up per node", Unit: "ms", Align: render.Right},
			{Key: "repeats", Name: "repeats", Align: render.Right},
		},
		Rows: [][]render.Cell{{
			render.Int(t.Hosts), render.Number(t.UpS, 3), render.Number(t.DownS, 3), render.Number(t.PerNodeMs, 3), render.Int(t.Repeats),
		}},
		Notes: []string{"medians over the repeats, from the first request to the last link ready; processes of nodes not included"},
	}
}

// WriteTopology writes bench topology in any format.
func WriteTopology(w io.Writer, t Topology, o render.Options) error {
	if o.Format != render.FormatJSON {
		return render.Write(w, t.table(), o)
	}
	return render.WriteJSON(w, struct {
		SchemaVersion int `json:"schema_version"`
		Topology
	}{render.SchemaVersion, t})
}

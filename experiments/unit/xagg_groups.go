package unit

import (
	"fmt"

	"github.com/inalab/inalab/experiments/experiment"
	"github.com/inalab/inalab/experiments/rig"
	wire "github.com/inalab/inalab/internal/wire/xagg"
	"github.com/inalab/inalab/reports/claims"
	"github.com/inalab/inalab/reports/render"
)

// groupLengths are gradients of one packet to 40 MB, with and without a tail.
var groupLengths = []uint32{1, 2, 1023, 1024, 1025, 2048, 5000, 10_240, 40_000}

// groupLosses are shares of packets that are lost, those sent again too.
var groupLosses = []float64{0, 0.001, 0.01, 0.05}

// xaggMessages counts what goes back and forth for gradients of several lengths.
func xaggMessages(f *experiment.Findings, e *experiment.Env) error {
	stream := e.Seed.Stream("xagg.store/messages")
	t := claims.Table{
		ID: "xagg.s4d.messages", Title: "Control messages between a worker and its aggregator for one gradient, beside an ACK for each packet",
		Columns: []claims.Column{{Name: "packets"}, {Name: "lost", Unit: "%"}, {Name: "groups"}, {Name: "checks"}, {Name: "loss reports"}, {Name: "done and complete"}, {Name: "per-packet ACKs"}},
		Notes:   []string{"A check is an entry of the queue inside the aggregator and no packet: groups without loss send nothing back (XAgg §IV-D)."},
	}
	extra, unchecked := 0.0, 0
	for _, n := range groupLengths {
		for _, p := range groupLosses {
			g := rig.Grouped{Packets: n, Lost: func(uint32, int) bool { return stream.Bernoulli(p) }}
			if err := g.Run(); err != nil {
				return err
			}
			if len(g.There) != int(n) {
				return fmt.Errorf("%d of %d packets are there at the end", len(g.There), n)
			}
			count := int(n+wire.Group-1) / wire.Group
			t.Add(render.Int(int(n)), render.Number(100*p, 1), render.Int(count), render.Int(g.Ends), render.Int(g.Reports), render.Int(g.Dones+g.Closes), render.Int(g.Sent))
			if p == 0 {
				extra = max(extra, float64(g.Reports+g.Dones+g.Closes-count))
				unchecked += max(count-g.Ends, g.Ends-count)
			}
		}
	}
	f.Tables = append(f.Tables, t)
	m := claims.NumberParts(map[string]float64{"extra_most": extra, "checks_other": float64(unchecked)}).On("package nodes/xagg/groups")
	f.Set("xagg.s4d.ack-overhead", m.Noting("gradients of %d to %d packets without loss", groupLengths[0], groupLengths[len(groupLengths)-1]))
	return nil
}

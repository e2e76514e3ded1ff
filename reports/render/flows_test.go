package render

import (
	"strings"
	"testing"

	"github.com/inalab/inalab/internal/golden"
	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/units"
)

// flowCells are two runs with a flow of each kind.
func flowCells() []result.Cell {
	udp := result.Flow{
		Name: "noise", Kind: "udp", From: "h1", To: "h2", ECN: true, Sent: 1000, Delivered: 900, SentBytes: 1_500_000, DeliveredBytes: 1_350_000,
		Active: 20 * units.Millisecond, Lost: 98, Reordered: 1, Marks: 40, DelayMean: 12_340 * units.Nanosecond, DelayMax: 100 * units.Microsecond,
	}
	tcp := result.Flow{
		Name: "bulk", Kind: "tcp", From: "h0", To: "h3", Sent: 70, Delivered: 68, SentBytes: 100_000, DeliveredBytes: 98_304,
		Active: units.Second, Resent: result.Resent{Packets: 2, Bytes: 2896},
	}
	one, two := cell("ring", 0, 1), cell("switchml256", 0.16, 1)
	one.Flows, two.Flows = []result.Flow{udp, tcp}, []result.Flow{tcp}
	return []result.Cell{one, two}
}

func TestFlows(t *testing.T) {
	for name, o := range map[string]Options{"flows.txt": {}, "flows.csv": {Format: FormatCSV}} {
		golden.Equal(t, name, write(t, Flows(flowCells()), o))
	}
	var b strings.Builder
	if err := WriteFlows(&b, flowCells()[:1]); err != nil || !strings.Contains(b.String(), ",540000000,") {
		t.Errorf("%v:\n%s", err, b.String())
	}
}

// Of a point of a sweep, the table begins with its keys.
func TestFlowsOfASweep(t *testing.T) {
	cells := flowCells()
	cells[0].Point = result.Point{Keys: []result.Swept{{Key: "link.delay", Value: "1us"}}}
	if text := write(t, Flows(cells[:1]), Options{Format: FormatCSV}); !strings.HasPrefix(text, "link.delay,system,") || !strings.Contains(text, "\n1us,ring,") {
		t.Errorf("table:\n%s", text)
	}
}

// A flow that was never active has no throughput.
func TestThroughputOfNothing(t *testing.T) {
	if f := (result.Flow{DeliveredBytes: 5}); f.Throughput() != 0 {
		t.Errorf("%v bit/s", f.Throughput())
	}
}

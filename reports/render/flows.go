package render

import (
	"io"
	"math"
	"slices"

	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/units"
)

// flowColumns returns the columns in the order of flows.csv, behind those of swept keys.
// People see fewer.
func flowColumns() []runColumn[result.Flow] {
	type flow = result.Flow
	udp := func(f *flow, c Cell) Cell { return when(f.Kind == "udp", c) }
	us := func(d units.Duration) Cell { return Number(float64(d)/float64(units.Microsecond), 1) }
	shown := func(c runColumn[flow], name, unit string, align Align) runColumn[flow] {
		c.Name, c.Unit, c.Align = name, unit, align
		return c
	}
	hidden := func(c runColumn[flow]) runColumn[flow] {
		c.Name = ""
		return c
	}
	return append(folded(ofRun[flow]()),
		column("flow", "", "its name in the scenario", func(_ *result.Cell, f *flow) Cell { return Text(f.Name) }),
		column("kind", "", "udp or tcp", func(_ *result.Cell, f *flow) Cell { return Text(f.Kind) }),
		column("from", "", "host that sends", func(_ *result.Cell, f *flow) Cell { return Text(f.From) }),
		column("to", "", "host that receives", func(_ *result.Cell, f *flow) Cell { return Text(f.To) }),
		hidden(column("ecn", "", "whether its packets said that they may be marked", func(_ *result.Cell, f *flow) Cell { return Bool(f.ECN) })),
		hidden(column("active_ms", "ms", "from its start until it stopped, or the run ended, or its last bytes came if that is later", func(_ *result.Cell, f *flow) Cell { return Number(f.Active.Milliseconds(), 3) })),
		shown(column("throughput", "bit/s", "delivered_bytes in active_ms", func(_ *result.Cell, f *flow) Cell {
			return Int(int64(math.Round(f.Throughput()))).As(Number(f.Throughput()/1e6, 2).people)
		}), "throughput", "Mbit/s", Right),
		shown(column("sent", "packets", "of UDP; of TCP segments with data, those sent again included", func(_ *result.Cell, f *flow) Cell { return Int(f.Sent) }), "sent", "packets", Right),
		hidden(column("sent_bytes", "B", "of IP packets of UDP; of TCP, what the sender wrote", func(_ *result.Cell, f *flow) Cell { return Int(f.SentBytes) })),
		shown(column("delivered", "packets", "of UDP; of TCP segments with data", func(_ *result.Cell, f *flow) Cell { return Int(f.Delivered) }), "delivered", "packets", Right),
		hidden(column("delivered_bytes", "B", "of IP packets of UDP; of TCP, what the receiver read", func(_ *result.Cell, f *flow) Cell { return Int(f.DeliveredBytes) })),
		shown(column("lost", "packets", "of UDP that did not come, though a later one did", func(_ *result.Cell, f *flow) Cell { return udp(f, Int(f.Lost)) }), "lost", "packets", Right),
		hidden(column("reordered", "packets", "of UDP that came behind a later one", func(_ *result.Cell, f *flow) Cell { return udp(f, Int(f.Reordered)) })),
		shown(column("marks", "packets", "that came with a mark of congestion; of live TCP, segments of which the receiver said so, which it repeats until the sender reacts", func(_ *result.Cell, f *flow) Cell { return Int(f.Marks) }), "marks", "packets", Right),
		shown(column("retransmits", "packets", "segments of TCP that were sent again", func(_ *result.Cell, f *flow) Cell { return when(f.Kind == "tcp", Int(f.Resent.Packets)) }), "resent", "packets", Right),
		hidden(column("delay_mean_us", "us", "of packets of UDP, from host to host", func(_ *result.Cell, f *flow) Cell { return udp(f, us(f.DelayMean)) })),
		hidden(column("delay_max_us", "us", "the longest of these", func(_ *result.Cell, f *flow) Cell { return udp(f, us(f.DelayMax)) })),
		hidden(column("resent", "B", "of the byte stream of TCP, that were sent again", func(_ *result.Cell, f *flow) Cell { return when(f.Kind == "tcp", Int(f.Resent.Bytes)) })),
		shown(column("reports", "", "that collectors got of its two hosts, and that direction; empty without collectors", reported), "reports", "", Right),
	)
}

// reported is the cell of the reports about the hosts of a flow. Where no program reports, people
// do not see it.
func reported(c *result.Cell, f *result.Flow) Cell {
	if !c.Collected {
		return NA()
	}
	n := uint64(0)
	for _, r := range c.Reports {
		if r.From == f.From && r.To == f.To {
			n += r.Reports
		}
	}
	return Int(n)
}

// Flows returns the table of flows.csv: a row for each flow in each run.
func Flows(cells []result.Cell) Table {
	t := runTable("Flows beside the jobs", cells, flowColumns(), func(c *result.Cell) []result.Flow { return c.Flows })
	if !slices.ContainsFunc(cells, func(c result.Cell) bool { return c.Collected }) {
		t.Columns[len(t.Columns)-1].Name = ""
	}
	t.Notes = []string{"throughput: IP packets of UDP and the byte stream of TCP, as far as they came, in the time from a flow's start to its stop or the end of the run"}
	return t
}

// WriteFlows writes flows.csv.
func WriteFlows(w io.Writer, cells []result.Cell) error {
	return writeRuns(w, "flows.csv", Flows(cells))
}

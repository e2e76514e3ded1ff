package virtual

import (
	"fmt"
	"strings"

	"github.com/inalab/inalab/experiments/experiment"
	"github.com/inalab/inalab/experiments/testbed"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/reports/figure"
)

// fig6Figure draws by how much loss makes an aggregation longer.
func fig6Figure(runs []underLoss) figure.Figure {
	ours, ring := figure.Series{Name: "SwitchML-256"}, figure.Series{Name: "ring over TCP"}
	loss := figure.Axis{Label: "loss of each link, each way", Unit: "%", Scale: figure.Log10}
	for i := range runs {
		r := &runs[i]
		if r.p == 0 {
			continue // what the others are held against, and has no place on the axis
		}
		loss.Ticks = append(loss.Ticks, 100*r.p)
		ours.Points = append(ours.Points, figure.Point{X: 100 * r.p, Y: r.smlTook.Seconds() / runs[0].smlTook.Seconds()})
		ring.Points = append(ring.Points, figure.Point{X: 100 * r.p, Y: r.ringTook.Seconds() / runs[0].ringTook.Seconds()})
	}
	return figure.Figure{
		ID: "switchml.fig6", Title: "Time of an aggregation under loss",
		Panels: []figure.Panel{{X: loss, Y: figure.Axis{Label: "against no loss", Unit: "times", Scale: figure.Log10}, Series: []figure.Series{ours, ring}}},
		Notes: []string{
			fmt.Sprintf("8 workers at %v; tensors of %d MiB, the ring's of %d. Simulated, one run a point.", runs[0].sml.rate, runs[0].sml.mib, runs[0].ring.mib),
			"Retransmission timeouts: SwitchML 1 ms; the ring's NewReno 200 ms at least, as in Linux, without SACK.",
		},
	}
}

// fig7Figure draws what one worker sends over time.
func fig7Figure(runs []underLoss) figure.Figure {
	panel := figure.Panel{
		X: figure.Axis{Label: "time", Unit: "ms", Zero: true}, Y: figure.Axis{Label: "packets in 10 ms", Zero: true},
	}
	for i := range runs {
		s := figure.Series{Name: fmt.Sprintf("loss %g%%", 100*runs[i].p), Kind: figure.Steps}
		for b, n := range runs[i].sent.buckets {
			s.Points = append(s.Points, figure.Point{X: bucket.Milliseconds() * float64(b), Y: float64(n)})
		}
		s.Points = append(s.Points, figure.Point{X: bucket.Milliseconds() * float64(len(runs[i].sent.buckets))})
		panel.Series = append(panel.Series, s)
	}
	return figure.Figure{
		ID: "switchml.fig7", Title: "Packets that one worker sends during an aggregation", Panels: []figure.Panel{panel},
		Notes: []string{fmt.Sprintf("SwitchML-256 with retransmission, 8 workers at %v, tensor of %d MiB; the last interval is cut by the end.", runs[0].sml.rate, runs[0].sml.mib)},
	}
}

// poolFigure draws the time of a tensor and the round trip by the size of the
// pool; the paper states which size it uses for each link.
func poolFigure(sweeps map[units.Rate]swept, model string) (figure.Figure, error) {
	f := figure.Figure{
		ID: "switchml.fig9", Title: "Size of the pool: time of an aggregation, and round trip of a packet", Columns: len(testbed.LinkRates),
		Notes: []string{
			fmt.Sprintf("Tensor of %d MiB. Simulated: %s. Round trip: mean, from the time of the tensor.", tensorMiB, model),
			"Paper: the pool that SwitchML App C settles on for each link.",
		},
	}
	paper := experiment.NewPrinted()
	var trips []figure.Panel
	for _, l := range testbed.LinkRates {
		s := sweeps[l.Rate]
		series := func(y func(*pooled) float64) []figure.Series {
			point := func(p *pooled) figure.Point { return figure.Point{X: float64(p.slots), Y: y(p)} }
			return []figure.Series{figure.SeriesOf("DPDK hosts", s.dpdk, point), figure.SeriesOf("hosts that fill the line", s.line, point)}
		}
		time := series(func(p *pooled) float64 { return p.whole().Milliseconds() })
		trip := series(func(p *pooled) float64 { return p.trip().Seconds() * 1e6 })
		size := paper.Claimed("switchml.appC.optimal-s", strings.Replace(l.Name, "g", "Gbps", 1))
		used := figure.Mark{Name: "paper: pool in use", X: figure.At(size), Y: figure.Everywhere()}
		slots := figure.Axis{Label: "pool", Unit: "slots", Scale: figure.Log2}
		panel := func(y figure.Axis, s []figure.Series) figure.Panel {
			return figure.Panel{Title: l.Rate.String(), X: slots, Y: y, Series: s, Marks: []figure.Mark{used}}
		}
		f.Panels = append(f.Panels, panel(figure.Axis{Label: "time", Unit: "ms", Scale: figure.Log10}, time))
		trips = append(trips, panel(figure.Axis{Label: "round trip", Unit: "us", Scale: figure.Log10}, trip))
	}
	f.Panels = append(f.Panels, trips...)
	return f, paper.Err()
}

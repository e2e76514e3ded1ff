package chip

import (
	"fmt"

	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/reports/figure"
)

// fig15Figure draws latency and rate in the first reading, as assumed and at both ends, and
// the one point that the paper's text states.
func fig15Figure(curves []fig15Curve, stated units.Duration) figure.Figure {
	x := figure.Axis{Label: "gradients per packet", Scale: figure.Log2}
	latency := figure.Panel{Title: "Latency", X: x, Y: figure.Axis{Label: "latency", Unit: "us", Zero: true}}
	rate := figure.Panel{Title: "Rate", X: x, Y: figure.Axis{Label: "gradients over latency", Unit: "1/us", Zero: true}}
	for i := range curves {
		c := &curves[i]
		if c.name != curves[0].name {
			continue
		}
		at := func(p *pfePoint, y float64) figure.Point { return figure.Point{X: float64(p.load.grads), Y: y} }
		latency.Series = append(latency.Series, figure.SeriesOf(c.machine.Times(), c.points, func(p *pfePoint) figure.Point { return at(p, c.latency(p).Seconds()*1e6) }))
		rate.Series = append(rate.Series, figure.SeriesOf(c.machine.Times(), c.points, func(p *pfePoint) figure.Point { return at(p, p.rate(c.latency(p))) }))
	}
	us := stated.Seconds() * 1e6
	latency.Marks = []figure.Mark{{Name: "paper, and fed in", X: figure.At(statedGrads), Y: figure.At(us)}}
	rate.Marks = []figure.Mark{{Name: "paper, and fed in", X: figure.At(statedGrads), Y: figure.At(statedGrads / us)}}
	return figure.Figure{
		ID: "trio.fig15", Title: "Latency and rate of one PFE by gradients per packet", Columns: 2, Panels: []figure.Panel{latency, rate},
		Notes: []string{
			"4 servers on one PFE, one packet of each at a time.",
			Model + ".",
			"Latency of " + curves[0].name + ". All lines meet the stated point: what an instruction takes less, a packet takes more.",
			fmt.Sprintf("Paper: Trio §6.3 states %g us at %d gradients, which is fed in; the latency at 1024 is a prediction.", us, statedGrads),
		},
	}
}

// fig16Figure draws latency and throughput by window, and the window that the
// paper settles on.
func fig16Figure(sweeps []fig16Sweep, adds float64) figure.Figure {
	x := figure.Axis{Label: "window", Unit: "packets", Scale: figure.Log2}
	latency := figure.Panel{Title: "Latency", X: x, Y: figure.Axis{Label: "latency", Unit: "us", Scale: figure.Log10}}
	rate := figure.Panel{Title: "Throughput", X: x, Y: figure.Axis{Label: "gradients", Unit: "Gbit/s", Zero: true}}
	for i := range sweeps {
		s := &sweeps[i]
		name := fmt.Sprintf("Trio-ML-%d", s.grads)
		at := func(p *pfePoint, y float64) figure.Point { return figure.Point{X: float64(p.load.window), Y: y} }
		latency.Series = append(latency.Series, figure.SeriesOf(name, s.points, func(p *pfePoint) figure.Point { return at(p, p.all.Seconds()*1e6) }))
		rate.Series = append(rate.Series, figure.SeriesOf(name, s.points, func(p *pfePoint) figure.Point { return at(p, p.throughput()/1e9) }))
	}
	best := figure.Mark{Name: "paper: window in use", X: figure.At(4096), Y: figure.Everywhere()}
	latency.Marks = []figure.Mark{best}
	rate.Marks = []figure.Mark{best, {Name: "paper: additions", X: figure.Everywhere(), Y: figure.At(32 * adds / 1e9)}}
	return figure.Figure{
		ID: "trio.fig16", Title: "Latency and throughput of one PFE by window", Columns: 2, Panels: []figure.Panel{latency, rate},
		Notes: []string{
			"4 servers on one PFE.", Model + ".",
			"Paper: Trio §6.3 finds a window of 4096 to be a good balance, and states 6e9 additions a second; its text has no other point.",
		},
	}
}

// gracefulFigure draws what is forwarded, and the threads in use, by the load of
// Trio-ML.
func gracefulFigure(all []graceful) figure.Figure {
	x := figure.Axis{Label: "Trio-ML offered", Unit: "Gbit/s"}
	rates := figure.Panel{Title: "Throughput", X: x, Y: figure.Axis{Label: "throughput", Unit: "Gbit/s", Zero: true}}
	threads := figure.Panel{Title: "Threads in use", X: x, Y: figure.Axis{Label: "threads", Zero: true}}
	line := func(name string, y func(*graceful) float64) figure.Series {
		return figure.SeriesOf(name, all, func(g *graceful) figure.Point { return figure.Point{X: float64(g.offered), Y: y(g)} })
	}
	rates.Series = []figure.Series{
		line("forwarded", func(g *graceful) float64 { return g.rate(g.simple) / 1e9 }), line("gradients added", func(g *graceful) float64 { return g.added() / 1e9 }),
	}
	threads.Series = []figure.Series{line("threads in use, most", func(g *graceful) float64 { return float64(g.end.InUse.Max) })}
	return figure.Figure{
		ID: "trio.graceful", Title: "Simple forwarding beside Trio-ML on one PFE", Columns: 2, Panels: []figure.Panel{rates, threads},
		Notes: []string{
			fmt.Sprintf("Packets of %d bytes at 100 Gbit/s on one port; Trio-ML of %d gradients on three.", simpleBytes, heavyGrads), Model + ".",
			"Paper: Trio §1 and §2.2 say that rates of simple and of rich processing go together, without numbers.",
		},
	}
}

package live

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/inalab/inalab/experiments/experiment"
	"github.com/inalab/inalab/harness/onehop"
	"github.com/inalab/inalab/reports/claims"
	"github.com/inalab/inalab/reports/render"
)

// aggregatorCPU is what aggregators use of a CPU, by load (XAgg §VI-B, Fig 9).
func aggregatorCPU() experiment.Experiment {
	return experiment.Experiment{
		ID: "xagg.fig9", Title: "share of a CPU that XDP, a polling process and a TCP relay use, by load",
		Switch: []claims.Switch{claims.SwitchHosts},
		Claims: []claims.ID{"xagg.fig9.dpdk-100"},
		Live:   true, Quick: "2 of 5 rounds, 0.3 s in place of 1 s each",
		Run: onLab(runCPU),
	}
}

// cpuLoads are shares of what an aggregator carries on this machine (the claim's how).
var cpuLoads = []float64{0, 0.25, 0.5, 1}

// coalesced is the packets for which a CPU is interrupted once: of 8 to 128 that drivers of cards of
// 100 Gbit/s take (assumed).
const coalesced = 32

// cpuKinds are the aggregators of Fig 9.
var cpuKinds = []onehop.Kind{onehop.XDP, onehop.TCP, onehop.Poll}

// saturated lists a measurement of each aggregator with as many packets as can be sent, carries
// them out, and returns their rates.
func (x *onehops) saturated(ctx context.Context, l *lab, kinds ...onehop.Kind) (rates []float64, err error) {
	for _, k := range kinds {
		x.add(onehop.Config{Aggregator: k, Values: onehopValues, For: onehopFor(l.env)})
	}
	if err := x.carryOut(ctx, l, "highest rates"); err != nil {
		return nil, err
	}
	for i, k := range kinds {
		if !(x.rate(i) > 0) {
			return nil, fmt.Errorf("%s: %w: nothing came through", k, ErrBusy)
		}
		rates = append(rates, x.rate(i))
	}
	return rates, nil
}

// cpuByLoad is measurements of each aggregator, by load.
type cpuByLoad struct {
	onehops
	at [][]int // of cpuKinds and cpuLoads
}

func runCPU(ctx context.Context, l *lab) (f experiment.Findings, err error) {
	x := &cpuByLoad{onehops: onehops{n: experiment.Cut(l.env, 5, 2)}}
	most, err := x.saturated(ctx, l, cpuKinds...)
	if err != nil {
		return f, err
	}
	x.addLoads(l, most)
	if err = x.carryOut(ctx, l, "CPU by load"); err != nil {
		return f, err
	}
	f.Tables = []claims.Table{x.table()}
	xdp := x.shares(slices.Index(cpuKinds, onehop.XDP))
	m := claims.Group(map[string]claims.Measured{
		"xdp": claims.Series(xdp...), "xdp_idle": claims.Number(xdp[0].Y),
		"tcp":              claims.Series(x.shares(slices.Index(cpuKinds, onehop.TCP))...),
		"busy_poll_lowest": claims.Number(lowest(x.shares(slices.Index(cpuKinds, onehop.Poll)))),
	})
	f.Set("xagg.fig9.dpdk-100", l.sayOneHop(m.Noting("AF_XDP sockets that a process polls are in the place of DPDK"), fmt.Sprintf("median of %d rounds in turns", x.n)))
	return f, nil
}

// addLoads lists the loads of each aggregator below the highest, which is measured already.
func (x *cpuByLoad) addLoads(l *lab, most []float64) {
	for i, k := range cpuKinds {
		var at []int
		for _, load := range cpuLoads {
			n := i
			if load < 1 {
				n = x.add(onehop.Config{Aggregator: k, Values: onehopValues, Rate: load * most[i], Burst: coalesced, Idle: load == 0, For: 2 * onehopFor(l.env)})
			}
			at = append(at, n)
		}
		x.at = append(x.at, at)
	}
}

// shares returns percent of a CPU by percent of load, of an aggregator by its place in cpuKinds.
func (x *cpuByLoad) shares(kind int) (points []claims.Point) {
	for j, load := range cpuLoads {
		points = append(points, claims.Point{X: 100 * load, Y: 100 * x.cpu(x.at[kind][j])})
	}
	return points
}

func lowest(points []claims.Point) float64 {
	return slices.MinFunc(points, func(a, b claims.Point) int { return cmp.Compare(a.Y, b.Y) }).Y
}

func (x *cpuByLoad) table() claims.Table {
	t := claims.Table{
		ID: "xagg.fig9", Title: fmt.Sprintf("Share of its CPU that an aggregator uses, packets of %d values", onehopValues),
		Columns: []claims.Column{{Name: "aggregator"}, {Name: "load", Unit: "%"}, {Name: "packets here", Unit: "Mpps"}, {Name: "values", Unit: "Gbit/s"}, {Name: "CPU", Unit: "%"}, {Name: "others' CPU", Unit: "%"}},
		Notes: []string{
			"Of the time that others left of the CPU, by the scheduler's count of the aggregator's threads: for XDP the kernel's thread that polls the wire, for TCP those of its wires and the relay's.",
			fmt.Sprintf("A load of 100%% is as many packets as can be sent. Below, packets come in bursts of %d, as a card interrupts a CPU once for several.", coalesced), vethNote,
		},
	}
	for i, k := range cpuKinds {
		for j, load := range cpuLoads {
			n := x.at[i][j]
			t.Add(render.Text(string(k)), render.Percent(load), render.Number(x.rate(n)/1e6, 3), render.Number(gbps(x.rate(n), onehopValues), 2), render.Percent(x.cpu(n)), render.Percent(x.foreign(n)))
		}
	}
	return t
}

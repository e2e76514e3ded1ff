package live

import (
	"context"
	"fmt"
	"slices"

	"github.com/inalab/inalab/experiments/experiment"
	"github.com/inalab/inalab/harness/onehop"
	"github.com/inalab/inalab/reports/claims"
	"github.com/inalab/inalab/reports/render"
)

// aggregatorSizes is the rate of each aggregator by the values of a packet (XAgg §VI-B, Figs 6 and 7).
func aggregatorSizes() experiment.Experiment {
	return experiment.Experiment{
		ID: "xagg.fig6", Title: "packets that XDP, a polling process and TCP relays add on a core, by values of a packet",
		Switch: []claims.Switch{claims.SwitchHosts},
		Claims: []claims.ID{"xagg.fig6.rate-ratio", "xagg.fig6.decreasing", "xagg.fig6.xdp-vs-tcp", "xagg.fig6.dpdk-vs-xdp", "xagg.fig7.xdp-tcp-single", "xagg.abs.tcp-3.3x"},
		Live:   true, Quick: "5 of 10 sizes, 2 of 5 rounds, 0.15 s in place of 0.5 s each; XDP alone 12 of 15 rounds",
		Run: countingOnLab(runSizes),
	}
}

// sizes is a sweep.
type sizes struct {
	onehops
	values []int
	xdp    sweep
	at     map[onehop.Kind][]int // measurements of an aggregator, by size
}

// sizedKinds are the aggregators of the sweep. TCP is there twice: packet rates compare with the relay
// that has a segment for the values of a packet, throughputs with the native stack (XAgg §VI-A), which is faster.
var sizedKinds = []onehop.Kind{onehop.XDP, onehop.Poll, onehop.TCPPlain, onehop.TCP}

func newSizes(e *experiment.Env) *sizes {
	x := &sizes{
		onehops: onehops{n: experiment.Cut(e, 5, 2)}, at: map[onehop.Kind][]int{},
		values: experiment.Cut(e, []int{32, 64, 96, 128, 160, 192, 224, 256, 288, 320}, []int{32, 96, 160, 256, 320}), // 32 to 320 (XAgg §VI-B)
	}
	x.xdp = newSweep(e, x.values)
	for _, n := range x.values {
		for _, k := range sizedKinds {
			x.at[k] = append(x.at[k], x.add(onehop.Config{Aggregator: k, Values: n, For: onehopFor(e)}))
		}
	}
	return x
}

func runSizes(ctx context.Context, l *lab) (f experiment.Findings, err error) {
	x := newSizes(l.env)
	if err = x.xdp.carryOut(ctx, l, "XDP by sizes of packets"); err != nil {
		return f, err
	}
	if err = x.xdp.keep(); err != nil {
		return f, err
	}
	if err = x.carryOut(ctx, l, "sizes of packets"); err != nil {
		return f, err
	}
	f.Tables = []claims.Table{x.table(), x.xdp.table()}
	what := fmt.Sprintf("packets for a second of the aggregator's CPU time; median of %d rounds in turns", x.n)
	swept := fmt.Sprintf("packets for a second of the aggregator's CPU time; XDP alone, median of the ratios of %d rounds in turns", len(x.xdp.got[0]))
	f.Set("xagg.fig6.rate-ratio", l.sayOneHop(x.xdp.fall(), swept))
	f.Set("xagg.fig6.decreasing", l.sayOneHop(x.xdp.series(), swept))
	set := func(id claims.ID, m claims.Measured) { f.Set(id, l.sayOneHop(m, what)) }
	set("xagg.fig6.xdp-vs-tcp", claims.Number(x.least(onehop.TCPPlain)).Noting("the least over sizes, packets against packets: TCP has a segment for a packet's values; %.3g where it makes segments as it likes, which on veth are as large as 64 KB", x.least(onehop.TCP)))
	set("xagg.fig6.dpdk-vs-xdp", claims.Number(100*(x.leastGain((*onehop.Result).CoreRate)-1)).
		Noting("the least over sizes; AF_XDP in copy mode in the place of DPDK, where the kernel sends with a call and a copy; %.3g without the time of sending, which DPDK leaves to the card", 100*(x.leastGain((*onehop.Result).CoreRateUnsent)-1)))
	set("xagg.fig7.xdp-tcp-single", claims.Number(x.best(onehop.XDP)/x.best(onehop.TCP)).Noting("TCP with all offloads; %.3g where it has a segment for a packet's values", x.best(onehop.XDP)/x.best(onehop.TCPPlain)))
	of256 := slices.Index(x.values, onehopValues)
	set("xagg.abs.tcp-3.3x", claims.Number(x.overTCP(of256, onehop.TCP)).Noting("one core each in place of 10; TCP with all offloads; %.3g where it has a segment for a packet's values", x.overTCP(of256, onehop.TCPPlain)))
	return f, nil
}

// overTCP is XDP over a relay, at one size.
func (x *sizes) overTCP(size int, k onehop.Kind) float64 {
	return x.over(x.at[onehop.XDP][size], x.at[k][size], (*onehop.Result).CoreRate)
}

// least is the least of XDP over a relay.
func (x *sizes) least(k onehop.Kind) float64 {
	var all []float64
	for i := range x.values {
		all = append(all, x.overTCP(i, k))
	}
	return slices.Min(all)
}

// leastGain is the least of a rate of the polling process over that of XDP.
func (x *sizes) leastGain(rate func(*onehop.Result) float64) float64 {
	var all []float64
	for i := range x.values {
		all = append(all, x.over(x.at[onehop.Poll][i], x.at[onehop.XDP][i], rate))
	}
	return slices.Min(all)
}

// best is the highest throughput of an aggregator, in Gbit/s of values.
func (x *sizes) best(k onehop.Kind) (best float64) {
	for i, n := range x.values {
		best = max(best, gbps(x.core(x.at[k][i]), n))
	}
	return best
}

func (x *sizes) table() claims.Table {
	t := claims.Table{
		ID: "xagg.fig6", Title: "Packets that an aggregator adds and sends on, and the values in them, on a core of its own",
		Columns: []claims.Column{
			{Name: "aggregator"}, {Name: "values"}, {Name: "packets", Unit: "Mpps"}, {Name: "values", Unit: "Gbit/s"}, {Name: "XDP over it"}, {Name: "packets here", Unit: "Mpps"}, {Name: "others' CPU", Unit: "%"},
		},
		Notes: []string{
			"A packet in a second of CPU time of the aggregator's threads; of the polling process with packets in hand. Here: in a second of this run.",
			"tcp: kernel TCP with all offloads. tcp-plain: a segment and two system calls for the values of each packet, without offloads.",
			vethNote,
		},
	}
	for _, k := range sizedKinds {
		for i, n := range x.values {
			at := x.at[k][i]
			t.Add(render.Text(string(k)), render.Int(n), render.Number(x.core(at)/1e6, 3), render.Number(gbps(x.core(at), n), 2),
				render.Number(x.overTCP(i, k), 2), render.Number(x.rate(at)/1e6, 3), render.Percent(x.foreign(at)))
		}
	}
	return t
}

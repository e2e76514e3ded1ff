package virtual

import (
	"context"
	"fmt"
	"slices"

	"github.com/inalab/inalab/experiments/experiment"
	"github.com/inalab/inalab/experiments/testbed"
	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/system/halving"
	"github.com/inalab/inalab/harness/system/ps"
	"github.com/inalab/inalab/harness/system/switchml"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
	"github.com/inalab/inalab/internal/wire/roce"
	"github.com/inalab/inalab/nodes/hostmodel"
	"github.com/inalab/inalab/nodes/stream"
	"github.com/inalab/inalab/nodes/switchmlrdma"
	"github.com/inalab/inalab/reports/claims"
	"github.com/inalab/inalab/reports/render"
)

// fig3 is SwitchML Fig 3: aggregated elements a second by system, workers and
// link rate.
func fig3() experiment.Experiment {
	return experiment.Experiment{
		ID: "switchml.fig3", Title: "elements aggregated a second: SwitchML, rings, halving-doubling and parameter servers",
		Switch: []claims.Switch{claims.SwitchPipelineTimed},
		Claims: []claims.ID{
			"switchml.s6.1.rdma-2pct", "switchml.s6.1.dpdk-gap", "switchml.s6.1.dpdk-beats-nccl", "switchml.s6.1.colocated-ps",
			"switchml.s1.micro.nccl-rdma", "switchml.s3.ps-volume",
		},
		Quick: "8 workers at 100 Gbit/s only, SwitchML-64 left out",
		Run:   runFig3,
	}
}

// contender is a line of Fig 3.
type contender struct {
	name string
	sys  job.System
	host hostmodel.Model
	dpdk bool // SwitchML on DPDK hosts, core by core
}

// slowMiB is the tensor at 10 Gbit/s, where it takes ten times as long: a quarter.
const slowMiB = tensorMiB / 4

// at returns the call of a contender. Pools are those of App C.
func (c contender) at(e *experiment.Env, workers int, rate units.Rate) call {
	out := call{name: c.name, sys: c.sys, host: c.host, workers: workers, rate: rate, mib: tensorMiB}
	if rate == testbed.Gigabit10 {
		out.mib = slowMiB
		if sml, ok := c.sys.(switchml.System); ok {
			sml.Slots = pool10
			out.sys = sml
		}
	}
	if c.dpdk {
		out = out.onDPDK(e)
	}
	return out.onChip(e)
}

// Names of contenders that claims are of.
const (
	ofIdealINA  = "SwitchML-256, hosts that cost nothing"
	ofIdealRDMA = "SwitchML over RoCE, hosts that cost nothing"
	ofRDMA      = "SwitchML over RoCE, RDMA"
	ofDPDK      = "SwitchML-256, DPDK"
	ofIdealRing = "ring over RoCE, hosts that cost nothing"
	ofRing      = "ring over RoCE, RDMA"
	ofDedicated = "PS dedicated, DPDK"
	ofColocated = "PS colocated, DPDK"
	ofPlainPS   = "PS dedicated, RDMA"
	ofCrossPS   = "PS colocated, own shard crosses too, RDMA"
)

func contenders(c *hostmodel.Constants) []contender {
	dpdk, rdma, tcp, free := c.DPDK(), c.RDMA(), c.TCP(), hostmodel.Model{}
	return []contender{
		{name: ofIdealINA, sys: testbed.SML256, host: free},
		{name: ofIdealRDMA, sys: smlRDMA, host: free},
		{name: ofRDMA, sys: smlRDMA, host: c.RDMAMessages()},
		{name: ofDPDK, sys: testbed.SML256, dpdk: true},
		{name: "SwitchML-64, DPDK", sys: testbed.SML64, dpdk: true},
		{name: ofIdealRing, sys: ringRoCE, host: free},
		{name: ofRing, sys: ringRoCE, host: rdma},
		{name: "ring over TCP", sys: testbed.RingTCP, host: tcp},
		{name: "halving-doubling over RoCE, RDMA", sys: halving.System{Transport: stream.RoCE}, host: rdma},
		{name: "halving-doubling over TCP", sys: halving.System{}, host: tcp},
		{name: ofDedicated, sys: ps.System{Transport: stream.RoCE, Dedicated: true}, host: dpdk},
		{name: ofColocated, sys: ps.System{Transport: stream.RoCE}, host: dpdk},
		{name: ofPlainPS, sys: ps.System{Transport: stream.RoCE, Dedicated: true}, host: rdma},
		{name: ofCrossPS, sys: ps.System{Transport: stream.RoCE, Cross: true}, host: rdma},
	}
}

// micro3 is the microbenchmark of Fig 3.
type micro3 struct {
	calls []call
	times []units.Duration
}

func runFig3(ctx context.Context, e *experiment.Env) (experiment.Findings, error) {
	workers := experiment.Cut(e, []int{4, 8, 16}, []int{8})
	m := micro3{}
	for _, r := range experiment.Cut(e, []units.Rate{testbed.Gigabit10, testbed.Gigabit100}, []units.Rate{testbed.Gigabit100}) {
		for _, c := range contenders(e.Constants) {
			if e.Quick && c.sys == job.System(testbed.SML64) { // four times the packets, and no claim here
				continue
			}
			for _, n := range workers {
				m.calls = append(m.calls, c.at(e, n, r))
			}
		}
	}
	var err error
	if m.times, err = aggregate(ctx, e, m.calls); err != nil {
		return experiment.Findings{}, err
	}
	f := m.findings()
	if e.Quick || e.Varied {
		return f, nil
	}
	const id = "switchml.s6.1.rdma-2pct"
	ends, err := messageEnds(ctx, e, m.at(ofDPDK, 8))
	f.Set(id, f.Measured[id].Over(ends...))
	return f, err
}

// messageEnds is SwitchML over RoCE with what a message is assumed to cost a core at both ends
// of its range, as a share of the most; dpdk is the rate of DPDK hosts.
func messageEnds(ctx context.Context, e *experiment.Env, dpdk float64) (ends []claims.End, err error) {
	const cost = "rdma.message"
	all := e.Constants.All()
	i := slices.IndexFunc(all, func(c hostmodel.Constant) bool { return c.Name == cost })
	for _, ns := range []float64{all[i].Within().Low, all[i].Within().High} {
		c := contender{name: ofRDMA, sys: smlRDMA, host: e.Constants.With(cost, ns).RDMAMessages()}.at(e, 8, testbed.Gigabit100)
		took, err := aggregate(ctx, e, []call{c})
		if err != nil {
			return ends, err
		}
		ends = append(ends, claims.End{At: fmt.Sprintf("%g ns a message", ns), Measured: ofMost(c.rateOf(took[0]), dpdk)})
	}
	return ends, nil
}

// at returns elements a second at 100 Gbit/s.
func (m *micro3) at(name string, workers int) float64 {
	for i := range m.calls {
		if c := &m.calls[i]; c.name == name && c.workers == workers && c.rate == testbed.Gigabit100 {
			return c.rateOf(m.times[i])
		}
	}
	return 0
}

func (m *micro3) findings() experiment.Findings {
	f := experiment.Findings{Tables: []claims.Table{m.table()}}
	at := func(name string) float64 { return m.at(name, 8) }
	const hosts = "simulated with the cost models of hosts, 8 workers"
	f.Set("switchml.s6.1.rdma-2pct", ofMost(at(ofRDMA), at(ofDPDK)).
		On(fmt.Sprintf("SwitchML over RoCE, messages of %d packets, on RDMA hosts; maximum: 1024 of %.2f bytes at link rate, its own framing", switchmlrdma.DefaultPackets, rdmaPacket())))
	f.Set("switchml.s6.1.dpdk-gap", claims.Ranking(map[string]float64{"dpdk": at(ofDPDK), "rdma": at(ofRDMA)}).On(hosts))
	f.Set("switchml.s6.1.dpdk-beats-nccl", claims.Ranking(map[string]float64{
		"ideal_ring": at(ofIdealRing), "nccl_rdma": at(ofRing), "switchml_dpdk": at(ofDPDK),
	}).On(hosts))
	f.Set("switchml.s6.1.colocated-ps", claims.Number(at(ofColocated)/at(ofDedicated)).RanOn(claims.SwitchHosts).On("PS over RoCE with the cost of DPDK hosts, 8 workers and 8 servers; the shard of a host's own server stays in memory").
		Over(claims.End{At: "RDMA hosts whose own shard crosses the network too", Measured: claims.Number(at(ofCrossPS) / at(ofPlainPS))}))
	f.Set("switchml.s3.ps-volume", claims.Number(at(ofPlainPS)/at(ofCrossPS)).RanOn(claims.SwitchHosts).On("PS over RoCE on RDMA hosts; the shard of a host's own server crosses the network too"))
	best, workers := 0.0, 0
	for i := range m.calls {
		n := m.calls[i].workers
		if ratio := m.at(ofRDMA, n) / m.at(ofRing, n); ratio > best {
			best, workers = ratio, n
		}
	}
	f.Set("switchml.s1.micro.nccl-rdma", claims.Number(best).On(fmt.Sprintf("SwitchML over RoCE and ring over RoCE on RDMA hosts; the best is with %d workers", workers)))
	return f
}

// most is the greatest number of elements a second in packets of 256.
func most(r units.Rate) float64 { return float64(testbed.Goodput(r)) / 32 }

// rdmaPacket is the bytes that a packet of 256 values takes on the line in SwitchML
// over RoCE, the mean of a message: RETH and immediate are in one packet each.
func rdmaPacket() float64 {
	const n = switchmlrdma.DefaultPackets
	bytes := 0
	for i := range n {
		p := roce.Packet{Opcode: roce.Write(i, n)}
		bytes += inet.UDPHeaders + p.Headers() + 1024 + roce.ICRCLen + int(units.EthernetFraming)
	}
	return float64(bytes) / n
}

// ofMost is the rates of RDMA and of DPDK hosts as shares of the most that their packets allow. That of DPDK hosts
// shows that what hosts cost is seen.
func ofMost(rdma, dpdk float64) claims.Measured {
	return claims.NumberParts(map[string]float64{"rdma": rdma / mostRDMA(testbed.Gigabit100), "dpdk": dpdk / most(testbed.Gigabit100)})
}

// mostRDMA is most for SwitchML over RoCE.
func mostRDMA(r units.Rate) float64 { return float64(r) / 8 * 256 / rdmaPacket() }

func (m *micro3) table() claims.Table {
	t := claims.Table{
		ID: "switchml.fig3", Title: "Elements aggregated a second",
		Columns: []claims.Column{
			{Name: "link"}, {Name: "system"}, {Name: "switch"}, {Name: "workers"}, {Name: "tensor", Unit: "MiB"}, {Name: "time", Unit: "ms"}, {Name: "elements", Unit: "1e9/s"}, {Name: "of the most in packets of 256 values", Unit: "%"},
		},
		Notes: []string{
			fmt.Sprintf("MTU %d: SwitchML-256, over RoCE too, and RoCE carry 1024 bytes a packet. Pools of %d slots at 10 Gbit/s and %d at 100.", testbed.MTU, pool10, switchml.DefaultSlots),
			"Over TCP the tensor is aggregated twice and the second time counts, when connections are open.",
			fmt.Sprintf("Lengths only but for one packet of %d, whose values are checked.", sampleEvery),
			switchNote,
		},
	}
	for i := range m.calls {
		c := &m.calls[i]
		rate := c.rateOf(m.times[i])
		t.Add(render.Text(c.rate.String()), render.Text(c.name), render.Text(c.ran), render.Int(c.workers), render.Int(c.mib), render.Number(m.times[i].Milliseconds(), 3),
			render.Number(rate/1e9, 3), render.Percent(rate/most(c.rate)))
	}
	return t
}

// ateSize is the sweep of tensor sizes in SwitchML §6.1.
func ateSize() experiment.Experiment {
	return experiment.Experiment{
		ID: "switchml.s6.1.ate-size", Title: "elements aggregated a second by the size of the tensor",
		Switch: []claims.Switch{claims.SwitchPipelineTimed},
		Claims: []claims.ID{"switchml.s6.1.ate-size"},
		Quick:  "tensors up to 250 MB, 2 workers in place of 8",
		Run:    runATESize,
	}
}

func runATESize(ctx context.Context, e *experiment.Env) (experiment.Findings, error) {
	sizes := []int{48, 95, 238, 477, 954, 1430} // 50 MB to 1.5 GB
	n := experiment.Cut(e, 8, 2)
	var calls []call
	for _, mib := range append([]int{1}, experiment.Cut(e, sizes, sizes[:3])...) { // the first is below the range
		calls = append(calls, call{name: ofDPDK, sys: testbed.SML256, workers: n, rate: testbed.Gigabit100, mib: mib}.onDPDK(e).onChip(e))
	}
	times, err := aggregate(ctx, e, calls)
	if err != nil {
		return experiment.Findings{}, err
	}
	mean := 0.0
	for i := range calls[1:] {
		mean += calls[1+i].rateOf(times[1+i]) / float64(len(calls)-1)
	}
	t := claims.Table{
		ID: "switchml.s6.1.ate-size", Title: fmt.Sprintf("Elements aggregated a second by SwitchML-256 on DPDK hosts, %d workers, 100 Gbit/s", n),
		Columns: []claims.Column{{Name: "tensor", Unit: "MiB"}, {Name: "switch"}, {Name: "time", Unit: "ms"}, {Name: "elements", Unit: "1e9/s"}, {Name: "of the mean", Unit: "%"}},
	}
	worst, small := 0.0, 0.0
	for i := range calls {
		off := calls[i].rateOf(times[i])/mean - 1
		if i == 0 {
			small = -100 * off
		} else {
			worst = max(worst, 100*max(off, -off))
		}
		t.Add(render.Int(calls[i].mib), render.Text(calls[i].ran), render.Number(times[i].Milliseconds(), 3), render.Number(calls[i].rateOf(times[i])/1e9, 3), render.Percent(1+off))
	}
	f := experiment.Findings{Tables: []claims.Table{t}}
	f.Set("switchml.s6.1.ate-size", claims.NumberParts(map[string]float64{"off_mean": worst, "small_below": small}).On("SwitchML-256 on DPDK hosts").
		Noting("of the mean of all sizes of the range; a tensor of 1 MiB, below it, shows that a size that matters is seen"))
	return f, nil
}

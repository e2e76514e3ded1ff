package unit

import (
	"context"
	"fmt"
	"net/netip"

	"github.com/inalab/inalab/experiments/experiment"
	wire "github.com/inalab/inalab/internal/wire/xagg"
	"github.com/inalab/inalab/reports/claims"
	"github.com/inalab/inalab/reports/render"
	"github.com/inalab/inalab/topo"
	"github.com/inalab/inalab/topo/gen"
)

// xagg checks what is arithmetic in the XAgg paper.
func xagg() experiment.Experiment {
	return experiment.Experiment{
		ID: "xagg.arithmetic", Title: "XAgg's printed numbers from others that it prints; switches on a path",
		Switch: []claims.Switch{claims.SwitchNone},
		Claims: []claims.ID{
			"xagg.s4a.goodput.320", "xagg.s4a.goodput.32", "xagg.fig11.loss-reduction", "xagg.fig14.amdahl-bert",
			"xagg.fig19.vgg16.tcp-agg", "xagg.fig19.vgg16.switchml", "xagg.fig19.vgg16.nccl", "xagg.fig19.vgg16.byteps",
			"xagg.delay.rate", "xagg.s5.three-switches",
		},
		Run: func(context.Context, *experiment.Env) (f experiment.Findings, err error) {
			p := experiment.NewPrinted()
			if err := xaggGoodput(&f, p); err != nil {
				return f, err
			}
			xaggRatios(&f, p)
			xaggPrinted(&f, p)
			xaggDelays(&f, p)
			if err := switchesOnPath(&f); err != nil {
				return f, err
			}
			return f, p.Err()
		},
	}
}

// xaggGoodput is that of frames as they are sent, which must have the printed length.
func xaggGoodput(f *experiment.Findings, p *experiment.Printed) error {
	const at320 = "xagg.s4a.goodput.320"
	for _, id := range []claims.ID{at320, "xagg.s4a.goodput.32"} {
		n := int(p.Given(id, "gradients"))
		frame := len(wire.Frame(wire.Path{Src: netip.IPv4Unspecified(), Dst: netip.IPv4Unspecified()}, wire.Header{}, make([]int32, n)))
		if printed := int(p.Given(at320, "frame_bytes")); id == at320 && frame != printed {
			return fmt.Errorf("frames of %d values have %d bytes, and %d are printed", n, frame, printed)
		}
		f.Set(id, claims.Number(100*float64(4*n)/float64(frame)).On("package internal/wire/xagg").Noting("%d bytes of overhead a frame", frame-4*n))
	}
	return nil
}

// xaggRatios compares printed losses and times.
func xaggRatios(f *experiment.Findings, p *experiment.Printed) {
	f.Set("xagg.fig11.loss-reduction", claims.Number(100*(1-p.Claimed("xagg.fig11.loss", "xdp")/p.Claimed("xagg.fig11.loss", "tcp"))))
	f.Set("xagg.fig14.amdahl-bert", claims.Group(map[string]claims.Measured{
		"bound":  claims.Number(p.Claimed("xagg.fig14.bert-share")), // if communication took no time at all
		"stated": claims.Number(p.Claimed("xagg.fig14.switchml.bert-lstm")),
	}))
	xagg := p.Claimed("xagg.fig19.vgg16.xagg", "s")
	for _, scheme := range []string{"tcp-agg", "switchml", "nccl", "byteps"} {
		id := claims.ID("xagg.fig19.vgg16." + scheme)
		seconds := p.Claimed(id, "s")
		f.Set(id, claims.NumberParts(map[string]float64{"printed_form": 1 + (1 - xagg/seconds), "time_ratio": seconds / xagg}))
	}
}

// xaggPrinted is the table of printed numbers beside what others that are printed give. It measures nothing.
func xaggPrinted(f *experiment.Findings, p *experiment.Printed) {
	t := claims.Table{
		ID: "xagg.printed", Title: "Numbers that the XAgg paper prints, beside what others that it prints give",
		Columns: []claims.Column{{Name: "what"}, {Name: "from"}, {Name: "computed"}, {Name: "printed"}, {Name: "off by"}},
		Notes:   []string{"Arithmetic on printed numbers: nothing of this was measured here."},
	}
	row := func(what, from string, computed, printed float64, decimals int) {
		t.Add(render.Text(what), render.Text(from), render.Number(computed, decimals), render.Number(printed, decimals), render.Number(printed-computed, decimals))
	}
	xagg := p.Claimed("xagg.fig13.resnet50.xagg")
	for _, scheme := range []string{"tcp-agg", "switchml", "nccl", "byteps"} {
		row("Fig 13, "+scheme+": less time (%)", "seconds of ResNet50", 100*(1-xagg/p.Claimed(claims.ID("xagg.fig13.resnet50."+scheme))),
			p.Claimed(claims.ID("xagg.fig13.reduction."+scheme)), 1)
	}
	peak := p.Claimed("xagg.fig15.xagg", "Gbps")
	for _, scheme := range []string{"tcp-agg", "switchml", "nccl", "byteps"} {
		id := claims.ID("xagg.fig15." + scheme)
		row("Fig 15, "+scheme+": throughput (x)", "Gbit/s of ResNet50", peak/p.Claimed(id, "Gbps"), p.Claimed(id, "ratio"), 2)
	}
	latency := claims.ID("xagg.fig10.latency")
	row("Fig 10: rise of latency (%)", "microseconds", 100*(p.Claimed(latency, "100Gbps")/p.Claimed(latency, "10Gbps")-1), p.Claimed("xagg.fig10.latency-rise"), 1)
	row("Fig 8: XAgg over TCP, 10 cores (x)", "Gbit/s", p.Claimed("xagg.fig8.xagg", "10 cores")/p.Claimed("xagg.fig8.tcp", "10 cores"), p.Claimed("xagg.abs.tcp-3.3x"), 2)
	row("Fig 8: XAgg, 10 cores (Gbit/s)", "10 times one core, as linear", min(100, 10*p.Claimed("xagg.fig8.xagg", "1 core")), p.Claimed("xagg.fig8.xagg", "10 cores"), 1)
	row("Fig 8: TCP-Agg, 10 cores (Gbit/s)", "10 times one core, as linear", 10*p.Claimed("xagg.fig8.tcp", "1 core"), p.Claimed("xagg.fig8.tcp", "10 cores"), 1)
	row("Fig 11: less loss (%)", "shares lost", 100*(1-p.Claimed("xagg.fig11.loss", "xdp")/p.Claimed("xagg.fig11.loss", "tcp")), p.Claimed("xagg.fig11.loss-reduction"), 1)
	f.Tables = append(f.Tables, t)
}

// xaggDelays averages over the nodes of the tree: 7 workers, 2 servers, 1 PS. No
// delay of an update at the PS is printed; that of a server is assumed.
func xaggDelays(f *experiment.Findings, p *experiment.Printed) {
	const workers, servers, ps = 7, 2, 1
	delay := func(what, node string) float64 { return p.Known("xagg.delays", what, node) }
	init := workers*delay("rate_init_ms", "worker") + servers*delay("rate_init_ms", "server") + ps*delay("rate_init_ms", "ps")
	update := workers*delay("rate_update_ms", "worker") + (servers+ps)*delay("rate_update_ms", "server")
	m := claims.NumberParts(map[string]float64{"init": init / (workers + servers + ps), "update": update / (workers + servers + ps)})
	m.Reading = "xagg.delay-mean: 1 ms at the PS"
	m.Constants = []string{"update at the PS 1 ms"}
	f.Set("xagg.delay.rate", m)
}

// switchesOnPath counts switches on the shortest path of every pair of hosts in
// two layers of switches.
func switchesOnPath(f *experiment.Findings) error {
	g, err := gen.ByName("leaf-spine", gen.Params{})
	if err != nil {
		return err
	}
	most, hosts := 0, 0
	for _, n := range g.Nodes {
		if n.Kind == topo.Host {
			hosts++
			most = max(most, farthest(g, n.Name)-1) // a link more than switches
		}
	}
	f.Set("xagg.s5.three-switches", claims.Number(float64(most)).Noting("the most on a shortest path of any two of %d hosts", hosts))
	return nil
}

// farthest returns how many links away the farthest node is, a host.
func farthest(g *topo.Graph, from string) (most int) {
	links := map[string]int{from: 0}
	for queue := []string{from}; len(queue) > 0; queue = queue[1:] {
		for _, next := range neighbours(g, queue[0]) {
			if _, known := links[next]; !known {
				links[next] = links[queue[0]] + 1
				most = max(most, links[next])
				queue = append(queue, next)
			}
		}
	}
	return most
}

func neighbours(g *topo.Graph, at string) (out []string) {
	for _, l := range g.Links {
		switch at {
		case l.A.Node:
			out = append(out, l.B.Node)
		case l.B.Node:
			out = append(out, l.A.Node)
		}
	}
	return out
}

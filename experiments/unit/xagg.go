package unit

import (
	"context"

	"github.com/inalab/inalab/experiments/experiment"
	"github.com/inalab/inalab/reports/claims"
	"github.com/inalab/inalab/topo"
	"github.com/inalab/inalab/topo/gen"
)

// xagg checks what is arithmetic in the XAgg paper.
func xagg() experiment.Experiment {
	return experiment.Experiment{
		ID: "xagg.arithmetic", Title: "XAgg's printed numbers from others that it prints; switches on a path",
		Claims: []claims.ID{
			"xagg.s4a.goodput.320", "xagg.s4a.goodput.32", "xagg.fig11.loss-reduction", "xagg.fig14.amdahl-bert",
			"xagg.fig19.vgg16.tcp-agg", "xagg.fig19.vgg16.switchml", "xagg.fig19.vgg16.nccl", "xagg.fig19.vgg16.byteps",
			"xagg.delay.rate", "xagg.s5.three-switches",
		},
		Run: func(context.Context, *experiment.Env) (f experiment.Findings, err error) {
			p := experiment.NewPrinted()
			xaggGoodput(&f, p)
			xaggRatios(&f, p)
			xaggDelays(&f, p)
			if err := switchesOnPath(&f); err != nil {
				return f, err
			}
			return f, p.Err()
		},
	}
}

// xaggGoodput takes the overhead of the frame that the paper gives the length of.
func xaggGoodput(f *experiment.Findings, p *experiment.Printed) {
	const at320 = "xagg.s4a.goodput.320"
	overhead := p.Given(at320, "frame_bytes") - 4*p.Given(at320, "gradients")
	for _, id := range []claims.ID{at320, "xagg.s4a.goodput.32"} {
		payload := 4 * p.Given(id, "gradients")
		f.Set(id, claims.Number(100*payload/(payload+overhead)).Noting("%g bytes of overhead a frame", overhead))
	}
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

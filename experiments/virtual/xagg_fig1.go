package virtual

import (
	"context"
	"fmt"
	"slices"

	"github.com/inalab/inalab/experiments/experiment"
	"github.com/inalab/inalab/experiments/testbed"
	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/system/atp"
	"github.com/inalab/inalab/harness/system/ps"
	"github.com/inalab/inalab/harness/system/switchml"
	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
	wire "github.com/inalab/inalab/internal/wire/switchml"
	"github.com/inalab/inalab/nodes/gradient"
	"github.com/inalab/inalab/nodes/train/profiles"
	"github.com/inalab/inalab/reports/claims"
	"github.com/inalab/inalab/reports/render"
	"github.com/inalab/inalab/topo"
	"github.com/inalab/inalab/topo/gen"
	"github.com/inalab/inalab/topo/plan"
)

// xaggFig1 is the example of XAgg §II-A: four workers of unequal links, one of them late.
func xaggFig1() experiment.Experiment {
	x := experiment.Experiment{
		ID: "xagg.fig1", Title: "1.25 GB of four workers, one at half of the rate and one two seconds late, by a parameter server and by switches",
		Switch: []claims.Switch{claims.SwitchPipeline, claims.SwitchHosts},
		Run:    runXAggFig1,
	}
	for _, r := range fig1Rows(nil) {
		if r.claim != "" {
			x.Claims = append(x.Claims, r.claim)
		}
	}
	return x
}

// The example (facts: xagg.fig1.inputs). Rates, gradient, windows and tables are divided by the scale, times are not.
const (
	fig1Workers = 4
	fig1MiB     = 1192                                            // 1.25 GB
	fig1Link    = 10 * units.GbitPerSecond                        // of the parameter server and of W1, W3 and W4
	fig1Slow    = fig1Link / 2                                    // of W2
	fig1Lag     = 2 * units.Second                                // of W3
	fig1Scale   = 200                                             // assumed: a window of 64 packets is below 0.3% of the gradient
	fig1Patient = 10 * units.Second                               // longer than anything waits here
	fig1SML     = inet.UDPHeaders + wire.HeaderLen + 4*fig1Values // bytes of a frame of SwitchML
	fig1Values  = 256
	fig1MTU     = 9000 // assumed: acknowledgements of the sums then take 0.5% of the server's line
)

// fig1Row is a system in the example. Its lines carry gradients at the rates of the example, so that they are
// faster by what frames have beside gradients: the paper counts 1 s for 1.25 GB at 10 Gbit/s.
type fig1Row struct {
	name           string
	claim          claims.ID // empty: it is there to be compared with
	sys            job.System
	frame, payload int  // bytes of a full frame, with headers and without framing, and of the gradients in it
	apart          bool // W4 and the parameter server have a switch to themselves
}

// fig1Rows are the systems; e may be nil where only claims are asked for. ATP adds up in the switch of W1, W2
// and W3, and W4 goes straight to the server (ambiguity xagg.switchml-hybrid); SwitchML has all on one switch.
func fig1Rows(e *experiment.Env) []fig1Row {
	var ina atp.System
	if e != nil {
		ina = testbed.ATP(e)
	}
	ina.Copy, ina.Levels, ina.Timeout, ina.Pipe = 0, atp.RackLevel, fig1Patient, atp.Pipe{Pipeline: true}
	return []fig1Row{
		{
			name: "parameter server", claim: "xagg.fig1.ps.time", sys: ps.System{Dedicated: true, Count: 1},
			frame: inet.EtherLen + fig1MTU, payload: inet.EtherLen + fig1MTU - job.TCPHeaders,
		},
		{name: "switch, by ATP", claim: "xagg.fig1.ina.time", sys: ina, frame: testbed.ATPFrame, payload: testbed.ATPValues, apart: true},
		{name: "switch, by SwitchML", sys: switchml.System{Elements: fig1Values, Retransmit: true, Timeout: fig1Patient, Pipe: switchml.Pipe{Pipeline: true}}, frame: fig1SML, payload: 4 * fig1Values},
	}
}

// graph is the topology of a row. The way back is not in the example (ambiguity xagg.downstream): it takes no time.
func (r *fig1Row) graph() (*topo.Graph, error) {
	topology, hosts := "rack", fig1Workers+job.Servers(r.sys, fig1Workers)
	if r.apart {
		topology, hosts = "dumbbell", 2*(fig1Workers-1) // one of them is idle
	}
	link := topo.LinkSpec{Delay: units.Microsecond, Queue: portQueue}
	g, err := gen.ByName(topology, gen.Params{Hosts: hosts, Link: link, Uplink: link})
	if err != nil {
		return nil, err
	}
	g.MTU = fig1MTU
	for i := range g.Links {
		l := &g.Links[i]
		forth, back := &l.AtoB, &l.BtoA
		host := slices.IndexFunc(g.Nodes, func(n topo.Node) bool { return n.Name == l.A.Node && n.Kind == topo.Host })
		name := l.A.Node
		if host < 0 {
			name, forth, back = l.B.Node, back, forth
		}
		switch {
		case name >= fmt.Sprintf("h%d", fig1Workers): // a server
			back.Rate = r.rate(fig1Link)
		case name == "h1":
			forth.Rate = r.rate(fig1Slow)
		default:
			forth.Rate = r.rate(fig1Link)
		}
	}
	return g, nil
}

// rate is the rate of a line that carries gradients at another one.
func (r *fig1Row) rate(gradients units.Rate) units.Rate {
	return gradients / fig1Scale * units.Rate(r.frame+int(units.EthernetFraming)) / units.Rate(r.payload)
}

// job lays a row out. sent takes when each worker sent its last packet; systems over byte streams do not say.
func (r *fig1Row) job(e *experiment.Env, sent *lastSent) (*job.Job, error) {
	g, err := r.graph()
	if err != nil {
		return nil, err
	}
	p, err := plan.New(g)
	if err != nil {
		return nil, err
	}
	spec := job.Spec{
		System: r.sys, Plan: p, Scale: fig1Scale, Seed: e.Seed, Virtual: true, Replay: true, Sample: gradient.Sampling{Every: sampleEvery},
		Model: profiles.Profile{Name: "1.25 GB", SizeMiB: fig1MiB}, Iterations: 1, Paces: []job.Pace{2: {Lag: fig1Lag}}, Trace: sent,
		On: []int{0, 1, 2, 3}, Servers: job.Servers(r.sys, fig1Workers),
	}
	for k := range spec.Servers {
		spec.ServersOn = append(spec.ServersOn, fig1Workers+k)
	}
	return job.New(spec)
}

// lastSent is when each worker sent its last packet.
type lastSent [fig1Workers]units.Time

// Event notes packets that are sent for the first time.
func (l *lastSent) Event(e *trace.Event) {
	if w := slices.Index([]string{"h0", "h1", "h2", "h3"}, e.Node); e.Kind == trace.Sent && w >= 0 {
		l[w] = e.At
	}
}

// runXAggFig1 measures when the last sum is there.
func runXAggFig1(ctx context.Context, e *experiment.Env) (f experiment.Findings, err error) {
	rows := fig1Rows(e)
	sent := make([]lastSent, len(rows))
	var jobs []*job.Job
	for i := range rows {
		j, err := rows[i].job(e, &sent[i])
		if err != nil {
			return f, fmt.Errorf("laying out the %s: %w", rows[i].name, err)
		}
		jobs = append(jobs, j)
	}
	cells, err := runJobs(ctx, jobs...)
	if err != nil {
		return f, err
	}
	t := claims.Table{ID: "xagg.fig1", Title: "When the gradients of four workers are added up", Columns: []claims.Column{{Name: "system"}, {Name: "switch"}, {Name: "done", Unit: "s"}}}
	for w := range fig1Workers {
		t.Columns = append(t.Columns, claims.Column{Name: fmt.Sprintf("W%d sent all", w+1), Unit: "s"})
	}
	t.Notes = []string{
		"Times are from the end of computing of all workers but W3. Lines carry gradients at the rates of the example, headers beside them; the way back takes no time.",
		"Alone, W1, W3 and W4 send for 1 s and W2 for 2 s. W4 has its window in flight to the server of ATP, which answers when it has the packets of the others, so that it waits as they do; the paper has it send all in the first second.",
		"Switch: the pipelines are on the emulated Tofino, without time: the example has none inside a switch.",
	}
	for i, r := range rows {
		ran, err := testbed.RanOn(r.sys, &cells[i])
		if err != nil {
			return f, fmt.Errorf("%s: %w", r.name, err)
		}
		done := fig1Done(&cells[i])
		if r.claim != "" {
			f.Set(r.claim, claims.Number(done.Seconds()).On("lines that carry gradients at the rates of the example, and take no time back").
				Noting("rates, gradient, windows and tables divided by %d", fig1Scale))
		}
		row := []render.Cell{render.Text(r.name), render.Text(ran), render.Number(done.Seconds(), 3)}
		for _, at := range sent[i] {
			if at == 0 {
				row = append(row, render.Text("-"))
				continue
			}
			row = append(row, render.Number(units.Duration(at).Seconds(), 3))
		}
		t.Add(row...)
	}
	f.Tables = append(f.Tables, t)
	return f, nil
}

// fig1Done is when the last worker has all sums.
func fig1Done(c *result.Cell) units.Duration {
	var end units.Time
	for _, s := range c.Samples {
		end = max(end, s.End)
	}
	return units.Duration(end)
}

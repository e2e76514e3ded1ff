package virtual

import (
	"context"
	"fmt"

	"github.com/inalab/inalab/experiments/experiment"
	"github.com/inalab/inalab/experiments/testbed"
	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/system/atp"
	"github.com/inalab/inalab/internal/units"
	host "github.com/inalab/inalab/nodes/atp"
	"github.com/inalab/inalab/nodes/train/profiles"
	"github.com/inalab/inalab/reports/claims"
	"github.com/inalab/inalab/reports/render"
)

// atpSmallTensor is the round trip in which SwitchML's workers agree on a scaling factor (ATP App B.3).
func atpSmallTensor() experiment.Experiment {
	return experiment.Experiment{
		ID: "atp.b3", Title: "a tensor of one packet: SwitchML with and without its first round trip, and ATP",
		Switch: []claims.Switch{claims.SwitchPipelineTimed, claims.SwitchReference},
		Claims: []claims.ID{"atp.b3.switchml-first-rtt"},
		Run:    runSmallTensor,
	}
}

// oneTensor is a system that aggregates a tensor of one packet.
type oneTensor struct {
	name     string
	sys      job.System
	integers bool // the tensor is int32 already: there is nothing to agree on
}

// fewValues fit a packet of 180 bytes, and one of ATP.
const fewValues = 31

// job lays it out: a tensor of 1 MiB, divided.
func (o *oneTensor) job(e *experiment.Env) (*job.Job, error) {
	c := onATP(e, o.name, o.sys, testbed.ATPHost(e))
	servers := job.Servers(c.sys, c.workers)
	rack := network{topology: "rack", hosts: c.workers + servers, rate: c.rate, mtu: testbed.MTU, queue: portQueue, extra: c.inside / 2}
	return replay(e, c.sys, rack, func(s *job.Spec) {
		s.Model = profiles.Profile{Name: "one packet", SizeMiB: 1}
		s.Iterations, s.Servers, s.Host, s.Scale = 1, servers, c.host, int(units.MiB/4/fewValues)
		s.Sample.Every = 1
		if o.integers {
			s.Replay, s.Elements = false, fewValues
		}
	})
}

func runSmallTensor(ctx context.Context, e *experiment.Env) (f experiment.Findings, err error) {
	ina := testbed.ATP(e)
	ina.Unscaled, ina.Copy = true, 0 // which a scale divides
	list := []oneTensor{{"SwitchML, 180 bytes", testbed.InATP(), false}, {"SwitchML, 180 bytes, of int32", testbed.InATP(), true}, {"ATP", ina, false}}
	var jobs []*job.Job
	for i := range list {
		j, err := list[i].job(e)
		if err != nil {
			return f, err
		}
		jobs = append(jobs, j)
	}
	cells, err := runJobs(ctx, jobs...)
	if err != nil {
		return f, err
	}
	t := claims.Table{
		ID: "atp.b3", Title: "Time to aggregate a tensor of one packet, 8 workers at 100 Gbit/s",
		Columns: []claims.Column{{Name: "system"}, {Name: "switch"}, {Name: "time", Unit: "us"}, {Name: "to that without the first round trip"}},
		Notes:   []string{"With int32 there is no scaling factor to agree on. ATP's round trip is to the parameter server, SwitchML's to the switch.", atpSwitchNote},
	}
	var took []units.Duration
	for i := range cells {
		took = append(took, testbed.Took(cells[i].Samples, 0))
	}
	for i := range list {
		ran, err := testbed.RanOn(jobs[i].System, &cells[i])
		if err != nil {
			return f, fmt.Errorf("%s: %w", list[i].name, err)
		}
		t.Add(render.Text(list[i].name), render.Text(ran), render.Number(float64(took[i])/float64(units.Microsecond), 2), render.Number(took[i].Seconds()/took[1].Seconds(), 3))
	}
	f.Tables = []claims.Table{t}
	f.Set("atp.b3.switchml-first-rtt", claims.Number(took[0].Seconds()/took[1].Seconds()).On("SwitchML of 180 bytes simulated with and without exponents to agree on").
		Noting("ATP takes %.3g times as long as SwitchML without: its round trip is to the server", took[2].Seconds()/took[1].Seconds()))
	return f, nil
}

// twoPass is the last step of ATP Fig 19: packets of two passes in place of one, between a worker and
// a server.
func twoPass() experiment.Experiment {
	return experiment.Experiment{
		ID: "atp.fig19", Title: "one worker and one server: packets of 62 values in place of 31",
		Switch: []claims.Switch{claims.SwitchPipelineTimed},
		Claims: []claims.ID{"atp.fig19.twopass"},
		Quick:  "a tensor of 16 MiB in place of 64",
		Run:    runTwoPass,
	}
}

// fewestWorkers are those of the smallest job. What the switch makes of their packets is as many as
// one worker sends.
const fewestWorkers = 2

// onePassData and onePassFrame are the bytes of a packet of one pass: half of the gradients.
const (
	onePassData  = testbed.ATPValues / 2
	onePassFrame = testbed.ATPFrame - onePassData
)

func runTwoPass(ctx context.Context, e *experiment.Env) (f experiment.Findings, err error) {
	c := onATP(e, "ATP", testbed.ATP(e), testbed.ATPHost(e))
	echo := c.sys.(atp.System)
	echo.Fixed, echo.Window = true, host.DefaultSpan
	c.sys, c.workers, c.mib = echo, fewestWorkers, experiment.Cut(e, 64, 16)
	calls := []call{c}
	took, err := aggregate(ctx, e, calls)
	if err != nil {
		return f, err
	}
	two := c.rateOf(took[0]) * 4 / testbed.ATPValues // packets a second
	one := 1e6 * e.Constants.Get("atp.packets")
	if copied := float64(echo.Copy) / 8 / onePassFrame; copied < one {
		one = copied
	}
	frames := map[string]float64{"one": one * onePassFrame, "two": two * testbed.ATPFrame}
	data := map[string]float64{"one": one * onePassData, "two": two * testbed.ATPValues}
	factor := frames["two"] / frames["one"]
	if e.Reading("atp.copy") == "payload" {
		factor = data["two"] / data["one"]
	}
	t := claims.Table{
		ID: "atp.fig19", Title: "Throughput between a worker and a server",
		Columns: []claims.Column{{Name: "passes"}, {Name: "switch"}, {Name: "packets", Unit: "million/s"}, {Name: "frames", Unit: "Gbit/s"}, {Name: "gradients", Unit: "Gbit/s"}},
		Notes: []string{"Two passes are simulated; with one the packet rate, an input taken from this figure, or the copy of frames is the limit. " +
			fmt.Sprintf("Two passes over one: %.3g in frames, %.3g in gradients.", frames["two"]/frames["one"], data["two"]/data["one"])},
	}
	for _, p := range []struct {
		name  string
		rate  float64
		label int
		ran   render.Cell
	}{{"one", one, 1, render.NA()}, {"two", two, 2, render.Text(calls[0].ran)}} {
		t.Add(render.Int(p.label), p.ran, render.Number(p.rate/1e6, 1), render.Number(8*frames[p.name]/1e9, 1), render.Number(8*data[p.name]/1e9, 1))
	}
	f.Tables = []claims.Table{t}
	f.Set("atp.fig19.twopass", claims.Number(factor).On("two workers and a server simulated, whose packets the switch makes one; one pass by arithmetic"))
	return f, nil
}

package switchml

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/internal/rng"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/switchd/dataplane"
	program "github.com/inalab/inalab/switchd/program/switchml"
	"github.com/inalab/inalab/switchd/program/switchml/pipeline"
	"github.com/inalab/inalab/switchd/program/switchml/reference"
	"github.com/inalab/inalab/switchd/tofino"
	"github.com/inalab/inalab/topo/plan"
)

// Pipe is what aggregates SwitchML in a switch. The zero value is the reference
// program; the pipeline takes several times its processor time (inalab bench pipeline).
type Pipe struct {
	Pipeline bool      // the program on an emulated Tofino
	Timed    bool      // under the virtual clock passes take time (SwitchML §5), which is not divided by the scale
	Half     bool      `json:",omitempty"` // packets carry 16-bit floats, which the switch converts (SwitchML §4.6)
	Mark     int       `json:",omitempty"` // cells of [tofino.CellBytes] in a queue that mark a packet behind them; zero: none do
	Times    PassTimes `json:",omitzero"`  // of a pipeline that is Timed; no knob of scenarios
}

// PassTimes is what passes take. What is zero is as in [tofino.DefaultTiming].
type PassTimes struct {
	Once    units.Duration // from port to port in one pass
	Further units.Duration // of each further pass
}

// Words of the knobs switchml.pipe, switchml.timing and switchml.ecn-threshold.
const (
	pipePipeline  = "pipeline"
	pipeReference = job.Reference
	timingNone    = "none"
	timingTofino  = "tofino"
	markNone      = "none"
)

// marks are the thresholds that there are, in cells, up to what a queue holds.
var marks = []string{markNone, "16", "64", "256", "1024", "4096", "16384"}

// switchmlConfig is the configuration of a switch.
type switchmlConfig struct {
	Program program.Config
	Pipe    Pipe     `json:",omitzero"`
	Ports   int      `json:",omitzero"` // of the chassis; zero: all that a pipeline can have
	Seed    rng.Root // of the drop simulator
}

// Engine names the engine of a switch that it is for.
func (c switchmlConfig) Engine() string {
	if !c.Pipe.Pipeline {
		return pipeReference
	}
	return engineTofino
}

// RunsOn names what aggregates.
func (c switchmlConfig) RunsOn() string {
	if !c.Pipe.Pipeline {
		return pipeReference
	}
	return job.OnSwitch(pipePipeline, c.Pipe.Timed)
}

// configure reads the knobs.
func (p *Pipe) configure(k job.Knobs) {
	p.Pipeline = k.Choice("switchml.pipe", pipePipeline, pipeReference) == pipePipeline
	p.Timed = k.Choice("switchml.timing", timingNone, timingTofino) == timingTofino
	if n, err := strconv.Atoi(k.Choice("switchml.ecn-threshold", marks...)); err == nil {
		p.Mark = n
	}
}

// validate reports knobs that cannot be together.
func (p Pipe) validate() error {
	if p.Half && !p.Pipeline {
		return errors.New("switchml.values: half: the reference program adds int32 alone: set switchml.pipe: pipeline, or use fixed16")
	}
	if p.Mark > 0 && !(p.Pipeline && p.Timed) {
		return errors.New("switchml.ecn-threshold: what marks is the queues of a pipeline with time: set switchml.pipe: pipeline and switchml.timing: tofino")
	}
	return nil
}

// choose returns what runs the programs of a job, and notes where that is not what was
// asked for: all its switches are the same.
func (p Pipe) choose(j *job.Job, programs [][]any) (_ Pipe, notes []string, err error) {
	if err := p.validate(); err != nil {
		return p, nil, err
	}
	if !p.Pipeline {
		return p, nil, nil
	}
	if !j.Virtual && p.Mark > 0 {
		notes = append(notes, "nothing is marked: live the emulated pipeline has no queues, since it takes the time that it takes")
	}
	if !j.Virtual {
		p.Timed, p.Mark = false, 0
	}
	switch why := p.unfit(j, programs); {
	case why != "" && p.Half:
		return p, nil, fmt.Errorf("switchml.values: half: the reference program adds int32 alone, and the pipeline cannot be had: %s: use fixed16, which any switch adds", why)
	case why != "":
		return Pipe{}, append(notes, "switches run the reference program, not the pipeline: "+why), nil
	}
	return p, notes, nil
}

// halfPlaces refuses 16-bit floats where the program for them cannot be, for what it is:
// packets of 64 values, one level.
func halfPlaces(elements, switches int) error {
	switch {
	case elements != pipeline.HalfElements:
		return fmt.Errorf("switchml.values: half: the switch converts %d values a packet, not %d: use system switchml64", pipeline.HalfElements, elements)
	case switches > 1:
		return fmt.Errorf("switchml.values: half: %d switches would aggregate, and a switch's sum is no 16-bit float of the range that the next one takes: put all workers on one switch (topology rack), or use fixed16", switches)
	}
	return nil
}

// unfit says why the programs of a job cannot run on a pipeline; "" if they can.
func (p Pipe) unfit(j *job.Job, programs [][]any) string {
	if p.Half && j.Sample.Every > 1 {
		return "packets carry lengths in place of values"
	}
	for _, of := range programs {
		for _, c := range of {
			if c, ok := c.(program.Config); ok {
				if why := unfitProgram(&c); why != "" {
					return why
				}
			}
		}
	}
	return ""
}

func unfitProgram(c *program.Config) string {
	for i := range c.Jobs {
		j := &c.Jobs[i]
		if j.Elements == inATP {
			return fmt.Sprintf("that has no packets of %d values", j.Elements)
		}
		if n := j.QueuePairs(); n > pipeline.MaxQueuePairs {
			return fmt.Sprintf("%s would have %d queue pairs, and its registers are for %d", c.Node, n, pipeline.MaxQueuePairs)
		}
		if n := len(j.Workers); n > pipeline.MaxWorkers {
			return fmt.Sprintf("%s aggregates for %d, and a slot's bitmap has %d bits", c.Node, n, pipeline.MaxWorkers)
		}
		for k := range j.Workers {
			if why := unfitPort(c.Node, j.Workers[k].Port); why != "" {
				return why
			}
		}
		if j.Parent != nil {
			if why := unfitPort(c.Node, j.Parent.Port); why != "" {
				return why
			}
		}
	}
	return ""
}

func unfitPort(node string, p sansio.Port) string {
	switch _, fabric := dataplane.IsFabric(p); {
	case fabric:
		return node + " is one of several forwarding engines of a chassis"
	case int(p) >= pipeline.MaxPorts:
		return fmt.Sprintf("%s uses port %d, and the %d ports of one pipe serve workers (SwitchML §5)", node, p, pipeline.MaxPorts)
	}
	return ""
}

// takes returns how long a switch takes for the packet that completes a slot.
func (p Pipe) takes(elements int) units.Duration {
	if !p.Pipeline || !p.Timed {
		return 0
	}
	passes := pipeline.Passes(elements, true)
	if p.Half {
		passes = pipeline.HalfPasses(true)
	}
	t := p.timing()
	return t.Ingress + t.Egress + units.Duration(passes-1)*t.Pass
}

// timing is that of a pipeline that is timed.
func (p Pipe) timing() tofino.Timing {
	t := tofino.DefaultTiming()
	if p.Times.Once > 0 {
		t.Ingress = p.Times.Once / 2
		t.Egress = p.Times.Once - t.Ingress
	}
	t.Pass = cmp.Or(p.Times.Further, t.Pass)
	t.Front, t.Mark = 0, p.Mark // a lab's links have rate and queue of their own
	return t
}

// wrap makes configurations of programs.
func (p Pipe) wrap(j *job.Job, programs [][]any) [][]any {
	out := make([][]any, len(programs))
	for i := range programs {
		for _, c := range programs[i] {
			var wrapped any
			if c != nil {
				wrapped = p.config(c.(program.Config), &j.Plan.Switches[i], j.Seed)
			}
			out[i] = append(out[i], wrapped)
		}
	}
	return out
}

// config is the configuration of one switch.
func (p Pipe) config(c program.Config, sw *plan.Switch, seed rng.Root) switchmlConfig {
	return switchmlConfig{Program: c, Pipe: p, Seed: seed, Ports: pipePorts(sw)}
}

// pipePorts returns how many ports a chip is to have; zero: all that it can.
func pipePorts(sw *plan.Switch) int {
	if n := len(sw.Ports); n < pipeline.MaxPorts {
		return n
	}
	return 0
}

// NewEngine makes what aggregates in a switch.
func (s System) NewEngine(config json.RawMessage, sink trace.Sink) (dataplane.Engine, error) {
	cfg, err := job.Decode[switchmlConfig](config)
	if err != nil {
		return nil, err
	}
	cfg.Program.Trace = sink
	return s.engine(cfg)
}

func (s System) engine(c switchmlConfig) (dataplane.Engine, error) {
	rdma := s.Transport == RoCE
	c.Program.Seed = c.Seed
	switch {
	case c.Pipe.Pipeline:
		o := c.Pipe.options(c.Ports, c.Seed)
		o.RDMA = rdma
		return pipeline.New(c.Program, o)
	case rdma:
		return reference.NewRDMA(c.Program)
	}
	return reference.New(c.Program)
}

// options are those of a chip.
func (p Pipe) options(ports int, seed rng.Root) pipeline.Options {
	o := pipeline.Options{Ports: ports, Seed: seed, Half: p.Half}
	if p.Timed {
		t := p.timing()
		o.Timing = &t
	}
	return o
}

// engineTofino is an emulated Tofino, in the words of topology files.
const engineTofino = "tofino"

// Engines are those of a switch that can run it.
func (System) Engines() []string { return []string{engineTofino, pipeReference} }

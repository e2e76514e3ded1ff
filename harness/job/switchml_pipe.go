package job

import (
	"encoding/json"
	"fmt"

	"github.com/inalab/inalab/internal/rng"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
	"github.com/inalab/inalab/switchd/dataplane"
	program "github.com/inalab/inalab/switchd/program/switchml"
	"github.com/inalab/inalab/switchd/program/switchmltofino"
	"github.com/inalab/inalab/switchd/tofino"
	"github.com/inalab/inalab/topo/plan"
)

// Pipe is what aggregates SwitchML in a switch. The zero value is the reference
// program; the pipeline takes several times its processor time (inalab bench pipeline).
type Pipe struct {
	Pipeline bool // the program on an emulated Tofino
	Timed    bool // under the virtual clock passes take time (SwitchML §5), which is not divided by the scale
}

// Words of the knobs switchml.pipe and switchml.timing.
const (
	pipePipeline  = "pipeline"
	pipeReference = "reference"
	timingNone    = "none"
	timingTofino  = "tofino"
)

// switchmlConfig is the configuration of a switch.
type switchmlConfig struct {
	Program program.Config
	Pipe    Pipe     `json:",omitzero"`
	Ports   int      `json:",omitzero"` // of the chassis; zero: all that a pipeline can have
	Seed    rng.Root // of the drop simulator
}

// configure reads the knobs.
func (p *Pipe) configure(k Knobs) {
	p.Pipeline = k.Choice("switchml.pipe", pipeReference, pipePipeline) == pipePipeline
	p.Timed = k.Choice("switchml.timing", timingNone, timingTofino) == timingTofino
}

// of returns what runs the programs of a job, and notes where that is not what was
// asked for: all its switches are the same.
func (p Pipe) of(j *Job, programs [][]any) (Pipe, []string) {
	if !p.Pipeline {
		return p, nil
	}
	if !j.Virtual {
		p.Timed = false // live a switch takes the time that it takes
	}
	if why := unfit(j, programs); why != "" {
		return Pipe{}, []string{"switches run the reference program, not the pipeline: " + why}
	}
	return p, nil
}

// unfit says why the programs of a job cannot run on a pipeline; "" if they can.
func unfit(j *Job, programs [][]any) string {
	if j.Sample.Every > 1 {
		return "packets carry lengths in place of values"
	}
	for _, of := range programs {
		for _, p := range of {
			if c, ok := p.(program.Config); ok {
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
		if n := len(j.Workers); n > switchmltofino.MaxWorkers {
			return fmt.Sprintf("%s aggregates for %d, and a slot's bitmap has %d bits", c.Node, n, switchmltofino.MaxWorkers)
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
	case int(p) >= switchmltofino.MaxPorts:
		return fmt.Sprintf("%s uses port %d, and the %d ports of one pipe serve workers (SwitchML §5)", node, p, switchmltofino.MaxPorts)
	}
	return ""
}

// takes returns how long a switch takes for the packet that completes a slot.
func (p Pipe) takes(elements int) units.Duration {
	if !p.Pipeline || !p.Timed {
		return 0
	}
	return tofino.IngressTime + tofino.EgressTime + units.Duration(switchmltofino.Passes(elements, true)-1)*tofino.PassTime
}

// wrap makes configurations of programs.
func (p Pipe) wrap(j *Job, programs [][]any) [][]any {
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
	out := switchmlConfig{Program: c, Pipe: p, Seed: seed}
	if n := len(sw.Ports); n < switchmltofino.MaxPorts {
		out.Ports = n
	}
	return out
}

// Idle returns the system's name and its program for a switch without jobs, which come
// later from a control plane.
func (s SwitchML) Idle(sw *plan.Switch, seed rng.Root) (system string, config json.RawMessage, err error) {
	c := s.Pipe.config(program.Config{Node: sw.Name, Router: sw.Router, MAC: inet.MAC(sw.MAC), Faithful: s.Faithful}, sw, seed)
	if s.Pipe.Pipeline && len(sw.Ports) > switchmltofino.MaxPorts {
		return "", nil, fmt.Errorf("%s has %d ports, and the %d of one pipe serve workers (SwitchML §5): take fewer hosts, or the reference program", sw.Name, len(sw.Ports), switchmltofino.MaxPorts)
	}
	config, err = json.Marshal(c)
	return s.Name(), config, err
}

// NewEngine makes what aggregates in a switch.
func (SwitchML) NewEngine(config json.RawMessage, sink trace.Sink) (dataplane.Engine, error) {
	cfg, err := Decode[switchmlConfig](config)
	if err != nil {
		return nil, err
	}
	cfg.Program.Trace = sink
	return cfg.engine()
}

func (c *switchmlConfig) engine() (dataplane.Engine, error) {
	if !c.Pipe.Pipeline {
		return program.New(c.Program)
	}
	o := switchmltofino.Options{Ports: c.Ports, Seed: c.Seed}
	if c.Pipe.Timed {
		t := tofino.DefaultTiming()
		t.Front = 0 // a lab's links have rate and queue of their own
		o.Timing = &t
	}
	return switchmltofino.New(c.Program, o)
}

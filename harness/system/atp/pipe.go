package atp

import (
	"cmp"
	"fmt"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/internal/units"
	program "github.com/inalab/inalab/switchd/program/atp"
	"github.com/inalab/inalab/switchd/program/atp/pipeline"
	"github.com/inalab/inalab/switchd/tofino"
	"github.com/inalab/inalab/topo/plan"
)

// Pipe is what aggregates in a switch. The zero value is the reference program; the pipeline takes
// several times its processor time.
type Pipe struct {
	Pipeline bool // the program on an emulated Tofino
	Timed    bool // under the virtual clock its passes take time, which is not divided by the scale
	Links    bool // with Timed: links have the time from port to port, for all frames, so that only further passes take time here

	Pass units.Duration `json:",omitzero"`  // with Timed: of each further pass; zero: [tofino.PassTime]
	Mark int            `json:",omitempty"` // with Timed: cells of [tofino.CellBytes] before the port inside that mark a packet behind them; zero: none do; no knob of scenarios
}

// pass is what each further pass takes.
func (p Pipe) pass() units.Duration { return cmp.Or(p.Pass, tofino.PassTime) }

// pipePipeline is the word of the knob atp.pipe for a chip.
const pipePipeline = "pipeline"

// configure reads the knobs.
func (p *Pipe) configure(k job.Knobs) {
	p.Pipeline = !second(k, "atp.pipe", pipePipeline, job.Reference)
	p.Timed = second(k, "atp.timing", "none", "tofino")
}

// choose returns what runs the programs of a job, of so many levels if those are more than two, and a note
// where that is not what was asked for: all its switches are the same.
func (p Pipe) choose(j *job.Job, programs [][]any, deep int) (_ Pipe, notes []string) {
	if !p.Pipeline {
		return Pipe{}, nil
	}
	if why := unfit(j, programs, deep); why != "" {
		return Pipe{}, []string{"switches run the reference program, not the pipeline: " + why}
	}
	p.Timed = p.Timed && j.Virtual
	return p, nil
}

// unfit says why the programs of a job cannot run on a pipeline; "" if they can.
func unfit(j *job.Job, programs [][]any, deep int) string {
	if deep > 0 {
		return fmt.Sprintf("that has two levels, and packets of topology %s pass %d", j.Plan.Name, deep)
	}
	for _, of := range programs {
		for _, c := range of {
			cfg := c.(engineConfig).Program
			if why := unfitProgram(&cfg); why != "" {
				return why
			}
		}
	}
	return ""
}

func unfitProgram(c *program.Config) string {
	if c.Aggregators > pipeline.MaxAggregators {
		return fmt.Sprintf("%d aggregators are more than the %d that it has room for", c.Aggregators, pipeline.MaxAggregators)
	}
	for _, j := range c.Jobs {
		for _, s := range j.Servers {
			ports := s.Ports
			for _, l := range s.Levels {
				for _, from := range l.Sources {
					ports = append(ports[:len(ports):len(ports)], from.Ports...)
				}
			}
			for _, at := range ports {
				if int(at) >= pipeline.MaxPorts {
					return fmt.Sprintf("%s uses port %d, and the %d ports of one pipe serve jobs", c.Node, at, pipeline.MaxPorts)
				}
			}
		}
	}
	return ""
}

// put has programs run on what was chosen.
func (p Pipe) put(j *job.Job, programs [][]any) {
	for i, of := range programs {
		for k, c := range of {
			cfg := c.(engineConfig)
			cfg.Pipe = p
			if p.Pipeline {
				cfg.Ports = pipePorts(&j.Plan.Switches[i])
			}
			of[k] = cfg
		}
	}
}

// pipePorts returns how many ports a chip is to have; zero: all that it can.
func pipePorts(sw *plan.Switch) int {
	if n := len(sw.Ports); n < pipeline.MaxPorts {
		return n
	}
	return 0
}

// takes returns how long a switch takes for the packet that completes a fragment, which goes
// through it twice.
func (p Pipe) takes() units.Duration {
	if !p.Timed {
		return 0
	}
	if p.Links {
		return p.pass()
	}
	return tofino.IngressTime + tofino.EgressTime + p.pass()
}

// options are those of a chip.
func (p Pipe) options(ports int) pipeline.Options {
	o := pipeline.Options{Ports: ports}
	if p.Timed {
		t := pipeline.Timing()
		t.Front, t.Pass, t.Mark = 0, p.pass(), p.Mark // a lab's links have rate and queue of their own
		if p.Links {
			t.Resubmit += t.Ingress // from the beginning of a pass, as before
			t.Ingress, t.Egress = 0, 0
		}
		o.Timing = &t
	}
	return o
}

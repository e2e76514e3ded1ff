package atp

import (
	"encoding/json"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/internal/trace"
	host "github.com/inalab/inalab/nodes/atp"
	server "github.com/inalab/inalab/nodes/atpps"
	"github.com/inalab/inalab/nodes/gradient"
	"github.com/inalab/inalab/nodes/worker"
	"github.com/inalab/inalab/switchd/dataplane"
	program "github.com/inalab/inalab/switchd/program/atp"
	"github.com/inalab/inalab/switchd/program/atp/pipeline"
	"github.com/inalab/inalab/switchd/program/atp/reference"
)

// NewCore makes a worker, with the server on its host if there is one.
func (System) NewCore(config json.RawMessage, rec gradient.Recorder, sink trace.Sink) (worker.Collective, error) {
	cfg, err := job.Decode[coreConfig](config)
	if err != nil {
		return nil, err
	}
	cfg.Recorder, cfg.Trace = rec, sink
	w, err := host.New(cfg.Config)
	if err != nil || cfg.Beside == nil {
		return w, err
	}
	cfg.Beside.Trace = sink
	return cfg.colocated(w)
}

// NewServer makes a parameter server.
func (System) NewServer(config json.RawMessage, sink trace.Sink) (job.Server, error) {
	return job.Make(config, server.New, func(c *server.Config) { c.Trace = sink })
}

// engineConfig describes what aggregates in a switch.
type engineConfig struct {
	Program program.Config
	Pipe    Pipe `json:",omitzero"`
	Ports   int  `json:",omitzero"` // of the chassis, of a pipeline; zero: all that it can have
}

// Engine names the engine of a switch that it is for.
func (c engineConfig) Engine() string {
	if !c.Pipe.Pipeline {
		return job.Reference
	}
	return engineTofino
}

// RunsOn names what aggregates.
func (c engineConfig) RunsOn() string {
	if !c.Pipe.Pipeline {
		return job.Reference
	}
	return job.OnSwitch(pipePipeline, c.Pipe.Timed)
}

// NewEngine makes a switch.
func (System) NewEngine(config json.RawMessage, sink trace.Sink) (dataplane.Engine, error) {
	cfg, err := job.Decode[engineConfig](config)
	if err != nil {
		return nil, err
	}
	cfg.Program.Trace = sink
	return cfg.engine()
}

func (c *engineConfig) engine() (dataplane.Engine, error) {
	if c.Pipe.Pipeline {
		return pipeline.New(c.Program, c.Pipe.options(c.Ports))
	}
	return reference.New(c.Program)
}

// engineTofino is an emulated Tofino, in the words of topology files.
const engineTofino = "tofino"

// Engines are those of a switch that can run it.
func (System) Engines() []string { return []string{engineTofino, job.Reference} }

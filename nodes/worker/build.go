package worker

import (
	"errors"
	"fmt"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/nodes/gradient"
	"github.com/inalab/inalab/nodes/ring"
	"github.com/inalab/inalab/nodes/stream"
	"github.com/inalab/inalab/nodes/switchml"
	"github.com/inalab/inalab/nodes/trioml"
)

// Config is everything about one worker, as it crosses to the worker's process:
// the loop, the model, and the core of exactly one protocol.
type Config struct {
	Loop    LoopConfig
	Model   ModelConfig
	Bench   *BenchConfig `json:",omitempty"` // in place of training: Loop gives the names, Model is not used
	Workers int

	TrioML   *trioml.Config   `json:",omitempty"`
	SwitchML *switchml.Config `json:",omitempty"`
	Ring     *ring.Config     `json:",omitempty"`
	Stream   *stream.Config   `json:",omitempty"` // carries Ring where there is no kernel TCP: under the virtual clock
}

// Worker is a built worker.
type Worker struct {
	sansio.Machine // what the driver runs: the job, or the transport around it
	Job            Job
}

// Job is what a worker does: a training loop or a benchmark.
type Job interface {
	sansio.Machine
	Done() bool
	Iteration() int   // all-reduces completed
	Core() Collective // the protocol inside
}

// Build makes the machine of one worker. rec and sink may be nil.
func Build(cfg Config, images Images, rec gradient.Recorder, sink trace.Sink) (*Worker, error) {
	core, err := cfg.core(rec, sink)
	if err != nil {
		return nil, err
	}
	job, err := cfg.job(core, images, sink)
	if err != nil {
		return nil, err
	}
	w := &Worker{Machine: job, Job: job}
	if cfg.Stream != nil {
		if w.Machine, err = stream.New(*cfg.Stream, job); err != nil {
			return nil, err
		}
	}
	return w, nil
}

func (c Config) job(core Collective, images Images, sink trace.Sink) (Job, error) {
	if c.Bench != nil {
		return newBench(c, core)
	}
	m, err := newModel(c.Model, c.Loop.Worker, c.Workers, images)
	if err != nil {
		return nil, err
	}
	c.Loop.Trace = sink
	return New(c.Loop, core, m)
}

var errOneCore = errors.New("a worker has the core of exactly one protocol")

func (c Config) core(rec gradient.Recorder, sink trace.Sink) (Collective, error) {
	switch {
	case c.TrioML != nil && c.SwitchML == nil && c.Ring == nil:
		cfg := *c.TrioML
		cfg.Recorder, cfg.Trace = rec, sink
		return orError(trioml.New(cfg))
	case c.SwitchML != nil && c.TrioML == nil && c.Ring == nil:
		cfg := *c.SwitchML
		cfg.Recorder, cfg.Trace = rec, sink
		return orError(switchml.New(cfg))
	case c.Ring != nil && c.TrioML == nil && c.SwitchML == nil:
		cfg := *c.Ring
		cfg.Recorder = rec
		return orError(ring.New(cfg))
	}
	return nil, fmt.Errorf("configuring worker %s: %w", c.Loop.Node, errOneCore)
}

// orError keeps a nil core out of the interface.
func orError[C Collective](core C, err error) (Collective, error) {
	if err != nil {
		return nil, err
	}
	return core, nil
}

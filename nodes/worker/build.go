package worker

import (
	"encoding/json"
	"fmt"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/nodes/gradient"
	"github.com/inalab/inalab/nodes/meter"
	"github.com/inalab/inalab/nodes/stream"
)

// Config is everything about one worker, as it crosses to the worker's process:
// the loop, the model, and the core of the system that Loop names.
type Config struct {
	Loop    LoopConfig
	Model   ModelConfig
	Bench   *BenchConfig `json:",omitempty"` // in place of training: Loop gives the names, Model is not used
	Workers int
	Core    json.RawMessage // for NewCore
	Stream  *stream.Config  `json:",omitempty"` // carries a core's byte streams where there is no kernel TCP: under the virtual clock

	Interval units.Duration `json:",omitempty"` // by which what comes is counted; zero: it is not
}

// NewCore makes the host core of a system from its configuration; rec and sink
// may be nil.
type NewCore func(config json.RawMessage, rec gradient.Recorder, sink trace.Sink) (Collective, error)

// Parts is what a worker is made of beside its configuration.
type Parts struct {
	NewCore  NewCore
	Images   Images            // of training
	Recorder gradient.Recorder // nil: nothing is recorded
	Trace    trace.Sink        // nil: no events
}

// Worker is a built worker.
type Worker struct {
	sansio.Machine // what the driver runs: the job, or the transport around it
	Job            Job
	Stream         *stream.Node  // around the job; nil: it speaks UDP, or by streams of the kernel
	Meter          *meter.Meter  // of what came to the job; nil: nothing counts it
	Adding         *meter.Adding // of contributions to a server beside the worker, in its core; nil: nothing counts them
}

// Counters returns those of the protocol and of the streams.
func (w *Worker) Counters() []sansio.Count {
	var all sansio.Tally
	all.Merge(w.Job.Core().Counters())
	if w.Stream != nil {
		all.Merge(w.Stream.Counters())
	}
	return all.List()
}

// Job is what a worker does: a training loop or a benchmark.
type Job interface {
	sansio.Machine
	Done() bool
	Iteration() int   // all-reduces completed
	Core() Collective // the protocol inside
}

// Build makes the machine of one worker.
func Build(cfg Config, parts Parts) (*Worker, error) {
	core, err := parts.NewCore(cfg.Core, parts.Recorder, parts.Trace)
	if err != nil {
		return nil, fmt.Errorf("configuring worker %s: %w", cfg.Loop.Node, err)
	}
	job, err := cfg.job(core, parts.Images, parts.Trace)
	if err != nil {
		return nil, err
	}
	w := &Worker{Machine: job, Job: job}
	w.meter(cfg.Interval)
	if cfg.Stream != nil {
		if w.Stream, err = stream.New(*cfg.Stream, w.Machine); err != nil {
			return nil, err
		}
		w.Machine = w.Stream
	}
	return w, nil
}

func (c Config) job(core Collective, images Images, sink trace.Sink) (Job, error) {
	if c.Bench != nil {
		return newBench(c, core)
	}
	c.Loop.Trace = sink
	if c.Model.Replay != nil {
		return New(c.Loop, core, newReplay(*c.Model.Replay, c.Loop.Worker))
	}
	m, err := newModel(c.Model, c.Loop.Worker, c.Workers, images, c.Loop.Reshard > 0)
	if err != nil {
		return nil, err
	}
	return New(c.Loop, core, m)
}

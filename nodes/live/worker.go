package live

import (
	"context"
	"errors"
	"fmt"

	"github.com/inalab/inalab/internal/pktio"
	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/tensorfile"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/nodes/shell"
	"github.com/inalab/inalab/nodes/worker"
	"github.com/inalab/inalab/switchd/chassis"
)

// WorkerConfig describes the process of one worker, as it crosses to it.
type WorkerConfig struct {
	Worker worker.Config
	Sockets
	Tensors string // new file for what was sent and delivered; empty: none
	Images  string `json:",omitempty"` // file of [WriteImages]; empty: those of the program are decoded

	Events     int    // how many of the latest and first events are kept; 0: none
	EventsPath string // new file for them at the end; empty: they serve answers alone
}

// WorkerParent is a [shell.Parent] that takes the records of a worker.
type WorkerParent interface {
	shell.Parent
	// Samples takes the records of iterations that are over; it copies them.
	Samples([]result.Sample) error
	// AwaitStartOrJoin is AwaitStart for a worker that may also join a run which is
	// under way, with the model of a checkpoint that is or will be there.
	AwaitStartOrJoin(ctx context.Context) (epochNs int64, from Checkpoint, err error)
	// AwaitQuestion is AwaitAsk for a worker that is also asked for checkpoints: to is
	// where, and of a generation that no worker has begun.
	AwaitQuestion(ctx context.Context) (to Checkpoint, err error)
	// Checkpoint says what becomes of one.
	Checkpoint(CheckpointAnswer) error
}

// WorkerAnswer says where things stand at a worker.
type WorkerAnswer = shell.Answer[WorkerState]

// WorkerState is where a worker stands, and what a server in its process waits for.
type WorkerState struct {
	worker.Snapshot
	Server *chassis.EngineState `json:"server,omitempty"` // nil: there is none, or it does not tell
}

// WorkerReport is what a worker has to say at the end of its run.
type WorkerReport struct {
	Node       string         `json:"node"`
	Iterations int            `json:"iterations"`
	Counters   []sansio.Count `json:"counters"`
	Device     pktio.Stats    `json:"device"`
	Drive      pktio.Report   `json:"drive"`
	TCPResent  result.Resent  `json:"tcp_resent"` // by the kernel
	Checked    uint64         `json:"checked"`    // by the worker itself, of a benchmark
	Wrong      uint64         `json:"wrong"`
	Compute    units.Duration `json:"compute"` // mean time of a compute, delays left out
	Series     *result.Series `json:"series,omitempty"`
	Added      *result.Added  `json:"added,omitempty"` // by a server beside the worker, in its process
}

// RunWorker is the life of a worker in the network namespace of the calling process,
// until its iterations are over or ctx ends. newCore makes the core of the system
// that cfg names, in that namespace and before the sockets are opened. A core that is an
// [io.Closer] is closed at the end, however that comes.
func RunWorker(ctx context.Context, cfg WorkerConfig, newCore worker.NewCore, parent WorkerParent) (report WorkerReport, err error) {
	report.Node = cfg.Worker.Loop.Node
	log := shell.NewLog(cfg.Events)
	var held closers
	defer func() { err = errors.Join(err, held.close(report.Node)) }() // at the very end, whatever that is
	w, closeTensors, err := build(cfg, held.cores(newCore), log)
	if err != nil {
		return report, err
	}
	defer func() { err = errors.Join(err, closeTensors()) }()
	dev, err := cfg.open(ctx)
	if err != nil {
		return report, fmt.Errorf("opening the sockets of worker %s: %w", report.Node, err)
	}
	defer func() { err = errors.Join(err, dev.Close()) }()
	node := shell.Node[WorkerState]{
		Machine: w, Device: dev, Done: w.Job.Done, Samples: parent.Samples, Prompt: true,
		Look: func() WorkerState { return look(w, log, dev) },
	}
	report.Drive, err = run(ctx, &node, w.Job, parent)
	err = errors.Join(err, shell.WriteLog(log, cfg.EventsPath, 0))
	report.Iterations = w.Job.Iteration()
	report.Counters = w.Job.Core().Counters()
	report.Series, report.Added = w.Meter.Series(), w.Adding.Added()
	report.Device = dev.Stats()
	report.TCPResent = dev.resent()
	switch j := w.Job.(type) {
	case *worker.Bench:
		report.Checked, report.Wrong = j.Verified()
	case *worker.Loop:
		report.Compute = j.MeanCompute()
	}
	return report, err
}

// look returns the state of the worker.
func look(w *worker.Worker, log *trace.Log, dev pktio.Device) WorkerState {
	s, stats := WorkerState{Snapshot: w.Snapshot(log)}, dev.Stats()
	s.TxFrames, s.RxFrames = stats.TxFrames, stats.RxFrames
	if state, ok := chassis.Look(w.Beside()); ok {
		s.Server = &state
	}
	return s
}

func build(cfg WorkerConfig, newCore worker.NewCore, log *trace.Log) (w *worker.Worker, closeTensors func() error, err error) {
	parts := worker.Parts{NewCore: newCore, Trace: sinkOf(log)}
	if cfg.Worker.Bench == nil {
		if parts.Images, err = images(cfg.Images); err != nil {
			return nil, nil, err
		}
	}
	closeTensors = func() error { return nil }
	if cfg.Tensors != "" {
		rec, err := tensorfile.Create(cfg.Tensors)
		if err != nil {
			return nil, nil, err
		}
		parts.Recorder, closeTensors = rec, rec.Close
	}
	if w, err = worker.Build(cfg.Worker, parts); err != nil {
		return nil, nil, errors.Join(err, closeTensors())
	}
	return w, closeTensors, nil
}

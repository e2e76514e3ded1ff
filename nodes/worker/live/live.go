// Package live is the process of one worker: it binds the training loop's
// machine to a kernel socket in the worker's namespace and drives it by the
// wall clock.
//
//	UDP protocols   one UDP socket with segmentation offload (package udp)
//	byte streams    a TCP connection to each peer (package tcp)
//
// What the worker sent and was given is written to a file of tensors that only
// the checker reads.
package live

import (
	"context"
	"errors"
	"fmt"

	"github.com/inalab/inalab/internal/pktio"
	"github.com/inalab/inalab/internal/pktio/tcp"
	"github.com/inalab/inalab/internal/pktio/udp"
	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/tensorfile"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/nodes/worker"
)

// Config describes the process of one worker, as it crosses to it. Exactly one
// of UDP and TCP is given.
type Config struct {
	Worker  worker.Config
	UDP     *udp.Config `json:",omitempty"`
	TCP     *tcp.Config `json:",omitempty"`
	Tensors string      // new file for what was sent and delivered; empty: none

	Events     int    // how many of the latest and first events are kept; 0: none
	EventsPath string // new file for them at the end; empty: they serve answers alone
}

// Control is the worker's side of its conversation with whoever started it.
type Control interface {
	// Ready says that the worker waits for the start.
	Ready() error
	// AwaitStart returns the epoch of the run, an instant of
	// [pktio.MonotonicNow] in nanoseconds.
	AwaitStart(ctx context.Context) (epochNs int64, err error)
	// Samples takes the records of iterations that are over; it copies them.
	Samples([]result.Sample) error
	// AwaitAsk returns when the parent wants to know where things stand, or an
	// error once ctx has ended or nobody will ask any more.
	AwaitAsk(ctx context.Context) error
	// Answer tells it.
	Answer(Answer) error
}

// Answer says where things stand at a worker.
type Answer struct {
	Busy  bool            `json:"busy"` // too busy to look: State is empty
	State worker.Snapshot `json:"state"`
}

// Report is what a worker has to say at the end of its run.
type Report struct {
	Node           string         `json:"node"`
	Iterations     int            `json:"iterations"`
	Counters       []sansio.Count `json:"counters"`
	Device         pktio.Stats    `json:"device"`
	Drive          pktio.Report   `json:"drive"`
	TCPRetransmits uint64         `json:"tcp_retransmits"`
	Checked        uint64         `json:"checked"` // by the worker itself, of a benchmark
	Wrong          uint64         `json:"wrong"`
	Compute        units.Duration `json:"compute"` // mean time of a compute, delays left out
}

// device is a pktio.Device, and what is asked of streams at the end.
type device struct {
	pktio.Device
	retransmits func() uint64
}

// Run is the life of a worker in the network namespace of the calling process,
// until its iterations are over or ctx ends. newCore makes the core of the system
// that cfg names.
func Run(ctx context.Context, cfg Config, newCore worker.NewCore, ctl Control) (report Report, err error) {
	report.Node = cfg.Worker.Loop.Node
	log := newLog(cfg)
	w, closeTensors, err := build(cfg, newCore, log)
	if err != nil {
		return report, err
	}
	defer func() { err = errors.Join(err, closeTensors()) }()
	dev, err := open(ctx, cfg)
	if err != nil {
		return report, fmt.Errorf("opening the sockets of worker %s: %w", report.Node, err)
	}
	defer func() { err = errors.Join(err, dev.Close()) }()
	if err := ctl.Ready(); err != nil {
		return report, err
	}
	epoch, err := ctl.AwaitStart(ctx)
	if err != nil {
		return report, err
	}
	desk := desk{worker: w, log: log, dev: dev, ctl: ctl}
	stopAnswers := desk.Open(ctx, ctl.AwaitAsk, desk.tell)
	report.Drive, err = pktio.Drive(ctx, pktio.DriveConfig{
		Machine: w, Device: dev, Clock: pktio.NewClock(epoch), Done: desk.done, OnSamples: ctl.Samples,
	})
	err = errors.Join(err, stopAnswers(), writeLog(log, cfg.EventsPath))
	report.Iterations = w.Job.Iteration()
	report.Counters = w.Job.Core().Counters()
	report.Device = dev.Stats()
	report.TCPRetransmits = dev.retransmits()
	switch j := w.Job.(type) {
	case *worker.Bench:
		report.Checked, report.Wrong = j.Verified()
	case *worker.Loop:
		report.Compute = j.MeanCompute()
	}
	return report, err
}

func build(cfg Config, newCore worker.NewCore, log *trace.Log) (w *worker.Worker, closeTensors func() error, err error) {
	parts := worker.Parts{NewCore: newCore}
	if log != nil {
		parts.Trace = log
	}
	if cfg.Worker.Bench == nil {
		if parts.Images, err = worker.LoadImages(); err != nil {
			return nil, nil, err
		}
	}
	if cfg.Tensors == "" {
		w, err = worker.Build(cfg.Worker, parts)
		return w, func() error { return nil }, err
	}
	rec, err := tensorfile.Create(cfg.Tensors)
	if err != nil {
		return nil, nil, err
	}
	parts.Recorder = rec
	w, err = worker.Build(cfg.Worker, parts)
	if err != nil {
		return nil, nil, errors.Join(err, rec.Close())
	}
	return w, rec.Close, nil
}

func open(ctx context.Context, cfg Config) (device, error) {
	switch {
	case cfg.UDP != nil && cfg.TCP == nil:
		d, err := udp.Open(*cfg.UDP)
		if err != nil {
			return device{}, err
		}
		return device{d, func() uint64 { return 0 }}, nil
	case cfg.TCP != nil && cfg.UDP == nil:
		d, err := tcp.Open(ctx, *cfg.TCP)
		if err != nil {
			return device{}, err
		}
		return device{d, d.Retransmits}, nil
	}
	return device{}, errors.New("the worker needs either a UDP socket or TCP streams")
}

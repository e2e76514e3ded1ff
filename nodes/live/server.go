package live

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/inalab/inalab/internal/pktio"
	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/nodes/meter"
	"github.com/inalab/inalab/nodes/shell"
	"github.com/inalab/inalab/switchd/chassis"
)

// ServerConfig describes the process of one server, as it crosses to it.
type ServerConfig struct {
	Node   string
	System string          // whose server it is
	Core   json.RawMessage // configuration of the machine

	Interval units.Duration `json:",omitempty"` // by which contributions are counted; zero: they are not
	Sockets

	Events     int    // how many of the latest and first events are kept; 0: none
	EventsPath string // new file for them at the end; empty: none
}

// Server is the machine of such a process.
type Server interface {
	sansio.Machine
	// Counters returns packets by type and drops by reason.
	Counters() []sansio.Count
}

// NewServer makes the machine of a server. Sink takes its events; it may be nil.
type NewServer func(config json.RawMessage, sink trace.Sink) (Server, error)

// ServerReport is what a server has to say at the end of its run.
type ServerReport struct {
	Node      string         `json:"node"`
	Counters  []sansio.Count `json:"counters"`
	Device    pktio.Stats    `json:"device"`
	Drive     pktio.Report   `json:"drive"`
	TCPResent result.Resent  `json:"tcp_resent"` // by the kernel
	Added     *result.Added  `json:"added,omitempty"`

	Decisions []result.Decision `json:"decisions,omitempty"` // of a [result.Decider]
}

// ServerAnswer says that a server is there, and what it waits for; of one that does not tell the
// state has no node.
type ServerAnswer = shell.Answer[chassis.EngineState]

// RunServer is the life of a server in the network namespace of the calling process,
// until ctx ends. newServer makes the machine of the system that cfg names, in that namespace
// and before the sockets are opened. A machine that is an [io.Closer] is closed at the end, however
// that comes.
func RunServer(ctx context.Context, cfg ServerConfig, newServer NewServer, parent shell.Parent) (report ServerReport, err error) {
	report.Node = cfg.Node
	log := shell.NewLog(cfg.Events)
	server, err := newServer(cfg.Core, sinkOf(log))
	if err != nil {
		return report, err
	}
	var held closers
	held.add(server)
	defer func() { err = errors.Join(err, held.close(cfg.Node)) }() // at the very end, whatever that is
	dev, err := cfg.open(ctx)
	if err != nil {
		return report, fmt.Errorf("opening the sockets of server %s: %w", cfg.Node, err)
	}
	defer func() { err = errors.Join(err, dev.Close()) }()
	var m sansio.Machine = server
	adding := meter.NewAdding(server, cfg.Interval)
	if adding != nil {
		m = adding
	}
	node := shell.Node[chassis.EngineState]{Prompt: true, Machine: m, Device: dev, Look: func() chassis.EngineState {
		state, _ := chassis.Look(cfg.Node, server)
		return state
	}}
	report.Drive, err = node.Run(ctx, parent)
	err = errors.Join(err, shell.WriteLog(log, cfg.EventsPath, 0))
	report.Added, report.Decisions = adding.Added(), result.DecisionsOf(cfg.Node, server)
	report.Counters, report.Device, report.TCPResent = server.Counters(), dev.Stats(), dev.resent()
	return report, err
}

// sinkOf returns a log as a sink, nil if there is none.
func sinkOf(log *trace.Log) trace.Sink {
	if log == nil {
		return nil
	}
	return log
}

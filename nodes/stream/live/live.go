// Package live is the process of a host without a worker, such as a dedicated
// parameter server: it binds a machine whose ports are byte streams to kernel TCP
// (package tcp) in the host's namespace and drives it by the wall clock.
//
//	workers <--TCP, one stream each--> device <--bytes--> server
//
// A server starts nothing itself: it serves from when its streams are up until
// whoever started it says stop, which is when all workers have ended. A worker
// that closes its streams in order is done, and no error; one that resets them is.
package live

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/inalab/inalab/internal/pktio"
	"github.com/inalab/inalab/internal/pktio/tcp"
	"github.com/inalab/inalab/internal/sansio"
)

// Config describes the process of one server, as it crosses to it.
type Config struct {
	Node   string
	System string          // whose server it is
	Core   json.RawMessage // configuration of the machine
	TCP    tcp.Config      // its streams, by port of the machine
}

// Server is the machine of such a host.
type Server interface {
	sansio.Machine
	// Counters returns packets by type and drops by reason.
	Counters() []sansio.Count
}

// Control is the server's side of its conversation with whoever started it. The
// end of Run's context is the command to stop.
type Control interface {
	// Ready says that all streams are up.
	Ready() error
	// AwaitStart returns the epoch of the run, an instant of
	// [pktio.MonotonicNow] in nanoseconds.
	AwaitStart(ctx context.Context) (epochNs int64, err error)
	// AwaitAsk returns when the parent wants to know where things stand, or an
	// error once ctx has ended or nobody will ask any more.
	AwaitAsk(ctx context.Context) error
	// Answer tells it.
	Answer(Answer) error
}

// Answer says that a server is there. It has nothing else to say: it only waits
// for its workers.
type Answer struct {
	Busy bool `json:"busy"` // too busy to look up
}

// Report is what a server has to say at the end of its run.
type Report struct {
	Node           string         `json:"node"`
	Counters       []sansio.Count `json:"counters"`
	Device         pktio.Stats    `json:"device"`
	Drive          pktio.Report   `json:"drive"`
	TCPRetransmits uint64         `json:"tcp_retransmits"`
}

// Run is the life of a server in the network namespace of the calling process,
// until ctx ends. newServer makes the machine of the system that cfg names.
func Run(ctx context.Context, cfg Config, newServer func(json.RawMessage) (Server, error), ctl Control) (report Report, err error) {
	report.Node = cfg.Node
	server, err := newServer(cfg.Core)
	if err != nil {
		return report, err
	}
	dev, err := tcp.Open(ctx, cfg.TCP)
	if err != nil {
		return report, fmt.Errorf("opening the streams of server %s: %w", cfg.Node, err)
	}
	defer func() { err = errors.Join(err, dev.Close()) }()
	if err := ctl.Ready(); err != nil {
		return report, err
	}
	epoch, err := ctl.AwaitStart(ctx)
	if err != nil {
		return report, err
	}
	desk := desk{dev: dev, ctl: ctl}
	stopAnswers := desk.Open(ctx, ctl.AwaitAsk, desk.tell)
	report.Drive, err = pktio.Drive(ctx, pktio.DriveConfig{
		Machine: server, Device: dev, Clock: pktio.NewClock(epoch), Done: func() bool { desk.Answer(); return false },
	})
	err = errors.Join(err, stopAnswers())
	report.Counters, report.Device, report.TCPRetransmits = server.Counters(), dev.Stats(), dev.Retransmits()
	return report, err
}

package live

import (
	"context"
	"encoding/json"
	"errors"
	"net/netip"
	"strings"
	"testing"

	"github.com/inalab/inalab/internal/pktio"
	"github.com/inalab/inalab/internal/pktio/udp"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/nodes/gradient"
	"github.com/inalab/inalab/nodes/worker"
)

var errStuck = errors.New("stuck")

// holder is a core and a server that must be closed, which fails.
type holder struct {
	mirror
	closed int
}

func (h *holder) Close() error {
	h.closed++
	return errStuck
}

// obedient is a parent that starts a node at once, and may interrupt it then.
type obedient struct {
	commander
	stop func() // nil: it lets the node go on
}

func (o *obedient) AwaitStart(context.Context) (int64, error) {
	if o.stop != nil {
		o.stop()
	}
	return pktio.MonotonicNow(), nil
}

func (o *obedient) AwaitStartOrJoin(ctx context.Context) (int64, Checkpoint, error) {
	epoch, err := o.AwaitStart(ctx)
	return epoch, Checkpoint{}, err
}

func (o *obedient) AwaitAsk(ctx context.Context) error {
	<-ctx.Done()
	return ctx.Err()
}

func (o *obedient) AwaitQuestion(ctx context.Context) (Checkpoint, error) {
	return Checkpoint{}, o.AwaitAsk(ctx)
}

// ways are how a process may end. A machine is closed once by each of them, and the error of that is
// told beside others.
var ways = []struct {
	name      string
	spoil     func(*worker.Config, *Sockets)
	interrupt bool
	want      string // of the error; empty: that of closing alone
}{
	{"end", func(*worker.Config, *Sockets) {}, false, ""},
	{"interrupt", func(w *worker.Config, _ *Sockets) { w.Loop.Iterations = 1 << 30 }, true, ""},
	{"no sockets", func(_ *worker.Config, s *Sockets) { s.UDP = nil }, false, "needs one of"},
	{"sockets that cannot be", func(_ *worker.Config, s *Sockets) { s.UDP.Bind = netip.MustParseAddrPort("192.0.2.1:0") }, false, "cannot assign"},
}

func TestCoresAreClosed(t *testing.T) {
	all := append(ways[:len(ways):len(ways)], ways[0])
	bad := &all[len(all)-1]
	bad.name, bad.want = "no worker around the core", "iterations"
	bad.spoil = func(w *worker.Config, _ *Sockets) { w.Loop.Iterations = 0 }
	for _, way := range all {
		t.Run(way.name, func(t *testing.T) {
			core := &holder{}
			cfg := WorkerConfig{Sockets: Sockets{UDP: &udp.Config{Bind: loopback}}}
			cfg.Worker = worker.Config{Workers: 2, Model: worker.ModelConfig{Hidden: 2, MiniBatch: 1}}
			cfg.Worker.Loop = worker.LoopConfig{Node: "h0", System: "mirror", Iterations: 1, Points: 1, Compute: 100 * units.Microsecond}
			way.spoil(&cfg.Worker, &cfg.Sockets)
			ctx, stop := context.WithCancel(t.Context())
			defer stop()
			parent := &obedient{}
			if way.interrupt {
				parent.stop = stop
			}
			_, err := RunWorker(ctx, cfg, func(json.RawMessage, gradient.Recorder, trace.Sink) (worker.Collective, error) { return core, nil }, parent)
			checkClosed(t, core, err, way.want)
		})
	}
}

func TestServersAreClosed(t *testing.T) {
	for _, way := range ways[1:] { // a server ends when it is told to
		t.Run(way.name, func(t *testing.T) {
			server := &holder{}
			cfg := ServerConfig{Node: "h0", Sockets: Sockets{UDP: &udp.Config{Bind: loopback}}}
			way.spoil(&worker.Config{}, &cfg.Sockets)
			ctx, stop := context.WithCancel(t.Context())
			defer stop()
			_, err := RunServer(ctx, cfg, func(json.RawMessage, trace.Sink) (Server, error) { return server, nil }, &obedient{stop: stop})
			checkClosed(t, server, err, way.want)
		})
	}
}

func checkClosed(t *testing.T, h *holder, err error, want string) {
	t.Helper()
	if h.closed != 1 {
		t.Errorf("closed %d times", h.closed)
	}
	if !errors.Is(err, errStuck) || !strings.Contains(err.Error(), "closing the machine of h0: stuck") || !strings.Contains(err.Error(), want) {
		t.Errorf("error %v, want that of closing and %q", err, want)
	}
}

// What was never made is not closed, and a core that holds nothing need not be.
func TestNothingToClose(t *testing.T) {
	var held closers
	refuse := held.cores(func(json.RawMessage, gradient.Recorder, trace.Sink) (worker.Collective, error) { return nil, errStuck })
	if _, err := refuse(nil, nil, nil); !errors.Is(err, errStuck) {
		t.Error(err)
	}
	if _, err := held.cores(newMirror)(nil, nil, nil); err != nil {
		t.Error(err)
	}
	if len(held) != 0 || held.close("h0") != nil {
		t.Errorf("%d machines to close", len(held))
	}
}

var _ sansio.Machine = (*holder)(nil)

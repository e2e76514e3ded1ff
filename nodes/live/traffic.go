package live

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/inalab/inalab/internal/pktio"
	"github.com/inalab/inalab/internal/pktio/udp"
	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/nodes/meter"
	"github.com/inalab/inalab/nodes/traffic"
)

// TrafficConfig describes the process of the ends of flows on a host, as it crosses to it.
type TrafficConfig struct {
	Node string
	UDP  []UDPEnd `json:",omitempty"`
	TCP  []TCPEnd `json:",omitempty"`

	Interval   units.Duration `json:",omitempty"` // by which what comes to receivers is counted; zero: it is not
	Collectors []CollectorEnd `json:",omitempty"`
}

// UDPEnd is an end of a flow of UDP.
type UDPEnd struct {
	Flow    string                // its name
	Source  *traffic.SourceConfig `json:",omitempty"` // nil: this end receives
	Options bool                  `json:",omitempty"` // its packets have options in their IP header
	Socket  udp.Config
}

// EndReport is what an end of a flow counted.
type EndReport struct {
	Flow     string           `json:"flow"`
	Sends    bool             `json:"sends"`
	Sent     traffic.Sent     `json:"sent"`
	Received traffic.Received `json:"received"`

	Collects string             `json:"collects,omitempty"` // program whose reports this end takes: it is of no flow
	Observed []traffic.Observed `json:"observed,omitempty"`

	Device pktio.Stats    `json:"device"` // of UDP
	Drive  pktio.Report   `json:"drive"`  // of UDP
	Series *result.Series `json:"series,omitempty"`
}

// TrafficReport is what the process has to say at the end of its run.
type TrafficReport struct {
	Node string      `json:"node"`
	Ends []EndReport `json:"ends"`
}

// TrafficParent is the process's side of its conversation with whoever started it.
type TrafficParent interface {
	// Ready says that receiving ends listen.
	Ready() error
	// AwaitStart returns the epoch of the run once it is started.
	AwaitStart(ctx context.Context) (epochNs int64, err error)
}

// linger is how long receiving ends go on when the run is over, and sending ones have ended;
// of TCP, how long the kernel sends what it holds. It is for what is on its way (assumed: several times what the queue of a port holds by default
// in scenarios, 134 ms).
const linger = 500 * time.Millisecond

// trafficEnd is an end whose sockets are open.
type trafficEnd interface {
	// run goes on until ctx ends, and does all that follows.
	run(ctx context.Context, clock pktio.Clock) (EndReport, error)
	close() error
}

// RunTraffic is the life of the ends of flows in the network namespace of the calling
// process, until ctx ends. Each has a goroutine of its own, and sockets of its own.
func RunTraffic(ctx context.Context, cfg TrafficConfig, parent TrafficParent) (report TrafficReport, err error) {
	report.Node = cfg.Node
	ends, err := cfg.open(ctx)
	defer func() {
		for _, e := range ends {
			err = errors.Join(err, e.close())
		}
	}()
	if err != nil {
		return report, err
	}
	if err := parent.Ready(); err != nil {
		return report, err
	}
	epoch, err := parent.AwaitStart(ctx)
	if err != nil {
		return report, err
	}
	clock := pktio.NewClock(epoch)
	report.Ends = make([]EndReport, len(ends))
	errs := make([]error, len(ends))
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var running sync.WaitGroup
	for i, e := range ends {
		running.Go(func() {
			if report.Ends[i], errs[i] = e.run(ctx, clock); errs[i] != nil {
				cancel() // the others need not wait for the end of the run
			}
		})
	}
	running.Wait()
	if err := errors.Join(errs...); err != nil {
		return report, err
	}
	<-ctx.Done() // all flows may have stopped before
	return report, nil
}

// open opens the sockets of all ends. Those that it returns are open beside an error, too.
func (c *TrafficConfig) open(ctx context.Context) (ends []trafficEnd, err error) {
	for i := range c.UDP {
		e, err := c.UDP[i].open(meter.New(c.Interval))
		if err != nil {
			return ends, fmt.Errorf("opening flow %s at %s: %w", c.UDP[i].Flow, c.Node, err)
		}
		ends = append(ends, e)
	}
	for i := range c.Collectors {
		e, err := c.Collectors[i].open()
		if err != nil {
			return ends, fmt.Errorf("opening the collector of %s at %s: %w", c.Collectors[i].Program, c.Node, err)
		}
		ends = append(ends, e)
	}
	dialing := &sync.Mutex{}
	for i := range c.TCP {
		e, err := c.TCP[i].open(ctx, dialing)
		if err != nil {
			return ends, fmt.Errorf("opening flow %s at %s: %w", c.TCP[i].Flow, c.Node, err)
		}
		e.meter = meter.New(c.Interval)
		ends = append(ends, e)
	}
	return ends, nil
}

// udpEnd is an end of UDP with its socket.
type udpEnd struct {
	flow    string
	machine sansio.Machine
	device  *udp.Device
}

func (e *UDPEnd) open(count *meter.Meter) (*udpEnd, error) {
	var m sansio.Machine = &traffic.Sink{Meter: count, Options: e.Options}
	if e.Source != nil {
		source, err := traffic.NewSource(*e.Source)
		if err != nil {
			return nil, err
		}
		m = source
	}
	dev, err := udp.Open(e.Socket)
	if err != nil {
		return nil, err
	}
	return &udpEnd{e.Flow, m, dev}, nil
}

func (e *udpEnd) close() error { return e.device.Close() }

// run drives the machine. A sink goes on for a while when the run is over.
func (e *udpEnd) run(ctx context.Context, clock pktio.Clock) (r EndReport, err error) {
	r.Flow = e.flow
	source, sends := e.machine.(*traffic.Source)
	if !sends {
		var cancel context.CancelFunc
		ctx, cancel = lingering(ctx)
		defer cancel()
	}
	r.Drive, err = pktio.Drive(ctx, pktio.DriveConfig{Machine: e.machine, Device: e.device, Clock: clock, Prompt: true})
	r.Device = e.device.Stats()
	if r.Sends = sends; sends {
		r.Sent = source.Sent()
	} else {
		sink := e.machine.(*traffic.Sink)
		r.Received, r.Series = sink.Received(), sink.Meter.Series()
	}
	return r, flowError(e.flow, err)
}

// lingering returns a context that ends a while after ctx.
func lingering(ctx context.Context) (context.Context, context.CancelFunc) {
	later, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		select {
		case <-time.After(linger):
			cancel()
		case <-later.Done():
		}
	})
	return later, func() { stop(); cancel() }
}

func flowError(flow string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("flow %s: %w", flow, err)
}

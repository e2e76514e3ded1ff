package onehop

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	wire "github.com/inalab/inalab/internal/wire/xagg"
)

// Kind is an aggregator.
type Kind string

// The aggregators.
const (
	XDP        Kind = "xdp"         // the XDP program in the driver of veth
	XDPGeneric Kind = "xdp-generic" // the same in the kernel's stack
	Poll       Kind = "poll"        // the same logic in Go, on AF_XDP sockets that are polled without a pause
	TCP        Kind = "tcp"         // a relay over kernel TCP, segments as large as the kernel makes them
	TCPPlain   Kind = "tcp-plain"   // the same, a segment and a pair of system calls for each packet's values
)

// Kinds lists the aggregators.
func Kinds() []Kind { return []Kind{XDP, XDPGeneric, Poll, TCP, TCPPlain} }

// overTCP reports whether hosts talk TCP.
func (k Kind) overTCP() bool { return k == TCP || k == TCPPlain }

// Limits of a measurement.
const (
	MaxQueues = 8
	MaxBurst  = 64 // a quarter of what the ring of a veth holds
	// Fragments is how many elements each sender goes round: 64 MiB with 256 values, more than a
	// cache holds, as a model is (assumed).
	Fragments = 1 << 16
)

// Config says what is measured.
type Config struct {
	Aggregator Kind
	Values     int // of a packet, 32 to 320
	Queues     int // receive queues of the server, each with a sender; 0: 1
	// Rate is the packets that all senders send in a second. Zero: as many as they can.
	Rate float64
	// Burst is the packets of a Rate that leave at once, over TCP the least of a write. 0: 1. At most
	// MaxBurst.
	Burst int
	// Idle measures with senders that send nothing.
	Idle bool
	// For is how long is measured, behind a warm-up of a quarter of that. At least a millisecond.
	For time.Duration
	// Shared puts each sender on the CPU of its queue. Else senders and the parameter server have
	// one CPU, the aggregator another one, if there are two.
	Shared bool
	// RoundTrips sends one packet in 64 back to the worker, which takes the time.
	RoundTrips bool
	// Direct leaves the server out: the worker sends to the parameter server.
	Direct bool
	// Cost has the kernel take the time of each run of the XDP program, which makes it slower.
	Cost bool
}

// Errors that callers test.
var (
	ErrUnsupported = errors.New("measuring an aggregator on real packets needs Linux 6.1 or later")
	ErrPermission  = errors.New("measuring an aggregator on real packets needs root: XDP programs cannot be loaded without")
)

func (c *Config) normalise() error {
	if c.Queues == 0 {
		c.Queues = 1
	}
	if c.Burst == 0 {
		c.Burst = 1
	}
	switch {
	case !slices.Contains(Kinds(), c.Aggregator):
		return fmt.Errorf("aggregator %q: there are %s", c.Aggregator, names())
	case c.Values < wire.MinValues || c.Values > wire.MaxValues:
		return fmt.Errorf("%d values: a packet has %d to %d", c.Values, wire.MinValues, wire.MaxValues)
	case c.Queues < 1 || c.Queues > MaxQueues:
		return fmt.Errorf("%d queues: 1 to %d are possible", c.Queues, MaxQueues)
	case c.Queues > 1 && c.Aggregator != XDP:
		return fmt.Errorf("%d queues of %s: several are measured of %s alone", c.Queues, c.Aggregator, XDP)
	case c.Queues > 1 && !c.Shared:
		return fmt.Errorf("%d queues: each shares the CPU of its sender", c.Queues)
	case c.Shared && c.Aggregator != XDP:
		return fmt.Errorf("%s has threads of its own: only %s shares CPUs", c.Aggregator, XDP)
	case c.Rate < 0:
		return fmt.Errorf("%g packets a second: it is above 0, or 0 for as many as can be sent", c.Rate)
	case c.Burst < 1 || c.Burst > MaxBurst:
		return fmt.Errorf("bursts of %d packets: 1 to %d are possible", c.Burst, MaxBurst)
	case c.For < time.Millisecond:
		return fmt.Errorf("%v is too short to measure: take a millisecond or more", c.For)
	}
	return nil
}

// Validate returns what is wrong with a configuration.
func (c Config) Validate() error { return c.normalise() }

func names() string {
	var list []string
	for _, k := range Kinds() {
		list = append(list, string(k))
	}
	return strings.Join(list, ", ")
}

// Result is what was measured.
type Result struct {
	Elapsed        time.Duration
	Sent, Received uint64 // packets that left the workers, and that came to the parameter server
	// CPU is the share of a CPU's time that the aggregator's threads had, of what others left of
	// it; with several queues of all their CPUs. Used is the CPU time in which it worked: of one
	// that polls, only with packets in hand. Foreign is the share of its CPU that others had.
	// KnownCPU is false where threads of the kernel cannot be seen, as in a container: then these
	// are unknown.
	CPU, Foreign float64
	Used         time.Duration
	Sending      time.Duration
	KnownCPU     bool

	Cost    time.Duration   // of the XDP program for a packet; 0: unknown
	Trips   []time.Duration // round trips
	Again   float64         // share of segments that TCP sent again
	Wrong   int             // values that are not what was sent
	Checked int
}

// Rate returns the packets that came to the parameter server in a second.
func (r *Result) Rate() float64 { return float64(r.Received) / r.Elapsed.Seconds() }

// CoreRate returns the packets that came to the parameter server for each second of CPU time in which
// the aggregator worked: its rate on a core of its own, whatever else this machine does. With
// CPUs that senders share, it is that of all CPUs, senders included. 0 is unknown.
func (r *Result) CoreRate() float64 {
	if r.Used <= 0 {
		return 0
	}
	return float64(r.Received) / r.Used.Seconds()
}

// CoreRateUnsent is [Result.CoreRate] without the time of sending, which of a polling process is the
// kernel's, with a copy: a card would send by itself.
func (r *Result) CoreRateUnsent() float64 {
	if r.Used <= r.Sending {
		return 0
	}
	return float64(r.Received) / (r.Used - r.Sending).Seconds()
}

// Loss returns the share of packets that did not come.
func (r *Result) Loss() float64 {
	if r.Sent == 0 || r.Received >= r.Sent {
		return 0
	}
	return float64(r.Sent-r.Received) / float64(r.Sent)
}

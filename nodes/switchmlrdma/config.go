package switchmlrdma

import (
	"errors"
	"fmt"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
	"github.com/inalab/inalab/internal/wire/roce"
	wire "github.com/inalab/inalab/internal/wire/switchml"
	"github.com/inalab/inalab/nodes/gradient"
)

const (
	// DefaultPackets is how many packets a message has, generally (§5).
	DefaultPackets = 16
	// MaxPackets bounds them (assumed: what is lost is sent again in messages).
	MaxPackets = 16
	// DefaultTimeout is the retransmission timeout of the paper (§6.3).
	DefaultTimeout = 1 * units.Millisecond
	// MaxTimeout is what doubling stops at (assumed).
	MaxTimeout = 1 * units.Second
)

// Config describes one worker of a job.
type Config struct {
	Node     string
	Workers  int         // n, at least 1
	Tensor   int         // elements of the tensor, at least 1
	Elements int         // values a packet: 64, 128 or 256, whose bytes are a path MTU of InfiniBand
	Packets  int         // packets a message; zero means DefaultPackets
	Queues   int         // queue pairs: messages on their way
	Job      uint8       // in trace events
	Flow     inet.Flow   // from this worker to the switch
	Port     sansio.Port // port of the machine that packets leave by

	// Numbers that the control plane has exchanged. Those of queue pair i are i more.
	QPN     uint32   // of queue pair 0 here
	PeerQPN uint32   // of its other end
	PSN     roce.PSN // that each queue pair sends first
	Key     uint32   // of the memory here that results are written to
	PeerKey uint32   // of slot 0, set 0

	// A message without a result is sent again after Timeout, zero meaning
	// DefaultTimeout, and after twice as long each further time: where the round trip
	// is longer than the timeout, whole messages would else fill the line for good.
	Timeout      units.Duration
	NoRetransmit bool // true: what is lost stays lost

	// CheckICRC drops packets whose ICRC is wrong. Behind a kernel's socket, which
	// does not tell what the IP header was, none is right.
	CheckICRC bool `json:",omitempty"`

	Scaling  gradient.Rule     `json:",omitempty"` // zero means gradient.AppendixE
	Sample   gradient.Sampling // of a run that carries unstored values in the other blocks; tensors hold the sampled ones
	Integers bool              // the tensor is int32 already: no scaling, no exponents (BeginInts)
	Recorder gradient.Recorder `json:"-"`
	Trace    trace.Sink        `json:"-"`
}

// block returns the elements of a message.
func (c *Config) block() int { return c.Packets * c.Elements }

// bytes returns the bytes of a message.
func (c *Config) bytes() int { return 4 * c.block() }

func (c *Config) validate() error {
	var errs []error
	fault := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	if c.Elements != 64 && c.Elements != 128 && c.Elements != 256 {
		fault("%d elements a packet: allowed are 64, 128, 256", c.Elements)
	}
	if c.Packets < 1 || c.Packets > MaxPackets {
		fault("%d packets a message: 1 to %d are possible", c.Packets, MaxPackets)
	}
	if c.Queues < 1 || c.Queues*max(1, c.Packets) > wire.MaxSlots {
		fault("%d queue pairs, each with %d slots: 1 to %d slots are possible", c.Queues, c.Packets, wire.MaxSlots)
	}
	if c.Workers < 1 || c.Tensor < 1 || c.Timeout < 0 {
		fault("%d workers, tensor of %d elements, timeout %v: workers and elements must be positive, the timeout not negative", c.Workers, c.Tensor, c.Timeout)
	}
	if !c.Flow.Src.Is4() || !c.Flow.Dst.Is4() {
		fault("sending from %v to %v: both must be IPv4 addresses", c.Flow.Src, c.Flow.Dst)
	}
	if last := max(c.QPN, c.PeerQPN) + uint32(max(0, c.Queues-1)); last > roce.MaxQueuePair || c.PSN > roce.MaxPSN {
		fault("queue pair %#x, PSN %#x: they have 24 bits", last, c.PSN)
	}
	errs = append(errs, c.Scaling.Validate())
	return errors.Join(errs...)
}

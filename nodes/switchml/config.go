package switchml

import (
	"errors"
	"fmt"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
	wire "github.com/inalab/inalab/internal/wire/switchml"
	"github.com/inalab/inalab/nodes/gradient"
)

// DefaultTimeout is the retransmission timeout of the paper (§6.3).
const DefaultTimeout = 1 * units.Millisecond

// ClientThreshold is after how many timeouts of a thread the public client
// doubles its timeout by default, and by how much that number grows each time.
const ClientThreshold = 100

// MaxTimeout is what doubling stops at (assumed: a job whose packets take longer
// has stopped for another reason).
const MaxTimeout = 1 * units.Second

// MaxThreads bounds the threads of a worker (assumed; the paper has 8, §5).
const MaxThreads = 64

// Config describes one worker of a job.
type Config struct {
	Node     string
	Workers  int         // n, at least 1
	Tensor   int         // elements of a generation's gradient, at least 1
	Tensors  []int       `json:",omitempty"` // lengths of the tensors it is made of, in its order; nil: it is one
	Elements int         // k, 32-bit words of values a packet: 32, 64, 128 or 256
	Slots    int         // s, pool size of all threads together
	Job      uint8       // job byte of the header
	Flow     inet.Flow   // from this worker to the switch; thread t sends from SrcPort + t
	Port     sansio.Port // port of the machine that packets leave by

	// Threads share tensors and slots among them without shared state (§5); zero
	// means 1. They divide Slots. OnePort is for a host with a single socket: all
	// threads send from SrcPort.
	Threads int  `json:",omitempty"`
	OnePort bool `json:",omitempty"`

	// Streaming makes all tensors one stream (App B): slots go on from one tensor to
	// the next while peers and other slots are still in the one before. Otherwise a
	// tensor begins at slot 0 when the one before is complete.
	Streaming bool `json:",omitempty"`

	Values  Values        `json:",omitempty"` // what packets carry; zero means Int32
	Scaling gradient.Rule `json:",omitempty"` // of Int32; zero means gradient.AppendixE

	// A lost packet is sent again after Timeout; zero means DefaultTimeout. After
	// Threshold timeouts of a thread in a tensor its timeout doubles, and the
	// threshold grows by Increment; zero: it does not double.
	Timeout      units.Duration
	Threshold    int  `json:",omitempty"`
	Increment    int  `json:",omitempty"`
	NoRetransmit bool // true: lost packets stay lost

	// Coarse makes a thread look at its timers once a timeout, as the public client does
	// (p4app-switchML, dpdk_worker_thread.cc): a lost packet is sent again after one to
	// two timeouts.
	Coarse bool `json:",omitempty"`

	Sample   gradient.Sampling // of a run that carries unstored values in the other blocks; tensors hold the sampled ones
	Integers bool              // the tensor is int32 already: no scaling, no exponents (BeginInts)
	Recorder gradient.Recorder `json:"-"`
	Trace    trace.Sink        `json:"-"`
}

// threads returns how many threads there are.
func (c *Config) threads() int { return max(1, c.Threads) }

// PoolOf returns how many slots of each set a switch must have for a pool of
// slots that threads share: thread t owns M = slots/threads of them, from 2Mt on,
// as in the public client, which leaves as many behind each.
func PoolOf(slots, threads int) int {
	threads = max(1, threads)
	m := slots / threads
	return 2*m*(threads-1) + m
}

// block returns the values of a packet.
func (c *Config) block() int { return c.Values.Count(c.Elements) }

// tensors returns the lengths of a generation's tensors.
func (c *Config) tensors() []int {
	if len(c.Tensors) == 0 {
		return []int{c.Tensor}
	}
	return c.Tensors
}

func (c *Config) validate() error {
	var errs []error
	fault := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	if _, ok := wire.SizeOf(c.Elements); !ok {
		fault("%d elements a packet: allowed are 32, 64, 128, 256", c.Elements)
	}
	if n := c.threads(); c.Threads < 0 || n > MaxThreads || c.Slots%n != 0 {
		fault("%d threads for %d slots: 1 to %d are possible, each with as many slots", c.Threads, c.Slots, MaxThreads)
	}
	if most := PoolOf(c.Slots, c.threads()); c.Slots < 1 || most > wire.MaxSlots {
		fault("pool of %d slots, which reach up to %d: 1 to %d are possible", c.Slots, most, wire.MaxSlots)
	}
	if c.Workers < 1 || c.Tensor < 1 || c.Timeout < 0 {
		fault("%d workers, tensor of %d elements, timeout %v: workers and elements must be positive, the timeout not negative", c.Workers, c.Tensor, c.Timeout)
	}
	if c.Threshold < 0 || c.Increment < 0 {
		fault("timeout doubles after %d timeouts, then %d more: they must not be negative", c.Threshold, c.Increment)
	}
	if !c.Flow.Src.Is4() || !c.Flow.Dst.Is4() {
		fault("sending from %v to %v: both must be IPv4 addresses", c.Flow.Src, c.Flow.Dst)
	}
	if last := int(c.Flow.SrcPort) + c.threads() - 1; !c.OnePort && last > 0xffff {
		fault("threads send from UDP ports %d to %d: the last is 65535", c.Flow.SrcPort, last)
	}
	errs = append(errs, c.Sample.CheckTensors(c.Tensors, c.Tensor), c.validateValues())
	return errors.Join(errs...)
}

func (c *Config) validateValues() error {
	errs := []error{c.Scaling.Validate(), c.Values.validate(c.Workers)}
	if c.Integers && c.Values.twoPerWord() {
		errs = append(errs, fmt.Errorf("int32 tensors are sent as they are, not as %s", c.Values))
	}
	return errors.Join(errs...)
}

package switchml

import (
	"errors"
	"fmt"

	"github.com/inalab/inalab/harness/result"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/vec"
	"github.com/inalab/inalab/internal/wire/inet"
	wire "github.com/inalab/inalab/internal/wire/switchml"
	"github.com/inalab/inalab/nodes/gradient"
)

// DefaultTimeout is the retransmission timeout of the paper (§6.3).
const DefaultTimeout = 1 * units.Millisecond

// Names of counters; drops carry the names of the wire format or these.
const (
	CountSent        = "switchml-sent"
	CountResults     = "switchml-results"
	CountRetransmits = "switchml-retransmits"
	CountSaturated   = "switchml-saturated-values"
	DropForeign      = "switchml-foreign-packet"
	DropStale        = "switchml-stale-result"
)

// Config describes one worker of a job.
type Config struct {
	Node         string
	Workers      int               // n, at least 1
	Tensor       int               // elements of the tensor, at least 1
	Elements     int               // k, values a packet: 32, 64, 128 or 256
	Slots        int               // s, pool size
	Job          uint8             // job byte of the header
	Flow         inet.Flow         // from this worker to the switch
	Port         sansio.Port       // port of the machine that packets leave by
	Timeout      units.Duration    // zero means DefaultTimeout
	NoRetransmit bool              // true: lost packets stay lost
	Sample       gradient.Sampling // of a run that carries lengths only in the other blocks; tensors hold the sampled ones
	Integers     bool              // the tensor is int32 already: no scaling, no exponents (BeginInts)
	Recorder     gradient.Recorder `json:"-"`
	Trace        trace.Sink        `json:"-"`
}

func (c Config) validate() error {
	var errs []error
	if _, ok := wire.SizeOf(c.Elements); !ok {
		errs = append(errs, fmt.Errorf("%d elements a packet: allowed are 32, 64, 128, 256", c.Elements))
	}
	if c.Slots < 1 || c.Slots > wire.MaxSlots {
		errs = append(errs, fmt.Errorf("pool of %d slots: 1 to %d are possible", c.Slots, wire.MaxSlots))
	}
	if c.Workers < 1 || c.Tensor < 1 || c.Timeout < 0 {
		errs = append(errs, fmt.Errorf("%d workers, tensor of %d elements, timeout %v: workers and elements must be positive, the timeout not negative", c.Workers, c.Tensor, c.Timeout))
	}
	if !c.Flow.Src.Is4() || !c.Flow.Dst.Is4() {
		errs = append(errs, fmt.Errorf("sending from %v to %v: both must be IPv4 addresses", c.Flow.Src, c.Flow.Dst))
	}
	return errors.Join(errs...)
}

// Core is one worker's end of the protocol.
type Core struct {
	cfg      Config
	size     wire.SizeEnum
	template []byte
	to       []sansio.Port
	blocks   int
	held     int // elements of the tensor that are held
	slots    []slot
	timers   timers

	gen         int
	grad        []float32 // borrowed from Begin until the generation is complete
	q           []int32
	sums        []int32   // of the blocks held, padded to whole blocks
	factors     []float64 // scaling factor of each block held
	remaining   int
	retransmits int
	saturated   int
	count       sansio.Tally
}

// exponentsOnly is the block of a packet that carries no values.
const exponentsOnly = -1

type slot struct {
	set   uint8  // set of the packet in flight
	phase uint32 // packets sent on this slot: the id of the one in flight
	block int    // its block, or exponentsOnly
	busy  bool   // a packet is in flight
}

// New returns a worker that has sent nothing yet.
func New(cfg Config) (*Core, error) {
	if err := cfg.validate(); err != nil {
		return nil, fmt.Errorf("configuring switchml worker %s: %w", cfg.Node, err)
	}
	if cfg.Timeout == 0 {
		cfg.Timeout = DefaultTimeout
	}
	blocks := (cfg.Tensor + cfg.Elements - 1) / cfg.Elements
	held := cfg.Sample.Held(blocks-1) + 1
	c := &Core{
		cfg: cfg, template: inet.UDPHeader(cfg.Flow), to: []sansio.Port{cfg.Port}, blocks: blocks, gen: -1,
		held:  cfg.Sample.Elements(cfg.Tensor, cfg.Elements),
		slots: make([]slot, cfg.Slots), factors: make([]float64, held),
		sums: make([]int32, held*cfg.Elements),
	}
	if !cfg.Integers {
		c.q = make([]int32, c.held)
	}
	c.size, _ = wire.SizeOf(cfg.Elements)
	for i := range c.slots {
		c.slots[i].set = 1 // the first packet flips it to 0
	}
	return c, nil
}

// BeginInts starts the all-reduce of an int32 tensor, of a worker configured
// for Integers. q is borrowed until the generation is complete.
func (c *Core) BeginInts(now units.Time, gen int, q []int32, eff *sansio.Effects) {
	c.gen, c.remaining, c.retransmits = gen, c.blocks, 0
	c.q = q
	for i := range min(len(c.slots), c.blocks) {
		c.slots[i].block = i
		c.next(now, i, eff)
	}
}

// Sums returns the integer sums of the complete generation, borrowed until the
// next begins.
func (c *Core) Sums() []int32 { return c.sums[:c.held] }

// Begin starts the all-reduce of generation gen. grad is borrowed until the
// generation is complete; the one before must be.
func (c *Core) Begin(now units.Time, gen int, grad []float32, eff *sansio.Effects) {
	c.gen, c.grad, c.remaining, c.retransmits, c.saturated = gen, grad[:c.held], c.blocks, 0, 0
	for i := range min(len(c.slots), c.blocks) {
		c.slots[i].block = exponentsOnly
		c.next(now, i, eff)
	}
}

// Complete reports whether all results of generation gen are here.
func (c *Core) Complete(gen int) bool { return gen == c.gen && c.remaining == 0 }

// Finish ends the complete generation gen. The tensors go to the function that
// it returns, and the core takes new ones: the function may be called at any
// time, on any goroutine.
func (c *Core) Finish(gen int) (result.Outcome, func(mean []float32)) {
	q, sums, factors := c.q, c.sums, c.factors
	c.q, c.sums, c.factors = make([]int32, len(q)), make([]int32, len(sums)), make([]float64, len(factors))
	cfg, held := c.cfg, c.held
	mean := func(dst []float32) {
		for i, f := range factors {
			lo, hi := i*cfg.Elements, min((i+1)*cfg.Elements, held)
			gradient.MeanBlock(dst[lo:hi], sums[lo:hi], f, cfg.Workers)
		}
		if cfg.Recorder != nil {
			cfg.Recorder.Sent(gen, q)
			cfg.Recorder.Delivered(gen, sums[:held])
		}
	}
	return result.Outcome{Retransmits: c.retransmits, Contributed: true, Saturated: c.saturated}, mean
}

// Skip counts a generation as reduced: slots keep their sets and phases, as the
// switch and the other workers do.
func (c *Core) Skip(gen int) { c.gen = gen }

// Counters returns packets by type and drops by reason.
func (c *Core) Counters() []sansio.Count { return c.count.List() }

// Handle takes results.
func (c *Core) Handle(now units.Time, in []sansio.Arrival, eff *sansio.Effects) {
	for i := range in {
		t := &in[i].Train
		if !c.ours(t) {
			c.count.Add(DropForeign, uint64(t.Frames()))
			continue
		}
		for f := range t.Frames() {
			c.result(now, t.Payload(f), t.Pad, eff)
		}
	}
}

func (c *Core) ours(t *sansio.Train) bool {
	l, problem := t.Layout()
	if problem != inet.OK || l.Proto != inet.ProtoUDP {
		return false
	}
	ip, udp := inet.IPv4(t.Header[inet.EtherLen:]), inet.UDP(t.Header[l.Transport:])
	return ip.Src() == c.cfg.Flow.Dst && udp.SrcPort() == c.cfg.Flow.DstPort && udp.DstPort() == c.cfg.Flow.SrcPort
}

// result is "upon receive" of Algorithm 4.
func (c *Core) result(now units.Time, payload []byte, pad int, eff *sansio.Effects) {
	var h wire.Header
	if problem := h.Read(payload, pad); problem != wire.OK {
		c.count.Add(string(problem), 1)
		return
	}
	if h.Size != c.size || int(h.Slot) >= len(c.slots) {
		c.count.Add(DropForeign, 1)
		return
	}
	s := &c.slots[h.Slot]
	if !s.busy || h.Set != s.set || h.PacketID != s.phase || c.carries(s.block) != (pad == 0) {
		c.count.Add(DropStale, 1)
		return
	}
	s.busy = false
	c.count.Add(CountResults, 1)
	c.event(now, trace.ResultIn, int(h.Slot))
	if s.block != exponentsOnly {
		if pad == 0 {
			lo := c.cfg.Sample.Held(s.block) * c.cfg.Elements
			vec.GetBE(c.sums[lo:lo+c.cfg.Elements], payload[wire.HeaderLen:])
		}
		c.remaining--
	}
	if b := c.following(int(h.Slot)); b < c.blocks {
		if !c.cfg.Integers && c.carries(b) {
			c.quantise(b, h.E0)
		}
		s.block = b
		c.next(now, int(h.Slot), eff)
	}
}

// carries reports whether the packets of a block carry values. Those with
// exponents only would carry zeros, so that they do not where any do not.
func (c *Core) carries(block int) bool {
	if block == exponentsOnly {
		return c.cfg.Sample.Every <= 1
	}
	return c.cfg.Sample.Carries(block)
}

// span returns where the values of block b, which carries some, are held.
func (c *Core) span(b int) (lo, hi int) { return c.cfg.Sample.Span(b, c.cfg.Tensor, c.cfg.Elements) }

// following returns the block that slot i carries after the one in flight.
func (c *Core) following(i int) int {
	if c.slots[i].block == exponentsOnly {
		return i
	}
	return c.slots[i].block + len(c.slots)
}

// quantise scales block b with the agreed exponent.
func (c *Core) quantise(b int, e int8) {
	lo, hi := c.span(b)
	f := gradient.BlockFactor(c.cfg.Workers, e)
	c.factors[c.cfg.Sample.Held(b)] = f
	if n := gradient.QuantiseBlock(c.q[lo:hi], c.grad[lo:hi], f); n > 0 {
		c.saturated += n
		c.count.Add(CountSaturated, uint64(n))
	}
}

// next sends the slot's next packet in the other set.
func (c *Core) next(now units.Time, i int, eff *sansio.Effects) {
	s := &c.slots[i]
	s.set ^= 1
	s.phase++
	s.busy = true
	c.event(now, trace.Sent, i)
	c.send(now, i, eff)
}

// send sends the packet in flight of slot i, for the first time or again.
func (c *Core) send(now units.Time, i int, eff *sansio.Effects) {
	s := &c.slots[i]
	size, pad := 4*c.cfg.Elements, 0
	if !c.carries(s.block) {
		size, pad = 0, size
	}
	payload := eff.Body(wire.HeaderLen + size)
	wire.Header{
		Type: wire.TypeConsume, Size: c.size, Job: c.cfg.Job, PacketID: s.phase, Set: s.set, Slot: uint16(i), E0: c.exponent(c.following(i)),
	}.Put(payload)
	if pad == 0 {
		c.putValues(payload[wire.HeaderLen:], s.block)
	}
	eff.EmitPadded(c.to, c.template, payload, pad)
	c.count.Add(CountSent, 1)
	if !c.cfg.NoRetransmit {
		c.timers.arm(i, s.phase, now.Add(c.cfg.Timeout))
	}
}

// putValues writes the values of a block, and zeros behind the tensor's end.
func (c *Core) putValues(dst []byte, block int) {
	n := 0
	if block != exponentsOnly {
		lo, hi := c.span(block)
		n = 4 * (hi - lo)
		vec.PutBE(dst[:n], c.q[lo:hi])
	}
	clear(dst[n:])
}

func (c *Core) exponent(block int) int8 {
	if block >= c.blocks || c.cfg.Integers || !c.carries(block) {
		return gradient.ExponentNone
	}
	lo, hi := c.span(block)
	return gradient.Exponent(c.grad[lo:hi])
}

// NextDeadline returns when the oldest packet in flight must be sent again.
func (c *Core) NextDeadline() units.Time { return c.timers.next(c.slots) }

// Expire is the timeout handler of Algorithm 4.
func (c *Core) Expire(now units.Time, eff *sansio.Effects) {
	for c.timers.next(c.slots) <= now {
		i := c.timers.pop()
		c.retransmits++
		c.count.Add(CountRetransmits, 1)
		c.event(now, trace.Retransmit, i)
		c.send(now, i, eff)
	}
}

func (c *Core) event(now units.Time, kind trace.Kind, slot int) {
	if c.cfg.Trace != nil {
		c.cfg.Trace.Event(&trace.Event{At: now, Kind: kind, Node: c.cfg.Node, Job: c.cfg.Job, Gen: c.slots[slot].phase, Block: uint32(slot)})
	}
}

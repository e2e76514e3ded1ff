package switchmlrdma

import (
	"cmp"
	"fmt"

	"github.com/inalab/inalab/internal/reuse"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/vec"
	"github.com/inalab/inalab/internal/wire/roce"
	"github.com/inalab/inalab/nodes/gradient"
)

// Names of counters; drops carry the names of the wire format or these.
const (
	CountMessages    = "switchml-rdma-messages"    // sent, again too
	CountPackets     = "switchml-rdma-packets"     // of them
	CountCompletions = "switchml-rdma-completions" // messages that arrived whole, and were waited for
	CountRetransmits = "switchml-rdma-messages-retransmitted"
	CountSaturated   = "switchml-saturated-values"
	CountCut         = "switchml-rdma-messages-cut-off" // by a gap, or by the next first packet

	DropForeign  = "switchml-foreign-packet"
	DropStale    = "switchml-stale-result" // whole messages that nobody waits for
	DropSequence = "switchml-rdma-out-of-sequence"
	DropAccess   = "switchml-rdma-no-such-memory"
	DropLength   = "switchml-rdma-wrong-length"
	DropICRC     = "switchml-rdma-wrong-icrc"
)

// Core is one worker's end of the protocol.
type Core struct {
	cfg    Config
	nic    card
	blocks int
	held   int // elements of the tensor that are held
	queues []queue
	timers sansio.Timers

	gen   generation
	spare reuse.List[generation]
	count sansio.Tally
}

// queue is the messages of one queue pair.
type queue struct {
	set    uint8          // of the message on its way
	number uint32         // messages sent, those sent again once: the number of the one on its way
	block  int            // its block, or exponentsOnly
	busy   bool           // a message is on its way
	e0     int8           // that it carries
	wait   units.Duration // until it is sent again
}

// exponentsOnly is the block of a message that carries no values.
const exponentsOnly = -1

// New returns a worker that has sent nothing yet.
func New(cfg Config) (*Core, error) {
	cfg.Packets = cmp.Or(cfg.Packets, DefaultPackets)
	cfg.Timeout = cmp.Or(cfg.Timeout, DefaultTimeout)
	if err := cfg.validate(); err != nil {
		return nil, fmt.Errorf("configuring switchml-rdma worker %s: %w", cfg.Node, err)
	}
	c := &Core{cfg: cfg, queues: make([]queue, cfg.Queues)}
	c.blocks = (cfg.Tensor + cfg.block() - 1) / cfg.block()
	c.held = cfg.Sample.Elements(cfg.Tensor, cfg.block())
	c.nic = newCard(&c.cfg, &c.count)
	c.gen = c.newGeneration()
	c.spare.Free(c.newGeneration())
	for i := range c.queues {
		c.queues[i].set = 1 // the first message flips it to 0
	}
	return c, nil
}

// Begin starts the all-reduce of generation gen. grad is borrowed until the
// generation is complete; the one before must be.
func (c *Core) Begin(now units.Time, gen int, grad []float32, eff *sansio.Effects) {
	c.gen.begin(gen, c.blocks)
	c.gen.grad = grad[:c.held]
	for i := range min(len(c.queues), c.blocks) {
		c.queues[i].block = exponentsOnly
		c.next(now, i, eff)
	}
}

// BeginInts starts the all-reduce of an int32 tensor, of a worker configured for
// Integers. q is borrowed until the generation is complete.
func (c *Core) BeginInts(now units.Time, gen int, q []int32, eff *sansio.Effects) {
	c.gen.begin(gen, c.blocks)
	c.gen.q = q[:c.held]
	for i := range min(len(c.queues), c.blocks) {
		c.queues[i].block = i
		c.next(now, i, eff)
	}
}

// Complete reports whether all results of generation gen are here.
func (c *Core) Complete(gen int) bool { return gen == c.gen.number && c.gen.remaining == 0 }

// Skip counts a generation as reduced: queue pairs keep their sets and numbers, as
// the switch and the other workers do.
func (c *Core) Skip(gen int) { c.gen.number = gen }

// Counters returns packets by type and drops by reason.
func (c *Core) Counters() []sansio.Count { return c.count.List() }

// Handle takes packets of results.
func (c *Core) Handle(now units.Time, in []sansio.Arrival, eff *sansio.Effects) {
	for i := range in {
		t := &in[i].Train
		if !c.ours(t) {
			c.count.Add(DropForeign, uint64(t.Frames()))
			continue
		}
		for f := range t.Frames() {
			if at, imm, ok := c.nic.receive(t.Header, t.Payload(f), t.Unstored); ok {
				c.completed(now, at, imm, eff)
			}
		}
	}
}

func (c *Core) ours(t *sansio.Train) bool {
	ip, udp, ok := t.UDP()
	return ok && ip.Src() == c.cfg.Flow.Dst && udp.DstPort() == roce.Port
}

// completed is "upon receive" of Algorithm 4, of a message that arrived whole.
func (c *Core) completed(now units.Time, i int, imm immediate, eff *sansio.Effects) {
	s := &c.queues[i]
	if !s.busy || imm.number() != uint16(s.number) || c.carries(s.block) == c.nic.queues[i].unstored {
		c.count.Add(DropStale, 1)
		return
	}
	s.busy = false
	c.count.Add(CountCompletions, 1)
	c.event(now, trace.ResultIn, i)
	if s.block != exponentsOnly {
		if c.carries(s.block) {
			lo, hi := c.span(s.block)
			vec.GetBE(c.gen.sums[lo:hi], c.nic.message(i)[:4*(hi-lo)])
		}
		c.gen.remaining--
	}
	if b := c.following(i); b < c.blocks {
		if !c.cfg.Integers && c.carries(b) {
			c.quantise(b, imm.e0())
		}
		s.block = b
		c.next(now, i, eff)
	}
}

// carries reports whether the message of a block carries values. Those with
// exponents only would carry zeros, so that they do not where any do not.
func (c *Core) carries(block int) bool {
	if block == exponentsOnly {
		return c.cfg.Sample.Every <= 1
	}
	return c.cfg.Sample.Carries(block)
}

// span returns where the values of block b, which carries some, are held.
func (c *Core) span(b int) (lo, hi int) { return c.cfg.Sample.Span(b, c.cfg.Tensor, c.cfg.block()) }

// following returns the block that queue pair i carries after the one on its way.
func (c *Core) following(i int) int {
	if c.queues[i].block == exponentsOnly {
		return i
	}
	return c.queues[i].block + len(c.queues)
}

// quantise scales block b with the agreed exponent.
func (c *Core) quantise(b int, e int8) {
	lo, hi := c.span(b)
	f := c.cfg.Scaling.Factor(c.cfg.Workers, e)
	c.gen.factors[c.cfg.Sample.Held(b)] = f
	if n := c.cfg.Scaling.Quantise(c.gen.q[lo:hi], c.gen.grad[lo:hi], f); n > 0 {
		c.gen.saturated += n
		c.count.Add(CountSaturated, uint64(n))
	}
}

// exponent returns that of a block.
func (c *Core) exponent(block int) int8 {
	if block >= c.blocks || c.cfg.Integers || !c.carries(block) {
		return gradient.ExponentNone
	}
	lo, hi := c.span(block)
	return c.cfg.Scaling.Exponent(c.gen.grad[lo:hi])
}

// next sends the queue pair's next message, to the other set.
func (c *Core) next(now units.Time, i int, eff *sansio.Effects) {
	s := &c.queues[i]
	s.set ^= 1
	s.number++
	s.busy = true
	s.e0 = c.exponent(c.following(i))
	s.wait = c.cfg.Timeout
	c.event(now, trace.Sent, i)
	c.send(now, i, eff)
}

// send sends the message on its way of queue pair i, for the first time or again. It
// returns the bytes of its packets behind the UDP header.
func (c *Core) send(now units.Time, i int, eff *sansio.Effects) (sent int) {
	s := &c.queues[i]
	m := message{key: c.cfg.PeerKey + uint32(2*i*c.cfg.Packets) + uint32(s.set), immediate: newImmediate(s.number, s.e0, 0)}
	switch {
	case !c.carries(s.block):
		m.unstored = true
	case s.block != exponentsOnly:
		lo, hi := c.span(s.block)
		m.values = c.gen.q[lo:hi]
	}
	sent = c.nic.send(i, &m, eff)
	c.count.Add(CountMessages, 1)
	c.count.Add(CountPackets, uint64(c.cfg.Packets))
	if !c.cfg.NoRetransmit {
		c.timers.Arm(i, s.number, now.Add(s.wait))
	}
	return sent
}

// NextDeadline returns when the oldest message on its way must be sent again.
func (c *Core) NextDeadline() units.Time { return c.timers.Next(c.waits) }

// Expire is the timeout handler of Algorithm 4.
func (c *Core) Expire(now units.Time, eff *sansio.Effects) {
	for c.timers.Next(c.waits) <= now {
		i := c.timers.Pop()
		c.gen.retransmits += c.cfg.Packets
		c.count.Add(CountRetransmits, 1)
		c.event(now, trace.Retransmit, i)
		s := &c.queues[i]
		s.wait = max(s.wait, min(2*s.wait, MaxTimeout))
		c.count.Resent(uint64(c.cfg.Packets), units.Bytes(c.send(now, i, eff)))
	}
}

// Waiting returns at most limit messages that have no result: the queue pair is the
// block, the message's number the generation.
func (c *Core) Waiting(limit int) (out []trace.Wait) {
	for i := range c.queues {
		if s := &c.queues[i]; s.busy && len(out) < limit {
			out = append(out, trace.Wait{Gen: s.number, Block: uint32(i), Sent: true})
		}
	}
	return out
}

func (c *Core) event(now units.Time, kind trace.Kind, i int) {
	if c.cfg.Trace != nil {
		c.cfg.Trace.Event(&trace.Event{At: now, Kind: kind, Node: c.cfg.Node, Job: c.cfg.Job, Gen: c.queues[i].number, Block: uint32(i)})
	}
}

// waits reports whether a message of a queue pair has no answer yet.
func (c *Core) waits(pair int, number uint32) bool {
	q := &c.queues[pair]
	return q.busy && q.number == number
}

package switchml

import (
	"cmp"
	"fmt"

	"github.com/inalab/inalab/internal/reuse"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/units"
	wire "github.com/inalab/inalab/internal/wire/switchml"
)

// Names of counters; drops carry the names of the wire format or these.
const (
	CountSent        = "switchml-sent"
	CountResults     = "switchml-results"
	CountRetransmits = "switchml-retransmits"
	CountDoubled     = "switchml-timeouts-doubled"
	CountSaturated   = "switchml-saturated-values"
	CountUnfit       = "switchml-sums-that-are-no-number" // of 16-bit floats; taken as zero
	DropForeign      = "switchml-foreign-packet"
	DropStale        = "switchml-stale-result"
)

// Core is one worker's end of the protocol.
type Core struct {
	cfg        Config
	size       wire.SizeEnum
	to         []sansio.Port
	held       int // elements of a generation that are held
	heldBlocks int
	threads    []thread

	open    []*generation // not finished, oldest first
	pending []*tensor     // submitted, and not begun
	running int           // tensors begun, and not complete
	spare   reuse.List[*generation]
	words   []int32 // scratch: a packet's values in words
	count   sansio.Tally
}

// New returns a worker that has sent nothing yet.
func New(cfg Config) (*Core, error) {
	if err := cfg.validate(); err != nil {
		return nil, fmt.Errorf("configuring switchml worker %s: %w", cfg.Node, err)
	}
	cfg.Timeout = cmp.Or(cfg.Timeout, DefaultTimeout)
	c := &Core{cfg: cfg, to: []sansio.Port{cfg.Port}, words: make([]int32, cfg.Elements)}
	size := cfg.block()
	for _, n := range cfg.tensors() {
		c.held += cfg.Sample.Elements(n, size)
		c.heldBlocks += cfg.Sample.Held((n+size-1)/size-1) + 1
	}
	c.size, _ = wire.SizeOf(cfg.Elements)
	for t := range cfg.threads() {
		c.threads = append(c.threads, newThread(c, t))
	}
	c.spare.Free(c.blank())
	return c, nil
}

// Begin starts the all-reduce of generation gen, of all of its tensors from the
// last to the first: back-propagation makes them in that order. grad is borrowed
// until the generation is complete. Several generations may be on their way; all
// workers must begin them in the same order.
func (c *Core) Begin(now units.Time, gen int, grad []float32, eff *sansio.Effects) {
	for k := len(c.cfg.tensors()) - 1; k >= 0; k-- {
		c.Submit(now, gen, k, grad, eff)
	}
}

// Submit starts the all-reduce of tensor k of generation gen, a call of the
// framework for one layer. grad is the gradient of the whole generation, of which
// this tensor's part must be there. All workers must submit the same tensors in
// the same order, each once.
func (c *Core) Submit(now units.Time, gen, k int, grad []float32, eff *sansio.Effects) {
	g := c.generationOf(gen)
	if g == nil {
		g = c.newGeneration(gen)
		g.grad = grad[:c.held]
		c.open = append(c.open, g)
	}
	c.submit(now, g, k, eff)
}

// BeginInts starts the all-reduce of an int32 tensor, of a worker configured
// for Integers. q is borrowed until the generation is complete. Generations that
// are complete need not be finished.
func (c *Core) BeginInts(now units.Time, gen int, q []int32, eff *sansio.Effects) {
	for len(c.open) > 0 && c.open[0].complete() {
		c.spare.Free(c.open[0])
		c.open = c.open[1:]
	}
	g := c.newGeneration(gen)
	g.q = q[:c.held]
	c.open = append(c.open, g)
	for k := len(g.tensors) - 1; k >= 0; k-- {
		c.submit(now, g, k, eff)
	}
}

func (c *Core) submit(now units.Time, g *generation, k int, eff *sansio.Effects) {
	t := &g.tensors[k]
	if t.submitted {
		panic(fmt.Sprintf("switchml: tensor %d of generation %d is submitted twice", k, g.number))
	}
	t.submitted = true
	g.unsent--
	c.pending = append(c.pending, t)
	c.admit(now, eff)
}

// admit begins what is pending, and may begin.
func (c *Core) admit(now units.Time, eff *sansio.Effects) {
	for len(c.pending) > 0 && (c.cfg.Streaming || c.running == 0) {
		x := c.pending[0]
		c.pending = c.pending[1:]
		c.running++
		for t, n := 0, len(c.threads); t < n; t++ {
			c.threads[t].begin(now, x, t*x.blocks/n, (t+1)*x.blocks/n, eff)
		}
	}
}

// reduced counts a block of a tensor whose sum is here.
func (c *Core) reduced(now units.Time, x *tensor, eff *sansio.Effects) {
	x.gen.remaining--
	if x.remaining--; x.remaining == 0 {
		c.running--
		c.admit(now, eff)
	}
}

// Skip counts a generation as reduced: slots keep their sets and phases, as the
// switch and the other workers do.
func (c *Core) Skip(int) {}

// Counters returns packets by type and drops by reason.
func (c *Core) Counters() []sansio.Count { return c.count.List() }

// Handle takes results.
func (c *Core) Handle(now units.Time, in []sansio.Arrival, eff *sansio.Effects) {
	for i := range in {
		t := &in[i].Train
		port, ok := c.ours(t)
		if !ok {
			c.count.Add(DropForeign, uint64(t.Frames()))
			continue
		}
		for f := range t.Frames() {
			c.result(now, port, t.Payload(f), t.Unstored, eff)
		}
	}
}

// ours returns which UDP port of the worker's, counted from its first, a train is
// for.
func (c *Core) ours(t *sansio.Train) (port int, ok bool) {
	ip, udp, ok := t.UDP()
	if !ok {
		return 0, false
	}
	port = int(udp.DstPort()) - int(c.cfg.Flow.SrcPort)
	ports := len(c.threads)
	if c.cfg.OnePort {
		ports = 1
	}
	return port, ip.Src() == c.cfg.Flow.Dst && udp.SrcPort() == c.cfg.Flow.DstPort && port >= 0 && port < ports
}

// result hands a result to the thread that has the slot.
func (c *Core) result(now units.Time, port int, payload []byte, unstored int, eff *sansio.Effects) {
	var h wire.Header
	if problem := h.Read(payload, unstored); problem != wire.OK {
		c.count.Add(string(problem), 1)
		return
	}
	m := len(c.threads[0].slots)
	t, i := int(h.Slot)/(2*m), int(h.Slot)%(2*m)
	if h.Size != c.size || t >= len(c.threads) || i >= m || !c.cfg.OnePort && t != port {
		c.count.Add(DropForeign, 1)
		return
	}
	c.threads[t].result(now, &h, i, payload, unstored, eff)
}

// NextDeadline returns when the oldest packet in flight must be sent again.
func (c *Core) NextDeadline() units.Time {
	at := units.Never
	for i := range c.threads {
		at = min(at, c.threads[i].due())
	}
	return at
}

// Expire sends again what has waited too long.
func (c *Core) Expire(now units.Time, eff *sansio.Effects) {
	for i := range c.threads {
		c.threads[i].expire(now, eff)
	}
}

// Waiting returns at most limit slots whose packet has no result. The packet id
// is the generation.
func (c *Core) Waiting(limit int) (out []trace.Wait) {
	for i := range c.threads {
		t := &c.threads[i]
		for k := range t.slots {
			if s := &t.slots[k]; s.busy && len(out) < limit {
				out = append(out, trace.Wait{Gen: s.phase, Block: uint32(t.base + k), Sent: true})
			}
		}
	}
	return out
}

func (c *Core) event(now units.Time, kind trace.Kind, slot int, phase uint32) {
	if c.cfg.Trace != nil {
		c.cfg.Trace.Event(&trace.Event{At: now, Kind: kind, Node: c.cfg.Node, Job: c.cfg.Job, Gen: phase, Block: uint32(slot)})
	}
}

package trioml

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"net/netip"
	"slices"

	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/reuse"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/vec"
	"github.com/inalab/inalab/internal/wire/inet"
	wire "github.com/inalab/inalab/internal/wire/trioml"
	"github.com/inalab/inalab/nodes/gradient"
)

// Defaults of the paper's evaluation (§6.1).
const (
	DefaultGrads  = 1024 // gradients per packet
	DefaultWindow = 4096 // packets
)

// WakePolicy says what a worker that fell behind sends (ambiguity trio.wake).
type WakePolicy string

// The policies.
const (
	// WakeSkip, the default, does not send a block whose result is here. A generation
	// whose results are all here is applied without this worker's part, so that the
	// training loop jumps to the newest generation.
	WakeSkip WakePolicy = "skip"
	// WakeNaive sends every block, however late; a result counts once its block was
	// sent. The late policy of the switch decides what becomes of the block.
	WakeNaive WakePolicy = "naive"
)

// Names of counters; drops carry the names of the wire format or these.
const (
	CountSent      = "trioml-sent"
	CountSkipped   = "trioml-blocks-not-sent"
	CountResults   = "trioml-results"
	CountDegraded  = "trioml-results-degraded"
	CountSaturated = "trioml-saturated-values"
	DropForeign    = "trioml-foreign-packet"
	DropStale      = "trioml-result-of-older-generation"
	DropAhead      = "trioml-result-too-far-ahead"
	DropRepeated   = "trioml-result-repeated"
)

// MaxAhead is how many generations of results a worker keeps while it sleeps,
// unless it is told otherwise. The longest sleep, three delays of twice the
// iteration time in one iteration (§6.1), is six iterations.
const MaxAhead = 16

// Farthest is how many generations ahead gen_id can say (half of its 16 bits), and so
// the most that a worker can keep results of.
const Farthest = 1 << 15

// Config describes one worker of a job.
type Config struct {
	Node     string
	Job      uint8
	Source   uint8             // src_id
	Tensor   int               // elements of the tensor, at least 1
	Grads    int               // gradients per packet; zero means DefaultGrads
	Window   int               // packets without a result; zero means DefaultWindow
	Flow     inet.Flow         // from this worker to the router
	Port     sansio.Port       // port of the machine that packets leave by
	Results  inet.Flow         // addressing of results: source is the router, destination the group
	Wake     WakePolicy        // empty means WakeSkip
	Workers  int               `json:",omitempty"` // of the job, whose notices of stragglers are heeded; zero: they are dropped
	Behind   map[uint8][]uint8 `json:",omitempty"` // the workers below each PFE that is a source of the top level: what a notice says of it holds for them
	Ahead    int               `json:",omitempty"` // generations of results that are kept while it sleeps; zero means MaxAhead
	Sample   gradient.Sampling // of a run that carries unstored values in the other blocks; tensors hold the sampled ones
	Fixed    gradient.Fixed
	Recorder gradient.Recorder `json:"-"`
	Trace    trace.Sink        `json:"-"`
}

func (c Config) validate() error {
	var errs []error
	if c.Grads < 1 || c.Grads > wire.MaxGrads {
		errs = append(errs, fmt.Errorf("%d gradients per packet: 1 to %d are possible", c.Grads, wire.MaxGrads))
	}
	if c.Tensor < 1 || c.Window < 1 {
		errs = append(errs, fmt.Errorf("tensor of %d elements, window of %d packets: both must be positive", c.Tensor, c.Window))
	}
	if c.Wake != WakeSkip && c.Wake != WakeNaive {
		errs = append(errs, fmt.Errorf("wake policy %q: allowed are %s, %s", c.Wake, WakeSkip, WakeNaive))
	}
	if c.Workers < 0 || c.Workers > 256 || c.Ahead < 1 || c.Ahead > Farthest {
		errs = append(errs, fmt.Errorf("%d workers, results of %d generations kept: 0 to 256, and 1 to %d, are possible", c.Workers, c.Ahead, Farthest))
	}
	errs = append(errs, c.validateBehind())
	addrs := []netip.Addr{c.Flow.Src, c.Flow.Dst, c.Results.Src, c.Results.Dst}
	if slices.ContainsFunc(addrs, func(a netip.Addr) bool { return !a.Is4() }) {
		errs = append(errs, fmt.Errorf("sending from %v to %v, results from %v to %v: all must be IPv4 addresses", c.Flow.Src, c.Flow.Dst, c.Results.Src, c.Results.Dst))
	}
	return errors.Join(errs...)
}

func (c Config) validateBehind() error {
	worker := func(s uint8) bool { return int(s) < c.Workers }
	for _, pfe := range slices.Sorted(maps.Keys(c.Behind)) {
		if worker(pfe) || !slices.ContainsFunc(c.Behind[pfe], worker) || slices.ContainsFunc(c.Behind[pfe], func(s uint8) bool { return !worker(s) }) {
			return fmt.Errorf("sources %v are behind source %d: they must be workers, 0 to %d, at least one, and it must not", c.Behind[pfe], pfe, c.Workers-1)
		}
	}
	return nil
}

// Core is one worker's end of the protocol.
type Core struct {
	sansio.Untimed // hosts keep no timers

	cfg      Config
	template []byte
	to       []sansio.Port
	blocks   int
	held     int // elements of the tensor that are held

	gen    int      // generation being computed or reduced
	active bool     // Begin was called for gen, Finish was not
	ring   []*inbox // results by generation modulo its length
	spare  reuse.List[*inbox]
	roster roster

	grad      []float32 // quantised block by block as it is sent; nil: q is given
	q         []int32
	sent      []bool // blocks of gen that were sent before their result was here
	cursor    int    // first block that may still have to be sent
	inFlight  int    // blocks sent without a result
	saturated int
	count     sansio.Tally
}

// New returns a worker that has sent nothing yet.
func New(cfg Config) (*Core, error) {
	cfg.Grads = cmp.Or(cfg.Grads, DefaultGrads)
	cfg.Window = cmp.Or(cfg.Window, DefaultWindow)
	cfg.Wake = cmp.Or(cfg.Wake, WakeSkip)
	cfg.Ahead = cmp.Or(cfg.Ahead, MaxAhead)
	if err := cfg.validate(); err != nil {
		return nil, fmt.Errorf("configuring trioml worker %s: %w", cfg.Node, err)
	}
	blocks := (cfg.Tensor + cfg.Grads - 1) / cfg.Grads
	c := &Core{
		cfg: cfg, template: inet.UDPHeader(cfg.Flow), to: []sansio.Port{cfg.Port},
		blocks: blocks, held: cfg.Sample.Elements(cfg.Tensor, cfg.Grads),
		ring: make([]*inbox, cfg.Ahead), sent: make([]bool, blocks),
	}
	for range 2 { // that of a generation, and that of the one behind it, whose results may come before
		c.spare.Free(c.blank())
	}
	return c, nil
}

// Begin starts sending this worker's gradient of generation gen, the one after
// the last that was finished (the first is 0).
func (c *Core) Begin(now units.Time, gen int, grad []float32, eff *sansio.Effects) {
	c.q = c.inbox(gen).q
	c.grad, c.saturated = grad[:c.held], 0
	c.begin(now, gen, eff)
}

// BeginInts is Begin for a tensor that is int32 already; q is borrowed until
// the generation is complete.
func (c *Core) BeginInts(now units.Time, gen int, q []int32, eff *sansio.Effects) {
	c.release(gen - 1) // nobody finishes it
	c.q, c.grad = q, nil
	c.begin(now, gen, eff)
}

func (c *Core) begin(now units.Time, gen int, eff *sansio.Effects) {
	c.gen, c.active = gen, true
	c.resharded()
	clear(c.sent)
	c.cursor, c.inFlight = 0, 0
	c.fill(now, eff)
}

// Sums returns the integer sums of the generation that was begun last, once it
// is complete; they are borrowed until it is finished.
func (c *Core) Sums() []int32 { return c.inbox(c.gen).sums }

// fill sends blocks until the window is full.
func (c *Core) fill(now units.Time, eff *sansio.Effects) {
	in := c.inbox(c.gen)
	for ; c.cursor < c.blocks && c.inFlight < c.cfg.Window; c.cursor++ {
		here := in.has(c.cursor)
		if here && c.cfg.Wake == WakeSkip {
			c.count.Add(CountSkipped, 1)
			c.event(now, trace.NotSent, c.cursor)
			continue
		}
		c.send(c.cursor, eff)
		c.event(now, trace.Sent, c.cursor)
		if !here { // else the result went without this packet
			c.sent[c.cursor] = true
			c.inFlight++
		}
	}
}

func (c *Core) send(b int, eff *sansio.Effects) {
	size := c.size(b)
	h := wire.Header{
		Job: c.cfg.Job, Block: uint32(b), Final: b == c.blocks-1, Source: c.cfg.Source,
		SrcCnt: 1, Gen: uint16(c.gen), Grads: uint16(size),
	}
	c.count.Add(CountSent, 1)
	if !c.cfg.Sample.Carries(b) {
		payload := eff.Body(wire.HeaderLen)
		h.Put(payload)
		eff.EmitUnstored(c.to, c.template, payload, 4*size)
		return
	}
	lo, hi := c.cfg.span(b)
	if c.grad != nil {
		n := c.cfg.Fixed.Quantise(c.q[lo:hi], c.grad[lo:hi])
		c.saturated += n
		c.count.Add(CountSaturated, uint64(n))
	}
	payload := eff.Body(wire.HeaderLen + 4*size)
	h.Put(payload)
	vec.PutBE(payload[wire.HeaderLen:], c.q[lo:hi])
	eff.Emit(c.to, c.template, payload)
}

// size returns the gradients of block b.
func (c *Core) size(b int) int { return min(c.cfg.Grads, c.cfg.Tensor-b*c.cfg.Grads) }

// span returns where the values of block b, which carries some, are held.
func (c *Config) span(b int) (lo, hi int) { return c.Sample.Span(b, c.Tensor, c.Grads) }

// Complete reports whether all results of generation gen are here (and, under
// WakeNaive, all its blocks were sent).
func (c *Core) Complete(gen int) bool {
	if in := c.ring[gen%len(c.ring)]; in == nil || in.gen != gen || in.missing > 0 {
		return false
	}
	return c.cfg.Wake == WakeSkip || c.active && c.gen == gen && c.cursor == c.blocks
}

// Finish ends the complete generation gen. The tensors go to the function that
// it returns, and the core takes others: the function may be called at any
// time before the generation is Returned, on any goroutine.
func (c *Core) Finish(gen int) (result.Outcome, func(mean []float32)) {
	in := c.inbox(gen)
	c.ring[gen%len(c.ring)] = nil
	c.spare.Lend(in)
	var q []int32
	out := result.Outcome{Degraded: in.degraded}
	if c.active && c.gen == gen {
		q, c.q = c.q, nil
		out.Contributed, out.Saturated = slices.Contains(c.sent, true), c.saturated
	}
	c.gen, c.active = gen+1, false
	return out, func(mean []float32) { c.cfg.mean(gen, in, q, mean) }
}

// Returned takes the memory of n generations back, whose means have been written.
func (c *Core) Returned(n int) { c.spare.Returned(n) }

// Skip counts a generation as reduced.
func (c *Core) Skip(gen int) { c.gen, c.active = gen+1, false }

// mean divides each block by the number of workers behind it.
func (c *Config) mean(gen int, in *inbox, q []int32, mean []float32) {
	for b, workers := range in.workers {
		if !c.Sample.Carries(b) {
			continue
		}
		lo, hi := c.span(b)
		c.Fixed.Mean(mean[lo:hi], in.sums[lo:hi], int(workers))
	}
	if c.Recorder == nil {
		return
	}
	if q != nil {
		c.Recorder.Sent(gen, q)
	}
	c.Recorder.Delivered(gen, in.sums)
}

// Counters returns packets by type and drops by reason.
func (c *Core) Counters() []sansio.Count { return c.count.List() }

// Handle takes results and sends what the window then allows.
func (c *Core) Handle(now units.Time, in []sansio.Arrival, eff *sansio.Effects) {
	for i := range in {
		t := &in[i].Train
		if !c.ours(t) {
			c.count.Add(DropForeign, uint64(t.Frames()))
			continue
		}
		for f := range t.Frames() {
			c.result(now, t.Payload(f), t.Unstored)
		}
	}
	if c.active {
		c.fill(now, eff)
	}
}

func (c *Core) ours(t *sansio.Train) bool {
	ip, udp, ok := t.UDP()
	return ok && ip.Src() == c.cfg.Results.Src && ip.Dst() == c.cfg.Results.Dst && udp.DstPort() == c.cfg.Results.DstPort
}

func (c *Core) result(now units.Time, payload []byte, unstored int) {
	h, problem := wire.ParseUnstored(payload, unstored)
	if problem == wire.NoGrads && c.notice(payload, unstored) {
		return
	}
	if problem != wire.OK {
		c.count.Add(string(problem), 1)
		return
	}
	if !c.fits(h, unstored) {
		c.count.Add(DropForeign, 1)
		return
	}
	gen, reason := c.generation(h.Gen)
	if reason != "" {
		c.count.Add(reason, 1)
		return
	}
	c.store(now, gen, h, payload[wire.HeaderLen:])
}

// fits reports whether a result is of this job and tensor.
func (c *Core) fits(h wire.Header, unstored int) bool {
	if h.Job != c.cfg.Job || int64(h.Block) >= int64(c.blocks) || h.SrcCnt == 0 {
		return false
	}
	b := int(h.Block)
	return int(h.Grads) == c.size(b) && c.cfg.Sample.Carries(b) == (unstored == 0)
}

// generation widens a gen_id: the generation nearest to the worker's own.
func (c *Core) generation(id uint16) (gen int, reason string) {
	ahead := int(int16(id - uint16(c.gen)))
	switch {
	case ahead < 0:
		return 0, DropStale
	case ahead >= len(c.ring):
		return 0, DropAhead
	}
	return c.gen + ahead, ""
}

func (c *Core) store(now units.Time, gen int, h wire.Header, grads []byte) {
	in := c.inbox(gen)
	b := int(h.Block)
	if in.has(b) {
		c.count.Add(DropRepeated, 1)
		return
	}
	if c.cfg.Sample.Carries(b) {
		lo, hi := c.cfg.span(b)
		vec.GetBE(in.sums[lo:hi], grads)
	}
	in.workers[b] = h.SrcCnt
	in.missing--
	c.count.Add(CountResults, 1)
	if h.Degraded {
		in.degraded++
		c.count.Add(CountDegraded, 1)
	}
	if c.active && gen == c.gen && c.sent[b] {
		c.inFlight--
	}
	if c.cfg.Trace != nil {
		c.cfg.Trace.Event(&trace.Event{At: now, Kind: trace.ResultIn, Node: c.cfg.Node, Job: h.Job, Gen: uint32(gen), Block: h.Block, Count: int(h.SrcCnt), Degraded: h.Degraded})
	}
}

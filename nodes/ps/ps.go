package ps

import (
	"fmt"

	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/nodes/tensor"
)

// Names of counters of workers.
const (
	CountShards    = "ps-shards-sent"
	CountSaturated = "ps-saturated-values"
	DropOutOfStep  = "ps-stream-out-of-step"
	DropWrongPort  = "ps-bytes-of-no-server"
	DropAfterFault = "ps-bytes-after-fault"
)

// Core is a worker, with the server beside it if there is one.
type Core struct {
	sansio.Untimed // the streams keep the timers

	cfg    Config
	cut    tensor.Cut
	buf    tensor.Buffer
	from   []source // by server
	order  []int    // servers, in the order of sending
	remote []int    // server of each of the first ports
	gen    int
	left   int // servers whose sums are awaited
	active bool
	shard  *shard // of the server here, or nil
	count  sansio.Tally
}

// source is the stream of one server.
type source struct {
	rx     tensor.Reader
	to     []sansio.Port // the way to it; nil: it is here
	headed bool
	got    int
	broken bool
}

// New returns the worker of a host, and its server, which have sent nothing yet.
func New(cfg Config) (*Core, error) {
	if err := cfg.validate(); err != nil {
		return nil, fmt.Errorf("configuring worker %s of parameter servers: %w", cfg.Node, err)
	}
	if cfg.worker() == none {
		return nil, fmt.Errorf("configuring worker %s of parameter servers: host %d has none: use NewServer", cfg.Node, cfg.Host)
	}
	cut := cfg.cut()
	c := &Core{
		cfg: cfg, cut: cut, from: make([]source, cfg.Servers), remote: cfg.remoteServers(), gen: -1,
		buf: tensor.NewBuffer(tensor.Config{Workers: cfg.Workers, Fixed: cfg.Fixed, Recorder: cfg.Recorder}, cut.Values()),
	}
	for port, s := range c.remote {
		c.from[s].to = []sansio.Port{sansio.Port(port)}
	}
	for k := range cfg.Servers {
		c.order = append(c.order, (cfg.worker()+1+k)%cfg.Servers)
	}
	if cfg.server() != none {
		c.shard = newShard(cfg, len(c.remote))
		if cfg.local(cfg.worker(), cfg.server()) {
			c.shard.local = c.local
		}
	}
	return c, nil
}

// Begin starts the all-reduce of generation gen; the one before is complete.
func (c *Core) Begin(_ units.Time, gen int, grad []float32, eff *sansio.Effects) {
	c.count.Add(CountSaturated, uint64(c.buf.Quantise(grad)))
	c.begin(gen, eff)
}

// BeginInts is Begin for a tensor that is int32 already.
func (c *Core) BeginInts(_ units.Time, gen int, q []int32, eff *sansio.Effects) {
	c.buf.Load(q)
	c.begin(gen, eff)
}

// begin sends every server its shard.
func (c *Core) begin(gen int, eff *sansio.Effects) {
	c.gen, c.left, c.active = gen, len(c.from), true
	for i := range c.from {
		c.from[i].headed, c.from[i].got = false, 0
	}
	for _, s := range c.order {
		part := c.cut.Part(s, s+1)
		if c.from[s].to == nil {
			c.shard.push(c.cfg.worker(), c.buf.Sum[part.Lo:part.Hi], eff)
			continue
		}
		tensor.Send(c.from[s].to, &tensor.Header{Gen: gen, Kind: s, Bytes: part.Bytes()}, c.buf.Sum, part, eff)
		c.count.Add(CountShards, 1)
	}
}

// Handle takes bytes of the servers' streams to the worker here, and of the
// workers' to the server here.
func (c *Core) Handle(_ units.Time, in []sansio.Arrival, eff *sansio.Effects) {
	for i := range in {
		switch p := int(in[i].Port); {
		case p >= 0 && p < len(c.remote):
			c.sums(c.remote[p], &in[i].Train)
		case c.shard != nil:
			c.shard.take(p-len(c.remote), &in[i].Train, eff)
		default:
			c.count.Add(DropWrongPort, 1)
		}
	}
}

// sums takes bytes of a server's stream.
func (c *Core) sums(server int, t *sansio.Train) {
	f := &c.from[server]
	if f.broken {
		c.count.Add(DropAfterFault, 1)
		return
	}
	f.rx.Add(t)
	for !f.rx.Empty() {
		switch c.slice(server, f) {
		case tensor.Short:
			return
		case tensor.Wrong:
			c.count.Add(DropOutOfStep, 1)
			f.broken = true
			return
		}
	}
}

// slice takes the next slice of a server's sums. They take the place of what
// this worker sent: that is on its way in memory of its own.
func (c *Core) slice(server int, f *source) tensor.State {
	part := c.cut.Part(server, server+1)
	if !c.active || f.got == part.Bytes() { // nothing is due
		return tensor.Wrong
	}
	if !f.headed {
		if state := f.rx.Header(tensor.Header{Gen: c.gen, Kind: server, Bytes: part.Bytes()}); state != tensor.Ready {
			return state
		}
		f.headed = true
	}
	p := part.Slice(f.got, min(sliceBytes, part.Bytes()-f.got))
	if state := f.rx.Has(p); state != tensor.Ready {
		return state
	}
	copy(c.buf.Sum[p.Lo:p.Hi], f.rx.Take(p))
	c.arrived(f, part, p.Bytes())
	return tensor.Ready
}

func (c *Core) arrived(f *source, part tensor.Part, n int) {
	if f.got += n; f.got == part.Bytes() {
		c.left--
	}
}

// local takes sums of the server here.
func (c *Core) local(p tensor.Part, sum []byte) {
	own := c.cfg.server()
	part := c.cut.Part(own, own+1)
	copy(c.buf.Sum[part.Lo+p.Lo:part.Lo+p.Hi], sum[p.Lo:p.Hi])
	c.arrived(&c.from[own], part, p.Bytes())
}

// Complete reports whether the sums of generation gen are all here.
func (c *Core) Complete(gen int) bool { return c.active && gen == c.gen && c.left == 0 }

// Sums returns the integer sums of the complete generation, valid until the
// next begins.
func (c *Core) Sums() []int32 { return c.buf.Sums() }

// Finish ends the complete generation gen.
func (c *Core) Finish(gen int) (result.Outcome, func(mean []float32)) {
	c.active = false
	return c.buf.Finish(gen)
}

// Counters returns messages sent and faults by reason, of the server here too.
func (c *Core) Counters() []sansio.Count {
	var sum sansio.Tally
	sum.Merge(c.count.List())
	if c.shard != nil {
		sum.Merge(c.shard.count.List())
	}
	return sum.List()
}

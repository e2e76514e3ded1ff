package ps

import (
	"fmt"

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
	tensor.Worker

	cfg    Config
	cut    tensor.Cut
	from   []source // by server
	order  []int    // servers, in the order of sending
	remote []int    // server of each of the first ports
	left   int      // servers whose sums are awaited
	shard  *shard   // of the server here, or nil
}

// source is the stream of one server.
type source struct {
	in  tensor.Inlet
	to  []sansio.Port // the way to it; nil: it is here
	due bool          // its sums are awaited
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
	c := &Core{cfg: cfg, cut: cut, from: make([]source, cfg.Servers), remote: cfg.remoteServers()}
	buf := tensor.NewBuffer(tensor.Config{Workers: cfg.Workers, Fixed: cfg.Fixed, Recorder: cfg.Recorder}, cut.Values())
	c.Worker = tensor.NewWorker(buf, CountSaturated, c.start)
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

// start sends every server its shard.
func (c *Core) start(eff *sansio.Effects) {
	c.left = len(c.from)
	for i := range c.from {
		c.from[i].due = true
	}
	for _, s := range c.order {
		part := c.cut.Part(s, s+1)
		if c.from[s].to == nil {
			c.shard.push(c.cfg.worker(), c.Buf.Sum[part.Lo:part.Hi], eff)
			continue
		}
		tensor.Send(c.from[s].to, &tensor.Header{Gen: c.Gen, Kind: s, Bytes: part.Bytes()}, c.Buf.Sum, part, eff)
		c.Count.Add(CountShards, 1)
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
			c.Count.Add(DropWrongPort, 1)
		}
	}
}

// sums takes bytes of a server's stream.
func (c *Core) sums(server int, t *sansio.Train) {
	f := &c.from[server]
	switch f.in.Take(t, func(rx *tensor.Reader) tensor.State { return c.slice(server, f, rx) }) {
	case tensor.OutOfStep:
		c.Count.Add(DropOutOfStep, 1)
	case tensor.AfterFault:
		c.Count.Add(DropAfterFault, 1)
	}
}

// slice takes the next slice of a server's sums. They take the place of what
// this worker sent: that is on its way in memory of its own.
func (c *Core) slice(server int, f *source, rx *tensor.Reader) tensor.State {
	if !c.Active || !f.due {
		return tensor.Wrong
	}
	part := c.cut.Part(server, server+1)
	p, sums, state := rx.Next(tensor.Header{Gen: c.Gen, Kind: server, Bytes: part.Bytes()}, part, c.cfg.slice())
	if state == tensor.Ready {
		c.arrived(f, p, sums)
	}
	return state
}

func (c *Core) arrived(f *source, p tensor.Slice, sums []byte) {
	c.Buf.Merge(p.Part, sums, false)
	if p.Last {
		f.due = false
		c.left--
	}
}

// local takes sums of the server here.
func (c *Core) local(p tensor.Slice, sums []byte) {
	own := c.cfg.server()
	lo := c.cut.Part(own, own+1).Lo
	p.Lo, p.Hi = lo+p.Lo, lo+p.Hi
	c.arrived(&c.from[own], p, sums)
}

// Complete reports whether the sums of generation gen are all here.
func (c *Core) Complete(gen int) bool { return c.Active && gen == c.Gen && c.left == 0 }

// Counters returns messages sent and faults by reason, of the server here too.
func (c *Core) Counters() []sansio.Count {
	var sum sansio.Tally
	sum.Merge(c.Count.List())
	if c.shard != nil {
		sum.Merge(c.shard.count.List())
	}
	return sum.List()
}

package atp

import (
	"fmt"
	"slices"

	"github.com/inalab/inalab/internal/reuse"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/units"
	wire "github.com/inalab/inalab/internal/wire/atp"
	"github.com/inalab/inalab/internal/wire/inet"
)

// Core is one worker's end of the protocol.
type Core struct {
	cfg     Config
	to      []sansio.Port
	cut     int        // blocks that tensors are cut to
	held    int        // elements of a generation that are held
	setups  [][]server // by set-up, each by server
	streams []stream   // stream t*servers + s is what thread t sends to server s
	loads   []uint64   // values that each thread was given

	begun bool
	open  []*generation // not finished, oldest first
	spare reuse.List[*generation]

	count   sansio.Tally
	windows windows
}

// server is the directions of packets to a server.
type server struct {
	cfg      *Server
	template []byte
	header   wire.Header
}

// New returns a worker that has sent nothing yet.
func New(cfg Config) (*Core, error) {
	cfg.resolve()
	if err := cfg.validate(); err != nil {
		return nil, fmt.Errorf("configuring ATP worker %s: %w", cfg.Node, err)
	}
	cfg.Servers = slices.Clone(cfg.Servers)
	c := &Core{cfg: cfg, to: []sansio.Port{cfg.Port}, cut: cfg.Cut / block, loads: make([]uint64, cfg.Threads)}
	for _, n := range cfg.tensors() {
		c.held += cfg.Sample.Elements(n, block)
	}
	c.spare.Free(c.blank())
	c.setUps()
	for i, x := range newIndexes(&c.cfg) {
		c.streams = append(c.streams, newStream(c, i, x))
	}
	if cfg.Setup > 0 {
		c.join()
	}
	return c, nil
}

// header is what all headers to the server have.
func (s *Server) header() wire.Header {
	return wire.Header{Bitmaps: s.Bitmaps, FanIns: s.FanIns, Upper: s.Upper}
}

func newServer(job uint8, s *Server) server {
	out := server{cfg: s, template: inet.UDPHeader(s.Flow), header: s.header()}
	out.header.Job = job
	if s.Direct || s.Upper.Level > 0 {
		out.header.Flags = wire.EdgeSwitch
	}
	inet.IPv4(out.template[inet.EtherLen:]).SetECN(inet.ECT0)
	return out
}

func newStream(c *Core, i int, x indexes) stream {
	cfg := &c.cfg
	out := stream{
		core: c, server: &c.setups[0][i%len(c.cfg.Servers)], numbers: x.numbers, indexes: x, window: newWindow(cfg, i),
		flight: make([]fragment, cfg.span()), timeout: units.Never, opens: units.Never,
	}
	out.sweeps = sweeps{
		half: uint64(x.numbers.Size / 2), table: uint64(cfg.Aggregators), lead: uint64(cfg.lead()),
		used: cfg.Sweep, rest: 2*cfg.Lifetime + cfg.Age,
	}
	return out
}

// Begin starts the all-reduce of generation gen, of all of its tensors from the last to the first:
// back-propagation makes them in that order. grad is borrowed until the generation is complete.
// Several generations may be on their way; all workers must begin them in the same order.
func (c *Core) Begin(now units.Time, gen int, grad []float32, eff *sansio.Effects) {
	g := c.newGeneration(gen)
	g.grad = grad[:c.held]
	c.first(g)
	c.begin(now, g, eff)
}

// BeginInts starts the all-reduce of an int32 tensor, of a worker configured for Integers. q is
// borrowed until the generation is complete. Generations that are complete need not be finished.
func (c *Core) BeginInts(now units.Time, gen int, q []int32, eff *sansio.Effects) {
	for len(c.open) > 0 && c.open[0].remaining == 0 {
		c.spare.Free(c.open[0])
		c.open = c.open[1:]
	}
	g := c.newGeneration(gen)
	g.q = q[:c.held]
	c.begin(now, g, eff)
}

func (c *Core) begin(now units.Time, g *generation, eff *sansio.Effects) {
	c.open = append(c.open, g)
	c.shareAll(g)
	for i := range c.streams {
		if !c.begun {
			c.streams[i].sweeps.over = now
		}
		c.streams[i].pump(now, eff)
	}
	c.begun = true
}

// Counters returns packets by type and drops by reason, and what windows were.
func (c *Core) Counters() []sansio.Count {
	var out sansio.Tally
	out.Merge(c.count.List())
	out.Merge(c.windows.list())
	return out.List()
}

// Handle takes parameter packets.
func (c *Core) Handle(now units.Time, in []sansio.Arrival, eff *sansio.Effects) {
	for i := range in {
		t := &in[i].Train
		from, marked := c.sender(t)
		if from == nobody {
			c.count.Add(DropForeign, uint64(t.Frames()))
			continue
		}
		for f := range t.Frames() {
			p := parameters{payload: t.Payload(f), unstored: t.Unstored, marked: marked}
			c.packet(now, from, &p, eff)
		}
	}
}

// sender returns the server that a train is of, nobody for others, and whether a link marked it.
func (c *Core) sender(t *sansio.Train) (from int, marked bool) {
	ip, udp, ok := t.UDP()
	if !ok || udp.DstPort() != c.cfg.port() {
		return nobody, false
	}
	for i := range c.cfg.Servers {
		if c.cfg.Servers[i].Flow.Dst == ip.Src() {
			return i, ip.ECN() == inet.CE
		}
	}
	return nobody, false
}

// nobody is no server.
const nobody = -1

// packet hands a packet to the stream that has its number.
func (c *Core) packet(now units.Time, from int, p *parameters, eff *sansio.Effects) {
	var h wire.Header
	if problem := c.read(&h, p); problem != wire.OK {
		c.count.Add(string(problem), 1)
		return
	}
	p.Header = &h
	p.marked = p.marked || h.Flags.Has(wire.ECN)
	i := int((h.Sequence - 1) / c.streams[0].numbers.Size)
	if !h.Flags.Has(wire.IsAck) || h.Upper.Levels != c.cfg.levels() || i >= len(c.streams) || i%len(c.cfg.Servers) != from {
		c.count.Add(DropForeign, 1)
		return
	}
	switch s := &c.streams[i]; {
	case h.Flags.GoesOn():
		s.told(now, &h, eff)
	case h.Job == s.server.header.Job && !s.asks:
		s.take(now, p, eff)
	default:
		c.count.Add(c.strange(s, h.Job), 1)
	}
}

// read reads the header of a parameter packet.
func (c *Core) read(h *wire.Header, p *parameters) wire.Problem {
	if c.cfg.levels() > 0 {
		return h.ReadDeep(p.payload, p.unstored)
	}
	return h.Read(p.payload, p.unstored)
}

// NextDeadline returns when a packet must be sent again, or one that waits may be sent.
func (c *Core) NextDeadline() units.Time {
	at := units.Never
	for i := range c.streams {
		at = min(at, c.streams[i].due())
	}
	return at
}

// Expire sends again what has waited too long, and what had to wait.
func (c *Core) Expire(now units.Time, eff *sansio.Effects) {
	for i := range c.streams {
		c.streams[i].expire(now, eff)
	}
}

// Waiting returns at most limit packets that have no parameters, by the names that they have in
// events.
func (c *Core) Waiting(limit int) (out []trace.Wait) {
	for i := range c.streams {
		s := &c.streams[i]
		for packet := s.expected; packet < s.next && len(out) < limit; packet++ {
			if !s.at(packet).received {
				gen, number := s.name(packet)
				out = append(out, trace.Wait{Gen: gen, Block: number, Sent: true})
			}
		}
		if (s.opens != units.Never || s.asks) && len(out) < limit {
			gen, number := s.name(s.next)
			out = append(out, trace.Wait{Gen: gen, Block: number})
		}
	}
	return out
}

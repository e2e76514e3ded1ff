package chassis

import (
	"fmt"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/switchd/forward"
)

// Chassis is one switch. Its ports are those of its plan, by index.
type Chassis struct {
	cfg   Config
	plane *forward.Plane

	ports   []port
	pfes    []pfe
	engines []*engine // of all PFEs: the system's, and behind them the others
	fabric  []*part   // from src to dst at src*len(pfes)+dst; nil where ideal
	parts   []*part
	links   agenda // deadlines of the parts that are links

	newEngine NewEngine // for programs that are replaced
	sink      trace.Sink

	now    units.Time // of the latest call
	at     units.Time // of the latest pass, now or before
	stage  stage      // whose turn it is
	turns  [stages][]partID
	held   []held
	copies sansio.Effects // memory of what is held
	groups []jobGroup     // multicast groups of jobs that came at run time
	count  sansio.Tally   // of what only the chassis can lose
	made   uint64         // frames that engines sent
	sets   int            // links that were set at run time: their streams differ
	list   []sansio.Send  // scratch: what a part sent
	routes []sansio.Send  // scratch: what the forwarding plane sent
	due    []partID       // scratch
	lists  []sansio.Port  // memory of the lists of ports made in this call
}

type port struct {
	wired   bool
	pfe     int
	in, out *part // nil where the link is perfect or modelled elsewhere
	self    []sansio.Port
	stat    PortStat
}

// New returns a switch whose engines newEngine makes of the programs of cfg; it may
// be nil where there are none. The engines tell sink what they do; it may be nil.
func New(cfg Config, newEngine NewEngine, sink trace.Sink) (*Chassis, error) {
	if err := cfg.validate(); err != nil {
		return nil, err
	}
	plane, err := forward.New(forward.Config{Switch: cfg.Switch, MTU: cfg.MTU, Groups: cfg.Groups, Seed: cfg.Seed})
	if err != nil {
		return nil, err
	}
	c := &Chassis{cfg: cfg, plane: plane, stage: before}
	if err := c.build(newEngine, sink); err != nil {
		return nil, fmt.Errorf("chassis %q: %w", cfg.Switch.Name, err)
	}
	return c, nil
}

func (c *Chassis) build(newEngine NewEngine, sink trace.Sink) error {
	if err := c.buildEngines(newEngine, sink); err != nil {
		return err
	}
	if err := c.buildServers(); err != nil {
		return err
	}
	if err := c.buildPorts(); err != nil {
		return err
	}
	return c.buildFabric()
}

// Handle takes what arrived at front-panel ports.
func (c *Chassis) Handle(now units.Time, in []sansio.Arrival, eff *sansio.Effects) {
	c.catchUp(now, eff)
	c.pass(now, in, eff)
}

// Expire does what is due at its links and engines.
func (c *Chassis) Expire(now units.Time, eff *sansio.Effects) {
	c.catchUp(now, eff)
	c.pass(now, nil, eff)
}

// NextDeadline returns the earliest deadline of any part.
func (c *Chassis) NextDeadline() units.Time {
	if len(c.held) > 0 {
		return c.now
	}
	next := c.links.next()
	for _, e := range c.engines {
		next = min(next, e.part.next)
	}
	return next
}

// catchUp makes a pass for every instant before now at which a link was due, so that a late
// driver neither adds up the delays of links in a row nor takes from their rate. Engines get
// the time of the call: a timer thread that fired twice in a row would age records whose
// packets wait outside.
func (c *Chassis) catchUp(now units.Time, eff *sansio.Effects) {
	c.now = now
	c.lists = c.lists[:0]
	if len(c.held) == 0 { // and what was has been carried out
		c.copies.Reset()
	}
	lo := len(eff.Sends)
	for t := c.links.next(); t < now; t = c.links.next() {
		c.pass(t, nil, eff)
		c.copyLent(eff.Sends[lo:], eff)
		lo = len(eff.Sends)
	}
}

// pass calls every part that has something to do at an instant once.
func (c *Chassis) pass(at units.Time, in []sansio.Arrival, eff *sansio.Effects) {
	c.at, c.stage = at, before
	for i := range c.held {
		h := &c.held[i]
		c.offer(h.to, h.in.Port, &h.in.Train)
		if m := h.in.Train.Memory; m != nil {
			eff.Drop(m)
		}
	}
	clear(c.held)
	c.held = c.held[:0]
	c.due = c.links.take(at, c.due[:0])
	for _, id := range c.due {
		c.activate(c.parts[id])
	}
	if at == c.now {
		c.activateEngines()
	}
	for i := range in {
		c.arrive(&in[i], eff)
	}
	for s := range stages {
		c.takeTurns(s, eff)
	}
}

func (c *Chassis) activateEngines() {
	for _, e := range c.engines {
		if e.part.next <= c.now {
			c.activate(e.part)
		}
	}
}

// copyLent copies what the parts lent, before they are called again.
func (c *Chassis) copyLent(sends []sansio.Send, eff *sansio.Effects) {
	for i := range sends {
		s := &sends[i]
		lo := len(c.lists)
		c.lists = append(c.lists, s.To...)
		s.To = c.lists[lo:len(c.lists):len(c.lists)]
		s.Train.Header = append(eff.Header(len(s.Train.Header))[:0], s.Train.Header...)
		s.Train.Body = append(eff.Body(len(s.Train.Body))[:0], s.Train.Body...)
		s.Train.Memory = eff.Owner(s.Train.Body)
	}
}

// arrive takes a train from the wire into its link.
func (c *Chassis) arrive(in *sansio.Arrival, eff *sansio.Effects) {
	switch {
	case in.Port < 0 || int(in.Port) >= len(c.ports) || !c.ports[in.Port].wired:
		c.plane.Forward(c.now, *in, eff) // counts it
	case c.ports[in.Port].in != nil:
		c.offer(c.ports[in.Port].in, in.Port, &in.Train)
	default:
		c.receive(in.Port, &in.Train, eff)
	}
}

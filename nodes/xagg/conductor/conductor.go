package conductor

import (
	"fmt"

	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/xaggctl"
	"github.com/inalab/inalab/nodes/xagg/manager"
)

// shape says what is to become of the tree.
type shape uint8

const (
	starred shape = iota // it is a star, and stays one
	waiting              // it is a star until there is a plan
	planned              // it is adjusted after each iteration
)

// Conductor is the management plane of a job. It is not safe for use by several goroutines.
type Conductor struct {
	cfg   Config
	hosts []*host
	start units.Time

	tree    *manager.Tree
	shape   shape
	version uint16 // of the tree, 1 of the first
	tried   bool   // a plan was tried since the last iteration, or none is wanted

	begun     bool // an iteration opened
	running   bool // it has not closed
	first     uint16
	iteration uint16 // the latest that opened

	orders []Order
	notes  []Note
	lack   string // why there is no plan, as noted last
	drops  Drops
}

// Drops counts messages that were not used.
type Drops struct {
	Stranger uint64 // from a host that cannot send this
	Stale    uint64 // older than what was heard before, or an answer to an order that was replaced
}

// New returns the conductor of a job, with orders for its first tree. The error says what of the
// configuration is impossible.
func New(now units.Time, cfg Config) (*Conductor, error) {
	cfg.resolve()
	if err := cfg.validate(); err != nil {
		return nil, fmt.Errorf("conduct job %d: %w", cfg.Job, err)
	}
	c := &Conductor{cfg: cfg, start: now, tried: true}
	c.populate()
	if err := c.begin(now); err != nil {
		return nil, fmt.Errorf("conduct job %d: %w", cfg.Job, err)
	}
	c.change(now)
	return c, nil
}

// populate makes the hosts of the configuration.
func (c *Conductor) populate() {
	for i, h := range c.cfg.all() {
		x := &host{Host: h, role: manager.PSRole, due: units.Never}
		switch at := i - 1 - len(c.cfg.Workers); {
		case at >= 0:
			s := &c.cfg.Servers[at]
			x.role = manager.ServerRole
			x.load = manager.Server{Name: h.Name, Bandwidth: s.Bandwidth, Cores: s.Cores, Memory: s.Memory, Used: s.Used}
		case i > 0:
			// The order of the configuration counts as long as there are no times.
			x.role = manager.WorkerRole
			x.times = manager.Worker{Name: h.Name, Training: units.Duration(len(c.cfg.Workers) - i)}
		}
		c.hosts = append(c.hosts, x)
	}
}

// Open begins an iteration. It reports whether that may be, as [Conductor.MayOpen]; a server that is
// silent by now is found first.
func (c *Conductor) Open(now units.Time, iteration uint16) bool {
	c.review(now)
	if !c.MayOpen(iteration) {
		return false
	}
	if !c.begun {
		c.first = iteration
	}
	c.begun, c.running, c.iteration = true, true, iteration
	return true
}

// MayOpen reports whether an iteration may begin: it is the one after the last, which is closed, and
// all nodes of the tree have acknowledged their places. The first iteration can have any number.
func (c *Conductor) MayOpen(iteration uint16) bool {
	if c.running || !c.tried || c.begun && iteration != c.iteration+1 {
		return false
	}
	for _, h := range c.hosts {
		if h.in() && h.pending() {
			return false
		}
	}
	return true
}

// Close ends an iteration: all workers have its results. The tree is planned or adjusted. It reports
// false of an iteration that is not open.
func (c *Conductor) Close(now units.Time, iteration uint16) bool {
	if !c.running || iteration != c.iteration {
		return false
	}
	c.running = false
	for _, h := range c.hosts {
		h.again, h.place.Again = false, false
	}
	switch c.shape {
	case waiting:
		c.tried = false
		c.plan(now)
	case planned:
		c.adjust(now)
	}
	c.issue(now)
	return true
}

// Report takes a server's report: its number, of which a later one replaces an earlier one, the
// version of the tree in which it has its place, 0 for none, and its load.
func (c *Conductor) Report(now units.Time, m *xaggctl.Message) {
	h := c.byID(m.Host)
	if h == nil || h.role != manager.ServerRole {
		c.drops.Stranger++
		return
	}
	if h.reported && now < c.silent(h) && int32(m.Number-h.report) <= 0 {
		c.drops.Stale++
		return
	}
	h.report, h.heard, h.reported = m.Number, now, true
	h.load = manager.Server{Name: h.Name, Bandwidth: m.Load.Bandwidth, Cores: int(m.Load.Cores), Memory: m.Load.Total, Used: m.Load.Used}
	if h.left {
		h.left = false
		c.note(now, "%s reports again: it is a candidate after the iteration", h.Name)
	}
	if h.pending() && !h.in() {
		h.due = now
	}
	if h.misplaced++; !h.in() || h.pending() || m.Tree == h.version {
		h.misplaced = 0
	}
	c.review(now)
}

// Round takes the times of a worker's iteration. Only those of the first one are used.
func (c *Conductor) Round(now units.Time, m *xaggctl.Message) {
	h := c.byID(m.Host)
	if h == nil || h.role != manager.WorkerRole {
		c.drops.Stranger++
		return
	}
	if !c.begun || m.Iteration != c.first || h.timed || c.cfg.Mode != Plan {
		return
	}
	h.timed = true
	h.times.Training, h.times.Transfer = m.Times.Training, m.Times.Transfer
	c.review(now)
}

// Acknowledge takes a host's answer to an order.
func (c *Conductor) Acknowledge(now units.Time, from, number uint32) {
	h := c.byID(from)
	switch {
	case h == nil:
		c.drops.Stranger++
	case number != h.number || number == 0:
		c.drops.Stale++
	case !h.acked:
		h.misplaced = 0
		h.acked, h.edge, h.due = true, h.place.Parent, units.Never
		h.placed = h.in()
		c.issue(now)
	}
}

// NextDeadline returns when [Conductor.Expire] must be called.
func (c *Conductor) NextDeadline() units.Time {
	at := units.Never
	plans := !c.tried && len(c.untimed()) == 0 // as soon as all servers reported, or had the time for it
	for _, h := range c.hosts {
		if h.pending() && !c.held(h) {
			at = min(at, h.due)
		}
		if h.role == manager.ServerRole && (h.in() || plans && !h.reported) {
			at = min(at, c.silent(h))
		}
	}
	return at
}

// Expire finds servers that are silent, and sends orders again.
func (c *Conductor) Expire(now units.Time) { c.review(now) }

// Tree returns the tree from the PS down, with children in parentheses.
func (c *Conductor) Tree() string { return c.tree.String() }

// Version returns the number of the latest tree, 1 of the first. It wraps at 16 bits, past 0.
func (c *Conductor) Version() uint16 { return c.version }

// Drops returns what was not used.
func (c *Conductor) Drops() Drops { return c.drops }

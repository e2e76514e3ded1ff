package session

import (
	"cmp"
	"errors"
	"fmt"
	"net/netip"
	"slices"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
	"github.com/inalab/inalab/switchd/dataplane"
	"github.com/inalab/inalab/switchd/program/switchml"
)

// DefaultPatience is how long clients wait for one another: long enough to start
// workers by hand (assumed).
const DefaultPatience = 120 * units.Second

// Config describes the switch to its clients.
type Config struct {
	Switch   string         // name, for texts
	MAC      inet.MAC       // where packets are to be sent
	Addr     netip.Addr     // likewise; IPv4
	Hosts    []Host         // that may be workers
	Slots    int            // of each set, for each job; zero: switchml.MaxSlots
	Patience units.Duration // of a Barrier or Broadcast; zero: DefaultPatience
}

// Host is a host of the switch.
type Host struct {
	MAC  inet.MAC
	Addr netip.Addr
	Port sansio.Port
}

func (c *Config) validate() error {
	var errs []error
	if !c.Addr.Is4() {
		errs = append(errs, fmt.Errorf("address %v: it must be an IPv4 address", c.Addr))
	}
	if c.Slots < 0 || c.Slots > switchml.MaxSlots {
		errs = append(errs, fmt.Errorf("jobs of %d slots: 1 to %d are possible, or 0 for that", c.Slots, switchml.MaxSlots))
	}
	if c.Patience < 0 {
		errs = append(errs, fmt.Errorf("patience of %v: it must be positive, or zero for %v", c.Patience, DefaultPatience))
	}
	return errors.Join(errs...)
}

// Machine is the control plane of one switch. One goroutine at a time calls it.
type Machine struct {
	cfg     Config
	clients map[Conn]*client // looked up, never ranged
	cohorts []*cohort        // in the order of their beginning
	jobs    []*job           // likewise
	foreign [dataplane.MaxJobID + 1]bool
	out     []Answer
}

// Conn is a client's connection. No number is used twice.
type Conn uint64

// Call is one call of a client. No number is used twice.
type Call uint64

// Answer ends a call.
type Answer struct {
	Call  Call
	Value uint64 // of a Broadcast
	Fault *Fault // nil: done
}

// client is who is at the other end of a connection.
type client struct {
	conn   Conn
	addr   string
	cohort *cohort // nil: it never called Broadcast
	ranks  []int   // it said it has; a process may have several on one connection
	job    *job    // of its latest session, since its latest Broadcast
	fault  string  // why its latest session was refused; empty: it was not
}

// New returns the control plane of a switch without jobs.
func New(cfg Config) (*Machine, error) {
	if err := cfg.validate(); err != nil {
		return nil, fmt.Errorf("configuring SwitchML sessions of %s: %w", cfg.Switch, err)
	}
	cfg.Slots = cmp.Or(cfg.Slots, switchml.MaxSlots)
	cfg.Patience = cmp.Or(cfg.Patience, DefaultPatience)
	return &Machine{cfg: cfg, clients: map[Conn]*client{}}, nil
}

// Connect notes a connection and where it comes from.
func (m *Machine) Connect(conn Conn, addr string) { m.clients[conn] = &client{conn: conn, addr: addr} }

// Clients returns how many connections there are.
func (m *Machine) Clients() int { return len(m.clients) }

// Hangup forgets a connection. Calls of it that wait are not answered: nobody
// listens. Its cohort is broken.
func (m *Machine) Hangup(conn Conn) {
	c := m.clients[conn]
	if c == nil {
		return
	}
	delete(m.clients, conn)
	for _, h := range m.cohorts {
		for i := range h.waiting {
			if w := &h.waiting[i]; w.client == c {
				h.giveUp(w)
			}
		}
		h.waiting = slices.DeleteFunc(h.waiting, func(w waiter) bool { return w.client == c })
	}
	if h := c.cohort; h != nil {
		m.leave(h, c)
	}
	m.tidy()
}

// Cancel forgets a call that was given up.
func (m *Machine) Cancel(call Call) {
	for _, h := range m.cohorts {
		if i := h.find(call); i >= 0 {
			h.giveUp(&h.waiting[i])
			h.waiting = slices.Delete(h.waiting, i, i+1)
		}
	}
	m.tidy()
}

// NextDeadline is when [Machine.Expire] has something to do.
func (m *Machine) NextDeadline() units.Time {
	next := units.Never
	for _, h := range m.cohorts {
		for i := range h.waiting {
			next = min(next, h.waiting[i].until)
		}
	}
	return next
}

// Expire ends waits that took too long.
func (m *Machine) Expire(now units.Time) {
	for _, h := range m.cohorts {
		m.expireBarrier(now, h)
		m.expireBroadcasts(now, h)
	}
	m.tidy()
}

// Answers returns what is ready since it was last called. The slice is the
// caller's.
func (m *Machine) Answers() []Answer {
	out := m.out
	m.out = nil
	return out
}

func (m *Machine) answer(call Call, value uint64, f *Fault) {
	m.out = append(m.out, Answer{call, value, f})
}

package xagg

import (
	"errors"
	"fmt"
	"math/bits"
	"net/netip"

	"github.com/inalab/inalab/internal/wire/inet"
	wire "github.com/inalab/inalab/internal/wire/xagg"
)

// Config is an aggregator of one job, a parameter server, or a receiver of results.
//
//	server       children, Up
//	root (PS)    children, Down; finished sums go down as results
//	receiver     Parent
//	both         children, Up, Parent, Down: results are stored, and passed on below
type Config struct {
	Values    int    // of each packet, wire.MinValues to wire.MaxValues
	Fragments uint32 // N of Algorithm 1: gradient ids are 1 to this
	Job       uint16
	Host      uint32     // own id, one bit
	MAC       inet.MAC   // own
	Addr      netip.Addr // own, IPv4
	Group     netip.Addr // IPv4 group that results come to, beside Addr; zero: none
	Children  []Child    // whose gradients are summed; none: no gradients are taken
	Parent    uint32     // whose results are stored; 0: none are taken
	Up, Down  Next
	Window    Window
	Checks    int // entries of the check queue; 0 is DefaultChecks
}

// DefaultChecks is 32 hosts' groups of a model of 128 MB with 256 values a packet (assumed).
const DefaultChecks = 4096

// Child is a host below, with all hosts below that one.
type Child struct {
	ID    uint32 // one bit
	Below uint32 // ids of hosts whose gradients its sums have; 0: a worker
}

// Next is where frames are sent on. The zero value is nowhere.
type Next struct {
	MAC  inet.MAC
	Addr netip.Addr
}

// Window is the iterations that elements may begin: Current, and Ahead more. With Ahead 0 no child
// can reset an element before Current moves; with 1 a fast child may start the next iteration
// while others still lack results of this one, which this node then cannot send again.
type Window struct {
	Current uint16
	Ahead   uint16 // 0 or 1
}

// Validate returns what is wrong with a configuration.
func (c *Config) Validate() error {
	switch {
	case c.Values < wire.MinValues || c.Values > wire.MaxValues:
		return fmt.Errorf("%d values a packet: XAgg takes %d to %d", c.Values, wire.MinValues, wire.MaxValues)
	case c.Fragments == 0:
		return errors.New("no fragments: a model has at least 1")
	case !wire.OneHot(c.Host):
		return fmt.Errorf("own host id %#x: it must have one bit, so that there are at most %d hosts", c.Host, wire.MaxHosts)
	case !c.Addr.Is4():
		return fmt.Errorf("own address %q: it must be IPv4", c.Addr)
	case c.Group.IsValid() && !c.Group.Is4():
		return fmt.Errorf("group %q: it must be IPv4", c.Group)
	case c.Window.Ahead > 1:
		return fmt.Errorf("window of %d iterations ahead: 0 and 1 are possible", c.Window.Ahead)
	case c.Checks < 0:
		return fmt.Errorf("check queue of %d entries: give 1 or more, or 0 for %d", c.Checks, DefaultChecks)
	case len(c.Children) == 0 && c.Parent == 0:
		return errors.New("neither children nor a parent: there is nothing to take")
	}
	return errors.Join(c.hosts(), c.Up.validate("up"), c.Down.validate("down"))
}

// hosts checks the ids of children and parent.
func (c *Config) hosts() error {
	seen := c.Host
	for i, child := range c.Children {
		if !wire.OneHot(child.ID) {
			return fmt.Errorf("child %d has host id %#x: it must have one bit, so that there are at most %d hosts", i, child.ID, wire.MaxHosts)
		}
		if twice := seen & child.covers(); twice != 0 {
			return fmt.Errorf("child %d has host %d, which is this node's own or another child's: give each host its own bit", i, bits.TrailingZeros32(twice))
		}
		seen |= child.covers()
	}
	if c.Parent != 0 && (!wire.OneHot(c.Parent) || c.Parent&seen != 0) {
		return fmt.Errorf("parent has host id %#x: it must have one bit that is not this node's own nor below it", c.Parent)
	}
	return nil
}

// Valid reports whether there is a next hop.
func (n Next) Valid() bool { return n.Addr.IsValid() }

func (n Next) validate(way string) error {
	if n.Valid() && !n.Addr.Is4() {
		return fmt.Errorf("next hop %s is %q: it must be IPv4", way, n.Addr)
	}
	return nil
}

// covers returns the bits that a child's gradients set: they are its own and those below, so that a
// fragment cannot be counted once by way of the child and once from a host below it that found
// another way after a failure (§V; ambiguity xagg.failover-dup).
func (c Child) covers() uint32 { return c.ID | c.Below }

// Table is the part of a configuration for one of the two kinds of packets: gradients on their way
// up, or results on their way down, which are Algorithm 1 with the parent as the one child.
type Table struct {
	Covers   [wire.MaxHosts]uint32 // by the sender's bit: what its packets set; 0: none of its packets are taken
	Required uint32                // bits of a finished element; 0: no packets are taken
	Next     Next                  // where finished elements go
	Flags    wire.Flags            // that they get
}

// Sums returns the table of gradients on their way up.
func (c *Config) Sums() (t Table) {
	for _, child := range c.Children {
		t.Covers[bits.TrailingZeros32(child.ID)] = child.covers()
		t.Required |= child.covers()
	}
	if t.Next = c.Up; !c.Up.Valid() && c.Down.Valid() {
		t.Next, t.Flags = c.Down, wire.Result
	}
	return t
}

// Results returns the table of results on their way down.
func (c *Config) Results() (t Table) {
	if c.Parent == 0 {
		return t
	}
	t.Covers[bits.TrailingZeros32(c.Parent)] = c.Parent
	t.Required, t.Flags, t.Next = c.Parent, wire.Result, c.Down
	return t
}

// CheckEntries returns the size of the check queue.
func (c *Config) CheckEntries() int {
	if c.Checks == 0 {
		return DefaultChecks
	}
	return c.Checks
}

// Replace returns why a running aggregator cannot go on with another configuration: sizes stay, and
// so do the tables that were asked for at first.
func (c *Config) Replace(old *Config) error {
	switch err := c.Validate(); {
	case err != nil:
		return err
	case c.Values != old.Values || c.Fragments != old.Fragments || c.CheckEntries() != old.CheckEntries():
		return errors.New("values, fragments and the check queue keep the sizes that they began with: start another aggregator")
	case len(c.Children) > 0 && len(old.Children) == 0:
		return errors.New("it began without children and has no elements for them: start another aggregator")
	case c.Parent != 0 && old.Parent == 0:
		return errors.New("it began without a parent and has no elements for results: start another aggregator")
	}
	return nil
}

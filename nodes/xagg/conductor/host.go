package conductor

import (
	"fmt"
	"slices"

	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/xaggctl"
	"github.com/inalab/inalab/nodes/xagg/manager"
)

// host is what the conductor knows of a host.
type host struct {
	Host
	role manager.Role

	// Its edge to its parent.
	parent uint32 // host id; 0 of the PS and out of the tree
	since  uint16 // version that made the edge
	again  bool   // made in the present iteration

	// Its orders.
	place   xaggctl.Place // of the latest one
	number  uint32        // of the latest one; 0 before the first
	version uint16        // of the tree in the latest one
	acked   bool
	placed  bool           // it has acknowledged a place in the tree, and has one still
	tries   int            // how often it was sent
	edge    xaggctl.Parent // that it acknowledged last
	due     units.Time     // of the latest order: units.Never where nothing is to be sent

	// Of a server.
	load      manager.Server
	granted   units.Rate // idle bandwidth when it got its place
	reported  bool
	heard     units.Time // last report
	report    uint32     // its number
	misplaced int        // reports in a row without the place that it acknowledged
	left      bool       // it failed, and was not heard of since

	// Of a worker.
	times manager.Worker
	timed bool
}

// pending reports whether an order waits for its answer.
func (h *host) pending() bool { return h.number != 0 && !h.acked }

// in reports whether the latest place is in the tree.
func (h *host) in() bool { return h.place.In() }

// byID returns the host of an id, or nil.
func (c *Conductor) byID(id uint32) *host {
	if at := slices.IndexFunc(c.hosts, func(h *host) bool { return h.ID == id }); at >= 0 {
		return c.hosts[at]
	}
	return nil
}

// named returns the host of a name, which there is.
func (c *Conductor) named(name string) *host {
	return c.hosts[slices.IndexFunc(c.hosts, func(h *host) bool { return h.Name == name })]
}

// of returns the hosts of a role, in the order of the configuration.
func (c *Conductor) of(role manager.Role) (list []*host) {
	for _, h := range c.hosts {
		if h.role == role {
			list = append(list, h)
		}
	}
	return list
}

// silent returns when a server has not reported for too long.
func (c *Conductor) silent(h *host) units.Time {
	if !h.reported {
		return c.start.Add(c.cfg.Startup)
	}
	return h.heard.Add(silentPeriods * c.cfg.Period)
}

// fresh returns the loads of the servers that a tree may have. That of the configuration counts for one
// that may still come to its first report. One that left and has not acknowledged that may still act on
// its former place, and is not used.
func (c *Conductor) fresh(now units.Time) (list []manager.Server) {
	for _, h := range c.of(manager.ServerRole) {
		if c.gone(now, h) == "" && (h.in() || !h.pending()) {
			list = append(list, h.load)
		}
	}
	return list
}

// gone says why a server is not to be reached, or has lost its place; empty if neither.
func (c *Conductor) gone(now units.Time, h *host) string {
	switch {
	case now >= c.silent(h) && !h.reported:
		return fmt.Sprintf("it did not report within %v of the start", c.cfg.Startup)
	case now >= c.silent(h):
		return fmt.Sprintf("no report for %v, and one is due every %v", now.Sub(h.heard), c.cfg.Period)
	case h.misplaced >= misplacedReports:
		return fmt.Sprintf("%d reports without the place that it had, as after a restart", misplacedReports)
	case h.pending() && h.tries >= mostTries && h.due <= now:
		return fmt.Sprintf("it did not acknowledge its place, which it was sent %d times", h.tries)
	}
	return ""
}

// fault says why a server of the tree fails: it is gone or overloaded. Bandwidth that became idle since
// it got its place is no load.
func (c *Conductor) fault(now units.Time, h *host) string {
	if why := c.gone(now, h); why != "" {
		return why
	}
	s := h.load
	s.Bandwidth = min(s.Bandwidth, h.granted)
	if err := s.Fits(c.cfg.Model); err != nil {
		return "overloaded: " + err.Error()
	}
	return ""
}

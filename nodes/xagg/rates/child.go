package rates

import "github.com/inalab/inalab/internal/units"

// child is a node's edge to a child: what the child asked for, and what it may be sending at.
type child struct {
	id        ID
	tree      uint16
	heard     bool   // a request has come
	seq       uint32 // of the newest request
	iteration uint16
	phase     Phase
	demand    units.Rate
	cut       units.Rate // limit after loss; negative without
	admitted  bool       // the parent of the node has answered for it
	join      uint32     // the node's own request that told of it

	notice    uint32 // newest
	rate      units.Rate
	answers   uint32     // request that the notice answers
	peak      units.Rate // the most the child could be sending at
	confirmed bool
	since     units.Time // when it was confirmed
	owed      bool       // the notice is to be sent
	initial   bool
	resend    units.Time
}

// take applies a request; it reports whether the child begins an iteration.
func (c *child) take(now units.Time, r *Request) (begins bool) {
	if !c.heard || newer(r.Seq, c.seq) {
		begins = r.Phase == Sending && (c.phase != Sending || c.iteration != r.Iteration)
		c.heard, c.seq, c.phase, c.iteration, c.demand = true, r.Seq, r.Phase, r.Iteration, r.Demand
		if begins {
			c.cut, c.admitted, c.initial = -1, false, true
		}
		if begins || c.phase != Sending {
			c.rate, c.peak = 0, 0 // it sends nothing, and heeds no notice that answers an earlier request
		}
	}
	if r.Heard == c.notice && !c.confirmed {
		c.confirmed, c.since, c.peak = true, now, c.rate
	}
	return begins
}

// sends reports whether the child takes part in the allocation.
func (c *child) sends() bool { return c.phase == Sending && c.admitted }

// answerable reports whether the child's newest request can be answered: one that begins an
// iteration has to wait for the node's own parent.
func (c *child) answerable() bool { return c.phase != Sending || c.admitted }

// begun reports whether the child has begun an iteration.
func (c *child) begun(iteration uint16) bool {
	return c.iteration == iteration && (c.sends() || c.phase == Ended)
}

// limit returns the most the child can use.
func (c *child) limit() units.Rate {
	if c.cut >= 0 {
		return min(c.demand, c.cut)
	}
	return c.demand
}

// give makes a notice of a rate.
func (c *child) give(rate units.Rate) {
	c.notice++
	c.rate, c.confirmed, c.owed = rate, false, true
	if c.answerable() {
		c.answers = c.seq
	}
	if c.phase == Sending {
		c.peak = max(c.peak, rate)
	}
}

// send returns the message that is owed.
func (c *child) send(now units.Time, again units.Duration) Send {
	s := Send{To: c.id, Initial: c.initial, Notice: &Notice{Tree: c.tree, Seq: c.notice, Heard: c.answers, Rate: c.rate}}
	c.owed, c.initial, c.resend = false, c.initial && c.answers != c.seq, now.Add(again)
	return s
}

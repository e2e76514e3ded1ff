package topo

import "errors"

// Validate reports all faults of s, joined.
func (s LinkSpec) Validate() error {
	var errs errorList
	fault := errs.add
	if s.Rate < 0 {
		fault("rate %v is negative: it must be positive, or zero for unlimited", s.Rate)
	}
	if s.Delay < 0 {
		fault("delay %v is negative: it must be zero or more", s.Delay)
	}
	s.validateOrder(fault)
	for _, p := range []struct {
		name string
		v    float64
	}{{"loss", s.Loss}, {"reorder", s.Reorder}, {"duplicate", s.Duplicate}, {"corrupt", s.Corrupt}} {
		if !(p.v >= 0 && p.v <= 1) { // written so that NaN fails
			fault("%s %v is not a probability: it must be 0..1", p.name, p.v)
		}
	}
	if s.LossEvery < 0 {
		fault("loss of every %d frames is negative: it must be positive, or zero for none", s.LossEvery)
	}
	if s.Queue < 0 {
		fault("queue %v is negative: it must be positive, or zero for the default", s.Queue)
	}
	if s.Marking.On() && s.Rate == 0 {
		fault("marking needs a rate: nothing waits for a line without one")
	}
	for _, err := range []error{s.Distribution.Validate(), s.Script.Validate()} {
		if err != nil {
			errs = append(errs, err)
		}
	}
	errs = append(errs, unjoin(s.Bursts.Validate())...)
	return errors.Join(append(errs, unjoin(s.Marking.Validate())...)...)
}

func (c *checker) checkLink(i int) {
	l := &c.g.Links[i]
	okA, okB := c.checkEnd(i, l.A), c.checkEnd(i, l.B)
	c.checkDirection(l, l.B, l.AtoB)
	c.checkDirection(l, l.A, l.BtoA)
	if !okA || !okB || !c.checkPair(l) {
		c.broken = true
		return
	}
	a, b := c.nodes[l.A.Node], c.nodes[l.B.Node]
	c.neighbor[a] = append(c.neighbor[a], b)
	c.neighbor[b] = append(c.neighbor[b], a)
}

// checkEnd reports whether the end is a declared port that no earlier link uses.
func (c *checker) checkEnd(link int, e End) bool {
	l := &c.g.Links[link]
	n, known := c.nodes[e.Node]
	if !known {
		c.fault("link %v: unknown node %q", l, e.Node)
		return false
	}
	c.linked[n] = true
	if !c.ports[e] {
		c.fault("link %v: %s has no port %q", l, e.Node, e.Port)
		return false
	}
	if first, used := c.usedBy[e]; used {
		if first == link {
			c.fault("link %v: joins a port to itself", l)
		} else {
			c.fault("link %v: port %s of %s is used twice (also by %v)", l, e.Port, e.Node, &c.g.Links[first])
		}
		return false
	}
	c.usedBy[e] = link
	return true
}

// checkPair reports whether the two ends, each sound, may be joined.
func (c *checker) checkPair(l *Link) bool {
	a, b := &c.g.Nodes[c.nodes[l.A.Node]], &c.g.Nodes[c.nodes[l.B.Node]]
	switch {
	case a == b:
		c.fault("link %v: both ends are on %s", l, a.Name)
	case a.Kind == Host && b.Kind == Host:
		c.fault("link %v: joins two hosts: put a switch between them", l)
	case a.Kind == Host && b.Tier > 0, b.Kind == Host && a.Tier > 0:
		sw := a
		if a.Kind == Host {
			sw = b
		}
		c.fault("link %v: %s is at tier %d: hosts attach to tier 0", l, sw.Name, sw.Tier)
	default:
		return true
	}
	return false
}

func (c *checker) checkDirection(l *Link, to End, s LinkSpec) {
	for _, err := range unjoin(s.Validate()) {
		c.fault("link %v: towards %s: %w", l, to.Node, err)
	}
}

// unjoin splits what errors.Join joined, so that each fault gets its own place.
func unjoin(err error) []error {
	if many, ok := err.(interface{ Unwrap() []error }); ok {
		return many.Unwrap()
	}
	return nil
}

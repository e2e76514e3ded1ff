package chassis

import (
	"slices"

	"github.com/inalab/inalab/internal/pktio/impair"
	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/topo"
)

// PortStat is the traffic of one front-panel port: in behind the link that
// leads to it, out behind the link that leads away. Where a link is modelled at
// its other end, or not at all, these are the frames at the port itself.
type PortStat struct {
	Port int    `json:"port"`
	Name string `json:"name"`
	In   Volume `json:"in"`
	Out  Volume `json:"out"`
}

// Volume is an amount of traffic.
type Volume struct {
	Frames uint64 `json:"frames"`
	Bytes  uint64 `json:"bytes"` // headers included, framing not
}

func (v *Volume) add(t *sansio.Train) {
	n := t.Frames()
	v.Frames += uint64(n)
	v.Bytes += uint64(n*(len(t.Header)+t.Unstored) + len(t.Body))
}

// PortStats returns the traffic of all wired ports.
func (c *Chassis) PortStats() []PortStat {
	var out []PortStat
	for i := range c.ports {
		if c.ports[i].wired {
			out = append(out, c.ports[i].stat)
		}
	}
	return out
}

// Counters returns what forwarding, engines and links counted, as in
// "forward/no-route", "pfe1/trioml-packets" (on a switch without chassis
// "engine/..."), "pfe1/telemetry/telemetry-reports" of a program beside the system's,
// "link/h0:eth0->tor:p0/queue-full". What links did not do, drops, marks and the rest, is
// left out.
func (c *Chassis) Counters() []sansio.Count {
	var t sansio.Tally
	for _, n := range c.plane.Counters() {
		t.Add("forward/"+n.Name, n.N)
	}
	for _, e := range c.engines {
		for _, n := range e.Counters() {
			t.Add(e.name+"/"+n.Name, n.N)
		}
		for _, n := range e.former.List() {
			t.Add(e.name+"/"+n.Name, n.N)
		}
	}
	t.Merge(c.chassisDrops())
	asked, unasked := c.linkDrops()
	t.Merge(asked.List())
	t.Merge(unasked.List())
	for _, p := range c.parts {
		if p.link == nil {
			continue
		}
		s := p.link.Stats()
		for _, n := range []sansio.Count{{Name: impair.CountMarked, N: s.Marked}, {Name: impair.CountOvertook, N: s.Overtook}, {Name: impair.CountDuplicated, N: s.Duplicated}} {
			if n.N > 0 {
				t.Add("link/"+p.link.Name()+"/"+n.Name, n.N)
			}
		}
	}
	return t.List()
}

// PhaseMattered reports whether an engine's timers might, at another phase,
// have changed what happened since the last call.
func (c *Chassis) PhaseMattered() bool {
	mattered := false
	for _, e := range c.engines {
		if e.PhaseMattered() {
			mattered = true
		}
	}
	return mattered
}

// Remembers reports whether an engine holds something from before that changes
// what it does next.
func (c *Chassis) Remembers() bool {
	return slices.ContainsFunc(c.engines, func(e *engine) bool { return e.Remembers() })
}

// Links returns what each direction of the links modelled here came to, from one instant
// to another or, if that is later, to the latest call. Nothing may have come before.
func (c *Chassis) Links(from, until units.Time) (out []result.Link) {
	until = max(until, c.now)
	for _, p := range c.parts {
		if p.link == nil || p.engine != nil {
			continue
		}
		s, d := p.link.Stats(), p.link.Depth(from, until)
		l := result.Link{
			Name: p.link.Name(), Rate: c.specOf(p).Rate, Frames: s.Out.Frames, Bytes: s.Out.Bytes,
			Mean: d.Mean, P99: d.P99, Max: d.Max, Marks: s.Marked, Use: p.link.Use(from, until), Changes: p.link.Changed(until),
			Reordered: s.Overtook, Duplicated: s.Duplicated,
		}
		for _, n := range s.Drops() {
			l.Drops = append(l.Drops, result.Counter{Name: n.Name, N: n.N})
		}
		out = append(out, l)
	}
	return out
}

// Crossings returns the frames that came to the far end of the links modelled
// here.
func (c *Chassis) Crossings() (frames uint64) {
	for _, p := range c.parts {
		if p.link != nil && p.engine == nil {
			frames += p.link.Stats().Out.Frames
		}
	}
	return frames
}

// Made returns the frames that engines sent, those of every port counted.
func (c *Chassis) Made() uint64 { return c.made }

// AskedDrops returns the frames that links lost because their specs say so: by
// loss, and at a queue whose limit was given.
func (c *Chassis) AskedDrops() []sansio.Count {
	asked, _ := c.linkDrops()
	return asked.List()
}

// UnaskedDrops returns the frames that went missing though no model asked for
// it, under their names in [Chassis.Counters]: a queue without a given limit
// was full, or forwarding had nowhere to send a frame. What engines drop is
// theirs to judge, and noise of ordinary hosts is left out.
func (c *Chassis) UnaskedDrops() []sansio.Count {
	_, t := c.linkDrops()
	for _, n := range c.plane.Counters() {
		if n.Lost {
			t.Add("forward/"+n.Name, n.N)
		}
	}
	t.Merge(c.chassisDrops())
	return t.List()
}

func (c *Chassis) chassisDrops() []sansio.Count {
	list := c.count.List()
	for i := range list {
		list[i].Name = "chassis/" + list[i].Name
	}
	return list
}

// specOf returns what the plan asks of a link at first.
func (c *Chassis) specOf(p *part) topo.LinkSpec {
	switch {
	case p.engine != nil: // a server
		return topo.LinkSpec{}
	case p.stage == ingress:
		return c.cfg.Switch.Ports[p.port].In
	case p.stage == egress:
		return c.cfg.Switch.Ports[p.port].Out
	}
	return c.cfg.Switch.Chassis.Fabric
}

// limitsQueue reports whether the plan, or a change, gives the queue of a link a limit.
func (c *Chassis) limitsQueue(p *part) bool {
	return c.specOf(p).Queue > 0 || slices.ContainsFunc(c.changesOf(p), func(g Change) bool { return g.Spec.Queue > 0 })
}

// linkDrops returns the drops of links that their specs asked for, and others.
func (c *Chassis) linkDrops() (asked, unasked sansio.Tally) {
	for _, p := range c.parts {
		if p.link == nil {
			continue
		}
		s := p.link.Stats()
		for _, d := range s.Drops() {
			t := &asked
			if d.Name == impair.DropInFlight || d.Name == impair.DropQueueFull && !c.limitsQueue(p) {
				t = &unasked
			}
			t.Add("link/"+p.link.Name()+"/"+d.Name, d.N)
		}
	}
	return asked, unasked
}

package chassis

import (
	"slices"

	"github.com/inalab/inalab/internal/pktio/impair"
	"github.com/inalab/inalab/internal/rng"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/topo"
	"github.com/inalab/inalab/topo/plan"
)

// buildPorts makes the ports with the links that are modelled here.
func (c *Chassis) buildPorts() error {
	sw := &c.cfg.Switch
	c.ports = make([]port, len(sw.Ports))
	for i, sp := range sw.Ports {
		at := sansio.Port(i)
		p := &c.ports[i]
		*p = port{wired: sp.Wired, pfe: max(0, sp.PFE), self: []sansio.Port{at}, stat: PortStat{Port: i, Name: sp.Name}}
		if !sp.Wired {
			continue
		}
		here := topo.End{Node: sw.Name, Port: sp.Name}.String()
		var err error
		if p.out, err = c.newLink(here+"->"+sp.Peer.String(), sp.Out, part{stage: egress, port: at}); err != nil {
			return err
		}
		if sp.PeerHost == plan.None {
			continue // a switch models what it sends
		}
		if p.in, err = c.newLink(sp.Peer.String()+"->"+here, sp.In, part{stage: ingress, port: at}); err != nil {
			return err
		}
	}
	return nil
}

// buildFabric makes the links between every two PFEs.
func (c *Chassis) buildFabric() error {
	n := len(c.pfes)
	if n == 1 {
		return nil
	}
	c.fabric = make([]*part, n*n)
	for i := range c.fabric {
		src, dst := i/n, i%n
		if src == dst {
			continue
		}
		name := c.cfg.Switch.Name + "/" + c.cfg.pfeName(src) + "->" + c.cfg.pfeName(dst)
		p, err := c.newLink(name, c.cfg.Switch.Chassis.Fabric, part{stage: c.cfg.level(src, leafFabric, topFabric), src: src, pfe: dst})
		if err != nil {
			return err
		}
		c.fabric[i] = p
	}
	return nil
}

// buildServers makes the servers before the engines that take time.
func (c *Chassis) buildServers() error {
	for i, params := range c.cfg.Servers {
		e := c.pfes[i].system
		if e == nil || params == (impair.Params{}) {
			continue
		}
		name := c.cfg.Switch.Name + "/" + c.cfg.pfeName(i) + "/server"
		link, err := impair.New(impair.Config{Name: name, Params: params, MaxInFlight: serverFrames})
		if err != nil {
			return err
		}
		e.server = c.newPart(part{stage: e.part.stage - 1, link: link, engine: e})
	}
	return nil
}

// serverFrames bounds the frames that wait for an engine (assumed: 4 GiB of
// 4-KB frames, the order of a PFE's memory; Trio §2.3).
const serverFrames = 1 << 20

// newLink returns p as one direction of a link, or nil where that is a perfect
// wire at all times, or not modelled here.
func (c *Chassis) newLink(name string, spec topo.LinkSpec, p part) (*part, error) {
	if c.cfg.NoLinks {
		return nil, nil
	}
	cfg := impair.Config{Name: name, Out: p.port, Quantum: c.cfg.Quantum, Params: params(spec), Changes: changes(c.changesOf(&p)), Labels: c.cfg.Labels}
	c.addStreams(&cfg)
	link, err := impair.New(cfg)
	if err != nil {
		return nil, err
	}
	if link.Transparent() {
		return nil, nil
	}
	p.link = link
	return c.newPart(p), nil
}

// addStreams gives a link the random numbers that it needs, now or after a change.
func (c *Chassis) addStreams(cfg *impair.Config) {
	stream := func(of string, needed func(*impair.Params) bool) *rng.Stream {
		if !needed(&cfg.Params) && !slices.ContainsFunc(cfg.Changes, func(g impair.Change) bool { return needed(&g.Params) }) {
			return nil
		}
		return c.cfg.Seed.Stream("link/" + cfg.Name + "/" + of)
	}
	cfg.LossStream = stream("loss", func(p *impair.Params) bool { return p.Loss > 0 })
	cfg.JitterStream = stream("jitter", func(p *impair.Params) bool { return p.Jitter > 0 })
	cfg.BurstStream = stream("bursts", func(p *impair.Params) bool { return p.Bursts != topo.Bursts{} })
	cfg.MarkStream = stream("mark", func(p *impair.Params) bool { return !p.Marking.Threshold() })
	cfg.ReorderStream = stream("reorder", func(p *impair.Params) bool { return p.Reorder > 0 })
	cfg.DuplicateStream = stream("duplicate", func(p *impair.Params) bool { return p.Duplicate > 0 })
	cfg.CorruptStream = stream("corrupt", func(p *impair.Params) bool { return p.Corrupt > 0 })
}

// params turns a topology's link into the model's.
func params(s topo.LinkSpec) impair.Params {
	return impair.Params{
		Rate: s.Rate, Delay: s.Delay, Jitter: s.Jitter, Distribution: s.Distribution,
		Loss: s.Loss, LossEvery: s.LossEvery, Bursts: s.Bursts, Corrupt: s.Corrupt, Script: s.Script,
		Reorder: s.Reorder, ReorderGap: s.ReorderGap, Duplicate: s.Duplicate, Queue: s.Queue, Marking: s.Marking,
	}
}

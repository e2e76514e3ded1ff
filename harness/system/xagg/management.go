package xagg

import (
	"cmp"

	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
	"github.com/inalab/inalab/internal/wire/xaggctl"
	"github.com/inalab/inalab/nodes/xagg/conductor"
	agent "github.com/inalab/inalab/nodes/xaggd"
)

// management describes the management plane. It decides by bandwidths and a model at full scale, as the
// paper's numbers are.
func (l *laid) management() *conductor.Config {
	c := &conductor.Config{
		Job: uint16(l.j.ID), Mode: l.mode(), K: l.k(), Model: units.Bytes(4 * l.j.Params * l.j.Scale), PS: l.host(l.tree.PS()),
	}
	for host := range l.tree.PS() {
		if host < l.tree.Workers {
			c.Workers = append(c.Workers, l.host(host))
			continue
		}
		load := l.load(host)
		c.Servers = append(c.Servers, conductor.Server{Host: l.host(host), Bandwidth: load.Bandwidth, Cores: int(load.Cores), Memory: load.Total})
	}
	return c
}

// host is a host as the management plane knows it.
func (l *laid) host(host int) conductor.Host {
	h := &l.hosts[host]
	return conductor.Host{Name: h.Name, ID: id(host), Addr: h.Addr.Addr(), MAC: inet.MAC(h.MAC)}
}

// load is what a server has to spare.
func (l *laid) load(host int) xaggctl.Load {
	in, out := l.line(host)
	return xaggctl.Load{
		Total: cmp.Or(l.Memory, DefaultMemory), Cores: uint32(cmp.Or(l.Cores, DefaultCores)), Bandwidth: min(in, out) * units.Rate(l.j.Scale),
	}
}

// others are all hosts of the job but one, as that one sends to them.
func (l *laid) others(host int) (out []agent.Peer) {
	for to := range l.hosts {
		if to != host {
			out = append(out, l.peer(host, to))
		}
	}
	return out
}

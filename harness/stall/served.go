package stall

import (
	"slices"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/nodes/worker"
	"github.com/inalab/inalab/switchd/dataplane"
)

// servers returns the servers that send results to the workers.
func (l *layout) servers() (out []string) {
	for i := range l.Engines {
		if e := &l.Engines[i]; e.Server {
			out = append(out, e.Node)
		}
	}
	return out
}

// hostOf returns the host of a server; all else is itself.
func (l *layout) hostOf(node string) string {
	if e := l.Engine(node); e != nil && e.Host != "" {
		return e.Host
	}
	return node
}

// isServer reports whether a node of the job's engines is a server.
func (l *layout) isServer(node string) bool {
	e := l.Engine(node)
	return e != nil && e.Server
}

// explainServed explains a packet on its way to a server: by what the server has of it, else by what a
// switch has, else by the way that nobody's packet came through. It returns false where there are no
// servers.
func (d *diagnosis) explainServed(p packet) bool {
	servers := d.servers()
	for _, name := range servers {
		if d.answered(name, p) || d.explainMissing(name, p) {
			return true
		}
	}
	if len(servers) == 0 {
		return false
	}
	if !slices.ContainsFunc(d.Engines, func(e job.Engine) bool { return !e.Server && d.explainMissing(e.Node, p) }) {
		d.unheard(servers, p)
	}
	return true
}

// answered explains a packet whose sum a server has sent.
func (d *diagnosis) answered(server string, p packet) bool {
	state, _ := d.s.engine(server)
	if !slices.ContainsFunc(state.Open, func(b dataplane.OpenBlock) bool { return d.names(b, p) && b.Have == b.Want }) {
		return false
	}
	d.Engine, d.Result, d.Missing = server, true, d.waiting(p)
	if len(d.Missing) > 0 {
		d.Hop = d.lostDown(d.s, server, d.Missing[0])
	}
	return true
}

// waiting returns the workers that lack the result of a packet.
func (d *diagnosis) waiting(p packet) (out []string) {
	for _, w := range d.s.Workers {
		if waitsFor(w, p) {
			out = append(out, w.Node)
		}
	}
	return out
}

// waitsFor reports whether a worker lacks the result of a packet.
func waitsFor(w worker.Snapshot, p packet) bool {
	return slices.ContainsFunc(w.Waits, func(k trace.Wait) bool { return k.Gen == p.gen && k.Block == p.block })
}

// unheard explains a packet of which no switch and no server has anything. The first link counts that
// loses frames on the way of a worker to any server.
func (d *diagnosis) unheard(servers []string, p packet) {
	d.Reached = "a server"
	if len(servers) == 1 {
		d.Reached = "server " + servers[0]
	}
	for _, server := range servers {
		switch server := d.hostOf(server); {
		case d.Hop.Name != "":
		case slices.Contains(d.s.Dead, server):
			d.Hop = Hop{server, "its process has ended"}
		case slices.Contains(d.s.Silent, server):
			d.Hop = Hop{server, "its process does not answer"}
		default:
			d.Hop = d.lostOn(d.waiting(p), server)
		}
	}
	for _, w := range d.s.Workers {
		d.missing(w.Node, servers[0], p)
	}
}

// lostOn returns the first link that loses frames on the way of workers to a server.
func (d *diagnosis) lostOn(workers []string, server string) (hop Hop) {
	for _, w := range workers {
		if hop, ok := lossy(d.linksUp(d.s, w, server)); ok {
			return hop
		}
	}
	return hop
}

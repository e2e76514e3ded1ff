package spec

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/inalab/inalab/internal/suggest"
	"github.com/inalab/inalab/topo"
	"github.com/inalab/inalab/topo/linktext"
	"github.com/inalab/inalab/topo/plan"
)

// end is one end of a link as the file has it.
type end struct {
	node string
	port string // empty: the next free one
	path string
}

// links lays the links. Ports that some link names are taken first, so that a free one is free.
func (r *resolver) links() {
	ends := make([][2]end, len(r.file.Links))
	sound := make([]bool, len(ends))
	for i := range ends {
		ends[i], sound[i] = r.endpoints(i)
	}
	for i := range ends {
		path := fmt.Sprintf("links[%d]", i)
		if !sound[i] {
			r.checkLink(path, &r.file.Links[i])
			continue
		}
		a, okA := r.port(ends[i][0])
		b, okB := r.port(ends[i][1])
		if !okA || !okB {
			r.checkLink(path, &r.file.Links[i])
			continue
		}
		r.lay(path, &r.file.Links[i], a, b)
		r.from = append(r.from, i)
	}
}

// checkLink reports what is wrong with a link whose ends are.
func (r *resolver) checkLink(path string, f *Link) {
	for _, l := range []struct {
		path string
		linktext.Link
	}{{path, f.Both}, {path + ".a-to-b", f.AtoB}, {path + ".b-to-a", f.BtoA}} {
		r.errs = append(r.errs, l.Check(l.path, r.Topology)...)
	}
}

// lay adds a link to the graph.
func (r *resolver) lay(path string, f *Link, a, b topo.End) {
	base := r.base.Link
	if r.made[a.Node].is != kindHost && r.made[b.Node].is != kindHost {
		base = r.base.Uplink
	}
	before := len(r.errs)
	both := r.link(path, f.Both, base)
	r.lab.Graph.Links = append(r.lab.Graph.Links, topo.Link{
		A: a, B: b, AtoB: r.link(path+".a-to-b", f.AtoB, both), BtoA: r.link(path+".b-to-a", f.BtoA, both),
	})
	r.bad = append(r.bad, len(r.errs) > before)
}

// endpoints reads the two ends of a link, and takes the ports that they name.
func (r *resolver) endpoints(i int) (ends [2]end, ok bool) {
	path := fmt.Sprintf("links[%d]", i)
	list := r.file.Links[i].Endpoints
	if len(list) != 2 {
		r.wrong(path, "a link has two endpoints, and not %d: write them, as in endpoints: [h0, tor] or [h0:eth0, tor:p0]", len(list))
		return ends, false
	}
	ok = true
	for k := range list {
		text := string(list[k])
		e := end{path: fmt.Sprintf("%s.endpoints[%d]", path, k)}
		e.node, e.port, _ = strings.Cut(text, ":")
		m := r.made[e.node]
		switch {
		case e.node == "" || strings.HasSuffix(text, ":"):
			r.wrong(e.path, "%q: write a node, or a node and its port, as in tor or tor:p0", text)
			ok = false
		case m == nil:
			r.wrong(e.path, "there is no node %s%s", e.node, r.nearNode(e.node))
			ok = false
		case e.port != "":
			ok = r.take(m, e) && ok
		}
		ends[k] = e
	}
	if ok && ends[0].node == ends[1].node {
		r.wrong(path, "both endpoints are on %s: a link joins two nodes", ends[0].node)
		ok = false
	}
	return ends, ok
}

func (r *resolver) nearNode(name string) string {
	if near := suggest.DidYouMean(name, r.order); near != "" {
		return near
	}
	return ": nodes are " + linktext.Few(r.order)
}

// take takes a port that a link names.
func (r *resolver) take(m *made, e end) bool {
	n := &r.lab.Graph.Nodes[m.index]
	has := slices.Contains(n.Ports, e.port)
	switch {
	case m.taken[e.port]:
		r.wrong(e.path, "port %s of %s has a link already: %s", e.port, e.node, r.userOf(e))
		return false
	case m.is == kindHost && !has:
		r.wrong(e.path, "host %s has one port, %s: leave the port out", e.node, plan.HostIface)
		return false
	case m.declared && !has:
		r.wrong(e.path, "%s has no port %s: there are %s%s", e.node, e.port, linktext.Few(n.Ports), suggest.DidYouMean(e.port, n.Ports))
		return false
	case len(e.port) > plan.MaxIfaceLen:
		r.wrong(e.path, "port %q has %d bytes: it becomes the name of an interface, of at most %d", e.port, len(e.port), plan.MaxIfaceLen)
		return false
	}
	m.taken[e.port] = true
	return true
}

// userOf says which link has a port.
func (r *resolver) userOf(e end) string {
	for i, l := range r.file.Links {
		for _, text := range l.Endpoints {
			if string(text) == e.node+":"+e.port {
				return fmt.Sprintf("links[%d]; give each link a port of its own, or leave ports out", i)
			}
		}
	}
	return "give each link a port of its own, or leave ports out"
}

// port returns the port of an end: the one that it names, or the next free one.
func (r *resolver) port(e end) (topo.End, bool) {
	m := r.made[e.node]
	n := &r.lab.Graph.Nodes[m.index]
	if e.port == "" {
		if e.port = r.free(m, n); e.port == "" && m.bad {
			return topo.End{}, false
		}
		if e.port == "" {
			r.wrong(e.path, "no port of %s is left: it has %d%s", e.node, len(n.Ports), oneLink(m.is))
			return topo.End{}, false
		}
		m.taken[e.port] = true
	}
	if !m.declared {
		n.Ports = append(n.Ports, e.port)
	}
	return topo.End{Node: e.node, Port: e.port}, true
}

func oneLink(is string) string {
	if is == kindHost {
		return "; a host has one link"
	}
	return ""
}

// free returns the next free port of a node; empty: there is none.
func (r *resolver) free(m *made, n *topo.Node) string {
	for ; ; m.next++ {
		name := "p" + strconv.Itoa(m.next)
		if m.declared {
			if m.next >= len(n.Ports) {
				return ""
			}
			name = n.Ports[m.next]
		}
		if !m.taken[name] {
			return name
		}
	}
}

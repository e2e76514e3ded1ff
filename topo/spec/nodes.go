package spec

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/inalab/inalab/internal/suggest"
	"github.com/inalab/inalab/topo"
	"github.com/inalab/inalab/topo/plan"
)

// Kinds that are always there.
const (
	kindHost    = "host"
	kindSwitch  = "switch"
	kindChassis = "chassis"
)

var builtIn = []string{kindHost, kindSwitch, kindChassis}

// made is a node on its way to the graph.
type made struct {
	index    int // in the graph
	is       string
	path     string
	bad      bool            // something is wrong with it already
	declared bool            // its ports are: a link adds none
	taken    map[string]bool // ports that links name, or have; looked up
	next     int             // number of the next port that may be free
}

// kinds checks the kinds of the file.
func (r *resolver) kinds() {
	r.known = map[string]Kind{}
	for _, name := range builtIn {
		r.known[name] = Kind{Is: name}
	}
	section, _ := r.doc.Find("kinds")
	for _, name := range section.Keys() {
		k, path := r.file.Kinds[name], "kinds."+name
		if slices.Contains(builtIn, name) {
			r.wrong(path, "%s is a kind that is always there: give yours another name", name)
			continue
		}
		r.oneOf(path+".is", k.Is, builtIn...)
		if slices.Contains(builtIn, k.Is) {
			r.traits(path, k.Is, &k.Traits)
		}
		r.known[name] = k
	}
}

// kindNames lists what nodes may be.
func (r *resolver) kindNames() []string {
	own := slices.DeleteFunc(slices.Sorted(maps.Keys(r.known)), func(k string) bool { return slices.Contains(builtIn, k) })
	return append(slices.Clone(builtIn), own...)
}

// nodes makes the nodes of the graph.
func (r *resolver) nodes() {
	r.made = map[string]*made{}
	names := r.kindNames()
	for _, name := range r.order {
		n, path := r.file.Nodes[name], "nodes."+name
		kind, ok := r.known[n.Kind]
		if !ok {
			r.noKind(path, n.Kind, names)
		}
		if !slices.Contains(builtIn, kind.Is) {
			kind.Is = "" // unknown: what it has cannot be judged, and its links are still those of a node
		} else {
			r.traits(path, kind.Is, &n.Traits)
		}
		before := len(r.errs)
		m := &made{index: len(r.lab.Graph.Nodes), is: kind.Is, path: path, taken: map[string]bool{}}
		r.made[name] = m
		r.lab.Graph.Nodes = append(r.lab.Graph.Nodes, r.node(name, m, kind.Traits, n.Traits))
		m.bad = len(r.errs) > before
	}
}

func (r *resolver) noKind(path, kind string, names []string) {
	if kind == "" {
		r.wrong(path, "it has no kind: write one, as in kind: host; allowed are %s", strings.Join(names, ", "))
		return
	}
	r.wrong(path+".kind", "there is no kind %q: allowed are %s%s", kind, strings.Join(names, ", "), suggest.DidYouMean(kind, names))
}

// node makes one node, with the ports that are declared.
func (r *resolver) node(name string, m *made, kind, own Traits) topo.Node {
	out := topo.Node{Name: name, Kind: topo.Switch}
	if m.is == kindHost {
		out.Kind, out.Ports = topo.Host, []string{plan.HostIface}
		m.declared = true
		return out
	}
	if e := cmp.Or(own.Engine, kind.Engine); e != "" {
		r.lab.Engines = append(r.lab.Engines, Word{name, e, r.saidAt(m, own.Engine != "", "engine")})
	}
	if p := cmp.Or(own.Program, kind.Program); p != "" {
		r.lab.Programs = append(r.lab.Programs, Word{name, p, r.saidAt(m, own.Program != "", "program")})
	}
	ports := own.Ports
	if ports == nil {
		ports = kind.Ports
	}
	out.Ports, m.declared = slices.Clone(ports), ports != nil
	if m.is == kindChassis {
		out.Chassis = r.chassis(m, kind, own)
		for _, p := range out.Chassis.PFEs {
			out.Ports = append(out.Ports, p.Ports...)
		}
		m.declared = true
	}
	return out
}

// saidAt is where a trait of a node stands: with the node, or with its kind.
func (r *resolver) saidAt(m *made, own bool, key string) string {
	if own {
		return m.path + "." + key
	}
	return "kinds." + r.file.Nodes[strings.TrimPrefix(m.path, "nodes.")].Kind + "." + key
}

// traits refuses what nodes of a kind have not.
func (r *resolver) traits(path, is string, t *Traits) {
	for _, trait := range []struct {
		key   string
		given bool
		of    []string
	}{
		{"engine", t.Engine != "", []string{kindSwitch, kindChassis}},
		{"program", t.Program != "", []string{kindSwitch, kindChassis}},
		{"tier", t.Tier != nil, []string{kindSwitch, kindChassis}},
		{"ports", t.Ports != nil, []string{kindSwitch}},
		{"cards", t.Cards != nil, []string{kindChassis}},
		{"top", t.Top != "", []string{kindChassis}},
		{"fabric", t.Fabric != nil, []string{kindChassis}},
	} {
		if trait.given && !slices.Contains(trait.of, is) {
			r.wrong(path+"."+trait.key, "a %s has none: it is for a %s; leave it out", is, strings.Join(trait.of, " or a "))
		}
	}
	if t.Tier != nil {
		r.whole(path + ".tier")
	}
	for i, p := range t.Ports {
		if len(p) > plan.MaxIfaceLen {
			r.wrong(path+".ports["+strconv.Itoa(i)+"]", "port %q has %d bytes: it becomes the name of an interface, of at most %d", p, len(p), plan.MaxIfaceLen)
		}
	}
}

package spec

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"github.com/inalab/inalab/internal/suggest"
	"github.com/inalab/inalab/internal/yamldoc"
	"github.com/inalab/inalab/topo"
	"github.com/inalab/inalab/topo/linktext"
)

// Source is the text of a topology file and what it is called in errors.
type Source struct {
	Name string
	Text []byte
}

// Topology is a file that was read.
type Topology struct {
	Name, Description string

	source Source
	file   File
	doc    *yamldoc.Document
	order  []string // of nodes
}

// Source returns the text that the topology was read from.
func (t *Topology) Source() Source { return t.source }

// Base is what holds where a file says nothing. The zero value is perfect wires, and the usual MTU.
type Base struct {
	Link   topo.LinkSpec // every link
	Uplink topo.LinkSpec // between switches
	Fabric topo.LinkSpec // between two PFEs of a chassis
	MTU    int
}

// Lab is a topology in full: its graph, and what a graph does not hold.
type Lab struct {
	Graph    *topo.Graph
	Engines  []Word           // of switches that name one, in the order of nodes
	Programs []Word           // files of programs of switches
	Schedule []linktext.Event // changes of links, in the order of time
}

// Word is what a switch names.
type Word struct {
	Node, Text string
	Path       string // where it stands, for [Topology.Wrong]
}

// Read reads the form of a file. What it means is [Topology.Resolve]'s.
func Read(src Source) (*Topology, error) {
	t := &Topology{source: src, doc: &yamldoc.Document{Name: src.Name}}
	err := t.doc.Parse(src.Text)
	if errors.Is(err, yamldoc.ErrEmpty) {
		err = fmt.Errorf("%w: \"inalab generate rack\" prints one to begin with", err)
	}
	if err == nil {
		err = t.doc.Decode(&t.file)
	}
	if err != nil {
		return nil, err
	}
	t.Name, t.Description = t.file.Name, t.file.Description
	if nodes, ok := t.doc.Find("nodes"); ok {
		t.order = nodes.Keys()
	}
	return t, nil
}

// Resolve returns what the file means, or all that is wrong with it.
func (t *Topology) Resolve(base Base) (*Lab, error) {
	r := &resolver{Topology: t, lab: &Lab{Graph: &topo.Graph{Name: t.Name, MTU: base.MTU}}}
	r.head()
	r.defaults(base)
	r.kinds()
	r.nodes()
	r.links()
	r.tiers()
	r.impair()
	r.faults()
	r.schedule()
	if err := some(r.errs, t.source.Name); err != nil {
		return nil, err
	}
	return r.lab, nil
}

// some joins errors, the first of many.
func some(errs []error, name string) error {
	if n := len(errs) - yamldoc.MaxFaults; n > 0 {
		errs = append(slices.Clone(errs[:yamldoc.MaxFaults]), fmt.Errorf("%s: and %d more", name, n))
	}
	return errors.Join(errs...)
}

// resolver makes a lab of a file, and collects all that is wrong.
type resolver struct {
	*Topology
	lab  *Lab
	errs []error

	base  Base
	known map[string]Kind // by name, those that are always there among them; looked up
	made  map[string]*made
	from  []int  // by link of the graph: its number in the file
	bad   []bool // by link of the graph: something is wrong with it already
}

func (r *resolver) wrong(path string, format string, args ...any) {
	r.errs = append(r.errs, r.Wrong(path, fmt.Errorf(format, args...)))
}

// head checks what the file says it is.
func (r *resolver) head() {
	r.oneOf("apiVersion", r.file.APIVersion, APIVersion)
	r.oneOf("kind", r.file.Kind, FileKind)
	if r.file.Name == "" {
		r.missing("name", "write one of a-z, 0-9 and -, as in name: my-lab")
	}
	if len(r.file.Nodes) == 0 {
		r.missing("nodes", "write them, as in nodes: {tor: {kind: switch}, h0: {kind: host}, h1: {kind: host}}")
	}
	if len(r.file.Links) == 0 {
		r.missing("links", "write them, as in links: [{endpoints: [h0, tor]}, {endpoints: [h1, tor]}]")
	}
}

// missing reports a key that the file lacks.
func (r *resolver) missing(key, wanted string) {
	r.errs = append(r.errs, fmt.Errorf("%s: %s is missing: %s", r.source.Name, key, wanted))
}

func (r *resolver) oneOf(path, word string, allowed ...string) {
	switch {
	case slices.Contains(allowed, word):
	case word == "" && !strings.Contains(path, "."):
		r.missing(path, "write "+path+": "+strings.Join(allowed, " or "))
	default:
		r.wrong(path, "%q: allowed are %s%s", word, strings.Join(allowed, ", "), suggest.DidYouMean(word, allowed))
	}
}

// defaults reads what holds where links say nothing.
func (r *resolver) defaults(base Base) {
	d := &r.file.Defaults
	r.base.Link = r.link("defaults.link", d.Link, base.Link)
	r.base.Uplink = r.link("defaults.uplink", d.Uplink, r.uplinkBase(base))
	r.base.Fabric = r.link("defaults.fabric", d.Fabric, base.Fabric)
	if d.MTU != nil {
		r.whole("defaults.mtu")
		r.lab.Graph.MTU = *d.MTU
		if *d.MTU < topo.MinMTU || *d.MTU > topo.MaxMTU {
			r.wrong("defaults.mtu", "%d: allowed are %d to %d bytes", *d.MTU, topo.MinMTU, topo.MaxMTU)
			r.lab.Graph.MTU = 0
		}
	}
}

// uplinkBase is what links between switches are where the file says nothing of them alone.
func (r *resolver) uplinkBase(base Base) topo.LinkSpec {
	s, _ := r.file.Defaults.Link.Spec("defaults.link", base.Uplink, r.Topology)
	return s
}

func (r *resolver) link(path string, l linktext.Link, base topo.LinkSpec) topo.LinkSpec {
	s, errs := l.Spec(path, base, r.Topology)
	r.errs = append(r.errs, errs...)
	return s
}

// whole reports a number that is a fraction.
func (r *resolver) whole(path string) {
	if err := r.Whole(path); err != nil {
		r.errs = append(r.errs, err)
	}
}

// Whole says that a number is a fraction, which the decoder would cut off.
func (t *Topology) Whole(path string) error {
	if n, exact := t.find(path); exact && n.Type() == ast.FloatType {
		return t.Wrong(path, fmt.Errorf("%s: a whole number is needed", n.GetToken().Value))
	}
	return nil
}

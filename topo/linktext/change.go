package linktext

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"

	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/topo"
)

// At changes some links of a topology.
type At struct {
	At   string `yaml:"at,omitempty"`   // both directions of the links at a node
	From string `yaml:"from,omitempty"` // one direction
	To   string `yaml:"to,omitempty"`
	Link Link   `yaml:",inline"`
}

// Change is an [At] that was read.
type Change struct {
	From, To string // patterns of nodes, as h* or leaf0; empty: any
	Both     bool   // From is a node, and both directions of its links are meant
	Link     Link
	Path     string // where it stands
	In       Place
}

// Read reads what stands at a path. What is wrong with it by itself is said once, here.
func (a At) Read(path string, in Place) (Change, []error) {
	c := Change{From: a.From, To: a.To, Link: a.Link, Path: path, In: in}
	var errs []error
	switch {
	case a.At != "" && a.From+a.To != "" || a.At+a.From+a.To == "":
		errs = append(errs, in.Wrong(path, errors.New("which links? Write at: h0 for both directions of its links, or from: and to: for one")))
	case a.At != "":
		c.From, c.Both = a.At, true
	}
	return c, append(errs, a.Link.Check(path, in)...)
}

// Becomes says what the links become: "links at h0 become {rate: 1Gbit/s}". A change of nothing is
// a fault.
func (c Change) Becomes() (string, error) {
	if c.Link.IsZero() {
		return "", c.In.Wrong(c.Path, errors.New("nothing of the links changes: write what they become, as in rate: 10Gbit/s"))
	}
	text, err := yaml.MarshalWithOptions(c.Link, yaml.Flow(true))
	return fmt.Sprintf("links %v become %s", c, bytes.TrimSpace(text)), err
}

// String says which links are meant.
func (c Change) String() string {
	if c.Both {
		return "at " + c.From
	}
	return fmt.Sprintf("from %s to %s", cmp.Or(c.From, "any"), cmp.Or(c.To, "any"))
}

// Apply changes the links of a graph, and notes each direction that it changes; note may be nil.
func (c Change) Apply(g *topo.Graph, note func(from, to topo.End, spec topo.LinkSpec)) error {
	found, errs := false, []error(nil)
	change := func(from, to topo.End, spec *topo.LinkSpec) {
		if !c.means(from.Node, to.Node) {
			return
		}
		var wrong []error
		*spec, wrong = c.Link.Spec(c.Path, *spec, c.In)
		found = true
		for _, err := range wrong {
			errs = once(errs, err)
		}
		if note != nil {
			note(from, to, *spec)
		}
	}
	for i := range g.Links {
		l := &g.Links[i]
		change(l.A, l.B, &l.AtoB)
		change(l.B, l.A, &l.BtoA)
	}
	if !found {
		return c.In.Wrong(c.Path, fmt.Errorf("no link of topology %s is %s: its nodes are %s", g.Name, c, Nodes(g)))
	}
	return errors.Join(errs...)
}

// once adds an error that is not there yet: many links may have one fault.
func once(errs []error, err error) []error {
	if slices.ContainsFunc(errs, func(e error) bool { return e.Error() == err.Error() }) {
		return errs
	}
	return append(errs, err)
}

// means reports whether the direction from one node to another changes.
func (c Change) means(from, to string) bool {
	return Matches(c.From, from) && Matches(c.To, to) || c.Both && Matches(c.From, to)
}

// Matches reports whether a node is one of a pattern; an empty one is any.
func Matches(pattern, node string) bool {
	ok, err := path.Match(cmp.Or(pattern, "*"), node)
	return ok && err == nil
}

// Nodes lists the nodes of a topology, of many the first and the last.
func Nodes(g *topo.Graph) string {
	var names []string
	for _, n := range g.Nodes {
		names = append(names, n.Name)
	}
	return Few(names)
}

// Few joins names, of many the first and the last.
func Few(names []string) string {
	if len(names) > 12 {
		names = slices.Concat(names[:6], []string{"..."}, names[len(names)-5:])
	}
	return strings.Join(names, ", ")
}

// Event is a [Change] from a time on.
type Event struct {
	Time   units.Time // from the start of the run
	Change Change
	Path   string // where it stands
}

// Timed is what one direction of a link becomes.
type Timed struct {
	At       units.Time
	From, To topo.End
	Spec     topo.LinkSpec
}

// Course returns what events, in the order of time, make of the links of a graph: each from what
// earlier ones left. The graph itself stays as it is.
func Course(g *topo.Graph, events []Event) (out []Timed, err error) {
	if len(events) == 0 {
		return nil, nil
	}
	if err := g.Validate(); err != nil {
		return nil, err // it is wrong from the beginning
	}
	now := *g
	now.Links = slices.Clone(g.Links)
	for _, e := range events {
		note := func(from, to topo.End, spec topo.LinkSpec) {
			out = append(out, Timed{At: e.Time, From: from, To: to, Spec: spec})
		}
		if err := e.Change.Apply(&now, note); err != nil {
			return nil, err
		}
		if err := now.Validate(); err != nil {
			return nil, e.Change.In.Wrong(e.Path, err)
		}
	}
	return out, nil
}

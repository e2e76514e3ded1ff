package lab

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/goccy/go-yaml"

	"github.com/inalab/inalab/switchd/control"
	"github.com/inalab/inalab/topo"
	"github.com/inalab/inalab/topo/linktext"
	"github.com/inalab/inalab/topo/plan"
)

// askTimeout bounds a request to a switch (assumed).
const askTimeout = 20 * time.Second

// direction is one direction of a link, and what it becomes.
type direction struct {
	from, to topo.End
	spec     topo.LinkSpec
}

func (d *direction) name() string { return d.from.String() + "->" + d.to.String() }

// change changes links, one direction after the other, and returns those that it has changed. A
// fault of one ends it.
func (l *owner) change(c LinkChange) (out []Changed, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	list, err := c.directions(l.graph, l.opt.Graph)
	if err != nil {
		return nil, asked(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), askTimeout)
	defer cancel()
	for _, d := range list {
		sw, err := l.apply(ctx, &d)
		if err != nil {
			return out, err
		}
		set(l.graph, &d)
		changed := Changed{Switch: sw, Name: d.name(), Becomes: Text(d.spec)}
		l.events.add(Event{Event: EventLink, Link: changed.Name, Becomes: changed.Becomes})
		out = append(out, changed)
	}
	return out, nil
}

// now returns the topology with its links as they are.
func (l *owner) now() *topo.Graph {
	l.mu.Lock()
	defer l.mu.Unlock()
	return clone(l.graph)
}

// directions returns what links of a graph become; first is the graph that they are reset to.
func (c *LinkChange) directions(now, first *topo.Graph) (out []direction, err error) {
	base := clone(now)
	if c.Reset {
		base = clone(first)
	}
	change, errs := linktext.At{At: c.Ends.At, From: c.Ends.From, To: c.Ends.To, Link: c.Link}.Read("", spot{})
	if len(errs) > 0 {
		return nil, errors.Join(errs...)
	}
	if c.Only {
		for i := range base.Links {
			base.Links[i].AtoB, base.Links[i].BtoA = topo.LinkSpec{}, topo.LinkSpec{}
		}
	}
	matched := false
	err = change.Apply(base, func(from, to topo.End, spec topo.LinkSpec) {
		if c.Reset && spec == specOf(now, from, to) {
			matched = true
			return // it is so already
		}
		if c.Ends.Pair == "" || linktext.Matches(c.Ends.Pair, from.Node) || linktext.Matches(c.Ends.Pair, to.Node) {
			out = append(out, direction{from, to, spec})
		}
	})
	if err == nil && len(out) == 0 && !matched {
		err = fmt.Errorf("no link joins %s and %s", c.Ends.At, c.Ends.Pair)
	}
	if err != nil {
		return nil, err
	}
	after := clone(now)
	for i := range out {
		set(after, &out[i])
	}
	return out, after.Validate()
}

// specOf returns what a direction is.
func specOf(g *topo.Graph, from, to topo.End) topo.LinkSpec {
	for _, l := range g.Links {
		switch {
		case l.A == from && l.B == to:
			return l.AtoB
		case l.B == from && l.A == to:
			return l.BtoA
		}
	}
	return topo.LinkSpec{}
}

// set notes what a direction is.
func set(g *topo.Graph, d *direction) {
	for i := range g.Links {
		l := &g.Links[i]
		switch {
		case l.A == d.from && l.B == d.to:
			l.AtoB = d.spec
		case l.B == d.from && l.A == d.to:
			l.BtoA = d.spec
		}
	}
}

// apply tells the switch that models a direction: the one that sends, or else the one that it leads to.
func (l *owner) apply(ctx context.Context, d *direction) (node string, err error) {
	r := control.Request{Op: control.OpSetLink, Link: &control.Link{Port: d.from.Port, Direction: control.Out, Spec: d.spec}}
	node = d.from.Node
	if slices.ContainsFunc(l.plan.Hosts, func(h plan.Host) bool { return h.Name == node }) {
		node, r.Link.Port, r.Link.Direction = d.to.Node, d.to.Port, control.In
	}
	_, err = control.Patiently(ctx, func() (out control.Response, err error) {
		c, err := control.Dial(ctx, control.SocketPath(l.net.Dir(), node))
		if err != nil {
			return out, fmt.Errorf("switch %s, which models %s, does not answer: %w", node, d.name(), err)
		}
		defer c.Close()
		return c.Do(ctx, r)
	})
	return node, err
}

// Text is what files say of a link: "{rate: 1Gbit/s, delay: 5ms}", or "{}" of a perfect wire.
func Text(s topo.LinkSpec) string {
	text, err := yaml.MarshalWithOptions(linktext.Of(s, topo.LinkSpec{}), yaml.Flow(true))
	if err != nil {
		return err.Error() // plain text can always be written
	}
	return strings.TrimSpace(string(text))
}

// spot is where what a user says on a command line stands.
type spot struct{}

// Wrong names the key that is wrong.
func (spot) Wrong(path string, err error) error {
	if key := strings.TrimPrefix(path, "."); key != "" {
		return fmt.Errorf("%s: %w", key, err)
	}
	return err
}

// Whole has nothing against a number: keys and values were read before.
func (spot) Whole(string) error { return nil }

// CheckLink says what is wrong with a link by itself.
func CheckLink(l linktext.Link) error { return errors.Join(l.Check("", spot{})...) }

package runreport

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/reports/netfigure"
	"github.com/inalab/inalab/reports/page"
	"github.com/inalab/inalab/topo/plan"
)

// shownNetworks is how many networks are drawn at once; the reader opens the others.
const shownNetworks = 3

// network draws the topology of each system with the use of its links, at the last point of the run.
func (r *Run) network() (out []page.Block, err error) {
	var more []page.Block
	for i, c := range r.networks() {
		p := r.planOf(&c)
		if p == nil {
			continue
		}
		var svg bytes.Buffer
		title := fmt.Sprintf("%s on %s at %s", c.Ran(), c.Topology, c.At())
		if err := netfigure.Write(&svg, netfigure.New(title, p, c.Links)); err != nil {
			return nil, err
		}
		block := page.Figure{ID: fmt.Sprintf("network%d", i+1), SVG: svg.Bytes()}
		if len(out) < shownNetworks {
			out = append(out, block)
		} else {
			more = append(more, block)
		}
	}
	if len(out) > 0 {
		out = append([]page.Block{page.Text("How much of each link its line sent, over the whole run; rates are divided by the scale. Compute leaves links idle, so that small numbers are no fault. links.csv has every link of every run.")}, out...)
	}
	if len(more) > 0 {
		out = append(out, page.Details{Title: plural(len(more), "network") + " more", Blocks: more})
	}
	return out, nil
}

// networks returns one cell for each system, or lab, and topology: that of the last point.
func (r *Run) networks() (out []result.Cell) {
	cells := r.measured()
	same := func(a, b *result.Cell) bool { return a.Ran() == b.Ran() && a.Topology == b.Topology }
	for i := range cells {
		c := &cells[i]
		at := slices.IndexFunc(out, func(o result.Cell) bool { return same(&o, c) })
		switch {
		case at < 0:
			out = append(out, *c)
		case c.Point.Index > out[at].Point.Index || c.Point.Index == out[at].Point.Index && c.StraggleP > out[at].StraggleP:
			out[at] = *c
		}
	}
	return out
}

// planOf returns the plan that a cell ran on, or nil.
func (r *Run) planOf(c *result.Cell) *plan.Plan {
	var found *plan.Plan
	var names []string
	for name := range r.Plans {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		p := r.Plans[name]
		if p == nil || p.Name != c.Topology || !strings.HasPrefix(name, c.Ran()) {
			continue
		}
		if found == nil || !c.Point.IsZero() && strings.HasSuffix(name, " at "+c.Point.String()) {
			found = p
		}
	}
	return found
}

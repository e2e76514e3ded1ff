package netfigure

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/reports/figure"
)

// DrawLinks returns the drawing of a network with what its links are, in place of how much they were used.
// Links that are alike have one look, which the legend explains.
func DrawLinks(id, title string, n Net) figure.Drawing {
	k := newKinds(&n)
	d := drawing{layout: newLayout(&n, nil, k)}
	d.kindLegend(n.Name)
	d.racks()
	return d.finish(id, title)
}

// kinds are the kinds of links of a network.
type kinds struct {
	list  []kind
	byEnd map[string]int // number of a kind, from 1 on, by the ends "low high"; looked up
}

// kind is links that are alike.
type kind struct {
	up, down Spec // away from the hosts, and towards them
	count    int
	rank     int // by rate: 0 is the slowest
	of       int // how many ranks there are
}

func (k *kinds) of(low, high string) int { return k.byEnd[low+" "+high] }

// newKinds sorts the links of a network.
func newKinds(n *Net) *kinds {
	k := &kinds{byEnd: map[string]int{}}
	for i := range n.Switches {
		s := &n.Switches[i]
		for _, p := range s.Ports {
			if !p.Wired || s.below(n, p.Peer.Node, i) {
				continue
			}
			one := kind{up: p.In, down: p.Out}
			at := slices.IndexFunc(k.list, func(o kind) bool { return o.label() == one.label() })
			if at < 0 {
				at = len(k.list)
				k.list = append(k.list, one)
			}
			k.list[at].count++
			k.byEnd[p.Peer.String()+" "+s.Name+":"+p.Name] = at + 1
		}
	}
	k.rank()
	return k
}

// below reports whether the port of a switch, number i, is the lower end of its link, or the first of two that are
// as high.
func (s *Switch) below(n *Net, peer string, i int) bool {
	at := slices.IndexFunc(n.Switches, func(o Switch) bool { return o.Name == peer })
	return at >= 0 && (n.Switches[at].Tier > s.Tier || n.Switches[at].Tier == s.Tier && at > i)
}

// rank orders kinds by their rate; one without a limit is the fastest.
func (k *kinds) rank() {
	var rates []units.Rate
	for _, one := range k.list {
		rates = append(rates, one.rate())
	}
	slices.Sort(rates)
	rates = slices.Compact(rates)
	for i := range k.list {
		k.list[i].rank, k.list[i].of = slices.Index(rates, k.list[i].rate()), len(rates)
	}
}

func (k *kind) rate() units.Rate {
	unlimited := units.Rate(math.MaxInt64)
	return min(cmp.Or(k.up.Rate, unlimited), cmp.Or(k.down.Rate, unlimited))
}

// stroke is a line of the look of a kind: the wider the faster, and dashed where frames are lost.
func (k *kind) stroke(from, to figure.Spot) figure.Stroke {
	share := 0.35
	if k.of > 1 {
		share = float64(k.rank) / float64(k.of-1)
	}
	return figure.Stroke{
		Path: []figure.Spot{from, to}, Width: 1.4 + 2.6*share, Dashed: k.up.loses() || k.down.loses(),
		Ink: figure.Colour(k.rank),
	}
}

func (s *Spec) loses() bool { return s.Loss > 0 || s.LossEvery > 0 || s.Bursts != nil }

// label says what a kind is: each way where the ways differ.
func (k *kind) label() string {
	up, down := k.up.label(), k.down.label()
	if up == down {
		return up
	}
	return fmt.Sprintf("%s away from hosts, %s towards them", up, down)
}

func (s *Spec) label() string {
	words := []string{"unlimited"}
	if s.Rate > 0 {
		words[0] = s.Rate.String()
	}
	if s.Delay > 0 {
		words = append(words, s.Delay.String())
	}
	if s.Jitter > 0 {
		words = append(words, "±"+s.Jitter.String())
	}
	switch {
	case s.Bursts != nil:
		words = append(words, "loses bursts")
	case s.Loss > 0:
		words = append(words, "loses "+percent(s.Loss))
	case s.LossEvery > 0:
		words = append(words, fmt.Sprintf("loses 1 of %d", s.LossEvery))
	}
	return strings.Join(words, ", ")
}

// kindLegend says what the lines mean, the fastest first.
func (d *drawing) kindLegend(name string) {
	title := figure.Words{At: figure.Spot{X: margin, Y: margin}, Text: name, Size: nameSize + 2, Bold: true, Ink: figure.Black}
	d.add(title)
	list := slices.Clone(d.kinds.list)
	slices.SortStableFunc(list, func(a, b kind) int { return cmp.Compare(b.rank, a.rank) })
	x, y := margin+title.WidthOf()+22, float64(margin)
	for i := range list {
		text := figure.Words{Text: fmt.Sprintf("%s (%d)", list[i].label(), list[i].count), Ink: figure.Dark}
		if x+34+text.WidthOf() > d.width-margin && x > margin {
			x, y = margin, y+16
		}
		d.add(list[i].stroke(figure.Spot{X: x, Y: y}, figure.Spot{X: x + 26, Y: y}))
		text.At = figure.Spot{X: x + 33, Y: y}
		d.add(text)
		x += 33 + text.WidthOf() + 20
	}
}

// racks draws a frame around each switch and its hosts.
func (d *drawing) racks() {
	for _, b := range d.boxes {
		if len(b.leaf.hosts) == 0 {
			continue
		}
		first, last := b.leaf.hosts[0].at, b.leaf.hosts[len(b.leaf.hosts)-1].at
		left, right := min(b.at.x, first.x)-rackRoom, max(b.at.x+b.at.w, last.x+last.w)+rackRoom
		d.frame(place{left, b.at.y - rackRoom, right - left, last.foot() - b.at.y + 2*rackRoom}, 10, figure.Paper, figure.Light)
	}
}

const rackRoom = 10 // between a rack and what is in it

// crossbar draws the fabric of a chassis: a bar that all PFEs are joined by.
func (d *drawing) crossbar(b *box) {
	spec := b.Chassis.Fabric
	d.add(figure.Words{
		At: figure.Spot{X: b.at.x + b.at.w - pad, Y: b.at.y + pad/2 + headLine/2}, Side: figure.End, Ink: figure.Dark,
		Text: "fabric " + spec.label(),
	})
}

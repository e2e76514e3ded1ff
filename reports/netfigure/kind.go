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
	ink      figure.Ink
}

func (k *kinds) of(low, high string) int { return k.byEnd[low+" "+high] }

// newKinds sorts the links of a network.
func newKinds(n *Net) *kinds {
	k, byEnd := &kinds{byEnd: map[string]int{}}, map[string]string{}
	for i := range n.Switches {
		s := &n.Switches[i]
		for _, p := range s.Ports {
			if !p.Wired || s.below(n, p.Peer.Node, i) {
				continue
			}
			one := kind{up: p.In, down: p.Out}
			byEnd[p.Peer.String()+" "+s.Name+":"+p.Name] = one.label()
			if at := k.index(one.label()); at >= 0 {
				k.list[at].count++
				continue
			}
			one.count = 1
			k.list = append(k.list, one)
		}
	}
	slices.SortStableFunc(k.list, func(a, b kind) int { return cmp.Compare(b.rate(), a.rate()) })
	k.rank()
	for ends, label := range byEnd {
		k.byEnd[ends] = k.index(label) + 1
	}
	return k
}

func (k *kinds) index(label string) int {
	return slices.IndexFunc(k.list, func(o kind) bool { return o.label() == label })
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
		k.list[i].ink = figure.Colour(i)
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
		Ink: k.ink,
	}
}

func (s *Spec) loses() bool {
	return s.Loss > 0 || s.LossEvery > 0 || s.Bursts != nil || s.Corrupt > 0 || s.Script != ""
}

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
		words = append(words, strings.TrimSpace("±"+s.Jitter.String()+" "+s.Distribution))
	}
	switch {
	case s.Bursts != nil:
		words = append(words, "loses bursts")
	case s.Loss > 0:
		words = append(words, "loses "+percent(s.Loss))
	case s.LossEvery > 0:
		words = append(words, fmt.Sprintf("loses 1 of %d", s.LossEvery))
	case s.Script != "":
		words = append(words, "loses packets by name")
	}
	for _, also := range []struct {
		verb  string
		share float64
	}{{"corrupts", s.Corrupt}, {"reorders", s.Reorder}, {"duplicates", s.Duplicate}} {
		if also.share > 0 {
			words = append(words, also.verb+" "+percent(also.share))
		}
	}
	return strings.Join(words, ", ")
}

// kindLegend says what the lines mean, the fastest first: beside the name of the network where there is room,
// else below it.
func (d *drawing) kindLegend(name string) {
	title := figure.Words{At: figure.Spot{X: margin, Y: margin}, Text: name, Size: nameSize + 2, Bold: true, Ink: figure.Black}
	d.add(title)
	x, y := margin+title.WidthOf()+22, float64(margin)
	for i, text := range d.kinds.texts() {
		if d.kinds.tall(name) {
			x, y = margin, y+legendLine
			if i == 0 {
				y += 4
			}
		}
		words := figure.Words{At: figure.Spot{X: x + 33, Y: y}, Text: text, Ink: figure.Dark}
		if i < maxKinds {
			d.add(d.kinds.list[i].stroke(figure.Spot{X: x, Y: y}, figure.Spot{X: x + 26, Y: y}))
		}
		d.add(words)
		x += 33 + words.WidthOf() + 20
	}
}

const (
	maxKinds   = 12 // that a legend explains
	legendLine = 17
)

// texts are the lines of the legend.
func (k *kinds) texts() (out []string) {
	for i := range k.list[:min(len(k.list), maxKinds)] {
		out = append(out, fmt.Sprintf("%s: %d", k.list[i].label(), k.list[i].count))
	}
	if n := len(k.list) - maxKinds; n > 0 {
		out = append(out, fmt.Sprintf("and %d more kinds of links", n))
	}
	return out
}

// tall reports whether the legend has a line for each kind.
func (k *kinds) tall(name string) bool {
	x := 2*margin + figure.Words{Text: name, Size: nameSize + 2, Bold: true}.WidthOf()
	for _, text := range k.texts() {
		x += 53 + figure.Words{Text: text}.WidthOf()
	}
	return x > leastWidth
}

// legendHeight is the room over the network.
func (l *layout) legendHeight() float64 {
	if l.kinds == nil || !l.kinds.tall(l.Name) {
		return legendHeight
	}
	return legendHeight + legendLine*float64(len(l.kinds.texts()))
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
	d.names = append(d.names, figure.Words{
		At: figure.Spot{X: b.at.x + b.at.w - pad, Y: b.at.y + pad/2 + headLine/2}, Side: figure.End, Ink: figure.Dark,
		Text: "fabric " + b.Chassis.Fabric.label(),
	})
	y := b.barAt()
	left, right := b.at.x+b.at.w, b.at.x
	for i := range b.engines {
		at := b.engines[i].at
		left, right = min(left, at.middle()), max(right, at.middle())
		from := figure.Spot{X: at.middle(), Y: at.y}
		if at.y < y {
			from.Y = at.foot()
		}
		d.add(figure.Stroke{Path: []figure.Spot{from, {X: at.middle(), Y: y}}, Ink: figure.Dark, Width: 1})
	}
	d.add(figure.Box{At: figure.Spot{X: left - barRoom, Y: y - barHeight/2}, Width: right - left + 2*barRoom, Height: barHeight, Round: barHeight / 2, Fill: figure.Dark, Border: figure.Dark})
}

const (
	barHeight = 5
	barRoom   = 10 // of a bar beyond the PFEs at its ends
)

// barAt is how high the fabric of a chassis is: between its rows of PFEs, or over its only one.
func (b *box) barAt() float64 {
	top, foot := b.at.foot(), 0.0 // of the lowest row, and of the highest
	for i := range b.engines {
		at := b.engines[i].at
		if foot == 0 || at.y < top {
			foot = at.foot()
		}
		top = min(top, at.y)
	}
	for i := range b.engines {
		if at := b.engines[i].at; at.y > top {
			return (foot + at.y) / 2
		}
	}
	return top - archRoom/2
}

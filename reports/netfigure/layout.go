package netfigure

import (
	"cmp"
	"slices"

	"github.com/inalab/inalab/reports/figure"
)

// Sizes, in pixels.
const (
	margin     = 18
	hostWidth  = 62
	hostHeight = 54
	bareWidth  = 40 // of a host without numbers, the least
	bareHeight = 26
	hostGap    = 10
	boxHeight  = 38  // of a switch without engines, and of an engine
	boxWidth   = 96  // the least
	boxGap     = 34  // between switches
	rise       = 92  // between the rows
	pad        = 12  // inside a chassis and its cards
	crowd      = 8   // hosts of one box above which they are drawn as one
	bundle     = 150 // width of such a box
	headLine   = 18  // name of a chassis or card
)

// place is a box with where it is.
type place struct {
	x, y, w, h float64
}

func (p place) middle() float64 { return p.x + p.w/2 }
func (p place) foot() float64   { return p.y + p.h }

// pair is what is drawn of a link, by its ends.
func (l *layout) pair(low, high string) pair {
	if l.kinds != nil {
		return pair{kind: l.kinds.of(low, high)}
	}
	return l.use.between(low, high)
}

// leaf is what hosts attach to: a switch or a PFE.
type leaf struct {
	name  string
	hosts []hostLink
	at    place
	host  place // size of one
}

// hostLink is a host with its link.
type hostLink struct {
	name string
	use  pair
	at   place
}

// width is what the hosts of a leaf take, side by side.
func (l *leaf) width() float64 {
	switch n := len(l.hosts); {
	case n > crowd:
		return bundle
	case n > 0:
		return float64(n)*(l.host.w+hostGap) - hostGap
	}
	return 0
}

// box is a switch on its way to the drawing.
type box struct {
	*Switch
	at      place
	leaf    leaf // of a switch without engines
	engines []engine
	cards   []card
}

// layout is a network with all its places.
type layout struct {
	*Net
	use           Use
	kinds         *kinds // of links, that are drawn in place of their use; nil: use is
	host          place  // size of a host
	boxes         []*box
	tiers         int
	width, height float64
}

func newLayout(n *Net, use Use, k *kinds) *layout {
	l := &layout{Net: n, use: use, kinds: k, host: place{w: hostWidth, h: hostHeight}}
	if k != nil {
		l.host = place{w: bareWidth, h: bareHeight}
		for _, h := range n.Hosts {
			l.host.w = max(l.host.w, figure.Words{Text: h.Name, Size: nameSize}.WidthOf()+10)
		}
	}
	for i := range n.Switches {
		b := &box{Switch: &n.Switches[i], leaf: leaf{host: l.host}}
		l.attach(b)
		l.boxes = append(l.boxes, b)
		l.tiers = max(l.tiers, b.Tier+1)
	}
	l.measure()
	l.across()
	l.down()
	return l
}

// attach gives a switch its hosts, or those of its engines.
func (l *layout) attach(b *box) {
	if b.Chassis != nil {
		for i, p := range b.Chassis.PFEs {
			b.engines = append(b.engines, engine{leaf: leaf{name: p.Name, host: l.host}, fpc: p.FPC, top: i == b.Chassis.Top})
		}
	}
	for _, p := range b.Ports {
		if !p.Wired || !slices.Contains(l.Hosts, Host{p.Peer.Node}) {
			continue
		}
		to := &b.leaf
		if b.Chassis != nil {
			to = &b.engines[p.PFE].leaf
		}
		to.hosts = append(to.hosts, hostLink{name: p.Peer.Node, use: l.pair(p.Peer.String(), b.Name+":"+p.Name)})
	}
	for i := range b.engines {
		b.engines[i].upper = len(b.engines[i].hosts) == 0
	}
}

// measure gives boxes their sizes.
func (l *layout) measure() {
	for _, b := range l.boxes {
		name := figure.Words{Text: b.Name, Size: nameSize, Bold: true}
		b.at.w, b.at.h = max(boxWidth, name.WidthOf()+2*pad, b.leaf.width()), boxHeight
		if b.Chassis != nil {
			b.measureChassis(l.use, l.kinds != nil)
		}
	}
}

// across places boxes from the left: those with hosts in their order, others over what they are linked to.
func (l *layout) across() {
	for tier := range l.tiers {
		row := l.tier(tier)
		if tier > 0 {
			want := map[*box]float64{}
			for _, b := range row {
				want[b] = l.over(b)
			}
			slices.SortStableFunc(row, func(a, b *box) int { return cmp.Compare(want[a], want[b]) })
			spread(row, want)
			continue
		}
		x, gap := 0.0, float64(boxGap)
		if l.sideBySide() {
			gap = sideGap
		}
		for _, b := range row {
			b.at.x = x
			x += b.at.w + gap
		}
	}
	least, most := 0.0, 0.0
	for i, b := range l.boxes {
		if i == 0 {
			least, most = b.at.x, b.at.x+b.at.w
		}
		least, most = min(least, b.at.x), max(most, b.at.x+b.at.w)
	}
	for _, b := range l.boxes {
		b.at.x += max(margin-least, margin-least+(leastWidth-2*margin-(most-least))/2)
	}
	l.width = max(most-least+2*margin, leastWidth)
}

// leastWidth is that of a drawing, in pixels: what the legend takes.
const leastWidth = 520

func (l *layout) tier(n int) (out []*box) {
	for _, b := range l.boxes {
		if b.Tier == n {
			out = append(out, b)
		}
	}
	return out
}

// over returns the middle of what a switch is linked to below.
func (l *layout) over(b *box) float64 {
	var sum float64
	var n int
	for _, p := range b.Ports {
		if o := l.box(p.Peer.Node); p.Wired && o != nil && o.Tier < b.Tier {
			sum, n = sum+o.at.middle(), n+1
		}
	}
	return sum / float64(max(n, 1))
}

func (l *layout) box(name string) *box {
	for _, b := range l.boxes {
		if b.Name == name {
			return b
		}
	}
	return nil
}

// spread places a row around where its boxes want to be, without overlap, its middle where theirs is.
func spread(row []*box, want map[*box]float64) {
	var wanted, got, x float64
	for i, b := range row {
		b.at.x = want[b] - b.at.w/2
		if i > 0 {
			b.at.x = max(b.at.x, x)
		}
		x = b.at.x + b.at.w + boxGap
		wanted, got = wanted+want[b], got+b.at.middle()
	}
	for _, b := range row {
		b.at.x += (wanted - got) / float64(len(row))
	}
}

// down places rows from above, and hosts below their boxes.
func (l *layout) down() {
	y := margin + l.legendHeight()
	if l.sideLinks() {
		y += arcRoom
	}
	for tier := l.tiers - 1; tier >= 0; tier-- {
		high := 0.0
		for _, b := range l.tier(tier) {
			b.at.y, high = y, max(high, b.at.h)
		}
		y += high + l.rise(tier)
	}
	for _, b := range l.boxes {
		b.settle(y)
	}
	l.height = y + l.host.h + margin
	if len(l.Hosts) == 0 {
		l.height -= rise + l.host.h
	}
}

// settle moves the parts of a box to where it is, and its hosts to their row.
func (b *box) settle(y float64) {
	for i := range b.cards {
		b.cards[i].at.x += b.at.x
		b.cards[i].at.y += b.at.y
	}
	for i := range b.engines {
		b.engines[i].at.x += b.at.x
		b.engines[i].at.y += b.at.y
		b.engines[i].row(y)
	}
	b.leaf.at = b.at
	b.leaf.row(y)
}

// row places the hosts of a leaf side by side below its middle.
func (l *leaf) row(y float64) {
	x := l.at.middle() - l.width()/2
	for i := range l.hosts {
		l.hosts[i].at = place{x + float64(i)*(l.host.w+hostGap), y, l.host.w, l.host.h}
		if len(l.hosts) > crowd {
			l.hosts[i].at = place{x, y, bundle, l.host.h}
		}
	}
}

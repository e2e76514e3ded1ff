package netfigure

import (
	"fmt"
	"math"

	"github.com/inalab/inalab/reports/figure"
)

// Sizes of text, in pixels.
const (
	nameSize     = 12
	numberSize   = 11
	legendHeight = 44
)

// Draw returns the drawing of a network. full is the use at which heat is most; see [Full].
func Draw(id, title string, n Net, use Use, full float64) figure.Drawing {
	d := drawing{layout: newLayout(&n, use, nil), full: full}
	d.legend()
	return d.finish(id, title)
}

// finish draws the network below its legend.
func (d *drawing) finish(id, title string) figure.Drawing {
	l := d.layout
	for _, b := range l.boxes {
		d.box(b)
	}
	d.between()
	for _, w := range d.names {
		d.add(w)
	}
	d.numbers()
	return figure.Drawing{ID: id, Title: title, Width: l.width, Height: l.height, Shapes: d.shapes}
}

// drawing is shapes on their way to a figure.
type drawing struct {
	*layout
	full   float64
	shapes []figure.Shape
	late   []label        // numbers on links, over all lines
	names  []figure.Words // of what lines may cross, over them as well
}

func (d *drawing) add(s ...figure.Shape) { d.shapes = append(d.shapes, s...) }

// heat returns the ink and the width of a use.
func (d *drawing) heat(use float64) (figure.Ink, float64) {
	share := min(1, use/d.full)
	step := min(figure.HeatInks-1, int(share*float64(figure.HeatInks)))
	return figure.Heat0 + figure.Ink(step), 1.4 + 4.2*share
}

// link draws both directions of a link: the one up on the left of the one down.
func (d *drawing) link(low, high figure.Spot, use pair) {
	if use.kind > 0 {
		d.add(d.kinds.list[use.kind-1].stroke(low, high))
		return
	}
	if !use.known {
		d.add(figure.Stroke{Path: []figure.Spot{low, high}, Ink: figure.Dark, Width: 1, Dashed: true})
		return
	}
	dx, dy := high.X-low.X, high.Y-low.Y
	length := max(1, math.Hypot(dx, dy))
	for _, way := range []struct{ use, side float64 }{{use.up, -1}, {use.down, 1}} {
		ink, width := d.heat(way.use)
		x, y := -dy/length*way.side*3.4, dx/length*way.side*3.4
		d.add(figure.Stroke{Path: []figure.Spot{{X: low.X + x, Y: low.Y + y}, {X: high.X + x, Y: high.Y + y}}, Ink: ink, Width: width})
	}
}

// between draws the links between switches.
func (d *drawing) between() {
	wires, rank := d.wires(), map[*box]int{}
	for _, w := range wires {
		low, high := d.ends(&w, wires)
		switch {
		case w.low.Tier != w.high.Tier:
			d.link(low, high, w.use)
			d.late = append(d.late, label{along(low, high, []float64{0.26, 0.52, 0.74}[rank[w.low]%3]), w.use})
			rank[w.low]++
		case d.neighbours(w.low, w.high):
			low, high = sides(w.low, w.high)
			d.link(low, high, w.use)
			d.late = append(d.late, label{figure.Spot{X: (low.X + high.X) / 2, Y: low.Y - 16}, w.use})
		default:
			over := min(w.low.at.y, w.high.at.y) - arcRoom*0.7
			a, b := figure.Spot{X: w.low.at.middle(), Y: over}, figure.Spot{X: w.high.at.middle(), Y: over}
			d.link(figure.Spot{X: a.X, Y: w.low.at.y}, a, w.use)
			d.link(a, b, w.use)
			d.link(b, figure.Spot{X: b.X, Y: w.high.at.y}, w.use)
			d.late = append(d.late, label{along(a, b, 0.5), w.use})
		}
	}
}

// sides returns the near sides of two neighbours.
func sides(a, b *box) (from, to figure.Spot) {
	y := a.at.y + min(a.at.h, b.at.h)/2
	if a.at.x < b.at.x {
		return figure.Spot{X: a.at.x + a.at.w, Y: y}, figure.Spot{X: b.at.x, Y: y}
	}
	return figure.Spot{X: a.at.x, Y: y}, figure.Spot{X: b.at.x + b.at.w, Y: y}
}

// ends spreads the links of a box, or of a PFE, along its edge.
func (d *drawing) ends(w *wire, all []wire) (low, high figure.Spot) {
	share := func(of func(*wire) (me place, far *box)) float64 {
		var before, n float64
		me, far := of(w)
		for i := range all {
			at, other := of(&all[i])
			if at != me || all[i].low.Tier == all[i].high.Tier {
				continue
			}
			n++
			if other.at.middle() < far.at.middle() || other == far && all[i].lowPort.Name < w.lowPort.Name {
				before++
			}
		}
		return me.x + me.w*(before+1)/(n+1)
	}
	below := func(w *wire) (place, *box) { return d.edge(w.low, w.lowPort), w.high }
	above := func(w *wire) (place, *box) { return d.edge(w.high, w.highPort), w.low }
	low = figure.Spot{X: share(below), Y: d.edge(w.low, w.lowPort).y}
	high = figure.Spot{X: share(above), Y: d.edge(w.high, w.highPort).foot()}
	return low, high
}

// edge is what a link ends at: a switch, or where kinds of links are drawn the PFE that has the port.
func (d *drawing) edge(b *box, p *Port) place {
	if d.kinds != nil && b.Chassis != nil {
		return b.engines[p.PFE].at
	}
	return b.at
}

func along(a, b figure.Spot, share float64) figure.Spot {
	return figure.Spot{X: a.X + share*(b.X-a.X), Y: a.Y + share*(b.Y-a.Y)}
}

// box draws a switch with its hosts.
func (d *drawing) box(b *box) {
	if b.Chassis == nil {
		d.hosts(&b.leaf)
		d.frame(b.at, 7, figure.Soft, figure.Dark)
		d.add(figure.Words{At: figure.Spot{X: b.at.middle(), Y: b.at.y + b.at.h/2}, Text: b.Name, Side: figure.Middle, Size: nameSize, Bold: true, Ink: figure.Black})
		return
	}
	d.frame(b.at, 9, figure.Soft, figure.Dark)
	d.add(figure.Words{At: figure.Spot{X: b.at.x + pad, Y: b.at.y + pad/2 + headLine/2}, Text: b.Name, Size: nameSize, Bold: true, Ink: figure.Black})
	for _, c := range b.cards {
		d.frame(c.at, 6, figure.Paper, figure.Light)
		d.names = append(d.names, figure.Words{At: figure.Spot{X: c.at.x + pad, Y: c.at.y + pad}, Text: fmt.Sprintf("line card %d", c.fpc), Ink: figure.Dark, Halo: d.kinds != nil})
	}
	for i := range b.engines {
		d.hosts(&b.engines[i].leaf)
	}
	d.fabric(b)
	if d.kinds != nil {
		d.crossbar(b)
	}
	for i := range b.engines {
		d.engine(&b.engines[i])
	}
}

func (d *drawing) frame(p place, round float64, fill, border figure.Ink) {
	d.add(figure.Box{At: figure.Spot{X: p.x, Y: p.y}, Width: p.w, Height: p.h, Round: round, Fill: fill, Border: border})
}

// engine draws a PFE.
func (d *drawing) engine(e *engine) {
	border, ink := figure.Dark, figure.Black
	if !e.top && len(e.hosts) == 0 {
		border, ink = figure.Light, figure.Dark
	}
	d.frame(e.at, 5, figure.Soft, border)
	middle := e.at.y + e.at.h/2
	if e.top {
		d.add(figure.Words{At: figure.Spot{X: e.at.middle(), Y: middle + 8}, Text: "top level", Side: figure.Middle, Ink: figure.Dark})
		middle -= 7
	}
	d.add(figure.Words{At: figure.Spot{X: e.at.middle(), Y: middle}, Text: e.name, Side: figure.Middle, Size: nameSize, Bold: ink == figure.Black, Ink: ink})
}

// fabric draws what of the fabric was used.
func (d *drawing) fabric(b *box) {
	for i := range b.engines {
		for k := range b.engines {
			low, high := &b.engines[i], &b.engines[k]
			use := d.use.fabric(b.Name, low.name, high.name)
			if use.up == 0 && use.down == 0 || !(low.at.y > high.at.y || low.at.y == high.at.y && i < k) {
				continue
			}
			if low.at.y == high.at.y {
				d.arch(low, high, use)
				continue
			}
			nth, n := d.ports(b, low, high)
			from, to := figure.Spot{X: low.at.middle(), Y: low.at.y}, figure.Spot{X: high.at.x + high.at.w*(nth+1)/(n+1), Y: high.at.foot()}
			d.link(from, to, use)
			d.late = append(d.late, label{along(from, to, 0.42), use})
		}
	}
}

// ports returns how many PFEs of the lower row have a link to one of the upper row, and how many of these stand
// before one of them.
func (d *drawing) ports(b *box, low, high *engine) (nth, n float64) {
	for i := range b.engines {
		e := &b.engines[i]
		if p := d.use.fabric(b.Name, e.name, high.name); e.at.y <= high.at.y || p.up == 0 && p.down == 0 {
			continue
		}
		if n++; e.at.x < low.at.x {
			nth++
		}
	}
	return nth, n
}

// arch draws a link below two engines of one row.
func (d *drawing) arch(low, high *engine, use pair) {
	deep := low.at.foot() + 18
	a, b := figure.Spot{X: low.at.middle(), Y: deep}, figure.Spot{X: high.at.middle(), Y: deep}
	d.link(figure.Spot{X: a.X, Y: low.at.foot()}, a, use)
	d.link(a, b, use)
	d.link(b, figure.Spot{X: b.X, Y: high.at.foot()}, use)
	d.late = append(d.late, label{along(a, b, 0.5), use})
}

// hosts draws the hosts of a leaf with their links.
func (d *drawing) hosts(l *leaf) {
	if len(l.hosts) > crowd {
		d.crowd(l)
		return
	}
	for i, h := range l.hosts {
		// Links leave the leaf along its lower edge, over their hosts as far as it reaches.
		x := min(max(h.at.middle(), l.at.x+8), l.at.x+l.at.w-8)
		if l.width() > l.at.w {
			x = l.at.x + l.at.w*(float64(i)+1)/float64(len(l.hosts)+1)
		}
		d.link(figure.Spot{X: h.at.middle(), Y: h.at.y}, figure.Spot{X: x, Y: l.at.foot()}, h.use)
		d.frame(h.at, 6, figure.Paper, figure.Dark)
		d.add(figure.Words{At: figure.Spot{X: h.at.middle(), Y: h.at.y + min(12, h.at.h/2)}, Text: h.name, Side: figure.Middle, Size: nameSize, Ink: figure.Black})
		d.number(figure.Spot{X: h.at.middle(), Y: h.at.y + 28}, h.use, true)
	}
}

// crowd draws many hosts as one box, with the mean and the most of their uses.
func (d *drawing) crowd(l *leaf) {
	var mean, most pair
	for _, h := range l.hosts {
		mean.kind = h.use.kind
		mean.up, mean.down, mean.known = mean.up+h.use.up, mean.down+h.use.down, mean.known || h.use.known
		most.up, most.down = max(most.up, h.use.up), max(most.down, h.use.down)
	}
	mean.up, mean.down = mean.up/float64(len(l.hosts)), mean.down/float64(len(l.hosts))
	at := l.hosts[0].at
	for i := range 5 {
		x := at.x + at.w*(float64(i)+1)/6
		d.link(figure.Spot{X: x, Y: at.y}, figure.Spot{X: min(max(x, l.at.x+8), l.at.x+l.at.w-8), Y: l.at.foot()}, mean)
	}
	d.frame(at, 6, figure.Paper, figure.Dark)
	first, last := l.hosts[0].name, l.hosts[len(l.hosts)-1].name
	d.add(figure.Words{At: figure.Spot{X: at.middle(), Y: at.y + 12}, Text: fmt.Sprintf("%s to %s: %d hosts", first, last, len(l.hosts)), Side: figure.Middle, Size: numberSize, Ink: figure.Black})
	if mean.known {
		for i, line := range []string{
			fmt.Sprintf("up: mean %s, most %s", percent(mean.up), percent(most.up)), fmt.Sprintf("down: mean %s, most %s", percent(mean.down), percent(most.down)),
		} {
			d.add(figure.Words{At: figure.Spot{X: at.middle(), Y: at.y + 28 + 15*float64(i)}, Text: line, Side: figure.Middle, Ink: figure.Dark})
		}
	}
}

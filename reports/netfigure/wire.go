package netfigure

import (
	"slices"
)

const (
	arcRoom = 34  // over boxes of one row that are linked
	sideGap = 120 // between them
)

// sideBySide reports whether boxes of one tier are linked.
func (l *layout) sideBySide() bool {
	return slices.ContainsFunc(l.wires(), func(w wire) bool { return w.low.Tier == w.high.Tier })
}

// rise returns the room over the row of a tier: more where many links cross there.
func (l *layout) rise(tier int) float64 {
	n := 0
	for _, w := range l.wires() {
		if w.low.Tier == tier-1 && w.high.Tier == tier {
			n++
		}
	}
	return rise + 8*float64(min(max(n-4, 0), 8))
}

// sideLinks reports whether boxes of one tier that are no neighbours are linked.
func (l *layout) sideLinks() bool {
	for _, w := range l.wires() {
		if w.low.Tier == w.high.Tier && !l.neighbours(w.low, w.high) {
			return true
		}
	}
	return false
}

func (l *layout) neighbours(a, b *box) bool {
	row := l.tier(a.Tier)
	i, k := slices.Index(row, a), slices.Index(row, b)
	return i-k == 1 || k-i == 1
}

// wire is a link between switches.
type wire struct {
	low, high         *box
	lowPort, highPort *Port
	use               pair
}

// wires returns the links between switches, each once.
func (l *layout) wires() (out []wire) {
	for i, a := range l.boxes {
		for k := range a.Ports {
			p := &a.Ports[k]
			b := l.box(p.Peer.Node)
			if !p.Wired || b == nil || slices.Index(l.boxes, b) < i {
				continue
			}
			at := slices.IndexFunc(b.Ports, func(q Port) bool { return q.Name == p.Peer.Port })
			if at < 0 {
				continue
			}
			w := wire{low: a, high: b, lowPort: p, highPort: &b.Ports[at]}
			if a.Tier > b.Tier {
				w = wire{low: b, high: a, lowPort: w.highPort, highPort: p}
			}
			w.use = l.pair(w.low.Name+":"+w.lowPort.Name, w.high.Name+":"+w.highPort.Name)
			out = append(out, w)
		}
	}
	return out
}

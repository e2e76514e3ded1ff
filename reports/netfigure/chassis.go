package netfigure

import (
	"slices"
)

// engine is a PFE of a chassis.
type engine struct {
	leaf
	fpc   int
	top   bool
	upper bool // in the row above those with hosts
}

// card is a line card.
type card struct {
	fpc int
	at  place
}

// measureChassis lays out cards side by side, in each the PFEs with hosts below the others.
func (b *box) measureChassis(use Use, bar bool) {
	x, rows := float64(pad), 1
	if slices.ContainsFunc(b.engines, func(e engine) bool { return e.upper }) && slices.ContainsFunc(b.engines, func(e engine) bool { return !e.upper }) {
		rows = 2
	}
	b.at.h = headLine + pad + headLine + float64(rows)*boxHeight + float64(rows-1)*rise*0.8 + 2*pad
	over := 0.0 // room for the fabric over a single row
	if bar && rows == 1 {
		over = archRoom
	}
	if b.at.h += over; b.arched(use) {
		b.at.h += archRoom
	}
	for _, fpc := range b.fpcs() {
		c := card{fpc: fpc, at: place{x: x, y: headLine + pad, h: b.at.h - headLine - 2*pad}}
		for _, upper := range []bool{true, false} {
			inner := x + pad
			for i := range b.engines {
				e := &b.engines[i]
				if e.fpc != fpc || e.upper != upper {
					continue
				}
				e.at = place{inner, c.at.y + headLine + pad/2 + over, max(engineWidth, e.width()), boxHeight}
				if !upper && rows == 2 {
					e.at.y += boxHeight + rise*0.8
				}
				inner += e.at.w + hostGap
			}
			c.at.w = max(c.at.w, inner-hostGap+pad-x)
		}
		b.centre(&c)
		b.cards = append(b.cards, c)
		x += c.at.w + pad
	}
	b.at.w = max(b.at.w, x)
}

const (
	engineWidth = 64
	archRoom    = 26 // for links between PFEs of the lower row
)

// arched reports whether PFEs of one row used the fabric between them.
func (b *box) arched(use Use) bool {
	for i, a := range b.engines {
		for _, o := range b.engines[i+1:] {
			if p := use.fabric(b.Name, a.name, o.name); a.upper == o.upper && (p.up > 0 || p.down > 0) {
				return true
			}
		}
	}
	return false
}

// centre moves the rows of a card to its middle.
func (b *box) centre(c *card) {
	for _, upper := range []bool{true, false} {
		low, high := c.at.x+c.at.w, c.at.x
		for _, e := range b.engines {
			if e.fpc == c.fpc && e.upper == upper {
				low, high = min(low, e.at.x), max(high, e.at.x+e.at.w)
			}
		}
		for i := range b.engines {
			if e := &b.engines[i]; e.fpc == c.fpc && e.upper == upper {
				e.at.x += c.at.x + c.at.w/2 - (low+high)/2
			}
		}
	}
}

func (b *box) fpcs() (out []int) {
	for _, e := range b.engines {
		if !slices.Contains(out, e.fpc) {
			out = append(out, e.fpc)
		}
	}
	slices.Sort(out)
	return out
}

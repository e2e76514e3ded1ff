package netfigure

import (
	"fmt"
	"html"
	"math"
)

// trunk draws a link between switches: straight, or in a bow where both are on one level.
func (s *sheet) trunk(t *Trunk) {
	a, b := s.boxes[t.A], s.boxes[t.B]
	says := s.Switches[t.A].Name + " - " + s.Switches[t.B].Name + ": " + t.Link.says("there", "back")
	if s.Switches[t.A].Level == s.Switches[t.B].Level {
		y := a.y + a.h/2
		s.path(fmt.Sprintf("M%g %gL%g %g", round(a.x), round(y), round(b.x), round(y)), &t.Link, says)
		if t.Link.Known {
			s.text((a.x+b.x)/2, y-8, `text-anchor="middle" fill="#222"`, percent(t.Link.use()))
		}
		return
	}
	if a.y > b.y {
		a, b = b, a
	}
	s.path(fmt.Sprintf("M%g %gL%g %g", round(a.x), round(a.y+a.h), round(b.x), round(b.y)), &t.Link, says)
}

// cable draws the link of a host.
func (s *sheet) cable(i int) {
	h := &s.Hosts[i]
	b, x := s.boxes[h.Switch], s.hosts[i]
	// A box has the ports of its hosts side by side.
	first, last := i, i
	for first > 0 && s.Hosts[first-1].Switch == h.Switch {
		first--
	}
	for last+1 < len(s.Hosts) && s.Hosts[last+1].Switch == h.Switch {
		last++
	}
	port := b.x - b.w/2 + b.w*(float64(i-first)+0.5)/float64(last-first+1)
	from, middle := b.y+b.h, (b.y+b.h+s.hostTop)/2
	way := fmt.Sprintf("M%g %gC%g %g %g %g %g %g", round(port), round(from), round(port), round(middle), round(x), round(middle), round(x), round(s.hostTop))
	s.path(way, &h.Link, h.Name+": "+h.Link.says("up", "down"))
}

func (s *sheet) path(way string, l *Link, says string) {
	s.printf(`<path d="%s" fill="none" stroke-linecap="round" %s><title>%s</title></path>`+"\n", way, l.stroke(), html.EscapeString(says))
}

// says tells the numbers of a link.
func (l *Link) says(up, down string) string {
	if !l.Known {
		return "not measured"
	}
	text := fmt.Sprintf("%s, %s %s, %s %s", l.Rate, up, percent(l.Up), down, percent(l.Down))
	if l.Drops > 0 {
		text += fmt.Sprintf(", %d frames lost", l.Drops)
	}
	return text
}

// percent writes a share in at most three digits.
func percent(share float64) string {
	p := 100 * share
	switch {
	case p == 0:
		return "0%"
	case p < 9.95:
		return fmt.Sprintf("%.1f%%", p)
	}
	return fmt.Sprintf("%.0f%%", math.Min(p, 100))
}

// box draws a switch.
func (s *sheet) box(i int) {
	sw, b := &s.Switches[i], s.boxes[i]
	s.printf(`<rect x="%g" y="%g" width="%g" height="%g" rx="6" fill="#eef1f4" stroke="#39434d" stroke-width="1.3"/>`+"\n",
		round(b.x-b.w/2), round(b.y), round(b.w), round(b.h))
	s.text(b.x, b.y+22, `text-anchor="middle" font-weight="700" fill="#111"`, sw.Name)
	x, y := b.x-b.w/2+cardGap, b.y+boxHigh
	for _, c := range sw.Cards {
		wide := pfeWide * float64(len(c.PFEs))
		s.printf(`<rect x="%g" y="%g" width="%g" height="%g" rx="4" fill="#fff" stroke="#9aa4ae"/>`+"\n", round(x), round(y), round(wide), round(cardHigh-cardGap))
		for k, p := range c.PFEs {
			s.pfe(x+pfeWide*float64(k), y, &p)
		}
		x += wide + cardGap
	}
}

// pfe draws one engine of a line card, with the use of the fabric at it.
func (s *sheet) pfe(x, y float64, p *PFE) {
	fill := "#dfe5ea"
	if p.Top {
		fill = "#f3d9a4"
	}
	name, says := p.Name, p.Name+": "+percent(p.Busy)+" of its busiest path in the fabric"
	if p.Top {
		says += "; it aggregates for the whole chassis"
		name += " ★"
	}
	s.printf(`<g><title>%s</title><rect x="%g" y="%g" width="%g" height="%g" rx="3" fill="%s" stroke="#7d8893"/>`+"\n",
		html.EscapeString(says), round(x+3), round(y+4), pfeWide-6, cardHigh-cardGap-8, fill)
	s.text(x+pfeWide/2, y+21, `text-anchor="middle" font-size="11" fill="#111"`, name)
	s.text(x+pfeWide/2, y+36, `text-anchor="middle" font-size="10" fill="#444"`, percent(p.Busy))
	s.printf("</g>\n")
}

// host draws a host with the numbers of its link, as far as there is room.
func (s *sheet) host(i int) {
	h, x, y := &s.Hosts[i], s.hosts[i], s.hostTop
	if s.slot < 20 {
		s.printf(`<circle cx="%g" cy="%g" r="4" fill="#39434d"><title>%s</title></circle>`+"\n", round(x), round(y+4), html.EscapeString(h.Name+": "+h.Link.says("up", "down")))
		return
	}
	wide := s.slot - 10
	s.printf(`<rect x="%g" y="%g" width="%g" height="22" rx="4" fill="#fff" stroke="#39434d"/>`+"\n", round(x-wide/2), round(y), wide)
	s.text(x, y+15, `text-anchor="middle" fill="#111"`, h.Name)
	if !h.Link.Known {
		return
	}
	if s.slot < 60 {
		s.text(x, y+38, `text-anchor="middle" font-size="11" fill="#222"`, percent(h.Link.use()))
		return
	}
	s.text(x, y+37, `text-anchor="middle" font-size="11" fill="#222"`, "↑ "+percent(h.Link.Up))
	s.text(x, y+51, `text-anchor="middle" font-size="11" fill="#222"`, "↓ "+percent(h.Link.Down))
}

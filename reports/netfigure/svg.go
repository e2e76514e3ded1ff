package netfigure

import (
	"bytes"
	"fmt"
	"html"
	"io"
	"math"
)

// Sizes in pixels.
const (
	border     = 16.0
	titleLine  = 30.0
	legendLine = 34.0
	levelGap   = 96.0 // between the boxes of two levels, and to the hosts
	boxHigh    = 34.0
	cardHigh   = 58.0 // of a box with line cards
	hostHigh   = 56.0
	groupGap   = 26.0 // between the hosts of two switches
	pfeWide    = 54.0
	cardGap    = 8.0
	leastBox   = 84.0
)

// sheet is a network on its way to a picture.
type sheet struct {
	*Network
	slot          float64 // width of a host
	width, height float64
	hosts         []float64 // middle, by host
	boxes         []box     // by switch
	hostTop       float64
	out           bytes.Buffer
}

// box is where a switch stands.
type box struct{ x, y, w, h float64 } // x is the middle, y the top

// Write writes a network as an svg element.
func Write(w io.Writer, n *Network) error {
	s := &sheet{Network: n}
	s.place()
	s.draw()
	_, err := w.Write(s.out.Bytes())
	return err
}

// slotOf is the room of a host, where there are so many.
func slotOf(hosts int) float64 {
	switch {
	case hosts <= 16:
		return 78
	case hosts <= 40:
		return 46
	}
	return 14
}

// place finds a place for everything: hosts from the left, switches over what hangs on them.
func (s *sheet) place() {
	s.slot = slotOf(len(s.Hosts))
	x, last := border, -1
	for _, h := range s.Hosts {
		if last >= 0 && h.Switch != last {
			x += groupGap
		}
		last = h.Switch
		s.hosts = append(s.hosts, x+s.slot/2)
		x += s.slot
	}
	s.width = math.Max(x+border, 560)
	s.centre(x + border)
	s.placeSwitches()
}

// centre moves the hosts to the middle of a wider sheet.
func (s *sheet) centre(taken float64) {
	for i := range s.hosts {
		s.hosts[i] += (s.width - taken) / 2
	}
}

func (s *sheet) placeSwitches() {
	s.boxes = make([]box, len(s.Switches))
	top := 0
	tall := map[int]float64{} // height of a level
	for i := range s.Switches {
		sw := &s.Switches[i]
		b := &s.boxes[i]
		b.w, b.h = boxOf(sw)
		top = max(top, sw.Level)
		tall[sw.Level] = math.Max(tall[sw.Level], b.h)
	}
	y := border + titleLine + legendLine
	for level := top; level >= 0; level-- {
		s.placeLevel(level, y)
		y += tall[level] + levelGap
	}
	s.hostTop = y - levelGap/3
	s.height = s.hostTop + hostHigh + border
}

// boxOf is the size of a switch.
func boxOf(sw *Switch) (w, h float64) {
	if len(sw.Cards) == 0 {
		return math.Max(leastBox, 9*float64(len(sw.Name))+24), boxHigh
	}
	w = cardGap
	for _, c := range sw.Cards {
		w += pfeWide*float64(len(c.PFEs)) + cardGap
	}
	return w, boxHigh + cardHigh
}

// placeLevel puts the switches of a level over the middle of what hangs on them, and apart.
func (s *sheet) placeLevel(level int, y float64) {
	var row []int
	for i := range s.Switches {
		if s.Switches[i].Level != level {
			continue
		}
		row = append(row, i)
		s.boxes[i].y = y
	}
	for k, i := range row {
		if middle, ok := s.over(i); ok {
			s.boxes[i].x = middle
		} else {
			s.boxes[i].x = s.width * (float64(k) + 0.5) / float64(len(row))
		}
	}
	at := border
	for _, i := range row {
		b := &s.boxes[i]
		b.x = math.Max(b.x, at+b.w/2)
		at = b.x + b.w/2 + 14
	}
	s.width = math.Max(s.width, at+border-14)
}

// over returns the middle of the hosts of a switch.
func (s *sheet) over(i int) (float64, bool) {
	low, high := math.Inf(1), math.Inf(-1)
	for h := range s.Hosts {
		if s.Hosts[h].Switch == i {
			low, high = math.Min(low, s.hosts[h]), math.Max(high, s.hosts[h])
		}
	}
	return (low + high) / 2, low <= high
}

func (s *sheet) printf(format string, args ...any) { fmt.Fprintf(&s.out, format, args...) }

const fonts = "Liberation Sans,Arial,Helvetica,sans-serif"

func (s *sheet) draw() {
	s.printf(`<svg xmlns="http://www.w3.org/2000/svg" width="%g" height="%g" viewBox="0 0 %g %g" role="img" font-family="%s" font-size="12">`+"\n",
		round(s.width), round(s.height), round(s.width), round(s.height), fonts)
	s.printf("<title>%s</title>\n", html.EscapeString(s.Title))
	s.printf(`<rect width="100%%" height="100%%" fill="#fff"/>` + "\n")
	s.text(border, border+15, `font-size="15" font-weight="700"`, s.Title)
	s.legend(border, border+titleLine)
	for i := range s.Trunks {
		s.trunk(&s.Trunks[i])
	}
	for i := range s.Hosts {
		s.cable(i)
	}
	for i := range s.Switches {
		s.box(i)
	}
	for i := range s.Hosts {
		s.host(i)
	}
	s.printf("</svg>\n")
}

// text writes a line; attributes are those of the element.
func (s *sheet) text(x, y float64, attributes, words string) {
	s.printf(`<text x="%g" y="%g" %s>%s</text>`+"\n", round(x), round(y), attributes, html.EscapeString(words))
}

// round keeps files short.
func round(v float64) float64 { return math.Round(10*v) / 10 }

// heat are the colours of use, from none to all: one hue that gets darker, so that they also differ in grey.
var heat = [...]string{"#c9d3dc", "#9ebcd6", "#6a9ecb", "#3579b4", "#0f4f8b", "#08254a"}

// step is which of the colours a use has.
func step(use float64) int { return min(len(heat)-1, int(math.Ceil(use*float64(len(heat)-1)))) }

// stroke is how a link is drawn.
func (l *Link) stroke() string {
	if !l.Known {
		return `stroke="#999" stroke-width="1" stroke-dasharray="3 3"`
	}
	return fmt.Sprintf(`stroke="%s" stroke-width="%g"`, heat[step(l.use())], round(1.5+5*math.Min(1, l.use())))
}

// legend shows the colours with the shares that they stand for.
func (s *sheet) legend(x, y float64) {
	s.text(x, y+12, `fill="#444"`, "use of a link, busier direction")
	x += 190
	for i, c := range heat {
		label := fmt.Sprintf("≤%d%%", 100*i/(len(heat)-1))
		if i == 0 {
			label = "0"
		}
		s.printf(`<line x1="%g" y1="%g" x2="%g" y2="%g" stroke="%s" stroke-width="%g"/>`+"\n", x, y+8, x+22, y+8, c, round(1.5+float64(i)))
		s.text(x+26, y+12, `fill="#444"`, label)
		x += 66
	}
}

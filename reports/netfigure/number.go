package netfigure

import (
	"fmt"

	"github.com/inalab/inalab/reports/figure"
)

// label is the number of a link and where it stands.
type label struct {
	at  figure.Spot
	use pair
}

// number writes the use of both directions, one below the other.
func (d *drawing) number(at figure.Spot, use pair, centred bool) {
	if !use.known {
		return
	}
	for i, way := range []struct {
		use float64
		up  bool
	}{{use.up, true}, {use.down, false}} {
		y := at.Y + 14*float64(i)
		text := figure.Words{Text: percent(way.use), Ink: figure.Dark, Halo: !centred}
		x := at.X - (text.WidthOf()+12)/2
		if !centred {
			d.add(figure.Box{At: figure.Spot{X: x - 2, Y: y - 7}, Width: text.WidthOf() + 16, Height: 14, Fill: figure.Paper, Border: figure.Paper})
		}
		tip := 4.0
		if !way.up {
			tip = -4
		}
		d.add(figure.Area{Path: []figure.Spot{{X: x, Y: y + tip}, {X: x + 4, Y: y - tip}, {X: x + 8, Y: y + tip}}, Fill: figure.Dark})
		text.At, text.Halo = figure.Spot{X: x + 12, Y: y}, false
		d.add(text)
	}
}

// numbers writes those of links between switches, and of the fabric.
func (d *drawing) numbers() {
	for _, l := range d.late {
		d.number(figure.Spot{X: l.at.X, Y: l.at.Y - 7}, l.use, false)
	}
}

// legend says what the lines mean.
func (d *drawing) legend() {
	y := float64(margin)
	d.add(figure.Words{At: figure.Spot{X: margin, Y: y}, Text: "use of a link", Ink: figure.Black, Bold: true})
	x := margin + 84.0
	for i := range figure.HeatInks {
		ink, width := d.heat((float64(i) + 0.5) / float64(figure.HeatInks) * d.full)
		d.add(figure.Stroke{Path: []figure.Spot{{X: x, Y: y}, {X: x + 26, Y: y}}, Ink: ink, Width: width + 1})
		text := figure.Words{At: figure.Spot{X: x + 30, Y: y}, Text: "≤" + percent(float64(i+1)/float64(figure.HeatInks)*d.full), Ink: figure.Dark}
		d.add(text)
		x += 40 + text.WidthOf()
	}
	y += 18
	d.add(
		figure.Area{Path: []figure.Spot{{X: margin, Y: y + 4}, {X: margin + 4, Y: y - 4}, {X: margin + 8, Y: y + 4}}, Fill: figure.Dark},
		figure.Words{At: figure.Spot{X: margin + 13, Y: y}, Text: "away from hosts", Ink: figure.Dark},
		figure.Area{Path: []figure.Spot{{X: margin + 112, Y: y - 4}, {X: margin + 116, Y: y + 4}, {X: margin + 120, Y: y - 4}}, Fill: figure.Dark},
		figure.Words{At: figure.Spot{X: margin + 125, Y: y}, Text: "towards hosts; share of the link's rate, over the run", Ink: figure.Dark},
	)
}

// percent writes a share.
func percent(share float64) string {
	switch p := 100 * share; {
	case p == 0:
		return "0%"
	case p < 0.1:
		return "<0.1%"
	case p < 10:
		return fmt.Sprintf("%.1f%%", p)
	default:
		return fmt.Sprintf("%.0f%%", p)
	}
}

package figure

import (
	"bytes"
	"fmt"
	"image/color"
	"regexp"
	"strings"
)

// Ink is a colour by what it is for, so that a page can say what it is on paper and in the dark.
type Ink int

// The inks of drawings.
const (
	Paper Ink = iota
	Black     // titles, labels, what a paper states
	Dark      // other text, axes
	Light     // grids, borders
	Soft      // areas that hold others
	Heat0     // the least of a quantity that is shown as heat
	Heat1
	Heat2
	Heat3
	Heat4 // the most
	firstColour
)

// HeatInks is how many steps heat has.
const HeatInks = int(Heat4-Heat0) + 1

// shade is an ink on paper and in the dark.
type shade struct {
	name        string // of the variable in CSS
	light, dark color.RGBA
}

func rgb(hex uint32) color.RGBA {
	return color.RGBA{uint8(hex >> 16), uint8(hex >> 8), uint8(hex), 0xff}
}

// shades are all inks, the palette of series last. The heat is one hue, after the oranges of ColorBrewer, that grows darker
// on paper and lighter in the dark, and so is seen without colour as well.
var shades = [...]shade{
	Paper: {"fig-paper", rgb(0xffffff), rgb(0x14181c)},
	Black: {"fig-ink", rgb(0x000000), rgb(0xf0f2f4)},
	Dark:  {"fig-text", rgb(0x333333), rgb(0xc3cad1)},
	Light: {"fig-grid", rgb(0xe4e4e4), rgb(0x333a42)},
	Soft:  {"fig-soft", rgb(0xf4f6f8), rgb(0x1e242a)},
	Heat0: {"fig-heat0", rgb(0xf7b880), rgb(0x6b4422)},
	Heat1: {"fig-heat1", rgb(0xf59342), rgb(0x9a5a20)},
	Heat2: {"fig-heat2", rgb(0xe0640f), rgb(0xcf7526)},
	Heat3: {"fig-heat3", rgb(0xb04400), rgb(0xf59f55)},
	Heat4: {"fig-heat4", rgb(0x6f2000), rgb(0xffe0c2)},

	firstColour:     {"fig-blue", rgb(0x0072b2), rgb(0x4ba3e3)},
	firstColour + 1: {"fig-vermilion", rgb(0xd55e00), rgb(0xff8a3d)},
	firstColour + 2: {"fig-green", rgb(0x009e73), rgb(0x2fc79b)},
	firstColour + 3: {"fig-purple", rgb(0xcc79a7), rgb(0xe6a3c9)},
	firstColour + 4: {"fig-orange", rgb(0xe69f00), rgb(0xf2bb45)},
	firstColour + 5: {"fig-sky", rgb(0x56b4e9), rgb(0x9ad8ff)},
	firstColour + 6: {"fig-grey", rgb(0x666666), rgb(0xa6adb4)},
}

// on returns the colour of an ink on paper.
func (i Ink) on() color.Color { return shades[i].light }

// Variables returns declarations of CSS: the variables that the colours of inline figures are, on paper or
// in the dark.
func Variables(dark bool) string {
	var b strings.Builder
	for _, s := range shades {
		c := s.light
		if dark {
			c = s.dark
		}
		fmt.Fprintf(&b, "--%s:#%02x%02x%02x;", s.name, c.R, c.G, c.B)
	}
	return b.String()
}

var (
	styled = regexp.MustCompile(`style="[^"]*"`)
	hex    = regexp.MustCompile(`#[0-9A-F]{6}`)
)

// themed makes the colours of an SVG document variables. Text cannot be mistaken for a style, since its quotes
// are escaped.
func themed(svg []byte) []byte {
	names := map[string]string{}
	for _, s := range shades {
		names[fmt.Sprintf("#%02X%02X%02X", s.light.R, s.light.G, s.light.B)] = s.name
	}
	svg = bytes.Replace(svg, []byte(` role="img">`), []byte(` role="img" style="fill:#000000">`), 1) // what says nothing is black
	return styled.ReplaceAllFunc(svg, func(style []byte) []byte {
		return hex.ReplaceAllFunc(style, func(c []byte) []byte {
			if name, known := names[string(c)]; known {
				return []byte("var(--" + name + ")")
			}
			return c
		})
	})
}

// Colour returns an ink of the palette of series; numbers begin again behind the last.
func Colour(i int) Ink { return firstColour + Ink(i)%(Ink(len(shades))-firstColour) }

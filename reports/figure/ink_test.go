package figure

import (
	"bytes"
	"fmt"
	"image/color"
	"math"
	"regexp"
	"strings"
	"testing"
)

// An inline figure has no colours of its own, and every variable that it uses is declared for paper and for the dark.
func TestInlineColours(t *testing.T) {
	f := small()
	f.Title = `style="fill:#000000" #FFFFFF`
	var out bytes.Buffer
	if err := WriteInline(&out, f); err != nil {
		t.Fatal(err)
	}
	svg := out.String()
	for _, style := range styled.FindAllString(svg, -1) {
		if c := hex.FindString(style); c != "" {
			t.Errorf("%s stays %s", style, c)
		}
	}
	if !strings.Contains(svg, `#FFFFFF</text>`) {
		t.Error("words of the figure were taken for a colour")
	}
	for _, m := range regexp.MustCompile(`var\(--([a-z0-9-]+)\)`).FindAllStringSubmatch(svg, -1) {
		for _, dark := range []bool{false, true} {
			if !strings.Contains(Variables(dark), "--"+m[1]+":#") {
				t.Errorf("%s is not declared (dark %t)", m[1], dark)
			}
		}
	}
	if strings.Contains(written(t, f), "var(") {
		t.Error("a figure of its own has variables")
	}
}

// Each ink has a colour and a name of its own, or they could not be told apart again.
func TestShadesDiffer(t *testing.T) {
	seen := map[string]bool{}
	for _, s := range shades {
		for _, key := range []string{s.name, fmt.Sprint("light", s.light), fmt.Sprint("dark", s.dark)} {
			if seen[key] {
				t.Errorf("%s is there twice", key)
			}
			seen[key] = true
		}
	}
}

// contrast is that of WCAG 2.2.
func contrast(a, b color.RGBA) float64 {
	x, y := luminance(a), luminance(b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

func luminance(c color.RGBA) float64 {
	part := func(v uint8) float64 {
		s := float64(v) / 255
		if s <= 0.04045 {
			return s / 12.92
		}
		return math.Pow((s+0.055)/1.055, 2.4)
	}
	return 0.2126*part(c.R) + 0.7152*part(c.G) + 0.0722*part(c.B)
}

// Text has the contrast that WCAG 2.2 asks for (4.5, level AA) on paper and in the dark. Lines of series in the dark have
// that of graphics (3); on paper they are those of Okabe and Ito, which markers and dashes tell apart as well.
func TestContrast(t *testing.T) {
	for _, i := range []Ink{Black, Dark} {
		for _, below := range []Ink{Paper, Soft} {
			if c := contrast(shades[i].light, shades[below].light); c < 4.5 {
				t.Errorf("%s on paper: %.1f", shades[i].name, c)
			}
			if c := contrast(shades[i].dark, shades[below].dark); c < 4.5 {
				t.Errorf("%s in the dark: %.1f", shades[i].name, c)
			}
		}
	}
	for _, s := range shades[firstColour:] {
		if c := contrast(s.dark, shades[Paper].dark); c < 3 {
			t.Errorf("%s in the dark: %.1f", s.name, c)
		}
	}
}

// Heat grows away from the paper, so that it is seen without colour.
func TestHeatIsMonotone(t *testing.T) {
	for i := Heat1; i <= Heat4; i++ {
		if luminance(shades[i].light) >= luminance(shades[i-1].light) {
			t.Errorf("%s is no darker than the one before on paper", shades[i].name)
		}
		if luminance(shades[i].dark) <= luminance(shades[i-1].dark) {
			t.Errorf("%s is no lighter than the one before in the dark", shades[i].name)
		}
	}
}

// A system looks the same in two figures of one order, and what is of no system takes no look.
func TestOrder(t *testing.T) {
	a, b := small(), small()
	a.Panels[0].Series = []Series{{Name: "x", Points: []Point{{1, 1, 0, 0}}}, {Name: "y", Points: []Point{{1, 2, 0, 0}}}}
	b.Panels[0].Series = []Series{{Name: "aside", Aside: true, Points: []Point{{1, 1, 0, 0}}}, {Name: "y", Points: []Point{{1, 2, 0, 0}}}}
	b.Order = a.Names()
	one, other := a.looks(), b.looks()
	if one.of("y").line.Color != other.of("y").line.Color {
		t.Error("y has two colours")
	}
	if other.of("aside").glyph.Color != Dark.on() {
		t.Error("what is of no system has the colour of one")
	}
	if strings.Contains(written(t, b), ">x<") {
		t.Error("the legend names what is not drawn")
	}
}

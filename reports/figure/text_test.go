package figure

import (
	"encoding/xml"
	"errors"
	"io"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// textsOf parses a document and returns what its text elements say.
func textsOf(t interface {
	Helper()
	Fatal(...any)
}, svg string) (texts []string) {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(svg))
	inside := false
	for {
		token, err := d.Token()
		switch tok := token.(type) {
		case xml.StartElement:
			inside = tok.Name.Local == "text"
			if inside {
				texts = append(texts, "")
			}
		case xml.EndElement:
			inside = false
		case xml.CharData:
			if inside {
				texts[len(texts)-1] += string(tok)
			}
		}
		if errors.Is(err, io.EOF) {
			return texts
		}
		if err != nil {
			t.Fatal(err, "\n", svg)
		}
	}
}

func count(texts []string, text string) (n int) {
	for _, s := range texts {
		if s == text {
			n++
		}
	}
	return n
}

// Text means itself wherever it stands: markup, quotes, what looks like a style
// of ours, and what XML has no place for.
func TestEscapes(t *testing.T) {
	f := small()
	const evil = `<script>"a" & 'b'</script>`
	f.Title, f.Notes = evil, []string{evil, family}
	p := &f.Panels[0]
	p.Title, p.X.Label, p.Y.Unit, p.Series[0].Name, p.Marks[0].Name = evil, evil, "<&>", evil, evil
	p.Series[1].Name = "line\nbreak\x00\xff\ufffe"
	svg := written(t, f)
	texts := textsOf(t, svg)
	if n := count(texts, evil); n != 6 {
		t.Errorf("%d texts of 6 in %q", n, texts)
	}
	for _, want := range []string{"latency (<&>)", family, "line break   "} {
		if count(texts, want) != 1 {
			t.Errorf("no %q in %q", want, texts)
		}
	}
	if strings.Contains(svg, "<script") {
		t.Error("markup came through")
	}
}

// Text can be read: no smaller than 11 pixels, in a font that every reader has.
func TestFonts(t *testing.T) {
	svg := written(t, small())
	sizes := regexp.MustCompile(`font-size:([0-9.]+)px`).FindAllStringSubmatch(svg, -1)
	for _, m := range sizes {
		if px, err := strconv.ParseFloat(m[1], 64); err != nil || px < 11 {
			t.Errorf("a text of %s px: %v", m[1], err)
		}
	}
	if n := len(textsOf(t, svg)); len(sizes) != n || strings.Count(svg, "Arial,Helvetica,sans-serif;") != n {
		t.Errorf("%d texts, %d sizes, %d families", n, len(sizes), strings.Count(svg, "sans-serif"))
	}
}

// Lines of text are no wider than they may be, and lose nothing but what is wider
// by itself.
func TestWrap(t *testing.T) {
	sty := style(smallSize, black)
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfN(rapid.StringMatching(`[a-zA-Zµ§]{1,12}`), 0, 30).Draw(t, "words")
		lines := wrap(sty, strings.Join(words, " "), 150)
		for _, l := range lines {
			if w := widthOf(sty, l); w > 150 {
				t.Fatalf("%q is %v wide", l, w)
			}
		}
		if got := strings.Join(lines, " "); got != strings.Join(words, " ") {
			t.Fatalf("%q became %q", words, got)
		}
	})
	if lines := wrap(sty, strings.Repeat("W", 80), 150); len(lines) != 1 || !strings.HasSuffix(lines[0], "W…") || widthOf(sty, lines[0]) > 150 {
		t.Errorf("a long word became %q", lines)
	}
}

// A legend has all names, each line within the figure.
func TestLegendRows(t *testing.T) {
	sty := style(labelSize, black)
	rapid.Check(t, func(t *rapid.T) {
		names := rapid.SliceOfN(rapid.StringMatching(`[a-zW ]{1,150}`), 0, 12).Draw(t, "names")
		var all []entry
		for _, n := range names {
			all = append(all, entry{name: n})
		}
		n := 0
		for _, line := range rows(all, 600) {
			width := 0.0
			for _, e := range line {
				width += float64(sampleWidth + legendGap + widthOf(sty, e.name))
				n++
			}
			if width > 600+1e-9 || len(line) == 0 {
				t.Fatalf("a line of %d names, %v wide", len(line), width)
			}
		}
		if n != len(names) {
			t.Fatalf("%d names of %d", n, len(names))
		}
	})
}

package page

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/inalab/inalab/internal/golden"
)

// cards is a page with a search and two cards, and words in each place for them.
func cards(words string) *Page {
	one, two, half := 1.0, 2.0, 0.25
	card := Card{
		ID: "trio.fig1.a", Title: words, Level: Good, Badge: words, Text: words, Facts: []Fact{{Bad, words, words}},
		Tags:   []Tag{{Group: "verdict", Value: words}, {Value: words, Before: words}, {Group: "paper", Value: words, Hidden: true}},
		Gauge:  &Gauge{Label: words, Low: &one, Stated: &two, Measured: &two, HalfWidth: &half},
		Blocks: []Block{Paragraph{Text: words}},
	}
	other := Card{ID: "trio.fig1.b_c", Title: "b", Badge: "none"}
	return &Page{
		Lead: []Block{Links{{words, "trio.fig1.a"}}}, Title: words, Book: true, Sections: []Section{{ID: "one", Title: words, Sections: []Section{{ID: "one-a", Title: words, Blocks: []Block{card, other}}}}},
		Search: &Search{Label: words, Hint: words, Groups: []Choices{{Name: words, Group: "verdict", Values: []Choice{{words, 1}}}}},
	}
}

// A page with a search has one script, and allows itself that one alone. Each card is the target of its link.
func TestCards(t *testing.T) {
	n, text := parse(t, cards("plain"))
	links := checkStructure(t, n)
	if !links["trio.fig1.a"] || !links["trio.fig1.b_c"] {
		t.Errorf("links lead to %v", links)
	}
	if got := count(n); got["script"] != 1 || got["article"] != 2 || got["svg"] != 1 {
		t.Errorf("elements %v", got)
	}
	for e := range n.Descendants() {
		if class, _ := attribute(e, "class"); class != "search" {
			continue
		}
		if _, hidden := attribute(e, "hidden"); !hidden {
			t.Error("the search is to be seen without script")
		}
	}
	_, body, _ := strings.Cut(text, "<script>")
	body, _, _ = strings.Cut(body, "</script>")
	sum := sha256.Sum256([]byte(body))
	if policy := "script-src &#39;sha256-" + strings.ReplaceAll(base64.StdEncoding.EncodeToString(sum[:]), "+", "&#43;") + "&#39;"; !strings.Contains(text, policy) {
		t.Errorf("the page does not allow its script: %s", policy)
	}
	if len(body) > 2048 {
		t.Errorf("the script has %d bytes", len(body))
	}
}

func TestCardsAreEscaped(t *testing.T) {
	plain, _ := parse(t, cards("plain"))
	bad, _ := parse(t, cards(evil))
	checkEscaping(t, plain, bad)
	for e := range bad.Descendants() {
		if tags, ok := attribute(e, "data-tags"); ok && tags != "" && tags != "verdict:"+evil+"\npaper:"+evil {
			t.Errorf("tags %q", tags)
		}
	}
}

func TestCardsInMarkdown(t *testing.T) {
	var text bytes.Buffer
	if err := cards("a <b> *c* `d`").WriteMarkdown(&text); err != nil {
		t.Fatal(err)
	}
	golden.Equal(t, "cards.md", text.String())
}

// Cards that could not be told apart are refused.
func TestCardsRefused(t *testing.T) {
	for want, list := range map[string][]Block{
		`card "b": its id "x.y" is there twice`:                     {Card{ID: "x.y", Title: "a"}, Card{ID: "x.y", Title: "b"}},
		`card "a": its id "x y" is not letters, digits, -, . and _`: {Card{ID: "x y", Title: "a"}},
		`card "a": its id "one" is there twice`:                     {Card{ID: "one", Title: "a"}},
	} {
		var out bytes.Buffer
		p := &Page{Title: "t", Sections: []Section{{ID: "one", Blocks: list}}}
		if err := p.WriteHTML(&out); err == nil || !strings.Contains(err.Error(), want) || out.Len() > 0 {
			t.Errorf("got %v, want %q", err, want)
		}
	}
	if got := CardID("a b.<c>_d-é"); got != "a-b.-c-_d--" {
		t.Errorf("id %q", got)
	}
	if got := SectionID("a.b"); got != "a-b" {
		t.Errorf("id %q", got)
	}
}

// Marks of a gauge lie in the order of their numbers, inside of it; what has no end goes to the end.
func TestGauge(t *testing.T) {
	low, stated, measured, half := 1.0, 2.0, 3.0, 0.5
	g := draw(t, Gauge{Low: &low, Stated: &stated, Measured: &measured, HalfWidth: &half})
	band, dot, line := g["rect.band"], g["circle.measured"], g["path.stated"]
	if x, width := number(t, band, "x"), number(t, band, "width"); x < 0 || x+width != gaugeWidth {
		t.Errorf("the band is from %v, %v wide, want up to %v", x, width, gaugeWidth)
	}
	at := number(t, dot, "cx")
	from, width := number(t, g["rect.interval"], "x"), number(t, g["rect.interval"], "width")
	if at <= from || at >= from+width || at >= gaugeWidth {
		t.Errorf("the dot is at %v, its interval from %v, %v wide", at, from, width)
	}
	d, _ := attribute(line, "d")
	var tick float64
	if _, err := fmt.Sscanf(d, "M%f 1V25", &tick); err != nil || tick >= at || tick <= number(t, band, "x") {
		t.Errorf("the stroke is at %v (%v), the dot at %v", tick, err, at)
	}
	exact := draw(t, Gauge{Low: &low, High: &low, Stated: &low, Measured: &low})
	if w := number(t, exact["rect.band"], "width"); w < 2 {
		t.Errorf("a band of one number is %v wide", w)
	}
	if none := draw(t, Gauge{ExpectFrom: &low, Until: &measured}); none["circle.measured"] != nil || number(t, none["rect.expected"], "width") < gaugeWidth/2 {
		t.Errorf("a span is %v", none)
	}
}

// draw returns the shapes of a gauge by element and class.
func draw(t *testing.T, g Gauge) map[string]*html.Node {
	t.Helper()
	n, _ := parse(t, &Page{Title: "t", Lead: []Block{g}})
	out := map[string]*html.Node{}
	for e := range n.Descendants() {
		if class, ok := attribute(e, "class"); ok && e.Type == html.ElementNode {
			out[e.Data+"."+class] = e
		}
	}
	return out
}

func number(t *testing.T, e *html.Node, name string) float64 {
	t.Helper()
	text, _ := attribute(e, name)
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

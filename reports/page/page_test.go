package page

import (
	"bytes"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/inalab/inalab/internal/golden"
	"github.com/inalab/inalab/reports/render"
)

// evil is text that would do harm where it is not escaped: in HTML, in an attribute, in a style, in Markdown.
const evil = `</title></style></script><script>alert(1)</script><img src=http://x.test/ onerror=alert(1)> "' & ` + "`" + ` [a](http://x.test) | x`

// sample is a page with every kind of block, and words in each place for them.
func sample(words string) *Page {
	table := render.Table{
		Title: words,
		Columns: []render.Column{
			{Key: "system", Name: "system " + words}, {Key: "p", Name: "p", Unit: "%", Align: render.Right, Fold: true},
			{Key: "ms", Name: "iteration", Unit: "ms " + words, Align: render.Right}, {Name: "why", Wrap: true}, {Key: "hidden", Name: "hidden", Detail: true},
		},
		Rows: [][]render.Cell{
			{render.Text("ring"), render.Int(4), render.Within(164.1, 2.5, 1), render.NA(), render.Int(99)},
			{render.Text("trioml"), render.Int(4), render.Number(158.5, 1).Suspect(true), render.Text(words), render.Int(98)},
		},
		Notes: []string{words},
	}
	blocks := []Block{
		Paragraph{Text: words, Strong: true}, Paragraph{Text: words, Small: true}, Table{Table: table, Group: []string{"system"}},
		Figure{SVG: []byte(`<svg xmlns="http://www.w3.org/2000/svg" width="10" height="10"></svg>`), Title: words, File: "a b.svg", Caption: words, Width: 10},
		Row{{SVG: []byte(`<svg width="5" height="5"></svg>`), Title: words, Width: 5}},
		Bars{Title: words, Unit: "ms", Parts: []string{"compute " + words, "none", "rest"}, Bars: []Bar{{Name: words, Values: []float64{3, 0, 1}, Note: words}, {Name: "b", Values: []float64{2, 0, 0}}}},
		List{{words, words}}, Bullets{Level: Bad, Text: []string{words}}, Bullets{Text: []string{words}},
		Details{Summary: words, Blocks: []Block{Text{Text: words}, Text{Text: words, Command: true}}},
	}
	return &Page{
		Title: words, Kind: words, Subtitle: words, Foot: words, Lead: blocks[:1],
		Verdict:  Verdict{Level: Doubt, Text: words, Facts: []Fact{{Good, words, words}}},
		Sections: []Section{{ID: "one", Title: words, Blocks: blocks}, {ID: "two", Title: "two", Sections: []Section{{ID: "two-a", Title: words}}}},
	}
}

func parse(t *testing.T, p *Page) (*html.Node, string) {
	t.Helper()
	var text bytes.Buffer
	if err := p.WriteHTML(&text); err != nil {
		t.Fatal(err)
	}
	n, err := html.Parse(bytes.NewReader(text.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	return n, text.String()
}

func attribute(n *html.Node, name string) (string, bool) {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val, true
		}
	}
	return "", false
}

// asks are the attributes by which an element makes a browser ask for something, or run it.
var asks = map[string]bool{"src": true, "srcset": true, "data": true, "action": true, "formaction": true, "poster": true, "background": true, "ping": true, "xlink:href": true}

// A page asks for nothing and runs nothing; each id is there once, and each link has its target.
func TestStructure(t *testing.T) {
	n, _ := parse(t, sample("plain"))
	links := checkStructure(t, n)
	if count(n)["script"] > 0 {
		t.Error("the page has a script")
	}
	for _, id := range []string{"one", "two", "two-a"} {
		if !links[id] {
			t.Errorf("the contents lack %s", id)
		}
	}
}

// checkStructure returns the targets of links.
func checkStructure(t *testing.T, n *html.Node) map[string]bool {
	t.Helper()
	ids, links := map[string]int{}, map[string]bool{}
	for e := range n.Descendants() {
		if e.Type != html.ElementNode {
			continue
		}
		switch e.Data {
		case "iframe", "object", "embed", "base", "form", "img":
			t.Errorf("the page has an element %s", e.Data)
		case "style":
			if css := e.FirstChild.Data; strings.Contains(css, "url(") || strings.Contains(css, "@import") {
				t.Error("the style asks for something")
			}
		}
		for _, a := range e.Attr {
			switch {
			case asks[a.Key] || strings.HasPrefix(a.Key, "on"):
				t.Errorf("%s has an attribute %s", e.Data, a.Key)
			case a.Key == "href" && a.Val != "data:,":
				target, inside := strings.CutPrefix(a.Val, "#")
				if links[target] = true; !inside {
					t.Errorf("a link leads out of the page: %s", a.Val)
				}
			case a.Key == "id":
				ids[a.Val]++
			}
		}
	}
	for id, n := range ids {
		if n > 1 {
			t.Errorf("id %s is there %d times", id, n)
		}
	}
	for target := range links {
		if ids[target] == 0 {
			t.Errorf("a link leads to %s, which is not there", target)
		}
	}
	return links
}

// count returns the elements of each kind.
func count(n *html.Node) map[string]int {
	out := map[string]int{}
	for e := range n.Descendants() {
		if e.Type == html.ElementNode {
			out[e.Data]++
		}
	}
	return out
}

// textOf returns all text of a page as a reader sees it.
func textOf(n *html.Node) string {
	var b strings.Builder
	for e := range n.Descendants() {
		if e.Type == html.TextNode && e.Parent.Data != "style" && e.Parent.Data != "script" {
			b.WriteString(e.Data)
		}
	}
	return b.String()
}

// Whatever the words are, the elements are the same, and the reader sees the words as they are.
func TestEscaping(t *testing.T) {
	plain, _ := parse(t, sample("plain"))
	bad, _ := parse(t, sample(evil))
	checkEscaping(t, plain, bad)
	for e := range bad.Descendants() {
		if label, ok := attribute(e, "aria-label"); ok && e.Data == "div" && label != evil {
			t.Errorf("a label is %q", label)
		}
	}
}

func checkEscaping(t *testing.T, plain, bad *html.Node) {
	t.Helper()
	for name, n := range count(plain) {
		if got := count(bad)[name]; got != n {
			t.Errorf("%d elements %s, and %d with words that must be escaped", n, name, got)
		}
	}
	for name := range count(bad) {
		if count(plain)[name] == 0 {
			t.Errorf("words became an element %s", name)
		}
	}
	want := strings.Count(textOf(plain), "plain")
	if got := strings.Count(textOf(bad), evil); got != want {
		t.Errorf("the reader sees the words %d times, want %d", got, want)
	}
}

// A table has what people see in a terminal: cells, units, intervals, notes, and what is not to be believed.
func TestTable(t *testing.T) {
	n, _ := parse(t, sample("plain"))
	text := textOf(n)
	for _, want := range []string{"In all rows: p 4 %.", "164.1 ±2.5", "invalid", "ms plain", "A note on this table"} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if strings.Contains(text, "158.5") || strings.Contains(text, "hidden") {
		t.Error("the page shows what people are not to see")
	}
	groups := 0
	for e := range n.Descendants() {
		if class, _ := attribute(e, "class"); e.Data == "tr" && class == "group" {
			groups++
		}
	}
	if groups != 1 {
		t.Errorf("%d groups begin, want 1", groups)
	}
}

func TestMarkdown(t *testing.T) {
	var text bytes.Buffer
	if err := sample("a <b> *c* | d").WriteMarkdown(&text); err != nil {
		t.Fatal(err)
	}
	golden.Equal(t, "page.md", text.String())
}

// Text with fences of its own stays inside its fence.
func TestMarkdownFence(t *testing.T) {
	var text bytes.Buffer
	p := &Page{Title: "t", Lead: []Block{Text{Text: "a\n````\n# b\n"}}}
	if err := p.WriteMarkdown(&text); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(text.String(), "`````\na\n````\n# b\n`````\n") {
		t.Errorf("got %q", text.String())
	}
}

// A page whose links could not be told apart is refused, and nothing is written.
func TestRefused(t *testing.T) {
	table := render.Table{Title: "short", Columns: []render.Column{{Name: "a"}}, Rows: [][]render.Cell{{}}}
	for want, p := range map[string]*Page{
		`section "b": its id "x" is there twice`:              {Title: "t", Sections: []Section{{ID: "x", Title: "a"}, {ID: "y", Sections: []Section{{ID: "x", Title: "b"}}}}},
		`section "a": its id "" is not letters, digits and -`: {Title: "t", Sections: []Section{{Title: "a"}}},
		`its id "a b" is not letters`:                         {Title: "t", Sections: []Section{{ID: "a b"}}},
		`table "short": row 0 has 0 cells for 1 columns`:      {Title: "t", Lead: []Block{Table{Table: table}}},
	} {
		var out bytes.Buffer
		if err := p.WriteHTML(&out); err == nil || !strings.Contains(err.Error(), want) || out.Len() > 0 {
			t.Errorf("got %v and %d bytes, want %q", err, out.Len(), want)
		}
	}
}

package page

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"strconv"
	"strings"

	"github.com/inalab/inalab/reports/figure"
)

var (
	//go:embed page.tmpl
	templates string
	//go:embed page.css
	style string
	//go:embed search.js
	script string // what makes a search work: as small as it can be, and nothing is missing without it
)

// WriteHTML writes the page as one HTML document. It fails, and writes nothing, where an id is missing or
// there twice, or a table has a row of another length than its columns.
func (p *Page) WriteHTML(w io.Writer) error {
	if err := p.check(); err != nil {
		return fmt.Errorf("page %q: %w", p.Title, err)
	}
	var out bytes.Buffer
	t := template.New("page")
	t.Funcs(template.FuncMap{
		"put":   func(b Block) (template.HTML, error) { return block(t, b) },
		"below": func(level int, s Section) below { return below{s, level} },
	})
	if _, err := t.Parse(templates); err != nil {
		return fmt.Errorf("page %q: %w", p.Title, err)
	}
	data := struct {
		*Page
		Style  template.CSS
		Script template.JS
		Policy string
	}{p, sheet(), template.JS(script), policy(p.Search != nil)}
	if err := t.ExecuteTemplate(&out, "page", data); err != nil {
		return fmt.Errorf("page %q: %w", p.Title, err)
	}
	_, err := w.Write(out.Bytes())
	return err
}

// policy is what the page allows itself: its own style, its own script where it has one, and nothing from anywhere.
func policy(scripted bool) string {
	p := "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"
	if scripted {
		sum := sha256.Sum256([]byte(script))
		p += "; script-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}
	return p
}

// below is a section at a level of headings.
type below struct {
	Section
	Level int
}

// block executes the template of a block.
func block(t *template.Template, b Block) (template.HTML, error) {
	name, data, err := b.html()
	if err != nil {
		return "", err
	}
	var out bytes.Buffer
	err = t.ExecuteTemplate(&out, name, data)
	return template.HTML(out.String()), err
}

// sheet returns the style with the colours of figures.
func sheet() template.CSS {
	return template.CSS(strings.NewReplacer(
		"/*figures-light*/", figure.Variables(false), "/*figures-dark*/", figure.Variables(true),
	).Replace(style))
}

// check reports what keeps links from their targets.
func (p *Page) check() error {
	seen := map[string]bool{"top": true}
	for _, s := range p.Sections {
		for _, one := range append([]Section{s}, s.Sections...) {
			switch {
			case one.ID == "" || strings.ContainsFunc(one.ID, notOfID):
				return fmt.Errorf("section %q: its id %q is not letters, digits and -", one.Title, one.ID)
			case seen[one.ID]:
				return fmt.Errorf("section %q: its id %q is there twice", one.Title, one.ID)
			}
			seen[one.ID] = true
			if err := checkCards(one.Blocks, seen); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkCards reports a card without an address of its own.
func checkCards(blocks []Block, seen map[string]bool) error {
	for _, b := range blocks {
		c, ok := b.(Card)
		switch {
		case !ok:
			continue
		case c.ID == "" || strings.ContainsFunc(c.ID, notOfCard):
			return fmt.Errorf("card %q: its id %q is not letters, digits, -, . and _", c.Title, c.ID)
		case seen[c.ID]:
			return fmt.Errorf("card %q: its id %q is there twice", c.Title, c.ID)
		}
		seen[c.ID] = true
	}
	return nil
}

func notOfID(r rune) bool {
	return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-')
}

func notOfCard(r rune) bool { return notOfID(r) && r != '.' && r != '_' }

// CardID returns an address for a name: what may not stand in one becomes "-".
func CardID(name string) string { return dashed(name, notOfCard) }

// SectionID is [CardID] of a section.
func SectionID(name string) string { return dashed(name, notOfID) }

func dashed(name string, not func(rune) bool) string {
	return strings.Map(func(r rune) rune {
		if not(r) {
			return '-'
		}
		return r
	}, name)
}

// short writes a number to a tenth, or with two digits, whatever is more.
func short(v float64) string {
	switch {
	case v >= 1 || v == 0:
		return strconv.FormatFloat(v, 'f', 1, 64)
	}
	return strconv.FormatFloat(v, 'g', 2, 64)
}

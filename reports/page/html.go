package page

import (
	"bytes"
	_ "embed"
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
		Style template.CSS
	}{p, sheet()}
	if err := t.ExecuteTemplate(&out, "page", data); err != nil {
		return fmt.Errorf("page %q: %w", p.Title, err)
	}
	_, err := w.Write(out.Bytes())
	return err
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
		}
	}
	return nil
}

func notOfID(r rune) bool {
	return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-')
}

// short writes a number to a tenth, or with two digits, whatever is more.
func short(v float64) string {
	switch {
	case v >= 1 || v == 0:
		return strconv.FormatFloat(v, 'f', 1, 64)
	}
	return strconv.FormatFloat(v, 'g', 2, 64)
}

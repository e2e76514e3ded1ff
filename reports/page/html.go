package page

import (
	_ "embed" // of the template and the style
	"fmt"
	"html/template"
	"io"
	"regexp"
	"strings"

	"github.com/inalab/inalab/reports/render"
)

//go:embed page.html
var pageText string

//go:embed style.css
var style string

var pageTemplate = template.Must(template.New("page").Funcs(template.FuncMap{
	"kind":  func(b Block) string { return b.kind() },
	"style": func() template.CSS { return template.CSS(style) },
	"svg":   func(f Figure) template.HTML { return template.HTML(inline(f)) },
	"sheet": func(t Table) render.Sheet { return t.Sheet(t.All) },
	"tone":  Table.tone,
	"right": func(h render.Head) bool { return h.Align == render.Right },
	"head":  func(s render.Sheet, i int) render.Head { return s.Heads[i] },
}).Parse(pageText))

// tone is that of a row, or none.
func (t Table) tone(row int) Tone {
	if row < len(t.Tones) {
		return t.Tones[row]
	}
	return ""
}

// Write writes a page as HTML.
func Write(w io.Writer, p *Page) error {
	if err := p.check(); err != nil {
		return fmt.Errorf("page %q: %w", p.Title, err)
	}
	return pageTemplate.Execute(w, p)
}

var word = regexp.MustCompile(`^[a-z][a-z0-9.-]*$`)

// check refuses ids that no link can find.
func (p *Page) check() error {
	seen := map[string]bool{}
	take := func(id string) error {
		switch {
		case !word.MatchString(id):
			return fmt.Errorf("id %q: use a-z, 0-9, . and -, beginning with a letter", id)
		case seen[id]:
			return fmt.Errorf("id %q is there twice", id)
		}
		seen[id] = true
		return nil
	}
	for i := range p.Sections {
		s := &p.Sections[i]
		if err := take(s.ID); err != nil {
			return err
		}
		for f := range figures(s.Blocks) {
			if err := take(f.ID); err != nil {
				return err
			}
			if !strings.HasPrefix(string(f.SVG), "<svg ") {
				return fmt.Errorf("figure %s is no svg element", f.ID)
			}
		}
	}
	return nil
}

// figures are those of blocks, and of what these hold.
func figures(blocks []Block) func(yield func(Figure) bool) {
	return func(yield func(Figure) bool) {
		for _, b := range blocks {
			switch b := b.(type) {
			case Figure:
				if !yield(b) {
					return
				}
			case Details:
				for f := range figures(b.Blocks) {
					if !yield(f) {
						return
					}
				}
			}
		}
	}
}

var idAttribute = regexp.MustCompile(`\b(id="|url\(#|href="#)`)

// inline returns a drawing to stand in a page: the ids in it are its own.
func inline(f Figure) string {
	return idAttribute.ReplaceAllString(string(f.SVG), "${1}"+f.ID+".")
}

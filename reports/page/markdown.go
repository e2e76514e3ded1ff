package page

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/inalab/inalab/reports/render"
)

// WriteMarkdown writes the page in GitHub's dialect.
func (p *Page) WriteMarkdown(w io.Writer) error {
	m := &markdown{}
	m.line("# %s", escape(p.Title))
	if p.Subtitle != "" {
		m.line("%s", escape(p.Subtitle))
	}
	if p.Verdict.Text != "" {
		m.line("**%s**", escape(strings.TrimSpace(p.Verdict.Level.Sign()+" "+p.Verdict.Text)))
	}
	if len(p.Verdict.Facts) > 0 {
		m.line("%s", factLines(p.Verdict.Facts))
	}
	m.blocks(p.Lead)
	for _, s := range p.Sections {
		m.section("##", s)
	}
	if p.Foot != "" {
		m.line("%s", escape(p.Foot))
	}
	if m.err != nil {
		return fmt.Errorf("page %q: %w", p.Title, m.err)
	}
	_, err := w.Write(append(bytes.TrimRight(m.out.Bytes(), "\n"), '\n'))
	return err
}

// factLines is a list of facts.
func factLines(facts []Fact) string {
	var lines []string
	for _, f := range facts {
		lines = append(lines, fmt.Sprintf("- %s: %s", escape(f.Name), escape(f.Value)))
	}
	return strings.Join(lines, "\n")
}

// markdown collects parts with an empty line between them.
type markdown struct {
	out bytes.Buffer
	err error
}

func (m *markdown) line(format string, args ...any) {
	fmt.Fprintf(&m.out, format+"\n\n", args...)
}

func (m *markdown) section(marks string, s Section) {
	m.line("%s %s", marks, escape(s.Title))
	m.blocks(s.Blocks)
	for _, one := range s.Sections {
		m.section(marks+"#", one)
	}
}

func (m *markdown) blocks(list []Block) {
	for _, b := range list {
		b.markdown(m)
	}
}

func (b Paragraph) markdown(m *markdown) { m.line("%s", escape(b.Text)) }

func (b List) markdown(m *markdown) {
	var lines []string
	for _, i := range b {
		lines = append(lines, fmt.Sprintf("- %s: %s", escape(i.Name), escape(i.Value)))
	}
	m.line("%s", strings.Join(lines, "\n"))
}

func (b Bullets) markdown(m *markdown) {
	var lines []string
	for _, t := range b.Text {
		lines = append(lines, "- "+escape(strings.TrimSpace(b.Level.Sign()+" "+t)))
	}
	m.line("%s", strings.Join(lines, "\n"))
}

func (b Links) markdown(m *markdown) {
	var names []string
	for _, l := range b {
		names = append(names, escape(l.Name))
	}
	m.line("%s", strings.Join(names, ", "))
}

func (b Row) markdown(m *markdown) {
	for _, f := range b {
		f.markdown(m)
	}
}

func (b Details) markdown(m *markdown) {
	m.line("**%s**", escape(b.Summary))
	m.blocks(b.Blocks)
}

// markdown fences lines with more back-quotes than they have.
func (b Text) markdown(m *markdown) {
	marks, language := "```", ""
	for strings.Contains(b.Text, marks) {
		marks += "`"
	}
	if b.Command {
		language = "sh"
	}
	m.line("%s%s\n%s\n%s", marks, language, strings.TrimRight(b.Text, "\n"), marks)
}

func (b Figure) markdown(m *markdown) {
	if b.File != "" {
		m.line("![%s](<%s>)", escape(b.Title), strings.NewReplacer("<", "%3C", ">", "%3E", "\n", "%0A").Replace(b.File))
	}
	if b.Caption != "" {
		m.line("%s", escape(b.Caption))
	}
}

func (b Table) markdown(m *markdown) {
	t := b.Table
	if t.Title = "**" + t.Title + "**"; b.Plain {
		t.Title = ""
	}
	var out strings.Builder
	err := render.Write(&out, t, render.Options{Format: render.FormatMarkdown})
	if m.err == nil {
		m.err = err
	}
	m.line("%s", strings.TrimPrefix(strings.TrimSpace(out.String()), "## ")) // a section has the heading
}

func (b Bars) markdown(m *markdown) {
	b = *b.used()
	t := render.Table{Columns: []render.Column{{Name: "run"}}}
	for _, p := range b.Parts {
		t.Columns = append(t.Columns, render.Column{Name: p, Unit: b.Unit, Align: render.Right})
	}
	t.Columns = append(t.Columns, render.Column{Name: "sum", Unit: b.Unit, Align: render.Right}, render.Column{Name: "note", Fold: true})
	for _, bar := range b.Bars {
		row := []render.Cell{render.Text(bar.Name)}
		for _, v := range bar.Values {
			row = append(row, render.Text(b.number(v)))
		}
		t.Rows = append(t.Rows, append(row, render.Text(b.number(sum(bar.Values))), render.Text(bar.Note)))
	}
	Table{Table: t, Plain: true}.markdown(m)
}

// escape keeps text from being taken for Markdown or HTML.
func escape(s string) string {
	return strings.NewReplacer(`\`, `\\`, "<", "&lt;", "&", "&amp;", "`", "\\`", "*", `\*`, "[", `\[`, "]", `\]`, "\n", " ").Replace(s)
}

package render

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/olekukonko/tablewriter"
	"github.com/olekukonko/tablewriter/renderer"
	"github.com/olekukonko/tablewriter/tw"
)

// writeText writes title, folded columns, grid and notes.
func writeText(w io.Writer, t Table, o Options) error {
	wide := o.Format == FormatWide
	l := newLayout(t, view{all: wide, unicode: o.Unicode})
	width := o.width()
	var gone []string
	if !wide {
		gone = l.fit(width)
	}
	var page bytes.Buffer
	for _, line := range []string{l.title, l.folded} {
		if line != "" {
			fmt.Fprintln(&page, strings.Join(wrapText(line, width), "\n"))
		}
	}
	if err := l.draw(&page, o.Unicode); err != nil {
		return fmt.Errorf("draw table %q: %w", t.Title, err)
	}
	if len(gone) > 0 {
		l.notes = append(l.notes, fmt.Sprintf("left out to fit %d columns: %s; --format wide shows them", width, strings.Join(gone, ", ")))
	}
	for _, n := range l.notes {
		fmt.Fprintln(&page, "- "+strings.Join(wrapText(n, width-2), "\n  "))
	}
	_, err := w.Write(page.Bytes())
	return err
}

// draw writes the grid. All widths are settled and all words are spelt: the
// library only draws the lines.
func (l *layout) draw(w io.Writer, unicode bool) error {
	style := tw.StyleASCII
	if unicode {
		style = tw.StyleLight
	}
	header := make([]string, len(l.columns))
	for i, c := range l.columns {
		header[i] = c.Name
		if l.hasUnits() {
			header[i] += "\n" + c.Unit
		}
	}
	return l.grid(w, renderer.NewBlueprint(tw.Rendition{Symbols: tw.NewSymbols(style)}), header)
}

func (l *layout) hasUnits() bool {
	return slices.ContainsFunc(l.columns, func(c Column) bool { return c.Unit != "" })
}

// grid is the only place that calls the table library.
func (l *layout) grid(w io.Writer, r tw.Renderer, header []string) error {
	if len(l.columns) == 0 {
		return nil
	}
	sides := make([]tw.Align, len(l.columns))
	for i, c := range l.columns {
		sides[i] = tw.AlignLeft
		if c.Align == Right {
			sides[i] = tw.AlignRight
		}
	}
	align := tw.CellAlignment{PerColumn: sides}
	table := tablewriter.NewTable(w,
		tablewriter.WithRenderer(r),
		tablewriter.WithHeaderAutoFormat(tw.Off), // or "iter ms" becomes "ITER MS"
		tablewriter.WithHeaderAutoWrap(tw.WrapNone),
		tablewriter.WithRowAutoWrap(tw.WrapNone),
		tablewriter.WithTrimSpace(tw.Off), // spaces align half-widths
		tablewriter.WithTrimLine(tw.Off),
		tablewriter.WithEastAsian(tw.Off), // or "±" has another width under some locales
		tablewriter.WithHeaderAlignmentConfig(align),
		tablewriter.WithRowAlignmentConfig(align),
	)
	table.Header(header)
	for _, row := range l.rows {
		if err := table.Append(row); err != nil {
			return err
		}
	}
	return table.Render()
}

// writeMarkdown writes a table of GitHub's dialect with title and notes.
func writeMarkdown(w io.Writer, t Table) error {
	l := newLayout(t, view{unicode: true})
	var page bytes.Buffer
	if l.title != "" {
		fmt.Fprintf(&page, "## %s\n\n", escapeMarkdown(l.title))
	}
	if l.folded != "" {
		fmt.Fprintf(&page, "%s\n\n", escapeMarkdown(l.folded))
	}
	header := make([]string, len(l.columns))
	for i, c := range l.columns {
		header[i] = escapeMarkdown(c.Name)
		if c.Unit != "" {
			header[i] += " (" + escapeMarkdown(c.Unit) + ")"
		}
	}
	for _, row := range l.rows {
		for i := range row {
			row[i] = escapeMarkdown(row[i])
		}
	}
	if err := l.grid(&page, renderer.NewMarkdown(), header); err != nil {
		return fmt.Errorf("draw table %q: %w", t.Title, err)
	}
	for i, n := range l.notes {
		if i == 0 && len(l.columns) > 0 {
			fmt.Fprintln(&page)
		}
		fmt.Fprintf(&page, "- %s\n", escapeMarkdown(n))
	}
	_, err := w.Write(page.Bytes())
	return err
}

// escapeMarkdown keeps text from ending a cell or a line, and from being taken
// for HTML.
func escapeMarkdown(s string) string {
	return strings.NewReplacer("|", `\|`, "\n", "<br>", "<", "&lt;").Replace(s)
}

package explain

import (
	"fmt"
	"io"

	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/reports/render"
)

// WriteText writes the life for a person: a title, a line for each thing that
// happened, and the verdict.
func (l *Life) WriteText(w io.Writer) error {
	out := &printer{w: w}
	out.printf("block %d of iteration %d: %s, %s clock, on %s\n", l.Block, l.Iteration, title(&l.Run), l.Run.Clock, l.Run.Topology)
	if l.Slot != nil {
		out.printf("slot %d, set %d, packet %d of the slot\n", *l.Slot, *l.Set, l.Packet)
	}
	if l.Number > 0 {
		out.printf("number %d of the job's packets\n", l.Number)
	}
	for _, e := range l.Run.Engines {
		out.printf("bitmap of %s, from the right: %s\n", e.Node, names(e.Sources))
	}
	width := len("node")
	for _, line := range l.Lines {
		width = max(width, len(line.Node))
	}
	out.printf("\n%14s  %-*s  what happened\n", "time (us)", width, "node")
	for _, line := range l.Lines {
		out.printf("%14.3f  %-*s  %s\n", float64(line.After)/float64(units.Microsecond), width, line.Node, line.What)
	}
	out.printf("\nverdict: %s\n", l.Verdict.Text)
	if l.Run.Lost > 0 {
		out.printf("note: nodes had no room for %d events of the run, so lines may be missing\n", l.Run.Lost)
	}
	if l.Run.Error != "" {
		out.printf("the run ended early: %s\n", l.Run.Error)
	}
	return out.err
}

// WriteJSON writes the life for a program.
func (l *Life) WriteJSON(w io.Writer) error { return render.WriteJSON(w, l) }

// printer keeps the first error of a writer.
type printer struct {
	w   io.Writer
	err error
}

func (p *printer) printf(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.w, format, args...)
	}
}

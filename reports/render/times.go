package render

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/reports/spent"
)

// maxTimeLines bounds the lines below a table that say where time went; times.csv has all (assumed: a page).
const maxTimeLines = 24

// TimeLines says for each run where its time went, which link was busiest, and how long blocks took. Runs that cannot
// be believed have no line.
func TimeLines(cells []result.Cell) (out []string) {
	left := 0
	for i := range cells {
		text := timeLine(&cells[i], cells)
		switch {
		case text == "":
		case len(out) < maxTimeLines:
			out = append(out, text)
		default:
			left++
		}
	}
	if left > 0 {
		out = append(out, fmt.Sprintf("where the time went of %d more runs: times.csv", left))
	}
	return out
}

// shownPart is which part of an iteration people still see (assumed: 0.05%).
const shownPart = 2000

func timeLine(c *result.Cell, all []result.Cell) string {
	s, ok := spent.Of(c)
	if !ok || c.Fidelity.Verdict == result.Invalid {
		return ""
	}
	parts := []string{"compute " + milliseconds(s.Compute)}
	for _, p := range []struct {
		name string
		d    units.Duration
	}{{"own delay ", s.Delay}, {"wire ", s.Wire}, {"waiting ", s.Waiting}, {"resends ", s.Resends}, {"queues and software ", s.Rest}} {
		if p.d < s.Iteration/shownPart {
			continue
		}
		text := p.name + milliseconds(p.d)
		if p.d == s.Waiting && p.name == "waiting " {
			text += fmt.Sprintf(" (%s: %.0f%%)", s.For, 100*s.Share)
		}
		parts = append(parts, text)
	}
	text := fmt.Sprintf("time of %s: %s ms = %s", nameOfRun(c, all), milliseconds(s.Iteration), strings.Join(parts, " + "))
	if n := c.Resent.Packets; n > 0 {
		text += fmt.Sprintf("; sent again: %d packets", n)
		if c.Timeout != "" {
			text += " (" + c.Timeout + ")"
		}
	}
	if l, ok := spent.Busiest(c); ok {
		text += fmt.Sprintf("; busiest link %s, %.0f%%", l.Name, 100*l.Use)
	}
	if b := c.Blocks; b != nil {
		text += fmt.Sprintf("; blocks p50 %s ms, p99 %s ms", milliseconds(b.P50), milliseconds(b.P99))
	}
	return text
}

// milliseconds writes a time with three digits or more.
func milliseconds(d units.Duration) string {
	ms := d.Milliseconds()
	switch {
	case ms >= 100:
		return Number(ms, 0).people
	case ms >= 10:
		return Number(ms, 1).people
	case ms >= 1:
		return Number(ms, 2).people
	}
	return Number(ms, 4).people
}

// nameOfRun names a run among others.
func nameOfRun(c *result.Cell, all []result.Cell) string {
	name := c.System
	if slices.ContainsFunc(all, func(o result.Cell) bool { return o.System == c.System && o.Topology != c.Topology }) {
		name += " on " + c.Topology
	}
	name += " at " + c.At()
	if c.Job != "" {
		name += " job " + c.Job
	}
	if c.Lab != "" {
		name += " of " + c.Lab
	}
	if slices.ContainsFunc(all, func(o result.Cell) bool { return o.Seed != c.Seed }) {
		name += fmt.Sprintf(" seed %d", c.Seed)
	}
	return name
}

// timesOf is a row of times.csv.
type timesOf struct {
	spent.Spent
	link result.Link
}

// timeColumns returns the columns in the order of times.csv, behind those of swept keys.
func timeColumns() []runColumn[timesOf] {
	ms := func(key, doc string, of func(*timesOf) units.Duration) runColumn[timesOf] {
		return column(key, "ms", doc, func(_ *result.Cell, t *timesOf) Cell { return Number(of(t).Milliseconds(), 4) })
	}
	block := func(key, doc string, of func(*result.Blocks) units.Duration) runColumn[timesOf] {
		return column(key, "ms", doc, func(c *result.Cell, _ *timesOf) Cell {
			if c.Blocks == nil {
				return NA()
			}
			return Number(of(c.Blocks).Milliseconds(), 4)
		})
	}
	return append(ofRun[timesOf](),
		column("job", "", "its name, where several shared the lab", func(c *result.Cell, _ *timesOf) Cell { return Text(c.Job) }),
		ms("iter_ms", "of a worker, the mean over workers and iterations: the sum of the next six", func(t *timesOf) units.Duration { return t.Iteration }),
		ms("compute_ms", "measured, without delays", func(t *timesOf) units.Duration { return t.Compute }),
		ms("delay_ms", "injected into the worker itself", func(t *timesOf) units.Duration { return t.Delay }),
		ms("wire_ms", "of an all-reduce on idle lines, computed", func(t *timesOf) units.Duration { return t.Wire }),
		ms("waiting_ms", "until the last worker was ready to reduce", func(t *timesOf) units.Duration { return t.Waiting }),
		ms("resends_ms", "while a block waited to be sent again; 0 where no events were kept", func(t *timesOf) units.Duration { return t.Resends }),
		ms("rest_ms", "what is left: queues, switches, software", func(t *timesOf) units.Duration { return t.Rest }),
		column("waited_for", "", "the host that was waited for longest", func(_ *result.Cell, t *timesOf) Cell { return when(t.For != "", Text(t.For)) }),
		column("waited_share", "fraction", "of the waiting that is for it", func(_ *result.Cell, t *timesOf) Cell { return when(t.For != "", Number(t.Share, 3)) }),
		column("busiest_link", "", "the direction of a link whose line was used most", func(_ *result.Cell, t *timesOf) Cell { return when(t.link.Name != "", Text(t.link.Name)) }),
		column("busiest_use", "fraction", "its use, as in links.csv", func(_ *result.Cell, t *timesOf) Cell { return when(t.link.Name != "", Number(t.link.Use, 4)) }),
		column("blocks", "blocks", "whose time is known: from the first packet of one to its last result", func(c *result.Cell, _ *timesOf) Cell {
			if c.Blocks == nil {
				return NA()
			}
			return Int(c.Blocks.N)
		}),
		block("block_p50_ms", "half of them took no more", func(b *result.Blocks) units.Duration { return b.P50 }),
		block("block_p99_ms", "99% of them took no more", func(b *result.Blocks) units.Duration { return b.P99 }),
		block("block_max_ms", "the slowest", func(b *result.Blocks) units.Duration { return b.Max }),
	)
}

// Times returns the table of times.csv: a row for each run whose time is known.
func Times(cells []result.Cell) Table {
	return runTable("Where the time went", cells, timeColumns(), func(c *result.Cell) []timesOf {
		s, ok := spent.Of(c)
		if !ok {
			return nil
		}
		l, _ := spent.Busiest(c)
		return []timesOf{{s, l}}
	})
}

// WriteTimes writes times.csv.
func WriteTimes(w io.Writer, cells []result.Cell) error {
	return writeRuns(w, "times.csv", Times(cells))
}

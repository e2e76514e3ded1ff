package replay

import (
	"fmt"
	"io"
	"strings"

	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/switchd/microcode/isa"
	"github.com/inalab/inalab/switchd/trio"
)

// Printer writes lives for people, a line for each instruction:
//
//	packet 2: 60 bytes by port 0 at 1.5ms
//	   0  process_ether     filter.mc:37
//	   2  count_dropped     filter.mc:54    CounterIncPhys(DROP_CNT_BASE[0], 60)
//	   4  drop_packet       filter.mc:67    Drop(1)
//	  dropped: filter-filtered; 3 instructions, 2 XTXNs
type Printer struct {
	w       io.Writer
	program *isa.Program
	label   int // characters of its column
	place   int // likewise
}

// maxColumn is the widest that columns of labels and places become, in characters.
const maxColumn = 24

// NewPrinter returns a printer for lives of a program.
func NewPrinter(w io.Writer, program *isa.Program) *Printer {
	p := &Printer{w: w, program: program}
	for i := range program.Instructions {
		p.label = max(p.label, min(maxColumn, len(p.labelOf(i))))
		p.place = max(p.place, min(maxColumn, len(p.placeOf(i))))
	}
	return p
}

func (p *Printer) labelOf(i int) string {
	if labels := p.program.Instructions[i].Labels; len(labels) > 0 {
		return labels[0]
	}
	return "-"
}

func (p *Printer) placeOf(i int) string {
	at := p.program.Instructions[i].Pos
	return fmt.Sprintf("%s:%d", at.File, at.Line)
}

// Print writes a life.
func (p *Printer) Print(l *Life) error {
	var b strings.Builder
	switch {
	case l.Packet > 0:
		fmt.Fprintf(&b, "packet %d: %d bytes by port %d at %v\n", l.Packet, l.Bytes, l.Port, l.At)
	case l.Event != "":
		fmt.Fprintf(&b, "%s: %d, %d at %v\n", l.Event, l.Notes>>32, uint32(l.Notes), l.At)
	default:
		fmt.Fprintf(&b, "timer %s: run %d of part %d at %v\n", l.Timer, l.Run, l.Part, l.At)
	}
	for i := range l.Steps {
		p.step(&b, l, &l.Steps[i])
	}
	if l.Skipped > 0 {
		fmt.Fprintf(&b, "   ... %d more instructions\n", l.Skipped)
	}
	for i := range l.Last {
		p.step(&b, l, &l.Last[i])
	}
	if f := l.Fault; f != nil {
		fmt.Fprintf(&b, "  %s at %v: %s\n", f.Reason, f.Pos, f.Rule)
		if f.XTXN != "" {
			fmt.Fprintf(&b, "    by %s\n", f.XTXN)
		}
	}
	fmt.Fprintf(&b, "  %s\n\n", outcome(l))
	_, err := io.WriteString(p.w, b.String())
	return err
}

// step writes an instruction: each thing that it did on a line of its own.
func (p *Printer) step(b *strings.Builder, l *Life, s *Step) {
	lead := fmt.Sprintf("%4d  %-*s  %-*s", s.Instruction, p.label, p.labelOf(s.Instruction), p.place, p.placeOf(s.Instruction))
	effects := changed(s.Changes, "")
	if c := s.XTXN; c != nil {
		effects = append(effects, c.describe(l.At))
		effects = append(effects, changed(c.Changes, "  ")...)
	}
	if len(effects) == 0 {
		b.WriteString(strings.TrimRight(lead, " ") + "\n")
	}
	for _, e := range effects {
		fmt.Fprintf(b, "%s  %s\n", lead, e)
		lead = strings.Repeat(" ", len(lead))
	}
}

func changed(list []Change, indent string) (out []string) {
	for _, c := range list {
		out = append(out, fmt.Sprintf("%s%s: %s -> %s", indent, c.Place, c.Old, c.New))
	}
	return out
}

// describe writes an XTXN with its reply and, with timing, when it was issued and how long
// the thread stood still.
func (c *Call) describe(since units.Time) string {
	text := c.Text
	if c.Reply != "" {
		text += " = " + c.Reply
	}
	if c.At > since {
		text += fmt.Sprintf("   after %v", c.At.Sub(since))
		if c.Took > 0 {
			text += fmt.Sprintf(", for %v", c.Took)
		}
	}
	return text
}

// outcome says what came of a life.
func outcome(l *Life) string {
	var did []string
	for _, s := range l.Sent {
		what := "forwarded"
		if s.Created {
			what = "created packet forwarded"
		}
		did = append(did, fmt.Sprintf("%s by next hop %d", what, s.Hop))
	}
	for _, g := range l.Gone {
		what := "dropped"
		if g.Created {
			what = "created packet dropped"
		}
		did = append(did, what+": "+g.Reason)
	}
	switch {
	case l.Before != "":
		did = append(did, "dropped before it had a thread: "+l.Before)
	case len(did) > 0:
	case l.Fault != nil:
		did = append(did, "ended by a fault")
	case l.Fate != trio.TimerRun && l.Fate != trio.EventRun:
		did = append(did, "consumed")
	default:
		did = append(did, "ended")
	}
	text := fmt.Sprintf("%s; %s, %s", strings.Join(did, ", "), count(l.Instructions, "instruction"), count(l.XTXNs, "XTXN"))
	if l.Took > 0 {
		text += ", " + l.Took.String()
	}
	return text
}

func count(n uint64, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

package main

import (
	"errors"
	"fmt"
	"io"

	"github.com/inalab/inalab/harness/replay"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/reports/render"
	"github.com/inalab/inalab/switchd/microcode/isa"
)

// replayReport is what a run says: what became of packets, what they cost, what was counted.
type replayReport struct {
	packets, costs, counters render.Table
}

func (p *player) report(program *isa.Program, r replay.Result) replayReport {
	out := replayReport{packetsTable(program, r), costsTable(r), countersTable(r)}
	note := func(n int, format string) {
		if n > 0 {
			out.packets.Notes = append(out.packets.Notes, fmt.Sprintf(format, n))
		}
	}
	note(p.cut, "packets whose end the capture lacks, so that the program saw zeros there: %d")
	note(p.clock.Back, "packets that are earlier than one before them, and came at its time: %d")
	note(p.clock.Untimed, "packets without a time, which came at that of the packet before: %d")
	for _, w := range r.IdleWaits {
		out.packets.Notes = append(out.packets.Notes, fmt.Sprintf("%v: XtxnWait waited for nothing in %d threads: "+
			"it waits for asynchronous XTXNs, and there was none since the last wait", w.Pos, w.N))
	}
	return out
}

// packetsTable says what became of packets.
func packetsTable(program *isa.Program, r replay.Result) render.Table {
	t := render.Table{
		ID: "microcode.run", Title: "packets through " + program.Name,
		Columns: []render.Column{
			{Key: "what", Name: "what"}, {Key: "by", Name: "by"},
			{Key: "packets", Name: "packets", Align: render.Right}, {Key: "place", Name: "place"},
		},
	}
	add := func(what, by string, n uint64, place string) {
		name := func(s string) render.Cell {
			if s == "" {
				return render.NA()
			}
			return render.Text(s)
		}
		t.Rows = append(t.Rows, []render.Cell{render.Text(what), name(by), render.Int(n), name(place)})
	}
	hop := func(h replay.HopCount) string { return fmt.Sprintf("next hop %d", h.Hop) }
	add("in", "", r.Packets, "")
	for _, h := range r.Forwarded {
		add("forwarded", hop(h), h.Packets, "")
	}
	for _, d := range r.Dropped {
		add("dropped", d.Name, d.N, "")
	}
	if r.Consumed > 0 {
		add("consumed", "", r.Consumed, "")
	}
	for _, h := range r.Created {
		add("created", hop(h), h.Packets, "")
	}
	for _, d := range r.Discarded {
		add("created, dropped", d.Name, d.N, "")
	}
	for _, f := range r.Faults {
		add("fault of thread", f.Reason, f.Threads, f.Pos.String())
	}
	for _, n := range r.TimerRuns {
		add("timer's threads", n.Name, n.N, "")
	}
	for _, n := range r.EventRuns {
		add("event's threads", n.Name, n.N, "")
	}
	return t
}

// costsTable says what a packet costs.
func costsTable(r replay.Result) render.Table {
	t := render.Table{
		ID: "microcode.run.costs", Title: "costs of a packet",
		Columns: []render.Column{
			{Key: "what", Name: "what"},
			{Key: "n", Name: "packets", Align: render.Right},
			{Key: "min", Name: "min", Align: render.Right}, {Key: "median", Name: "median", Align: render.Right},
			{Key: "p99", Name: "p99", Align: render.Right}, {Key: "max", Name: "max", Align: render.Right},
			{Key: "mean", Name: "mean", Align: render.Right},
		},
	}
	counts := func(what string, s replay.Spread[uint64]) {
		t.Rows = append(t.Rows, []render.Cell{render.Text(what), render.Int(s.N), render.Int(s.Min), render.Int(s.Median),
			render.Int(s.P99), render.Int(s.Max), render.Number(s.Mean, 1)})
	}
	counts("instructions", r.Instructions)
	counts("XTXNs", r.XTXNs)
	if s := r.Time; s.N > 0 {
		ns := func(v float64) render.Cell { return render.Number(v/float64(units.Nanosecond), 1) }
		t.Rows = append(t.Rows, []render.Cell{render.Text("time, ns"), render.Int(s.N), ns(float64(s.Min)), ns(float64(s.Median)),
			ns(float64(s.P99)), ns(float64(s.Max)), ns(s.Mean)})
	}
	return t
}

// countersTable lists the counters.
func countersTable(r replay.Result) render.Table {
	t := render.Table{
		ID: "microcode.run.counters", Title: "counters",
		Columns: []render.Column{{Key: "name", Name: "counter"}, {Key: "n", Name: "count", Align: render.Right}},
	}
	for _, c := range r.Counters {
		t.Rows = append(t.Rows, []render.Cell{render.Text(c.Name), render.Int(c.N)})
	}
	return t
}

// writeReplay writes the tables. Programs read one in CSV, and in JSON all of them as one
// object.
func writeReplay(w io.Writer, o render.Options, result replay.Result, r replayReport) error {
	switch o.Format {
	case render.FormatJSON:
		return render.WriteJSON(w, struct {
			SchemaVersion int `json:"schema_version"`
			replay.Result
		}{render.SchemaVersion, result})
	case render.FormatCSV:
		return render.Write(w, r.packets, o)
	}
	var errs []error
	for i, t := range []render.Table{r.packets, r.costs, r.counters} {
		if i > 0 {
			_, err := io.WriteString(w, "\n")
			errs = append(errs, err)
		}
		errs = append(errs, render.Write(w, t, o))
	}
	return errors.Join(errs...)
}

// faulty returns an error that names each place where threads did wrong.
func faulty(r replay.Result) error {
	var errs []error
	for _, f := range r.Faults {
		first := fmt.Sprintf("the first is packet %d", f.First)
		if f.First == 0 {
			first = "the first has no packet"
		}
		by := ""
		if f.XTXN != "" {
			by = " by " + f.XTXN
		}
		errs = append(errs, fmt.Errorf("%v: %s%s in %d threads, %s (rule: %s)", f.Pos, f.Reason, by, f.Threads, first, f.Rule))
	}
	return failed(errors.Join(errs...))
}

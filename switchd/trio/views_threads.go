package trio

import (
	"fmt"

	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/switchd/dataplane"
)

// threadColumns are those of the view of threads: levels, how often, times, work.
// The first of a group that is for timed mode alone is marked.
func threadColumns(timed bool) (out []dataplane.Column) {
	for _, c := range []struct {
		timed bool
		dataplane.Column
	}{
		{false, dataplane.Column{Key: "what", Name: "what"}},
		{true, dataplane.Column{Key: "now", Name: "now"}},
		{true, dataplane.Column{Key: "most", Name: "most"}},
		{true, dataplane.Column{Key: "mean", Name: "mean", Spare: 4}},
		{true, dataplane.Column{Key: "limit", Name: "of"}},
		{false, dataplane.Column{Key: "n", Name: "times"}},
		{true, dataplane.Column{Key: "mean_us", Name: "mean", Unit: "us"}},
		{true, dataplane.Column{Key: "p50_us", Name: "p50", Unit: "us", Spare: 3}},
		{true, dataplane.Column{Key: "p99_us", Name: "p99", Unit: "us"}},
		{true, dataplane.Column{Key: "max_us", Name: "most", Unit: "us"}},
		{false, dataplane.Column{Key: "instructions", Name: "instructions"}},
		{false, dataplane.Column{Key: "instructions_each", Name: "each", Spare: 2}},
		{false, dataplane.Column{Key: "next_us", Name: "next", Unit: "in us", Spare: 1}},
	} {
		if timed || !c.timed {
			out = append(out, c.Column)
		}
	}
	return out
}

// fates are what rows call the threads of each fate.
var fates = map[string]string{
	Consumed.String():  "threads: packet consumed",
	Created.String():   "threads: packet consumed, another sent",
	Forwarded.String(): "threads: packet forwarded",
	Dropped.String():   "threads: packet dropped",
	TimerRun.String():  "threads of timers",
	EventRun.String():  "threads of events",
}

func (p *PFE) viewThreads(now units.Time) dataplane.Table {
	s, timed := p.Snapshot(), p.clock != nil
	t := sheet{dataplane.Table{Columns: threadColumns(timed)}}
	if timed {
		t.level(fmt.Sprintf("threads of %d PPEs in use", s.PPEs), s.InUse, s.Threads)
		t.level("packets that wait for a thread", s.Queue, p.cfg.Queue)
		t.row("wait for a thread", s.Wait.cells()...)
	} else {
		t.Notes = append(t.Notes,
			fmt.Sprintf("%d PPEs of %d threads; threads take no modelled time here: one runs at a time, to its end", s.PPEs, p.cfg.Threads))
	}
	for i := range s.Work {
		w := &s.Work[i]
		t.row(fates[w.Fate], append(w.Inside.cells(),
			cell{"instructions", dataplane.Int(w.Instructions)},
			cell{"instructions_each", dataplane.Real(float64(w.Instructions) / float64(w.Inside.N))})...)
	}
	if timed {
		t.row("packets sent on", s.Sent.cells()...)
		t.row("packets created", s.Created.cells()...)
	}
	for i := range s.Timers {
		t.timer(&s.Timers[i], now)
	}
	for _, e := range s.Events {
		t.event(e)
	}
	for _, x := range s.XTXNs {
		t.row("XTXN "+x.Name, cell{"n", dataplane.Int(x.N)})
	}
	return t.Table
}

func (t *sheet) level(what string, l Level, limit int) {
	t.row(what, cell{"now", dataplane.Int(l.Now)}, cell{"most", dataplane.Int(l.Max)}, cell{"mean", dataplane.Real(l.Mean)},
		cell{"limit", dataplane.Int(limit)})
}

func (t *sheet) timer(s *TimerStat, now units.Time) {
	starts := []cell{{"n", dataplane.Int(s.Runs)}, {"limit", dataplane.Int(s.Threads)}}
	if s.Next != units.Never {
		starts = append(starts, cell{"next_us", dataplane.Micros(s.Next.Sub(now))})
	}
	t.row(fmt.Sprintf("timer %s: starts (%d in %v)", s.Name, s.Threads, s.Period), starts...)
	t.row("timer "+s.Name+": records visited", cell{"n", dataplane.Int(s.Records)})
	t.row("timer "+s.Name+": REF flags cleared", cell{"n", dataplane.Int(s.Referenced)})
}

func (t *sheet) event(e EventStat) {
	what := e.Entry + ": raised"
	switch {
	case e.Unit == "":
	case e.Every == 0:
		what += " (" + never + ")"
	default:
		what += fmt.Sprintf(" (every %d %s)", e.Every, e.Unit)
	}
	t.row(what, cell{"n", dataplane.Int(e.Raised)})
}

// cells are the columns of a distribution of times.
func (l *Latency) cells() []cell {
	out := []cell{{"n", dataplane.Int(l.N)}}
	if l.N > 0 {
		out = append(out, cell{"mean_us", dataplane.Micros(l.Mean())}, cell{"p50_us", dataplane.Micros(l.Quantile(0.5))},
			cell{"p99_us", dataplane.Micros(l.Quantile(0.99))}, cell{"max_us", dataplane.Micros(l.Max)})
	}
	return out
}

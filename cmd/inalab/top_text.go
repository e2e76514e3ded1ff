package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/inalab/inalab/reports/render"
	"github.com/inalab/inalab/switchd/control/watch"
	"github.com/inalab/inalab/switchd/dataplane"
)

// fastest is how many counters of a lab a screen shows.
const fastest = 8

// topText is a screen: what grew between two looks. Of more lines than fit, where height is not zero, the last are left out.
func topText(lab string, before, now watch.Snapshot, o render.Options, height int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "lab %s", lab)
	for i := range now.Switches {
		s := &now.Switches[i]
		if s.Err != nil {
			fmt.Fprintf(&b, ", %s: %v", s.Name, s.Err)
			continue
		}
		if len(s.Rows) == 0 {
			fmt.Fprintf(&b, ", %s forwards alone", s.Name)
			continue
		}
		fmt.Fprintf(&b, ", %s %.1f s into its run", s.Name, s.At.Seconds())
	}
	b.WriteString("\n")
	g := grown{before, now}
	for _, t := range []render.Table{g.ports(), g.jobs(), g.waits(), g.counters()} {
		if len(t.Rows) == 0 {
			continue
		}
		if err := render.Write(&b, t, o); err != nil {
			fmt.Fprintln(&b, err)
		}
	}
	return firstLines(b.String(), height)
}

// firstLines cuts a text to a height; zero is any.
func firstLines(text string, height int) string {
	lines := strings.SplitAfter(text, "\n")
	if height == 0 || len(lines) <= height {
		return text
	}
	return strings.Join(lines[:max(1, height-1)], "") + fmt.Sprintf("... %d lines more\n", len(lines)-max(1, height-1))
}

// grown is two looks at a lab.
type grown struct{ before, now watch.Snapshot }

// each calls do with each row of a view, its switch, and the rate of a number of it; -1: not known.
func (g grown) each(v dataplane.View, do func(s *watch.Switch, r *watch.Row, rate func(key string) render.Cell)) {
	for i := range g.now.Switches {
		s := &g.now.Switches[i]
		for k := range s.Rows {
			r := &s.Rows[k]
			if r.View != v {
				continue
			}
			do(s, r, func(key string) render.Cell {
				if n, ok := g.rate(s, r, key); ok {
					return render.Number(n, 0)
				}
				return render.NA()
			})
		}
	}
}

func (g grown) rate(s *watch.Switch, r *watch.Row, key string) (float64, bool) {
	before := g.before.Named(s.Name)
	if before == nil {
		return 0, false
	}
	return s.Rate(before, r, key)
}

// level is a number as it is now.
func level(r *watch.Row, key string) render.Cell {
	if n, ok := r.Value(key); ok {
		return render.Number(n, 0)
	}
	return render.NA()
}

func nameOf(r *watch.Row) render.Cell { return render.Text(r.Labels[0].Value) }

func left(names ...string) (out []render.Column) {
	for _, n := range names {
		out = append(out, render.Column{Key: strings.ReplaceAll(n, " ", "_"), Name: n, Align: render.Left})
	}
	return out
}

func right(key, name, unit string) render.Column {
	return render.Column{Key: key, Name: name, Unit: unit, Align: render.Right}
}

// front is the kind of ports that hosts and other switches are at. Others are inside a chip: those of a kind stand in one row.
const front = "front"

func (g grown) ports() render.Table {
	t := render.Table{ID: "top.ports", Title: "Ports that carry frames", Columns: slices.Concat(left("switch", "engine", "port"), []render.Column{
		right("in_s", "in", "frames/s"), right("out_s", "out", "frames/s"), right("out_mbit_s", "out", "Mbit/s"), right("queue", "queue now", "cells"), right("dropped", "dropped", ""),
	})}
	for _, p := range g.portRows() {
		name := p.name
		if p.n > 1 {
			name = fmt.Sprintf("%d %s", p.n, p.name)
		}
		t.Rows = append(t.Rows, []render.Cell{render.Text(p.on), render.Text(p.engine), render.Text(name),
			render.Number(p.in, 0), render.Number(p.out, 0), render.Number(p.mbit, 1), render.Number(p.queue, 0), render.Number(p.dropped, 0)})
	}
	return t
}

// portRow is a port, or the inner ports of a kind together.
type portRow struct {
	on, engine, name              string
	n                             int
	in, out, mbit, queue, dropped float64
}

func (g grown) portRows() (out []portRow) {
	g.each(dataplane.ViewPorts, func(s *watch.Switch, r *watch.Row, _ func(string) render.Cell) {
		p := portRow{on: s.Name, engine: r.Engine, name: r.Labels[0].Value, n: 1}
		p.in, _ = g.rate(s, r, "in")
		p.out, _ = g.rate(s, r, "out")
		p.mbit, _ = g.rate(s, r, "out_bytes")
		p.mbit *= 8.0 / 1e6
		p.queue, _ = r.Value("queue_cells")
		p.dropped, _ = r.Value("dropped")
		if p.in+p.out+p.queue+p.dropped == 0 {
			return
		}
		i := -1
		if kind := slices.IndexFunc(r.Labels, func(l watch.Label) bool { return l.Key == "kind" && l.Value != front }); kind >= 0 {
			p.name = r.Labels[kind].Value
			i = slices.IndexFunc(out, func(o portRow) bool { return o.on == p.on && o.engine == p.engine && o.name == p.name })
		}
		if i < 0 {
			out = append(out, p)
			return
		}
		o := &out[i]
		o.n, o.in, o.out, o.mbit, o.queue, o.dropped = o.n+1, o.in+p.in, o.out+p.out, o.mbit+p.mbit, o.queue+p.queue, o.dropped+p.dropped
	})
	return out
}

func (g grown) jobs() render.Table {
	t := render.Table{ID: "top.jobs", Title: "Jobs", Columns: append(left("switch", "engine", "job"),
		right("packets_s", "packets", "1/s"), right("results_s", "results", "1/s"), right("open", "open now", ""), right("dropped", "dropped", ""))}
	g.each(dataplane.ViewJobs, func(s *watch.Switch, r *watch.Row, rate func(string) render.Cell) {
		t.Rows = append(t.Rows, []render.Cell{render.Text(s.Name), render.Text(r.Engine), nameOf(r), rate("packets"), rate("results"), render.Int(g.open(s, r)), level(r, "dropped")})
	})
	return t
}

// open counts the slots or blocks of a job that lack somebody.
func (g grown) open(s *watch.Switch, job *watch.Row) (n int) {
	for i := range s.Rows {
		r := &s.Rows[i]
		if (r.View == dataplane.ViewSlots || r.View == dataplane.ViewBlocks) && r.Engine == job.Engine && r.Labels[0] == job.Labels[0] {
			n++
		}
	}
	return n
}

// waits says whom open slots and blocks lack: the stragglers.
func (g grown) waits() render.Table {
	t := render.Table{ID: "top.waits", Title: "Waiting for", Columns: append(left("switch", "engine", "job", "missing"), right("open", "slots or blocks", ""), right("age_ms", "the oldest for", "ms"))}
	type key struct{ name, engine, job, missing string }
	count, oldest := map[key]int{}, map[key]float64{}
	var keys []key
	for _, v := range []dataplane.View{dataplane.ViewSlots, dataplane.ViewBlocks} {
		g.each(v, func(s *watch.Switch, r *watch.Row, _ func(string) render.Cell) {
			i := slices.IndexFunc(r.Labels, func(l watch.Label) bool { return l.Key == "missing" })
			if i < 0 {
				return
			}
			k := key{s.Name, r.Engine, r.Labels[0].Value, r.Labels[i].Value}
			if count[k]++; count[k] == 1 {
				keys = append(keys, k)
			}
			age, _ := r.Value("age_us")
			oldest[k] = max(oldest[k], age/1000)
		})
	}
	slices.SortStableFunc(keys, func(a, b key) int { return cmp.Compare(oldest[b], oldest[a]) })
	for _, k := range keys[:min(len(keys), fastest)] {
		t.Rows = append(t.Rows, []render.Cell{render.Text(k.name), render.Text(k.engine), render.Text(k.job), render.Text(k.missing), render.Int(count[k]), render.Number(oldest[k], 1)})
	}
	return t
}

// counters are those that grow fastest, but for bytes, which all others would be behind.
func (g grown) counters() render.Table {
	t := render.Table{ID: "top.counters", Title: "Counters that grow fastest", Columns: append(left("switch", "engine", "counter"), right("n_s", "a second", ""), right("n", "so far", ""))}
	type row struct {
		cells []render.Cell
		rate  float64
	}
	var rows []row
	g.each(dataplane.ViewStats, func(s *watch.Switch, r *watch.Row, _ func(string) render.Cell) {
		if n, ok := g.rate(s, r, "n"); ok && n > 0 && !strings.HasSuffix(r.Labels[0].Value, "-bytes") {
			rows = append(rows, row{[]render.Cell{render.Text(s.Name), render.Text(r.Engine), nameOf(r), render.Number(n, 0), level(r, "n")}, n})
		}
	})
	slices.SortStableFunc(rows, func(a, b row) int { return cmp.Compare(b.rate, a.rate) })
	for _, r := range rows[:min(len(rows), fastest)] {
		t.Rows = append(t.Rows, r.cells)
	}
	return t
}

package tracetree

import (
	"github.com/inalab/inalab/switchd/tofino/fit"
	"github.com/inalab/inalab/switchd/tofino/ir"
	"github.com/inalab/inalab/switchd/tofino/vm"
)

// applyEach applies a table that a branch leaves to the pass.
func (r *Runner) applyEach(g *vm.Group, id fit.TableID, w run) {
	t := r.pipe.Table(id)
	if r.arrays[id] != nil || !r.code.MatchesOnce(id) {
		for i := w.from; i < w.to; i++ {
			r.apply(g.Select(i), id)
		}
		return
	}
	for w.from < w.to {
		row, to := t.MatchGroup(g, w.from, w.to)
		for i := w.from; t.Counter && i < to; i++ {
			row.Count(g.Select(i))
		}
		r.doEach(g, id, row, run{w.from, to})
		w.from = to
	}
}

// doEach does what a row says with all copies of a table.
func (r *Runner) doEach(g *vm.Group, id fit.TableID, row *vm.Row, w run) {
	if row.Action < 0 {
		return
	}
	if r.vectors[id] != nil && r.vectors[id][row.Action] != nil {
		g.SetArgs(row.Args)
		r.vectors[id][row.Action].executeEach(r, g, w)
		return
	}
	for _, a := range r.code.Actions(id, row.Action) {
		for i := w.from; i < w.to; i++ {
			if s := g.Select(i); len(a) == 1 && a[0].Kind == ir.Set && a[0].A.Kind == fit.FromParam {
				s.Put(a[0].To, row.Args[a[0].A.Param])
			} else {
				s.Do(a, row.Args)
			}
		}
	}
}

// executeEach does the access of all copies for each packet of a run, as execute does.
func (v *vector) executeEach(r *Runner, g *vm.Group, w run) {
	if len(v.unless) > 0 {
		for i := w.from; i < w.to; i++ {
			v.execute(r, g.Select(i), 0, len(v.copies))
		}
		return
	}
	n := laneBytes * len(v.copies)
	index, dst := v.index.Column(g), vm.Column{}
	if v.dst.on {
		dst = g.Place(v.dst.head, v.dst.off)
	}
	var in [2]vm.Column
	for i := range in {
		if v.in[i].on {
			in[i] = g.Place(v.in[i].head, v.in[i].off)
		}
	}
	lanes, both := g.Lanes(w.from, w.to), v.joined(n, &in)
	for i := range lanes {
		l := &lanes[i]
		at := index.Get(l)
		if at >= v.entries {
			v.execute(r, g.SelectLane(l), 0, len(v.copies))
			continue
		}
		entry, to := v.register[int(at)*v.upper*v.lanes+v.first:], dst.Bytes(l)
		var out []byte
		if v.out >= 0 && to != nil {
			out = entry[v.out*v.upper:][:n]
			if !v.after && v.do[v.out].op != laneKept {
				r.lane = append(r.lane[:0], out...)
				out = r.lane
			}
		}
		if both {
			v.do[0].change(entry[:2*n], in[v.do[0].in].Bytes(l)[:2*n])
		}
		for k := 0; k < v.lanes && !both; k++ {
			do := &v.do[k]
			var added []byte
			if do.reads() {
				added = r.input(&in[do.in], l, n)
			}
			do.change(entry[k*v.upper:][:n], added)
		}
		switch {
		case to == nil:
		case out == nil:
			clear(to[:n])
		default:
			copy(to, out)
		}
	}
}

// joined reports whether both lanes of an entry stand together, as their inputs do, and the same becomes of both.
func (v *vector) joined(n int, in *[2]vm.Column) bool {
	a, b := &v.do[0], &v.do[1]
	return v.lanes == 2 && v.upper == n && a.op == b.op && a.reads() && a.op != laneMapped && in[b.in].Follows(&in[a.in], n)
}

// input returns the bytes of an array of a packet; zeros of a header that is not there.
func (r *Runner) input(c *vm.Column, l *vm.Lane, n int) []byte {
	if b := c.Bytes(l); b != nil {
		return b[:n]
	}
	return r.zeros[:n]
}

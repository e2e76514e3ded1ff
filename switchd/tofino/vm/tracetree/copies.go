package tracetree

import (
	"encoding/binary"
	"slices"

	"github.com/inalab/inalab/internal/vec"
	"github.com/inalab/inalab/switchd/tofino/fit"
	"github.com/inalab/inalab/switchd/tofino/vm"
)

// arrayKey is the key in which the copies of a table differ, where each matches for itself: an array
// of a header. Copies in a row that match the same are one vector.
//
//	keys      meta.way, d.v[*]
//	entries   add, 0x7fffffff -> cut     v[0]  v[1]  v[2]        v[3]  v[4]
//	          add, any        -> sum        5     0  0x7fffffff     7     3
//	                                        `- sum -'   `- cut        `- sum
type arrayKey struct {
	number int // among the keys
	copies int
	span
}

// compileArrayKey returns the key of a table, or nil where its copies have to be matched one by one.
func compileArrayKey(c *vm.Code, id fit.TableID) *arrayKey {
	t := &c.Program().Tables[id]
	k := &arrayKey{number: -1, copies: t.Copies}
	for i := range t.Keys {
		if t.Keys[i].Field.Step == 0 {
			continue
		}
		s, ok := spanOf(c, t.Keys[i].Field, t.Copies)
		if !ok || k.number >= 0 {
			return nil
		}
		k.number, k.span = i, s
	}
	if k.number < 0 || !keysStay(t) {
		return nil
	}
	return k
}

// keysStay reports whether no copy of a table changes what another one matches.
func keysStay(t *fit.Table) bool {
	changes := func(o fit.Op) bool {
		return o.Header != fit.NoHeader || slices.ContainsFunc(t.Keys, func(k fit.Key) bool { return disturbs(o.Dst, k.Field, t.Copies) })
	}
	return !slices.ContainsFunc(t.Actions, func(a fit.Action) bool { return slices.ContainsFunc(a.Do, changes) })
}

// disturbs reports whether a copy that writes a field may change the key of another one.
func disturbs(dst, key fit.Ref, copies int) bool {
	if dst.ID == fit.NoField || dst == key && key.Step != 0 {
		return false
	}
	return dst.ID <= key.Of(copies-1) && key.ID <= dst.Of(copies-1)
}

// applyCopies applies a table whose copies match each for itself, those that match the same
// together.
func (r *Runner) applyCopies(s *vm.Pass, id fit.TableID, k *arrayKey) {
	t := r.pipe.Table(id)
	if len(t.Rows) > manyRows {
		s.Apply(id)
		return
	}
	otherwise := r.narrow(s, t, k)
	in := r.read(s, &k.span, part{0, laneBytes * k.copies})
	same := !r.anyRow(in, k)
	for from := 0; from < k.copies; {
		row, to := otherwise, k.copies
		if !same {
			row, to = r.rowOf(in, k, from, otherwise), from+1
			for to < k.copies && r.rowOf(in, k, to, otherwise) == row {
				to++
			}
		}
		for i := from; t.Counter && i < to; i++ {
			row.Count(s)
		}
		r.do(s, id, row, from, to)
		from = to
	}
}

// narrow lists the rows that copies of a packet may match, up to one that matches whatever the
// array has; it returns that one, or the default action.
func (r *Runner) narrow(s *vm.Pass, t *vm.Table, k *arrayKey) (otherwise *vm.Row) {
	r.rows = r.rows[:0]
	for _, row := range t.Rows {
		switch {
		case !r.matchesElse(s, t, row, k):
		case row.Masks[k.number] == 0:
			return row
		default:
			r.rows = append(r.rows, row)
		}
	}
	return &t.Miss
}

// matchesElse reports whether all keys of a row but the array match.
func (r *Runner) matchesElse(s *vm.Pass, t *vm.Table, row *vm.Row, k *arrayKey) bool {
	for i := range t.Keys {
		if i != k.number && (s.Get(r.code.Ref(t.Keys[i].Field.ID))^row.Values[i])&row.Masks[i] != 0 {
			return false
		}
	}
	return true
}

// anyRow reports whether some copy matches a row that was listed.
func (r *Runner) anyRow(in []byte, k *arrayKey) bool {
	for _, row := range r.rows {
		if vec.HasBE(in, uint32(row.Masks[k.number]), uint32(row.Values[k.number])) {
			return true
		}
	}
	return false
}

// rowOf returns what a copy matches.
func (r *Runner) rowOf(in []byte, k *arrayKey, copy int, otherwise *vm.Row) *vm.Row {
	v := uint64(binary.BigEndian.Uint32(in[laneBytes*copy:]))
	for _, row := range r.rows {
		if (v^row.Values[k.number])&row.Masks[k.number] == 0 {
			return row
		}
	}
	return otherwise
}

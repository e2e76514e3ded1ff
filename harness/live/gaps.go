package live

import (
	"github.com/inalab/inalab/harness/check"
	"github.com/inalab/inalab/internal/tensorfile"
)

// checkTensors holds the tensors that workers left against the sums of their contributors:
// of a job that was ended as far as all came.
func (r *run) checkTensors(t *tenant, shape check.Job, who check.Contributors) (check.Result, error) {
	files, err := tensorfile.OpenAll(t.tensors)
	if err != nil {
		return check.Result{}, err
	}
	defer files.Close() // it was read only
	if err := t.excuse(&shape, files); err != nil {
		return check.Result{}, err
	}
	if t.cell.Ended != nil {
		last, err := r.finished(&shape, files, who)
		if err != nil || last == 0 {
			return check.Result{}, err
		}
		shape.Until = last
	}
	return check.Sums(shape, files, who)
}

// excuse notes the generations of which workers that were away left no record. A worker says
// that an iteration is over before it records it: the last one may be missing too. The gap ends
// where the next worker in its place has a record.
func (t *tenant) excuse(shape *check.Job, files *tensorfile.Reader) error {
	for _, a := range t.cell.Away {
		g := check.Gap{Worker: a.Worker, From: max(0, a.From-1)}
		last, err := files.Delivered(a.Worker, g.From)
		if err != nil {
			return err
		}
		if last != nil {
			g.From++
		}
		for g.To = g.From; g.To < shape.Generations; g.To++ {
			got, err := files.Delivered(a.Worker, g.To)
			if err != nil {
				return err
			}
			if got != nil {
				break
			}
		}
		shape.Gaps = append(shape.Gaps, g)
	}
	return nil
}

// finished returns how many generations all workers recorded that were there, and of which
// the trace of a switch is whole that was killed.
func (r *run) finished(shape *check.Job, files *tensorfile.Reader, who check.Contributors) (int, error) {
	for gen := range shape.Generations {
		for w := range shape.Workers {
			got, err := files.Delivered(w, gen)
			if err != nil || got == nil && !shape.Away(w, gen) {
				return gen, err
			}
		}
		if r.course.cut && !known(shape, who, gen) {
			return gen, nil
		}
	}
	return shape.Generations, nil
}

// known reports whether the contributors of all blocks of a generation are.
func known(shape *check.Job, who check.Contributors, gen int) bool {
	for b := range (shape.Elements + shape.Block - 1) / shape.Block {
		if _, ok := who.Contributors(gen, b); !ok {
			return false
		}
	}
	return true
}

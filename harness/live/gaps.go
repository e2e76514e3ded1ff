package live

import (
	"cmp"

	"github.com/inalab/inalab/harness/check"
	"github.com/inalab/inalab/internal/result"
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

// excuse notes the generations of which workers that were away left no record. A worker that is
// killed may have said more than it recorded, by an iteration, or recorded more than was heard of.
// So the gap begins with the first record that is missing before the next worker in its place took
// part, and ends where that one has a record.
func (t *tenant) excuse(shape *check.Job, files *tensorfile.Reader) error {
	for i, a := range t.cell.Away {
		g, err := gap(a, cmp.Or(t.heirs[i], shape.Generations), shape.Generations, files.Delivered)
		if err != nil {
			return err
		}
		shape.Gaps = append(shape.Gaps, g)
	}
	return nil
}

// gap returns the generations, of so many, that a worker left no record of; another one in its place
// takes part from generation heir on.
func gap(a result.Away, heir, generations int, delivered func(worker, gen int) ([]int32, error)) (check.Gap, error) {
	first := func(gen int, missing bool, end int) (int, error) {
		for ; gen < end; gen++ {
			got, err := delivered(a.Worker, gen)
			if err != nil || (got == nil) == missing {
				return gen, err
			}
		}
		return gen, nil
	}
	from, err := first(max(0, a.From-1), true, heir)
	if err != nil || from >= heir {
		return check.Gap{Worker: a.Worker, From: from, To: from}, err
	}
	to, err := first(from, false, generations)
	return check.Gap{Worker: a.Worker, From: from, To: to}, err
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

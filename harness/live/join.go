package live

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/proc"
	"github.com/inalab/inalab/internal/pktio"
	"github.com/inalab/inalab/internal/units"
	hostlive "github.com/inalab/inalab/nodes/live"
)

// join is a worker that came back, and takes part from a generation on that another one
// promises, with the model that this one then leaves in a file.
type join struct {
	of     *tenant
	worker int
	waits  *proc.Process
	peer   *proc.Process // that was asked
	path   string
	least  int  // generation; zero: none was promised yet
	begun  bool // it was told the generation
}

// ask asks the worker that is ahead of the others for its model.
func (r *run) ask(j *join) error {
	least := max(j.least, slices.Max(j.of.reached)+1)
	parts, err := filepath.Glob(j.path + "*" + hostlive.CheckpointPart)
	if err != nil {
		return err
	}
	for _, part := range parts { // one that was killed has left it
		if err := os.Remove(part); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	for _, peer := range r.ahead(j.of) {
		if peer.Send(proc.Command{Name: proc.CommandCheckpoint, Path: j.path, Generation: least}) == nil { // else it has ended just now
			j.peer = peer
			if !slices.Contains(r.course.joins, j) {
				r.course.joins = append(r.course.joins, j)
			}
			return nil
		}
	}
	return r.forsake(j, "no worker is left that has the model")
}

// ahead returns the running workers that have a model, first the one that has come farthest.
func (r *run) ahead(t *tenant) (peers []*proc.Process) {
	far := map[*proc.Process]int{} // looked up
	for i, p := range t.seats {
		waits := slices.ContainsFunc(r.course.joins, func(j *join) bool { return j.waits == p })
		if p != nil && !t.done[i] && !waits {
			peers, far[p] = append(peers, p), t.reached[i]
		}
	}
	slices.SortStableFunc(peers, func(a, b *proc.Process) int { return cmp.Compare(far[b], far[a]) })
	return peers
}

// promised takes a peer's answer, and has the worker begin that waits for it.
func (r *run) promised(e event) error {
	var a hostlive.CheckpointAnswer
	if err := json.Unmarshal(e.report.Data, &a); err != nil {
		return fmt.Errorf("reading what %s says of a checkpoint: %w", e.process.Node(), err)
	}
	k := slices.IndexFunc(r.course.joins, func(j *join) bool { return j.path == a.Path && j.peer == e.process })
	if k < 0 {
		return nil // who waits for it has ended meanwhile, or asked another one
	}
	j := r.course.joins[k]
	if a.Problem != "" { // such as too few iterations that are left
		return r.forsake(j, a.Problem)
	}
	if j.begun && j.resumes() {
		return nil
	}
	j.least = a.Generation
	if j.begun {
		return nil
	}
	j.begun = true
	j.of.seat(j.waits, j.worker, a.Generation, j.resumes())
	return j.waits.Send(proc.Command{Name: proc.CommandStart, EpochNS: r.epoch, Generation: a.Generation, Path: a.Path})
}

// took notes that a worker has samples, and so the model that it waited for.
func (r *run) took(p *proc.Process) {
	r.course.joins = slices.DeleteFunc(r.course.joins, func(j *join) bool { return j.waits == p })
}

// left has others take over what a worker was to hand over that ended.
func (r *run) left(p *proc.Process) (err error) {
	r.took(p)
	for _, j := range slices.Clone(r.course.joins) {
		if _, missing := os.Stat(j.lastPath()); j.peer == p && missing != nil {
			err = errors.Join(err, r.ask(j))
		}
	}
	return err
}

// resumes reports whether the job waits for the worker.
func (j *join) resumes() bool {
	_, ok := j.of.job.System.(job.Resumer)
	return ok
}

// lastPath returns the file of the last model that the worker needs.
func (j *join) lastPath() string {
	if j.resumes() {
		return hostlive.LentPath(j.path, j.least+1)
	}
	return j.path
}

// forsake goes on without a worker that nobody gives a model. A job of which no other worker
// is left ends.
func (r *run) forsake(j *join, why string) error {
	r.took(j.waits)
	t := j.of
	t.cell.Course = append(t.cell.Course, fmt.Sprintf("%s does not take part again: %s", j.waits.Node(), why))
	t.seats[j.worker] = nil
	err := r.endAll(stopGrace, j.waits)
	others := slices.ContainsFunc(t.seats, func(p *proc.Process) bool { return p != nil })
	if others && (!j.resumes() || t.over()) || t.cell.Ended != nil {
		return err
	}
	now := units.Duration(pktio.MonotonicNow()-r.epoch) * units.Nanosecond
	end := job.Step{Action: job.Action{At: now}, Job: slices.Index(r.tenants, t), Reason: why}
	r.note(&end)
	return errors.Join(err, r.endJob(&end))
}

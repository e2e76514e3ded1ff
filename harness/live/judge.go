package live

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/inalab/inalab/harness/check"
	"github.com/inalab/inalab/harness/tensorfile"
	"github.com/inalab/inalab/internal/trace"
)

// judge holds the run's sums against the oracle and says how far its times can
// be believed.
func (r *run) judge() error {
	r.cell.Fidelity = r.fidelity()
	if r.job.Elements > 0 { // the workers checked their last sums themselves
		for _, w := range r.workerReports {
			r.cell.Checked += w.Checked
			r.cell.Wrong += w.Wrong
		}
		return nil
	}
	shape, who, sink := check.ForJob(r.job)
	if sink != nil {
		if err := r.readTraces(sink); err != nil {
			return err
		}
	}
	sums, err := r.sums(shape, who)
	if err != nil {
		return err
	}
	r.cell.Checked, r.cell.Wrong = sums.Checked, sums.Wrong
	if sums.Wrong > 0 {
		r.cell.Notes = append(r.cell.Notes, "first wrong sum: "+sums.First)
	}
	return nil
}

func (r *run) sums(shape check.Job, who check.Contributors) (check.Result, error) {
	var paths []string
	for _, h := range r.job.Plan.Hosts {
		paths = append(paths, tensors(r.private, h.Name))
	}
	files, err := tensorfile.Open(paths)
	if err != nil {
		return check.Result{}, err
	}
	sums, err := check.Sums(shape, files, who)
	return sums, errors.Join(err, files.Close())
}

func (r *run) readTraces(sink trace.Sink) error {
	for _, sw := range r.job.Plan.Switches {
		if err := readTrace(filepath.Join(r.private, sw.Name+".trace"), sink); err != nil {
			return err
		}
	}
	return nil
}

// readTrace hands the events of a switch's trace to the sink.
func readTrace(path string, sink trace.Sink) error {
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("reading the switch's trace: %w", err)
	}
	dec := json.NewDecoder(bufio.NewReaderSize(f, 1<<20))
	for dec.More() {
		var e trace.Event
		if err := dec.Decode(&e); err != nil {
			return errors.Join(fmt.Errorf("reading the switch's trace: %w", err), f.Close())
		}
		sink.Event(&e)
	}
	return f.Close()
}

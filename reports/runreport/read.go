package runreport

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/reports/archive"
	"github.com/inalab/inalab/reports/compare"
	"github.com/inalab/inalab/topo/plan"
)

// Run is a run that has ended, with all that its report is made of.
type Run struct {
	Name     string // of its directory
	Manifest archive.Manifest
	Record   *archive.Record
	Rows     []compare.Row
	Plans    map[string]*plan.Plan // by what ran there, as in topology.json; empty where there is none
}

// Read reads a directory of results.
func Read(dir string) (*Run, error) {
	past, err := archive.Open(dir)
	if err != nil {
		return nil, err
	}
	rec, err := past.Record()
	if err != nil {
		return nil, err
	}
	r := &Run{Name: filepath.Base(past.Path), Manifest: past.Manifest, Record: rec}
	if r.Plans, err = plans(past.Path); err != nil {
		return nil, err
	}
	r.Rows = compare.Rows(rec.Cells, rec.Baseline)
	return r, nil
}

// plans reads topology.json.
func plans(dir string) (map[string]*plan.Plan, error) {
	path := filepath.Join(dir, "topology.json")
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("open results: %w", err)
	}
	var out map[string]*plan.Plan
	if err := json.Unmarshal(text, &out); err != nil {
		return nil, fmt.Errorf("open results: %s: %w", path, err)
	}
	return out, nil
}

// measured returns the cells that were run.
func (r *Run) measured() (out []result.Cell) {
	for _, c := range r.Record.Cells {
		if c.Computed == 0 {
			out = append(out, c)
		}
	}
	return out
}

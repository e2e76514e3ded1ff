package change

import (
	"slices"

	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/reports/archive"
	"github.com/inalab/inalab/reports/compare"
)

// Run is what a results directory says.
type Run struct {
	Name     string // as the user named it
	Manifest archive.Manifest
	Record   *archive.Record
}

// Read reads a results directory.
func Read(name string) (*Run, error) {
	p, err := archive.Open(name)
	if err != nil {
		return nil, err
	}
	record, err := p.Record()
	if err != nil {
		return nil, err
	}
	return &Run{name, p.Manifest, record}, nil
}

// Build names the version that made a run.
func (r *Run) Build() string {
	if r.Manifest.Commit == "" {
		return r.Manifest.Version
	}
	return r.Manifest.Version + " " + r.Manifest.Commit[:min(12, len(r.Manifest.Commit))]
}

// key tells rows from each other.
type key struct {
	system, job, lab, topology, model string
	straggleP                         float64
	point                             string
}

func keyOf(c *result.Cell) key {
	return key{c.System, c.Job, c.Lab, c.Topology, c.Model, c.StraggleP, c.Point.String()}
}

// one is a row of one run, at one seed.
type one struct {
	run  *Run
	cell *result.Cell
}

// cells returns what was run, by row, in the order of the start of the runs. The keys are in the order of tables.
func cells(runs ...*Run) (keys []key, of map[key][]one) {
	of = map[key][]one{}
	var all []*result.Cell
	for _, r := range byStart(runs) {
		for i := range r.Record.Cells {
			if c := &r.Record.Cells[i]; c.Computed == 0 {
				of[keyOf(c)] = append(of[keyOf(c)], one{r, c})
				all = append(all, c)
			}
		}
	}
	slices.SortStableFunc(all, compare.Order)
	for _, c := range all {
		if k := keyOf(c); !slices.Contains(keys, k) {
			keys = append(keys, k)
		}
	}
	return keys, of
}

func byStart(runs []*Run) []*Run {
	return slices.SortedStableFunc(slices.Values(runs), func(a, b *Run) int { return a.Manifest.Started.Compare(b.Manifest.Started) })
}

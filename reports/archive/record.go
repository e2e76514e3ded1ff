package archive

import (
	"encoding/json"
	"fmt"
	"io"
	"math"

	"github.com/inalab/inalab/internal/result"
)

// RecordName is the file of a [Record] in a results directory.
const RecordName = "record.json.gz"

// RecordVersion is that of record.json.gz.
const RecordVersion = 1

// Record is what tables, figures and reports of a run are made of, so that they can be made again:
// record.json.gz.
type Record struct {
	Scenario    string          // name
	Description string          // one sentence
	Axes        [][]string      // keys of each entry of the sweep
	Baseline    result.Baseline // of the speed-ups
	Cells       []result.Cell
	Notes       []string  // what was left out, and what happened in each run
	Expected    []Outcome // what the scenario expects, and what came of it
}

// Outcome is what came of an expectation of the scenario.
type Outcome struct {
	Check    string `json:"check,omitempty"` // what is expected, in the same words whatever came of it; empty: an earlier version did not say
	Text     string `json:"text"`
	Met      bool   `json:"met"`
	Unjudged bool   `json:"unjudged,omitempty"` // no row was there to judge
}

// recordFile is a record as it is written.
type recordFile struct {
	SchemaVersion int             `json:"schema_version"`
	Scenario      string          `json:"scenario"`
	Description   string          `json:"description"`
	Axes          [][]string      `json:"axes"`
	Baseline      result.Baseline `json:"baseline"`
	Notes         []string        `json:"notes"`
	Expected      []Outcome       `json:"expected"`
	Cells         []recordCell    `json:"cells"`
}

// recordCell is a cell with what its own form leaves out.
type recordCell struct {
	Index int         `json:"index"` // of its point, in the order of the sweep
	Cell  result.Cell `json:"cell"`
}

// WriteRecord writes record.json.gz.
func (d *Dir) WriteRecord(r *Record) error {
	return d.Write(RecordName, r.encode)
}

func (r *Record) encode(w io.Writer) error {
	f := recordFile{
		SchemaVersion: RecordVersion, Scenario: r.Scenario, Description: r.Description, Axes: r.Axes, Baseline: r.Baseline,
		Notes: r.Notes, Expected: r.Expected,
	}
	for _, c := range r.Cells {
		c.Samples = finite(c.Samples)
		f.Cells = append(f.Cells, recordCell{c.Point.Index, c})
	}
	return encodeZipped(w, &f)
}

// finite returns samples without losses that are no numbers, which JSON has no words for: those of a training
// that diverged.
func finite(list []result.Sample) []result.Sample {
	out := make([]result.Sample, len(list))
	copy(out, list)
	for i := range out {
		if l := out[i].Loss; l != nil && (math.IsNaN(*l) || math.IsInf(*l, 0)) {
			out[i].Loss = nil
		}
	}
	return out
}

// decodeRecord reads what WriteRecord wrote.
func decodeRecord(in io.Reader) (*Record, error) {
	var f recordFile
	if err := decodeZipped(in, RecordVersion, &f); err != nil {
		return nil, err
	}
	r := &Record{
		Scenario: f.Scenario, Description: f.Description, Axes: f.Axes, Baseline: f.Baseline, Notes: f.Notes, Expected: f.Expected,
	}
	for _, c := range f.Cells {
		c.Cell.Point.Index = c.Index
		r.Cells = append(r.Cells, c.Cell)
	}
	return r, nil
}

// checkVersion refuses a file that a newer version wrote, and one without a version.
func checkVersion(text []byte, known int) error {
	var v struct {
		SchemaVersion int `json:"schema_version"`
	}
	switch err := json.Unmarshal(text, &v); {
	case err != nil:
		return err
	case v.SchemaVersion == 0:
		return fmt.Errorf("it has no schema_version: no version of inalab wrote it")
	case v.SchemaVersion > known:
		return fmt.Errorf("its schema_version is %d, and this version of inalab reads up to %d: use the version that made the results, or a newer one", v.SchemaVersion, known)
	}
	return nil
}

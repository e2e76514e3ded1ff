package export

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/inalab/inalab/reports/archive"
)

// claimsName is the file of a check of claims in its results directory.
const claimsName = "report.json"

// Read reads a results directory, or a file of a benchmark. What is wrong with it is in the report.
func Read(path string) *Report {
	r, err := read(path)
	if err != nil {
		return broken(path, err)
	}
	r.Path = path
	return r
}

func read(path string) (*Report, error) {
	st, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("there is no file or directory %s", path)
	case err != nil:
		return nil, err
	case !st.IsDir():
		return readBench(path)
	}
	past, err := archive.Open(path)
	if err != nil {
		return nil, err
	}
	text, err := os.ReadFile(filepath.Join(past.Path, claimsName))
	if errors.Is(err, fs.ErrNotExist) {
		return ofRun(past)
	}
	if err != nil {
		return nil, err
	}
	return ofClaims(past, text)
}

// newReport tells what a manifest has, whatever was run.
func newReport(p *archive.Past) *Report {
	m := &p.Manifest
	return &Report{
		Name: m.Scenario, Started: m.Started, Seconds: m.Ended.Sub(m.Started).Seconds(),
		Facts: []Fact{
			{"clock", m.Clock}, fact("seed", m.Seed), fact("scale", uint64(max(m.Scale, 0))), {"version", m.Version}, {"commit", m.Commit},
			{"kernel", m.Machine.Kernel}, {"cpu", m.Machine.CPU}, {"command", strings.Join(m.Command, " ")},
		},
	}
}

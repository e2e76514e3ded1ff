package runreport

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/reports/archive"
	"github.com/inalab/inalab/reports/compare"
	"github.com/inalab/inalab/reports/explain"
	"github.com/inalab/inalab/reports/netfigure"
)

// Source is what a run left.
type Source struct {
	Name     string // of its directory
	Manifest archive.Manifest
	Record   *archive.Record
	Scenario string                   // scenario.yaml; "" where there is none
	Nets     map[string]netfigure.Net // topology.json, by what ran; looked up
	Life     string                   // of one block; "" where no events were kept
	Missing  []string                 // what could not be read, and why
	Files    string                   // Markdown: the directory in which the figures are, from where it is; "": the same
}

// maxEvents bounds the file of events that is read for the life of a block, in bytes (assumed: a second).
const maxEvents = 8 << 20

// Read reads what a run left. What is not there, but for the record, leaves a gap that the report names.
func Read(p *archive.Past) (*Source, error) {
	record, err := p.Record()
	if err != nil {
		return nil, err
	}
	s := &Source{Name: filepath.Base(p.Path), Manifest: p.Manifest, Record: record}
	s.Scenario = string(s.file(p, "scenario.yaml"))
	if text := s.file(p, "topology.json"); text != nil {
		if s.Nets, err = netfigure.Decode(text); err != nil {
			s.miss("topology.json: " + err.Error())
		}
	}
	s.readLife(p)
	return s, nil
}

func (s *Source) miss(what string) { s.Missing = append(s.Missing, what) }

// file returns what a file of the directory holds, or nil.
func (s *Source) file(p *archive.Past, name string) []byte {
	text, err := os.ReadFile(filepath.Join(p.Path, name))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		s.miss(name + " is not there")
	case err != nil:
		s.miss(name + ": " + err.Error())
	}
	return text
}

// readLife tells the life of the first block to which something happened. A run that kept none has no life to tell.
func (s *Source) readLife(p *archive.Past) {
	path := filepath.Join(p.Path, explain.FileName)
	st, err := os.Stat(path)
	if err != nil || st.Size() > maxEvents {
		return
	}
	file, err := os.Open(path)
	if err != nil {
		s.miss(explain.FileName + ": " + err.Error())
		return
	}
	defer file.Close()
	runs, err := explain.Read(file)
	if err != nil {
		s.miss(explain.FileName + ": " + err.Error())
		return
	}
	life, err := explain.Find(runs, explain.Query{})
	if err != nil {
		return // no events of a block were kept, or the systems send none
	}
	var text strings.Builder
	if err := life.WriteText(&text); err == nil {
		s.Life = text.String()
	}
}

// run is a source with what is computed of it.
type run struct {
	*Source
	rows    []compare.Row
	place   place
	prefix  string // of ids
	contest []contender
}

func newRun(s *Source, prefix string) *run {
	r := &run{Source: s, rows: compare.Rows(s.Record.Cells, s.Record.Baseline), prefix: prefix}
	r.place = r.hardest()
	r.contest = r.contenders()
	return r
}

// ran returns the rows that were run.
func (r *run) ran() []compare.Row {
	return slices.DeleteFunc(slices.Clone(r.rows), func(row compare.Row) bool { return row.Computed })
}

// cells returns the cells that were run.
func (r *run) cells() []result.Cell {
	return slices.DeleteFunc(slices.Clone(r.Record.Cells), func(c result.Cell) bool { return c.Computed != 0 })
}

// cellOf returns the cell of a row.
func (r *run) cellOf(row *compare.Row) *result.Cell {
	for i := range r.Record.Cells {
		if row.IsOf(&r.Record.Cells[i]) {
			return &r.Record.Cells[i]
		}
	}
	return nil
}

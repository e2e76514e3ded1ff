package main

import (
	"errors"
	"fmt"

	"github.com/inalab/inalab/reports/archive"
	"github.com/inalab/inalab/reports/runreport"
)

// Names of the report in a results directory.
const (
	reportHTML     = "report.html"
	reportMarkdown = "report.md"
)

// writeReport writes the report of a run that has come to its end, and its figures. A run without one is
// complete all the same, so that an error keeps nothing else from being written.
func (r *recording) writeReport(m archive.Manifest) error {
	s, err := runreport.Read(r.dir.Past(m))
	if err != nil {
		return fmt.Errorf("the run is complete, but for its report: %w", err)
	}
	p := runreport.New(s)
	errs := []error{r.dir.Write(reportHTML, p.WriteHTML), r.dir.Write(reportMarkdown, p.WriteMarkdown)}
	for _, f := range runreport.Pictures(s) {
		if name := f.Name + ".svg"; !r.dir.Has(name) {
			errs = append(errs, r.dir.Write(name, f.SVG))
		}
		errs = append(errs, r.dir.Write(f.Name+".pdf", f.PDF))
	}
	return errors.Join(errs...)
}

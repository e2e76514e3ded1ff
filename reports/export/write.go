package export

import (
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/perf/benchfmt"

	"github.com/inalab/inalab/reports/junit"
)

// Format is what other programs read.
type Format string

// The formats.
const (
	JUnit      Format = "junit"       // JUnit XML of all checks
	Benchmarks Format = "benchfmt"    // values in Go's benchmark format, for benchstat
	GABSmaller Format = "gab-smaller" // values for github-action-benchmark, customSmallerIsBetter
	GABBigger  Format = "gab-bigger"  // likewise, customBiggerIsBetter
	Summary    Format = "summary"     // all in Markdown
)

// Formats lists all.
var Formats = []Format{Summary, JUnit, Benchmarks, GABSmaller, GABBigger}

// Write writes the reports in a format.
func Write(w io.Writer, reports []*Report, format Format) error {
	switch format {
	case JUnit:
		return writeJUnit(w, reports)
	case Benchmarks:
		return writeBenchmarks(w, reports)
	case GABSmaller, GABBigger:
		return writeGAB(w, reports, format == GABBigger)
	case Summary:
		return writeSummary(w, reports)
	}
	return fmt.Errorf("format %q: there is no such format", format)
}

func writeJUnit(w io.Writer, reports []*Report) error {
	var suites []junit.Suite
	for _, r := range reports {
		suites = append(suites, r.suite())
	}
	return junit.Write(w, suites)
}

// writeBenchmarks writes a line for each thing that values are of. What tells it from others stands in
// its name as /key=value, where whatever is not plain is escaped as in a URL, since a name has no spaces.
func writeBenchmarks(w io.Writer, reports []*Report) error {
	out := benchfmt.NewWriter(w)
	if err := writeUnits(w, reports); err != nil {
		return err
	}
	for _, r := range reports {
		config := configOf(r)
		for _, line := range linesOf(r.Values) {
			line.Config = config
			if err := out.Write(line); err != nil {
				return fmt.Errorf("write benchmarks: %w", err)
			}
		}
	}
	return nil
}

// writeUnits says once of each unit which values are better.
func writeUnits(w io.Writer, reports []*Report) error {
	var known []string
	for _, r := range reports {
		for _, v := range r.Values {
			if slices.Contains(known, v.Unit) {
				continue
			}
			known = append(known, v.Unit)
			better := "lower"
			if v.Bigger {
				better = "higher"
			}
			if _, err := fmt.Fprintf(w, "Unit %s better=%s\n", v.Unit, better); err != nil {
				return fmt.Errorf("write benchmarks: %w", err)
			}
		}
	}
	return nil
}

// configOf is what stands above the lines of a report: what benchstat may group by. A value ends with its
// line.
func configOf(r *Report) (out []benchfmt.Config) {
	for _, f := range r.Facts {
		if f.Value != "" && f.Key != "command" {
			value := strings.Join(strings.Fields(f.Value), " ")
			out = append(out, benchfmt.Config{Key: f.Key, Value: []byte(value), File: true})
		}
	}
	return out
}

// linesOf joins the values of one thing to a line.
func linesOf(values []Value) (out []*benchfmt.Result) {
	for _, v := range values {
		name := benchfmt.Name(benchName(v.Of))
		if n := len(out); n == 0 || string(out[n-1].Name) != string(name) || hasUnit(out[n-1], v.Unit) {
			out = append(out, &benchfmt.Result{Name: name, Iters: max(v.N, 1)})
		}
		last := out[len(out)-1]
		last.Values = append(last.Values, benchfmt.Value{Value: v.Value, Unit: v.Unit})
	}
	return out
}

func hasUnit(r *benchfmt.Result, unit string) bool {
	return slices.ContainsFunc(r.Values, func(v benchfmt.Value) bool { return v.Unit == unit })
}

// benchName is "Run/system=ring/p=0.16": the first fact names the benchmark.
func benchName(of []Fact) string {
	var b strings.Builder
	for i, f := range of {
		if i == 0 {
			b.WriteString(strings.ToUpper(f.Key[:1]) + f.Key[1:])
		} else {
			b.WriteString("/" + url.PathEscape(f.Key) + "=")
			b.WriteString(plain(f.Value))
			continue
		}
		b.WriteString("/" + plain(f.Value))
	}
	return b.String()
}

// plain escapes what would end a name, or a part of it. A "-" and a number at its end would be taken for
// GOMAXPROCS, so "-" is escaped as well.
func plain(s string) string { return strings.ReplaceAll(url.PathEscape(s), "-", "%2D") }

// gabValue is an entry of github-action-benchmark's custom tools.
type gabValue struct {
	Name  string  `json:"name"`
	Unit  string  `json:"unit"`
	Value float64 `json:"value"`
	Range string  `json:"range,omitempty"`
	Extra string  `json:"extra,omitempty"`
}

func writeGAB(w io.Writer, reports []*Report, bigger bool) error {
	out := []gabValue{}
	for _, r := range reports {
		for _, v := range r.Values {
			if v.Bigger != bigger {
				continue
			}
			e := gabValue{Name: nameOf(v.Of), Unit: v.Unit, Value: v.Value, Extra: fmt.Sprintf("n %d", v.N)}
			if v.CI95 > 0 {
				e.Range = "± " + strconv.FormatFloat(v.CI95, 'g', 4, 64)
			}
			if seed := r.seed(); seed != "" {
				e.Extra += ", seed " + seed
			}
			out = append(out, e)
		}
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(true) // it lands in a page
	enc.SetIndent("", "  ")
	if err := enc.Encode(out); err != nil {
		return fmt.Errorf("write benchmarks: %w", err)
	}
	return nil
}

func (r *Report) seed() string {
	i := slices.IndexFunc(r.Facts, func(f Fact) bool { return f.Key == "seed" })
	if i < 0 {
		return ""
	}
	return r.Facts[i].Value
}

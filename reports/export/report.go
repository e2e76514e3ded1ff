package export

import (
	"strconv"
	"time"

	"github.com/inalab/inalab/reports/junit"
)

// Report is what one source has to say.
type Report struct {
	Path    string // of the source, as given
	Name    string // scenario, reproduce, or bench and which
	Started time.Time
	Seconds float64 // 0: not known
	Facts   []Fact  // of the whole source
	Checks  []junit.Case
	Values  []Value
	Broken  error // why the source could not be read; its only check says so
}

// Fact is something that is known of a source or a value, in a fixed order.
type Fact struct{ Key, Value string }

// Value is something that was measured.
type Value struct {
	Of     []Fact // what tells it from others of its name
	Unit   string // sec/iter, Gbit/s, ...
	Value  float64
	CI95   float64 // half-width; 0: not known
	N      int     // values that it is a mean of; at least 1
	Bigger bool    // whether more is better
}

// Title names the report as people do.
func (r *Report) Title() string {
	for _, f := range r.Facts {
		if f.Key == "clock" {
			return r.Name + " (" + f.Value + ")"
		}
	}
	return r.Name
}

// suite returns the report as tests.
func (r *Report) suite() junit.Suite {
	s := junit.Suite{Name: r.Title(), Started: r.Started, Seconds: r.Seconds, Cases: r.Checks}
	for _, f := range r.Facts {
		s.Properties = append(s.Properties, junit.Property(struct{ Name, Value string }{f.Key, f.Value}))
	}
	s.Properties = append(s.Properties, junit.Property{Name: "source", Value: r.Path})
	return s
}

func broken(path string, err error) *Report {
	return &Report{Path: path, Name: "unreadable", Broken: err, Checks: []junit.Case{{
		Class: "results", Name: path, Status: junit.Errored, Message: err.Error(),
	}}}
}

// fact makes a fact of a number.
func fact(key string, n uint64) Fact { return Fact{key, strconv.FormatUint(n, 10)} }

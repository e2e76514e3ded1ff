// Package junit writes checks as JUnit XML, which continuous integration shows as tests.
//
//	<testsuites>            a call of Write
//	  <testsuite>           Suite: one run
//	    <properties>        what is known of it
//	    <testcase>          Case: one check; passed, failed, skipped, or in error
//
// There is no standard. The elements and attributes are those that Jenkins, GitLab and the readers for GitHub
// have in common. Characters that XML has no place for become U+FFFD.
package junit

import (
	"encoding/xml"
	"fmt"
	"io"
	"strconv"
	"time"
)

// Status is what came of a check.
type Status int

// The zero value is a check that passed.
const (
	Passed  Status = iota
	Failed         // it was judged, and did not hold
	Errored        // it could not be judged, and should have been
	Skipped        // it could not be judged, and need not have been
)

// Case is one check.
type Case struct {
	Class   string // what it belongs to
	Name    string
	Status  Status
	Message string // one line: why it is not Passed
	Output  string // what else there is to say; "" is nothing
	Seconds float64
}

// Property is something that is known of a suite.
type Property struct {
	Name  string `xml:"name,attr"`
	Value string `xml:"value,attr"`
}

// Suite is the checks of one run.
type Suite struct {
	Name       string
	Started    time.Time // zero: not known
	Seconds    float64
	Properties []Property
	Cases      []Case
}

// Count returns how many cases have a status.
func (s *Suite) Count(status Status) (n int) {
	for _, c := range s.Cases {
		if c.Status == status {
			n++
		}
	}
	return n
}

type counts struct {
	Tests    int    `xml:"tests,attr"`
	Failures int    `xml:"failures,attr"`
	Errors   int    `xml:"errors,attr"`
	Skipped  int    `xml:"skipped,attr"`
	Time     string `xml:"time,attr"`
}

func (c *counts) add(o counts) {
	c.Tests += o.Tests
	c.Failures += o.Failures
	c.Errors += o.Errors
	c.Skipped += o.Skipped
}

type suitesElement struct {
	XMLName xml.Name `xml:"testsuites"`
	counts
	Suites []suiteElement
}

type suiteElement struct {
	XMLName xml.Name `xml:"testsuite"`
	Name    string   `xml:"name,attr"`
	counts
	Timestamp  string `xml:"timestamp,attr,omitempty"`
	Properties *struct {
		List []Property `xml:"property"`
	} `xml:"properties"`
	Cases []caseElement
}

type caseElement struct {
	XMLName xml.Name `xml:"testcase"`
	Class   string   `xml:"classname,attr"`
	Name    string   `xml:"name,attr"`
	Time    string   `xml:"time,attr"`
	Failure *reason  `xml:"failure"`
	Error   *reason  `xml:"error"`
	Skipped *reason  `xml:"skipped"`
	Output  string   `xml:"system-out,omitempty"`
}

type reason struct {
	Message string `xml:"message,attr"`
}

// Write writes the suites as one document.
func Write(w io.Writer, suites []Suite) error {
	doc, seconds := suitesElement{}, 0.0
	for i := range suites {
		e := suites[i].element()
		doc.counts.add(e.counts)
		seconds += suites[i].Seconds
		doc.Suites = append(doc.Suites, e)
	}
	doc.Time = decimal(seconds)
	text, err := xml.MarshalIndent(doc, "", "  ")
	if err == nil {
		_, err = fmt.Fprintf(w, "%s%s\n", xml.Header, text)
	}
	if err != nil {
		return fmt.Errorf("write JUnit XML: %w", err)
	}
	return nil
}

func (s *Suite) element() suiteElement {
	e := suiteElement{Name: s.Name, counts: counts{
		Tests: len(s.Cases), Failures: s.Count(Failed), Errors: s.Count(Errored), Skipped: s.Count(Skipped), Time: decimal(s.Seconds),
	}}
	if !s.Started.IsZero() {
		e.Timestamp = s.Started.UTC().Format("2006-01-02T15:04:05")
	}
	if len(s.Properties) > 0 {
		e.Properties = &struct {
			List []Property `xml:"property"`
		}{s.Properties}
	}
	for _, c := range s.Cases {
		e.Cases = append(e.Cases, c.element())
	}
	return e
}

func (c *Case) element() caseElement {
	e := caseElement{Class: c.Class, Name: c.Name, Time: decimal(c.Seconds), Output: c.Output}
	switch why := (&reason{c.Message}); c.Status {
	case Failed:
		e.Failure = why
	case Errored:
		e.Error = why
	case Skipped:
		e.Skipped = why
	}
	return e
}

func decimal(seconds float64) string { return strconv.FormatFloat(seconds, 'f', 3, 64) }

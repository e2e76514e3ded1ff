package junit_test

import (
	"bytes"
	"encoding/xml"
	"testing"
	"time"

	gojunit "github.com/joshdk/go-junit"

	"github.com/inalab/inalab/internal/golden"
	"github.com/inalab/inalab/reports/junit"
)

// suites has everything once, and names that need care.
func suites() []junit.Suite {
	return []junit.Suite{
		{
			Name: "straggler <live> & \"more\"", Started: time.Date(2026, 1, 2, 15, 4, 5, 0, time.UTC), Seconds: 12.5,
			Properties: []junit.Property{{Name: "seed", Value: "1"}, {Name: "command", Value: "inalab run 'a b' > \"c\""}},
			Cases: []junit.Case{
				{Class: "a", Name: "sums of ring at p=0%", Seconds: 1.25},
				{Class: "a", Name: "b <script>", Status: junit.Failed, Message: "3 of 4 are wrong", Output: "a line\nanother ]]> & <b>"},
				{Class: "a", Name: "bell \a and \xff", Status: junit.Errored, Message: "not\tjudged"},
				{Class: "a", Name: "needs root", Status: junit.Skipped, Message: "no privileges"},
			},
		},
		{Name: "empty"},
	}
}

func written(t *testing.T, list []junit.Suite) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := junit.Write(&b, list); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestWrite(t *testing.T) {
	golden.Equal(t, "suites.xml", string(written(t, suites())))
}

// Another reader finds what was written.
func TestRead(t *testing.T) {
	read, err := gojunit.Ingest(written(t, suites()))
	if err != nil {
		t.Fatal(err)
	}
	if len(read) != 2 || read[0].Name != suites()[0].Name || read[0].Properties["command"] != suites()[0].Properties[1].Value {
		t.Fatalf("read %+v", read)
	}
	if got, want := read[0].Totals, (gojunit.Totals{
		Tests: 4, Passed: 1, Failed: 1, Error: 1, Skipped: 1, Duration: 1250 * time.Millisecond,
	}); got != want {
		t.Errorf("totals %+v, want %+v", got, want)
	}
	want := []gojunit.Status{gojunit.StatusPassed, gojunit.StatusFailed, gojunit.StatusError, gojunit.StatusSkipped}
	for i, c := range read[0].Tests {
		from := suites()[0].Cases[i]
		if c.Status != want[i] || c.Classname != from.Class || i < 2 && c.Name != from.Name || c.SystemOut != from.Output {
			t.Errorf("case %d: read %+v of %+v", i, c, from)
		}
	}
	if got, want := read[0].Tests[2].Name, "bell \uFFFD and \uFFFD"; got != want {
		t.Errorf("characters that XML does not have: %q, want %q", got, want)
	}
	if got := read[0].Tests[1].Message; got != "3 of 4 are wrong" {
		t.Errorf("message %q", got)
	}
}

// Whatever stands in names and messages, the document is well-formed and holds it.
func FuzzWrite(f *testing.F) {
	f.Add("plain", "why", "out")
	f.Add("<a href=\"x\">&amp;</a>", "]]>", "\x00\x1b[31m\r\n")
	f.Fuzz(func(t *testing.T, name, message, output string) {
		list := []junit.Suite{{Name: name, Cases: []junit.Case{{Name: name, Status: junit.Failed, Message: message, Output: output}}}}
		var doc struct {
			Suites []struct {
				Name  string `xml:"name,attr"`
				Cases []struct {
					Name string `xml:"name,attr"`
				} `xml:"testcase"`
			} `xml:"testsuite"`
		}
		if err := xml.Unmarshal(written(t, list), &doc); err != nil {
			t.Fatal(err)
		}
		if len(doc.Suites) != 1 || len(doc.Suites[0].Cases) != 1 || doc.Suites[0].Name != doc.Suites[0].Cases[0].Name {
			t.Fatalf("read %+v", doc)
		}
	})
}

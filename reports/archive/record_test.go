package archive

import (
	"bytes"
	"compress/gzip"
	"errors"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/units"
)

// aRecord has something in every kind of field.
func aRecord() *Record {
	loss := 0.25
	swept := result.Point{Index: 1, Keys: []result.Swept{{Key: "link.loss", Value: "1%"}, {Key: "hosts", Value: "8"}}}
	return &Record{
		Scenario: "loss", Description: "a <b> & \"c\"", Axes: [][]string{{"link.loss"}, {"hosts"}},
		Baseline: result.Baseline{System: "switchml256", Key: "switchml", Word: "SwitchML"},
		Notes:    []string{"left out: nothing"}, Expected: []Outcome{{Text: "wrong, 0 at most", Met: true}},
		Cells: []result.Cell{
			{System: "ideal", Computed: 163876896 * units.Nanosecond, Samples: []result.Sample{}},
			{
				System: "ring", Point: swept, Expected: 3*units.Millisecond + units.Picosecond, ExpectedIsBound: true,
				Samples:    []result.Sample{{System: "ring", Worker: 2, Start: 5, End: 7, Delay: 3 * units.Picosecond, Loss: &loss}},
				Links:      []result.Link{{Name: "h0:eth0->tor:p0", Rate: 25 * units.GbitPerSecond, Mean: 1501, Drops: []result.Counter{{Name: "queue-full", N: 2}}}},
				Throughput: []result.Throughput{{Kind: result.KindJob, Series: result.Series{Interval: units.Millisecond, Bytes: []units.Bytes{1, 2, 1023}}}},
				Ended:      &result.End{At: 9, Reason: "killed"}, Decisions: []result.Decision{{At: 4, Node: "h1", Text: "moved"}},
				Fidelity: result.Fidelity{Verdict: result.Exact, Reasons: []string{}, CPUBusy: 0.1},
			},
		},
	}
}

// finished returns the directory of a run with such a record.
func finished(t *testing.T, r *Record) string {
	t.Helper()
	d, err := Create(Options{Root: t.TempDir(), Scenario: "loss", Started: time.Unix(1, 0)})
	if err == nil {
		err = d.WriteRecord(r)
	}
	if err == nil {
		err = d.Finish(Manifest{Scenario: "loss", Seed: 7})
	}
	if err != nil {
		t.Fatal(err)
	}
	return d.Path()
}

func TestRecordIsReadAgain(t *testing.T) {
	past, err := Open(finished(t, aRecord()))
	if err != nil {
		t.Fatal(err)
	}
	if past.Manifest.Seed != 7 || past.Manifest.Scenario != "loss" {
		t.Errorf("the manifest is read as %+v", past.Manifest)
	}
	got, err := past.Record()
	if err != nil {
		t.Fatal(err)
	}
	if want := aRecord(); !reflect.DeepEqual(got, want) {
		t.Errorf("read\n%+v\nof\n%+v", got, want)
	}
}

func TestRecordOfATrainingThatDiverged(t *testing.T) {
	r := aRecord()
	nan, inf := math.NaN(), math.Inf(1)
	r.Cells[1].Samples = append(r.Cells[1].Samples, result.Sample{Loss: &nan}, result.Sample{Loss: &inf})
	past, err := Open(finished(t, r))
	if err != nil {
		t.Fatal(err)
	}
	got, err := past.Record()
	if err != nil {
		t.Fatal(err)
	}
	if s := got.Cells[1].Samples; len(s) != 3 || *s[0].Loss != 0.25 || s[1].Loss != nil || s[2].Loss != nil {
		t.Errorf("samples are read as %+v", s)
	}
}

func TestOpenOfWhatIsNoRun(t *testing.T) {
	zipped := func(text string) []byte {
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		w.Write([]byte(text))
		w.Close()
		return b.Bytes()
	}
	for name, c := range map[string]struct {
		file string
		text []byte
		says string
	}{
		"no manifest":     {manifestName, nil, "has no manifest.json: it is no results directory, or its run was ended or died"},
		"newer manifest":  {manifestName, []byte(`{"schema_version": 99}`), "its schema_version is 99, and this version of inalab reads up to 1"},
		"no version":      {manifestName, []byte(`{}`), "no schema_version"},
		"broken manifest": {manifestName, []byte(`{"schema_ver`), "unexpected end of JSON input"},
		"no record":       {RecordName, nil, "has no record.json.gz"},
		"newer record":    {RecordName, zipped(`{"schema_version": 2}`), "its schema_version is 2"},
		"cut record":      {RecordName, zipped(`{"schema_version": 1, "cells": []}`)[:20], "unexpected EOF"},
		"plain record":    {RecordName, []byte(`{"schema_version": 1}`), "gzip: invalid header"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := finished(t, aRecord())
			path := filepath.Join(dir, c.file)
			err := os.Remove(path)
			if c.text != nil {
				err = os.WriteFile(path, c.text, 0o644)
			}
			if err != nil {
				t.Fatal(err)
			}
			past, err := Open(dir)
			if err == nil {
				_, err = past.Record()
			}
			if err == nil || !strings.Contains(err.Error(), c.says) || !strings.Contains(err.Error(), dir) {
				t.Errorf("got %v, wanted %q with the directory", err, c.says)
			}
			if incomplete := (*IncompleteError)(nil); errors.As(err, &incomplete) != (name == "no manifest") {
				t.Errorf("%v: incomplete or not", err)
			}
		})
	}
}

package render

import (
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/inalab/inalab/internal/golden"
	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/units"
)

// samplesText encodes samples as the stream of a results directory does. What is
// not finite is told in the error.
func samplesText(samples []result.Sample) (string, error) {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	lines, err := SampleLines(samples)
	for _, l := range lines {
		if err := enc.Encode(l); err != nil {
			return "", err
		}
	}
	return b.String(), err
}

func TestSamplesGolden(t *testing.T) {
	text, err := samplesText(cell("trioml", 0.16, 0.1).Samples[:12])
	if err != nil {
		t.Fatal(err)
	}
	golden.Equal(t, "samples.jsonl", text)
	if lines, err := SampleLines(nil); len(lines) != 0 || err != nil {
		t.Errorf("no samples are %v, %v", lines, err)
	}
}

func TestSamplesRoundTrip(t *testing.T) {
	fraction := rapid.Ptr(rapid.Float64Range(0, 1e9), true)
	rapid.Check(t, func(t *rapid.T) {
		samples := rapid.SliceOf(rapid.Custom(func(t *rapid.T) result.Sample {
			return result.Sample{
				System: rapid.String().Draw(t, "system"), StraggleP: rapid.Float64Range(0, 1).Draw(t, "p"),
				Worker: rapid.IntRange(0, 1<<20).Draw(t, "worker"), Iteration: rapid.Int().Draw(t, "iteration"),
				Start: units.Time(rapid.Int64().Draw(t, "start")), End: units.Time(rapid.Int64().Draw(t, "end")),
				Delay: units.Duration(rapid.Int64().Draw(t, "delay")), Degraded: rapid.Int().Draw(t, "degraded"),
				Retransmits: rapid.Int().Draw(t, "retransmits"), Contributed: rapid.Bool().Draw(t, "contributed"),
				Loss: fraction.Draw(t, "loss"), Accuracy: fraction.Draw(t, "accuracy"),
			}
		})).Draw(t, "samples")
		text, err := samplesText(samples)
		if err != nil {
			t.Fatal(err)
		}
		got, err := ReadSamples(strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(append([]result.Sample(nil), samples...), got); len(samples) > 0 && diff != "" {
			t.Fatalf("-written +read:\n%s", diff)
		}
	})
}

// A training that diverged keeps its results.
func TestSamplesNotFinite(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	samples := []result.Sample{{System: "ring", Worker: 3, Iteration: 7, Loss: &nan}, {System: "ring", Worker: 4, Accuracy: &inf}, {System: "trioml"}}
	text, err := samplesText(samples)
	if !errors.Is(err, ErrNotFinite) || err.Error() != "sample of ring, worker 3, iteration 7: loss is NaN: not a finite number" {
		t.Errorf("error %v", err)
	}
	got, err := ReadSamples(strings.NewReader(text))
	if err != nil || len(got) != 3 || got[0].Loss != nil || got[1].Accuracy != nil {
		t.Errorf("read %+v, %v", got, err)
	}
	if samples[0].Loss != &nan {
		t.Error("the caller's sample was changed")
	}
}

func TestReadSamplesRefuses(t *testing.T) {
	good, err := samplesText([]result.Sample{{System: "ring"}})
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		good + "{}\n":                               "line 2 of the samples: schema_version is 0, this program reads 1",
		good + "\n":                                 "line 2 of the samples: EOF",
		`{"schema_version":1,"colour":"red"}`:       `line 1 of the samples: json: unknown field "colour"`,
		`{"schema_version":1} {}`:                   "line 1 of the samples: more than one object",
		`{"schema_version":1,"worker":"x"}`:         "line 1 of the samples: json: cannot unmarshal string",
		good + strings.Repeat("x", maxSampleLine+1): "line 2 of the samples: bufio.Scanner: token too long",
	} {
		if _, err := ReadSamples(strings.NewReader(text)); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("error %v, want %s", err, want)
		}
	}
}

func FuzzReadSamples(f *testing.F) {
	loss := 0.5
	text, err := samplesText([]result.Sample{{System: "ring", Loss: &loss}})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	f.Add("{}")
	f.Fuzz(func(t *testing.T, text string) {
		samples, err := ReadSamples(strings.NewReader(text))
		if err != nil {
			return
		}
		text, err = samplesText(samples)
		if err != nil {
			t.Fatal(err)
		}
		again, err := ReadSamples(strings.NewReader(text))
		if err != nil || !reflect.DeepEqual(samples, again) {
			t.Fatalf("%v became %v, %v", samples, again, err)
		}
	})
}

// COLUMNS.md describes the keys of a line in their order, and a line has those
// of a sample.
func TestSampleKeys(t *testing.T) {
	tags := func(of any) (out []string) {
		for f := range reflect.TypeOf(of).Fields() {
			out = append(out, f.Tag.Get("json"))
		}
		return out
	}
	var described []string
	for _, k := range sampleKeys {
		described = append(described, k.name)
	}
	if diff := cmp.Diff(tags(sampleLine{}), described); diff != "" {
		t.Errorf("-written +described:\n%s", diff)
	}
	if diff := cmp.Diff(tags(result.Sample{}), described[1:]); diff != "" {
		t.Errorf("-sample +line:\n%s", diff)
	}
}

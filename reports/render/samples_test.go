package render

import (
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/inalab/inalab/harness/result"
	"github.com/inalab/inalab/internal/units"
)

func samplesText(t *testing.T, samples []result.Sample) string {
	t.Helper()
	var b strings.Builder
	if err := WriteSamples(&b, samples); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestSamplesGolden(t *testing.T) {
	golden(t, "samples.jsonl", samplesText(t, cell("trioml", 0.16, 0.1).Samples[:12]))
	if text := samplesText(t, nil); text != "" {
		t.Errorf("no samples written as %q", text)
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
		var b strings.Builder
		if err := WriteSamples(&b, samples); err != nil {
			t.Fatal(err)
		}
		got, err := ReadSamples(strings.NewReader(b.String()))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(append([]result.Sample(nil), samples...), got); len(samples) > 0 && diff != "" {
			t.Fatalf("-written +read:\n%s", diff)
		}
	})
}

// A training that diverged keeps its results.
func TestWriteSamplesNotFinite(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	samples := []result.Sample{{System: "ring", Worker: 3, Iteration: 7, Loss: &nan}, {System: "ring", Worker: 4, Accuracy: &inf}, {System: "trioml"}}
	var b strings.Builder
	err := WriteSamples(&b, samples)
	if !errors.Is(err, ErrNotFinite) || err.Error() != "sample of ring, worker 3, iteration 7: loss is NaN: not a finite number" {
		t.Errorf("error %v", err)
	}
	got, err := ReadSamples(strings.NewReader(b.String()))
	if err != nil || len(got) != 3 || got[0].Loss != nil || got[1].Accuracy != nil {
		t.Errorf("read %+v, %v", got, err)
	}
	if samples[0].Loss != &nan {
		t.Error("the caller's sample was changed")
	}
	if err := WriteSamples(broken{}, samples[2:]); !errors.Is(err, errBroken) {
		t.Errorf("error %v", err)
	}
}

func TestReadSamplesRefuses(t *testing.T) {
	good := samplesText(t, []result.Sample{{System: "ring"}})
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
	var b strings.Builder
	if err := WriteSamples(&b, []result.Sample{{System: "ring", Loss: &loss}}); err != nil {
		f.Fatal(err)
	}
	f.Add(b.String())
	f.Add("{}")
	f.Fuzz(func(t *testing.T, text string) {
		samples, err := ReadSamples(strings.NewReader(text))
		if err != nil {
			return
		}
		again, err := ReadSamples(strings.NewReader(samplesText(t, samples)))
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

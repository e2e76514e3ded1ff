package render

import (
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/inalab/inalab/internal/golden"
	"github.com/inalab/inalab/internal/result"
)

// samplesText encodes samples as the stream of a results directory does. What is
// not finite is told in the error.
func samplesText(samples []result.Sample) (string, error) {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	lines, err := SampleLines(samples, Sampled{Seed: 3})
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
	if lines, err := SampleLines(nil, Sampled{Seed: 3}); len(lines) != 0 || err != nil {
		t.Errorf("no samples are %v, %v", lines, err)
	}
}

// A training that diverged keeps its results.
func TestSamplesNotFinite(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	samples := []result.Sample{{System: "ring", Worker: 3, Iteration: 7, Loss: &nan}, {System: "ring", Worker: 4, Accuracy: &inf}, {System: "trioml"}}
	text, err := samplesText(samples)
	if !errors.Is(err, ErrNotFinite) || err.Error() != "sample of ring, worker 3, iteration 7: loss is NaN: not a finite number" {
		t.Errorf("error %v", err)
	}
	if strings.Count(text, "\n") != 3 || strings.Count(text, `"loss":null,"accuracy":null`) != 3 {
		t.Errorf("lines\n%s", text)
	}
	if samples[0].Loss != &nan {
		t.Error("the caller's sample was changed")
	}
}

// COLUMNS.md describes the keys of a line in their order, and a line has those
// of a sample.
func TestSampleKeys(t *testing.T) {
	tags := func(of any) (out []string) {
		for f := range reflect.TypeOf(of).Fields() {
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			out = append(out, name)
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
	// The version comes before what a worker wrote, the lab and the point of a sweep after it, and the seed between.
	own := slices.DeleteFunc(described[1:len(described)-2], func(key string) bool { return key == "seed" })
	if diff := cmp.Diff(tags(result.Sample{}), own); diff != "" {
		t.Errorf("-sample +line:\n%s", diff)
	}
}

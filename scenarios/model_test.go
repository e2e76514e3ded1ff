package scenarios

import (
	"strings"
	"testing"

	"github.com/inalab/inalab/harness/system"
	"github.com/inalab/inalab/internal/units"
)

// A model of a size of one's own trains nothing, and has no time of compute unless it is given.
func TestModelBySize(t *testing.T) {
	s := load(t, "model={size: 3MB, compute: 5ms}", "scale=100", "stragglers.p=[0%]", "systems=[{system: ring}]")
	if s.Model.Name != "3MB" || s.Model.Size() != 3_000_000 || s.Model.Compute != 5*units.Millisecond {
		t.Errorf("model %+v", s.Model)
	}
	for _, virtual := range []bool{true, false} {
		jobs, err := s.Jobs(virtual)
		if err != nil {
			t.Fatal(err)
		}
		if j := jobs[0]; j.Trains() || !j.Exact || j.Params != 7500 || j.Workers()[0].Model.Replay.Elements != 7500 {
			t.Errorf("virtual %v: trains %v, exact %v, %d values", virtual, j.Trains(), j.Exact, j.Params)
		}
	}
	if s := load(t, "model.size=4KiB", "scale=1"); s.Model.Compute != 0 || s.Model.Size() != 4096 {
		t.Errorf("over a name: %+v", s.Model)
	}
	if s := load(t, "model={bytes: 4KiB, compute: 1ms}", "model.size=8KiB", "scale=1"); s.Model.Size() != 8192 || s.Model.Compute != units.Millisecond {
		t.Errorf("size over bytes: %+v", s.Model)
	}
	if s := load(t, "model={bytes: 100MB}", "model.compute=50ms"); s.Model.Size() != 100_000_000 || s.Model.Compute != 50*units.Millisecond || s.Model.Name != "100MB" {
		t.Errorf("bytes: %+v", s.Model)
	}
	if s := load(t, "model={size: 4KiB}", "model=vgg11", "scale=100"); s.Model.Name != "vgg11" || s.Model.Bytes != 0 {
		t.Errorf("a name over it: %+v", s.Model)
	}
}

// Sizes can be swept, and jobs have one each.
func TestModelsBySize(t *testing.T) {
	s := load(t, "sweep=[{model.size: [1MiB, 16MiB]}]", "scale=10", "stragglers.p=[0%]", "systems=[{system: ring}]",
		"jobs=[{hosts: [h0, h1]}, {hosts: [h2, h3], model: {size: 2MiB}}, {hosts: [h4, h5], model: resnet50}]")
	jobs, err := s.Jobs(true)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, j := range jobs {
		got = append(got, j.Model.Name)
		if j.Trains() != (j.Model.Name == "resnet50") {
			t.Errorf("%s trains: %v", j.Model.Name, j.Trains())
		}
	}
	if s := strings.Join(got, " "); s != "1MiB 2MiB resnet50 16MiB 2MiB resnet50" {
		t.Errorf("models %s", s)
	}
}

func TestModelsThatCannotBe(t *testing.T) {
	for set, want := range map[string]string{
		"model={compute: 1ms}":                         `--set model={compute: 1ms}: bytes are missing: write the size of the gradient, as in {bytes: 4MiB, compute: 0s}`,
		"model={size: 4}":                              `model.size: size "4" has no unit: write B, K, M, G (powers of 1024), KB, MB, GB (decimal), as in "4B"`,
		"model={size: 3B}":                             `model.size: 3B: allowed are 4B to 64GiB, as in 4MiB`,
		"model={size: 65GiB}":                          `model.size: 65GiB: allowed are 4B to 64GiB, as in 4MiB`,
		"model={size: 396B}":                           `model.size: 396B: not one value of 4 bytes is left of it at scale 100: write more, or a lower scale`,
		"model={size: 4MiB, compute: 1}":               `model.compute: time "1" has no unit: write s, ms, us, ns or ps, as in "1ms"`,
		"model={size: 4MiB, compute: 7200s}":           `model.compute: 7200s: allowed are times up to 3600s`,
		"model={bytes: 4MiB, size: 4MiB}":              `model.size: bytes and size are the same: leave one of the two out`,
		"model={bites: 4MiB}":                          `unknown key "bites"; did you mean "bytes"?`,
		"jobs=[{hosts: [h0, h1], model: {size: -1B}}]": `jobs[0].model.size: size "-1B" is negative: it must be zero or more`,
	} {
		_, err := Load(Source{Name: "test", Text: []byte(embedded(t)), Set: []string{"scale=100", set}}, system.All())
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s:\n got %v\nwant %s", set, err, want)
		}
	}
}

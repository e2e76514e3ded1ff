package main

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/inalab/inalab/internal/golden"
	"github.com/inalab/inalab/scenarios"
)

// One seed is one run on every machine: what these runs write is checked in. CI
// runs this test for linux/arm64, too, on an emulated processor.

// deterministic are runs of testdata/determinism/tiny.scenario.yaml.
var deterministic = []struct {
	name string
	set  []string
}{
	{"switchml256", []string{"systems=[{system: switchml256, topology: rack}]", "link.loss=1%"}},
	{"switchml64", []string{"systems=[{system: switchml64, topology: rack}]", "link.loss-every=300"}},
	{"switchml180", []string{"systems=[{system: switchml180, topology: rack}]", "link.loss=1%"}},
	{"trioml", []string{"systems=[{system: trioml, topology: rack}]"}},
	{"trioml-mx480", []string{"systems=[{system: trioml, topology: mx480}]", "hosts=4", "stragglers.semantics=every-server"}},
	{"ring", []string{"systems=[{system: ring, topology: rack}]", "link.loss=1%"}},
	{"ring-leaf-spine", []string{"systems=[{system: ring, topology: leaf-spine}]", "hosts=4"}},
	{"halving", []string{"systems=[{system: halving, topology: rack}]", "hosts=4", "link.loss=1%"}},
	{"ps", []string{"systems=[{system: ps, topology: rack}]"}},
	{"byteps", []string{"systems=[{system: byteps, topology: rack}]", "link.loss=1%"}},
	{"tcpagg", []string{"systems=[{system: tcpagg, topology: rack}]", "hosts=4", "link.loss=1%"}},
	{"atp", []string{"systems=[{system: atp, topology: rack}]", "link.loss=1%"}},
	{"atp-leaf-spine", []string{"systems=[{system: atp, topology: leaf-spine}]", "hosts=3", "link.loss=1%"}},
	{"atp-tree", []string{"systems=[{system: atp, topology: {generator: tree, depth: 2, fan-out: 2}}]", "hosts=3", "link.loss=1%", "atp.levels=all"}},
}

// virtualRun runs a scenario by the command line and returns its samples.jsonl.
func virtualRun(t *testing.T, scenario string, set ...string) string {
	t.Helper()
	out := t.TempDir()
	args := []string{"run", scenario, "--clock", "virtual", "--quiet", "--out", out}
	for _, s := range set {
		args = append(args, "--set", s)
	}
	var stdout, stderr bytes.Buffer
	if code := newApp(&stdout, &stderr, nil).execute(args); code != exitOK {
		t.Fatalf("exit code %d: %s", code, stderr.String())
	}
	text, err := os.ReadFile(filepath.Join(out, "latest", "samples.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Two runs write the same, and what is checked in; the sums are those files', for
// whoever wants to compare a run of their own.
func TestDeterministicSamples(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine, many times slower under the race detector, which short runs of others here exercise as well")
	}
	sums := make([]string, len(deterministic)) // of those that -run chose
	t.Run("runs", func(t *testing.T) {
		for i, c := range deterministic {
			t.Run(c.name, func(t *testing.T) {
				t.Parallel()
				sums[i] = determined(t, c.name, c.set)
			})
		}
	})
	if !slices.Contains(sums, "") {
		golden.Equal(t, "determinism/SHA256SUMS", strings.Join(sums, ""))
	}
}

// determined holds three runs against the file of their name, and returns its line of SHA256SUMS.
func determined(t *testing.T, name string, set []string) string {
	t.Helper()
	const scenario = "testdata/determinism/tiny.scenario.yaml"
	first := virtualRun(t, scenario, set...)
	if again := virtualRun(t, scenario, set...); again != first {
		t.Error("a second run of the seed differs")
	}
	file := name + ".samples.jsonl"
	golden.Equal(t, "determinism/"+file, first)
	if other := virtualRun(t, scenario, append(slices.Clone(set), "seed=8")...); other == first {
		t.Error("another seed gives the same run")
	}
	return fmt.Sprintf("%x  %s\n", sha256.Sum256([]byte(first)), file)
}

// hasActions reports whether a scenario does anything to processes.
func hasActions(t *testing.T, name string) bool {
	t.Helper()
	_, sets, err := prepareNamed(name, nil, runFlags{clock: "virtual", repeat: 1})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range sets {
		for _, j := range s.Jobs {
			if len(j.Actions) > 0 {
				return true
			}
		}
	}
	return false
}

// shortened is how scenarios run in the test: as short as their expectations allow. Those that are not
// here have one iteration; scenarios that do something to processes are as long as they are.
var shortened = map[string][]string{
	"atp-fig8":      {"iterations=1", "scale=1000", "sweep=[{variant: [others, n-to-n, n-to-1, atp]}]", "model=vgg16"},
	"congestion":    {"iterations=2"},
	"hetero":        {"iterations=1", "scale=400"},
	"hierarchy":     {"iterations=1", "scale=400"},
	"loss":          {"iterations=1", "scale=400", "sweep=[{link.burst: [none, 8]}, {link.loss: [0%, 0.01%, 1%]}]"},
	"microbench":    {"iterations=1", "scale=400", "sweep=[{model.size: [400MB, 10MB]}]"},
	"straggler":     {"iterations=1", "scale=400", "stragglers.p=[0%, 16%]"},
	"switchml-fig5": {"iterations=1", "scale=3000"},
	"tenants":       {"iterations=1", "sweep=[{atp.aggregators: [128, 0], switchml.pool: [43, 1]}]"},
	"xagg-fig1":     {"iterations=1", "scale=1000"},
	"xagg-fig13":    {"iterations=1", "sweep=[{model.size: [528MiB]}]"},
	"xagg-fig21":    {"scale=1000"},
}

// Every scenario of the catalogue runs under the virtual clock as it is, but for
// its length, and meets its expectations: the program answers 0.
func TestEveryScenarioRunsVirtually(t *testing.T) {
	for _, name := range scenarios.Names() {
		t.Run(name, func(t *testing.T) {
			short := shortened[name]
			if short == nil {
				short = []string{"iterations=1"} // of jobs that say no number of their own
			}
			if testing.Short() && name != "straggler" {
				t.Skip("one goroutine, many times slower under the race detector; one scenario of the catalogue is enough there")
			}
			acts := hasActions(t, name)
			if acts {
				short = nil // what is done to processes has its time
			}
			_, live, err := prepareNamed(name, short, runFlags{clock: "live", repeat: 1})
			if err != nil {
				t.Fatal(err)
			}
			samples := virtualRun(t, name, short...)
			want := 0
			for _, s := range live {
				for _, j := range s.Jobs {
					want += len(j.Hosts()) * j.Iterations
				}
			}
			got := strings.Count(samples, "\n")
			if got > want || got == 0 || got < want && !acts { // a job may end with a process
				t.Errorf("%d samples, want %d: one of each worker and iteration", got, want)
			}
		})
	}
}

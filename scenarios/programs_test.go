package scenarios

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/system"
)

// withPrograms is the straggler scenario with programs at its end.
func withPrograms(t *testing.T, programs string) (*Scenario, error) {
	t.Helper()
	return Load(Source{Name: "f.yaml", Text: []byte(embedded(t) + programs)}, system.All())
}

const twoPrograms = `programs:
  - {host: h0, command: [iperf3, --server]}
  - {host: h5, command: [iperf3, --client, 10.0.0.2]}
`

func TestPrograms(t *testing.T) {
	s, err := withPrograms(t, twoPrograms)
	if err != nil {
		t.Fatal(err)
	}
	want := []job.HostProgram{{Host: "h0", Command: []string{"iperf3", "--server"}}, {Host: "h5", Command: []string{"iperf3", "--client", "10.0.0.2"}}}
	if !reflect.DeepEqual(s.Programs, want) {
		t.Errorf("got %+v", s.Programs)
	}
	jobs, err := s.Jobs(false)
	if err != nil {
		t.Fatal(err)
	}
	for _, j := range jobs {
		if !reflect.DeepEqual(j.HostPrograms, want) {
			t.Errorf("%s on %s: programs %+v", j.System.Name(), j.Plan.Name, j.HostPrograms)
		}
	}
}

// The virtual clock refuses them by name, where they stand, before anything runs.
func TestVirtualClockRefusesPrograms(t *testing.T) {
	s, err := withPrograms(t, twoPrograms)
	if err != nil {
		t.Fatal(err)
	}
	const message = "programs[0].command: iperf3 on h0: a real program cannot run under the virtual clock, which only runs machines: run it live, or leave it out with --set 'programs=[]'"
	const quoted = "\n    - {host: h0, command: [iperf3, --server]}\n" + "                          ^"
	line := strings.Count(embedded(t), "\n") + 2
	want := fmt.Sprintf("f.yaml:%d:25: %s%s", line, message, quoted)
	_, err = s.Jobs(true)
	if got := errText(err); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	s, err = Load(Source{Name: "f.yaml", Text: []byte(embedded(t) + twoPrograms), Set: []string{"programs=[]"}}, system.All())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Jobs(true); err != nil {
		t.Errorf("without them: %v", err)
	}
}

func TestBadPrograms(t *testing.T) {
	for programs, want := range map[string]string{
		"programs: [{host: h6, command: [x]}]":             `programs[0].host: "h6": allowed are h0 to h5`,
		"programs: [{host: h05, command: [x]}]":            `programs[0].host: "h05": allowed are h0 to h5`,
		"programs: [{host: tor, command: [x]}]":            `programs[0].host: "tor": allowed are h0 to h5`,
		"programs: [{command: [x]}]":                       `"": allowed are h0 to h5`,
		"programs: [{host: h0}]":                           "no program: write it and its arguments, as in [iperf3, --client, 10.0.0.2]",
		"programs: [{host: h0, command: []}]":              "programs[0].command: no program: write it",
		`programs: [{host: h0, command: [""]}]`:            "programs[0].command: no program: write it",
		"programs: [{host: h0, run: x}]":                   `unknown key "run"`,
		"programs: [{host: h0, command: iperf3 --server}]": "a list is needed here, as in [a, b]",
	} {
		if _, err := withPrograms(t, programs); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", programs, err, want)
		}
	}
}

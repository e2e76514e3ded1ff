package toy_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/inalab/inalab/examples/toy"
	"github.com/inalab/inalab/harness"
	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/live"
	"github.com/inalab/inalab/harness/netns"
	"github.com/inalab/inalab/harness/node"
	"github.com/inalab/inalab/harness/system"
	"github.com/inalab/inalab/internal/pktio/netnstest"
	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
	"github.com/inalab/inalab/nodes/worker"
	"github.com/inalab/inalab/scenarios"
)

// systems is what a program that knows the toy gives to all who need a list.
func systems() []job.System { return append(system.All(), toy.System{}) }

// TestMain plays the process of a node where a live run starts one.
func TestMain(m *testing.M) {
	list := systems()
	if os.Getenv(envShort) != "" {
		list = system.All()
	}
	if code, ok := node.Main(os.Args, list); ok {
		os.Exit(code)
	}
	os.Exit(m.Run())
}

// envShort has the nodes of a live run do without the toy.
const envShort = "INALAB_TEST_WITHOUT_TOY"

const file = "toy.scenario.yaml"

func load(t *testing.T, set ...string) (*scenarios.Scenario, error) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return scenarios.Load(scenarios.Source{Name: file, Text: text, Set: set}, systems())
}

// jobOf lays the only job of the scenario out.
func jobOf(t *testing.T, virtual bool, set ...string) *job.Job {
	t.Helper()
	s, err := load(t, set...)
	if err != nil {
		t.Fatal(err)
	}
	jobs, err := s.Jobs(virtual)
	if err != nil || len(jobs) != 1 {
		t.Fatalf("%d jobs, %v", len(jobs), err)
	}
	return jobs[0]
}

// run runs a job and wants every delivered sum checked by the oracle, and right.
func run(t *testing.T, r harness.Runner, j *job.Job) result.Cell {
	t.Helper()
	cells, err := r.RunSet(t.Context(), job.Alone(j), func([]result.Sample) {})
	if err != nil {
		t.Fatal(err)
	}
	cell := cells[0]
	workers := len(j.Plan.Hosts)
	if want := uint64(workers * j.Iterations * j.Params); cell.Wrong != 0 || cell.Checked != want || want == 0 {
		t.Errorf("%d of %d elements wrong, want 0 of %d: %v", cell.Wrong, cell.Checked, want, cell.Notes)
	}
	if len(cell.Samples) != workers*j.Iterations {
		t.Errorf("%d samples of %d workers and %d iterations", len(cell.Samples), workers, j.Iterations)
	}
	return cell
}

func virtual(t *testing.T) harness.Virtual {
	t.Helper()
	images, err := worker.LoadImages()
	if err != nil {
		t.Fatal(err)
	}
	return harness.Virtual{Images: images}
}

// Under the virtual clock the toy trains, every sum is right, and takes exactly
// the time that its layout states.
func TestVirtual(t *testing.T) {
	for _, set := range [][]string{
		nil,
		{"hosts=7", "toy.values=10", "iterations=1", "scale=100000"},
		{"toy.values=2000", "stragglers.p=[50%]", "link.delay=3us"},
	} {
		j := jobOf(t, true, set...)
		cell := run(t, virtual(t), j)
		var end units.Time
		for _, s := range cell.Samples {
			end = max(end, s.End)
		}
		mean := units.Duration(end) / units.Duration(j.Iterations)
		if off := mean - cell.Expected; off < 0 || off > cell.Expected/1000 || cell.ExpectedIsBound {
			t.Errorf("%q: an iteration takes %v, expected %v", set, mean, cell.Expected)
		}
	}
}

// On real packets it comes to the same losses and the same messages.
func TestLive(t *testing.T) {
	netnstest.Require(t, netns.CanRoot())
	opt := live.Options{Lab: netns.NewLabName(), Logs: t.TempDir(), NetNS: netns.Options{StateDir: t.TempDir()}}
	onWire := run(t, harness.Live{Options: opt}, jobOf(t, false))
	simulated := run(t, virtual(t), jobOf(t, true))
	if diff := cmp.Diff(learned(simulated), learned(onWire)); diff != "" {
		t.Errorf("losses (-virtual +live):\n%s", diff)
	}
	if diff := cmp.Diff(messages(simulated), messages(onWire)); diff != "" || len(messages(onWire)) != 4 {
		t.Errorf("messages %v (-virtual +live):\n%s", messages(onWire), diff)
	}
	t.Logf("live: %s %v", onWire.Fidelity.Verdict, onWire.Fidelity.Reasons)
}

// A node whose program does not list the toy says so, and where the list is.
func TestNodesWithoutTheToy(t *testing.T) {
	netnstest.Require(t, netns.CanRoot())
	t.Setenv(envShort, "1")
	opt := live.Options{Lab: netns.NewLabName(), Logs: t.TempDir(), NetNS: netns.Options{StateDir: t.TempDir()}}
	_, err := harness.Live{Options: opt}.RunSet(t.Context(), job.Alone(jobOf(t, false)), func([]result.Sample) {})
	const want = `a switch: system "toy": allowed are ring, `
	if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "; add it to the list in harness/system/system.go, or to the one that the program gives to node.Main") {
		t.Errorf("got %v, want %s", err, want)
	}
}

// learned returns the loss of each worker and iteration.
func learned(cell result.Cell) map[string]string {
	out := map[string]string{}
	for _, s := range cell.Samples {
		out[fmt.Sprintf("worker %d iteration %d", s.Worker, s.Iteration)] = fmt.Sprintf("%x", *s.Loss)
	}
	return out
}

// messages returns what the toy counted, by node.
func messages(cell result.Cell) map[string]uint64 {
	out := map[string]uint64{}
	for _, c := range cell.Counters {
		if strings.Contains(c.Name, "toy-") {
			out[c.Node+" "+c.Name] += c.N
		}
	}
	return out
}

// The toy's knobs are as strict as anybody's, and without it in the list its
// section is unknown.
func TestScenario(t *testing.T) {
	for set, want := range map[string]string{
		"toy.values=0": "--set toy.values=0: 0: allowed are 1 to 2000",
		"toy.valeus=1": `--set toy.valeus=1: unknown key "valeus"; did you mean "values"?`,
	} {
		if _, err := load(t, set); err == nil || err.Error() != want {
			t.Errorf("got  %v\nwant %s", err, want)
		}
	}
	for set, want := range map[string]string{
		"systems=[{system: toy, topology: leaf-spine}]": "use rack or mx480",
		"systems=[{system: toy, topology: mx480}]":      "has a chassis of 6: use rack",
		"mtu=1500": "MTU 1500 of topology rack is below the 4036 bytes of a toy packet",
	} {
		s, err := load(t, "hosts=4", set)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Jobs(true); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", set, err, want)
		}
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := scenarios.Load(scenarios.Source{Name: file, Text: text}, system.All()); err == nil || !strings.Contains(err.Error(), `unknown key "toy"`) {
		t.Errorf("without the toy: %v", err)
	}
}

// What does not belong to the block at hand is counted, at either end, and
// changes nothing.
func TestUnexpectedPackets(t *testing.T) {
	j := jobOf(t, true)
	core, err := j.System.NewCore(j.Workers()[0].Core, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	program, err := j.System.NewEngine(j.Switches(0)[0].Programs[0], nil)
	if err != nil {
		t.Fatal(err)
	}
	packet := func(seq uint64, values int) []byte {
		return append(binary.BigEndian.AppendUint64(nil, seq), make([]byte, 4*values)...)
	}
	var in []sansio.Arrival
	for _, body := range [][]byte{nil, []byte("hello"), packet(7, 1000), packet(0, 999), packet(0, 1001)} {
		header := inet.UDPHeader(j.ToGroup(1))
		inet.SetUDPBody(header, len(body))
		in = append(in, sansio.Arrival{Train: sansio.Train{Header: header, Body: body}})
	}
	var eff sansio.Effects
	core.Handle(0, in, &eff)
	good := in[0]
	good.Train.Body = packet(0, 1000)
	stranger := good
	stranger.Port = 99
	program.Handle(0, append(in, stranger, good, good), &eff)
	if len(eff.Sends) != 0 {
		t.Errorf("%d sends", len(eff.Sends))
	}
	for counts, want := range map[*[]sansio.Count]uint64{ptr(core.Counters()): 5, ptr(program.Counters()): 7} {
		if !slices.Equal(*counts, []sansio.Count{{Name: "toy-unexpected", N: want}}) {
			t.Errorf("counted %v, want %d unexpected", *counts, want)
		}
	}
}

func ptr[T any](v T) *T { return &v }

// The example stays one that is read in a few minutes: host core, switch program,
// what joins them to the harness, and scenario.
func TestSizeOfTheExample(t *testing.T) {
	const most = 200
	lines := map[string]int{}
	for _, pattern := range []string{"*.go", "*.yaml"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range files {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			lines[name] = bytes.Count(text, []byte("\n"))
		}
	}
	sum := 0
	for _, name := range slices.Sorted(maps.Keys(lines)) {
		sum += lines[name]
	}
	if sum > most || len(lines) != 4 {
		t.Errorf("%d lines in %v, at most %d in 4 files", sum, lines, most)
	}
}

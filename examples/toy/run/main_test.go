package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"testing"

	"github.com/inalab/inalab/examples/toy"
	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/netns"
	"github.com/inalab/inalab/internal/pktio/netnstest"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/switchd/dataplane"
)

// envStart has the test binary play the program, and the nodes that it starts.
const envStart = "INALAB_TEST_TOY"

// What the program lists.
const (
	asShipped = "shipped"
	wrongSums = "wrong"
)

func TestMain(m *testing.M) {
	switch os.Getenv(envStart) {
	case asShipped:
		os.Exit(start(os.Args, systems()))
	case wrongSums:
		os.Exit(start(os.Args, []job.System{broken{}}))
	}
	os.Exit(m.Run())
}

// broken is the toy with a switch that gets every sum wrong.
type broken struct{ toy.System }

func (s broken) Configure(k job.Knobs) job.System { return broken{s.System.Configure(k).(toy.System)} }

func (s broken) NewEngine(text json.RawMessage, sink trace.Sink) (dataplane.Engine, error) {
	e, err := s.System.NewEngine(text, sink)
	return wrong{e}, err
}

type wrong struct{ dataplane.Engine }

func (w wrong) Handle(now units.Time, in []sansio.Arrival, eff *sansio.Effects) {
	w.Engine.Handle(now, in, eff)
	for i := range eff.Sends {
		body := eff.Sends[i].Train.Body
		body[len(body)-1] ^= 1
	}
}

// program runs the program from the top of the module, as its users do.
func program(t *testing.T, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	return play(t, asShipped, args...)
}

func play(t *testing.T, as string, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	cmd := exec.Command("/proc/self/exe", args...)
	cmd.Dir = "../../.."
	cmd.Env = append(os.Environ(), envStart+"="+as)
	var out, err bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &err
	if cmd.Run(); cmd.ProcessState == nil {
		t.Fatal("the program did not start")
	}
	return out.String(), err.String(), cmd.ProcessState.ExitCode()
}

func has(t *testing.T, text, want string) {
	t.Helper()
	if !bytes.Contains([]byte(text), []byte(want)) {
		t.Errorf("%s\nlacks %q", text, want)
	}
}

// An ordinary user runs the toy under the virtual clock: one seed, one table.
func TestVirtual(t *testing.T) {
	table, stderr, code := program(t, "--seed", "7")
	if code != 0 || stderr != "" {
		t.Errorf("code %d: %s", code, stderr)
	}
	has(t, table, "clock virtual, n 3, seed 7,")
	has(t, table, "| toy    | 0 | 167.0 ")
	has(t, table, "   0/114570 |")
	if again, _, _ := program(t, "--seed", "7"); again != table {
		t.Errorf("the same seed gives\n%s\nand then\n%s", table, again)
	}
}

func TestLive(t *testing.T) {
	netnstest.Require(t, netns.CanRoot())
	table, stderr, code := program(t, "--clock", "live")
	if code != 0 || stderr != "" {
		t.Errorf("code %d: %s", code, stderr)
	}
	has(t, table, "clock live, n 3, seed 1,")
	has(t, table, "   0/114570 |")
}

// A run with a wrong sum fails, and the table shows how many there were.
func TestWrongSums(t *testing.T) {
	table, stderr, code := play(t, wrongSums)
	if code != 1 {
		t.Errorf("code %d", code)
	}
	has(t, table, "/114570 |")
	has(t, stderr, "toy: toy at p=0%: ")
	has(t, stderr, " of 114570 delivered values are wrong; ")
}

func TestMistakes(t *testing.T) {
	for want, args := range map[string][]string{
		`--clock "real": allowed are virtual, live`:     {"--clock", "real"},
		`--set toy.values=0: 0: allowed are 1 to 2000`:  {"--set", "toy.values=0"},
		`systems[0].system: "toyy": allowed are ring, `: {"--set", "systems=[{system: toyy, topology: rack}]"},
		"open none.yaml: no such file":                  {"--scenario", "none.yaml"},
		`xagg, toy; did you mean "toy"?`:                {"--set", "systems=[{system: toyy, topology: rack}]"},
		"unknown flag: --sede":                          {"--sede", "2"},
	} {
		_, stderr, code := program(t, args...)
		if code != 2 {
			t.Errorf("%v: code %d", args, code)
		}
		has(t, stderr, want)
	}
}

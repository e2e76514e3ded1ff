package live

import (
	"bufio"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/journal"
	"github.com/inalab/inalab/harness/netns"
	"github.com/inalab/inalab/harness/system/ps"
	"github.com/inalab/inalab/harness/system/ring"
	"github.com/inalab/inalab/harness/system/switchml"
	"github.com/inalab/inalab/harness/system/trioml"
)

// processes returns the processes that a lab's journal names, by node.
func processes(t *testing.T, lab string, opt netns.Options) map[string]journal.Process {
	t.Helper()
	labs, err := netns.List(opt)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]journal.Process{}
	for _, l := range labs {
		for _, r := range l.Records {
			if l.Lab == lab && r.Kind == journal.KindProcess {
				out[r.Node] = *r.Process
			}
		}
	}
	return out
}

// A process that dies in mid-run ends the run, which says who it was; what the
// workers reported until then is kept, and nothing stays behind.
func TestDeathOfANodeEndsTheRun(t *testing.T) {
	for _, tc := range []struct {
		system                 job.System
		topology, victim, want string
	}{
		{trioml.System{}, "mx480", "h2", "worker h2 died (signal: killed) in mid-run"},
		{switchml.System{}, "rack", "tor", "switch tor died (signal: killed) in mid-run"},
		{ring.System{}, "rack", "h4", "worker h4 died (signal: killed) in mid-run"}, // whose neighbours notice it first
		{ps.System{}, "rack", "h1", "worker h1 died (signal: killed) in mid-run"},
		{ps.System{Dedicated: true}, "rack", "h7", "server h7 died (signal: killed) in mid-run"},
	} {
		t.Run(tc.victim+" of "+tc.system.Name(), func(t *testing.T) {
			opt := options(t)
			j := mustJob(t, scene{system: tc.system, topology: tc.topology, iterations: 10_000})
			run := start(t, t.Context(), j, opt)
			run.awaitTraining(t)
			victims := processes(t, opt.Lab, opt.NetNS)
			if want := 7 + j.Servers; len(victims) != want {
				t.Fatalf("the journal names %d processes, want %d: %v", len(victims), want, victims)
			}
			began := time.Now()
			if killed, err := victims[tc.victim].Kill(longEnough); !killed || err != nil {
				t.Fatalf("killed %v, %v", killed, err)
			}
			<-run.ended
			t.Logf("ended %v after the kill: %v", time.Since(began), run.err)
			if run.err == nil || !strings.Contains(run.err.Error(), tc.want) {
				t.Errorf("error %v, want %q", run.err, tc.want)
			}
			if errors.Is(run.err, ErrCleanup) {
				t.Error("it says that something is left")
			}
			if len(run.cell.Samples) == 0 || run.cell.Expected == 0 {
				t.Errorf("%d samples were kept of a run expected to take %v an iteration", len(run.cell.Samples), run.cell.Expected)
			}
			for node, p := range victims {
				if p.Alive() {
					t.Errorf("the process of %s lives on", node)
				}
			}
		})
	}
}

// A run that is told to end does so in order, and is told apart by its cause.
func TestCancelledRunCleansUp(t *testing.T) {
	opt := options(t)
	j := mustJob(t, scene{system: trioml.System{}, topology: "mx480", iterations: 10_000})
	ctx, interrupt := contextWithCause(t)
	run := start(t, ctx, j, opt)
	run.awaitTraining(t)
	interrupt(errInterrupted)
	<-run.ended
	if !errors.Is(run.err, errInterrupted) || len(run.cell.Samples) == 0 {
		t.Errorf("error %v with %d samples", run.err, len(run.cell.Samples))
	}
}

// Nothing outlives a harness that is killed but what its journal names, and a
// collection removes that.
func TestCollectionAfterTheHarnessWasKilled(t *testing.T) {
	opt := options(t)
	cmd := exec.Command("/proc/self/exe")
	cmd.Env = append(os.Environ(), envHarness+"="+opt.Lab, envState+"="+opt.NetNS.StateDir, envLogs+"="+opt.Logs)
	cmd.Stderr = os.Stderr
	said, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // it was, unless the test failed early
		_ = cmd.Wait()
	})
	if line, err := bufio.NewReader(said).ReadString('\n'); err != nil || line != "training\n" {
		t.Fatalf("the harness says %q, %v", line, err)
	}
	owned := processes(t, opt.Lab, opt.NetNS)
	if err := cmd.Process.Signal(unix.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err == nil {
		t.Fatal("the harness ended well")
	}
	left, err := filepath.Glob(netns.Path(opt.Lab, "*"))
	if err != nil || len(left) != 7 || len(owned) != 7 {
		t.Fatalf("nothing to collect: namespaces %v, processes %v, %v", left, owned, err)
	}
	report, err := netns.GC(opt.NetNS)
	if err != nil {
		t.Fatal(err)
	}
	if len(report.Collected) != 1 || report.Collected[0].Lab != opt.Lab || report.Collected[0].Namespaces != 7 || len(report.Kept) != 0 {
		t.Errorf("report %+v", report)
	}
	for node, p := range owned {
		if p.Alive() {
			t.Errorf("the process of %s lives on", node)
		}
	}
	if labs, err := netns.List(opt.NetNS); err != nil || len(labs) != 0 {
		t.Errorf("journals %v, %v", labs, err)
	}
	// The name is free again, and nothing of the old lab disturbs the new one.
	mustRun(t, mustJob(t, scene{system: switchml.System{}, topology: "rack"}), opt)
}

// Two labs run beside each other, and a name belongs to one of them.
func TestLabsSideBySide(t *testing.T) {
	needRoot(t)
	state := t.TempDir()
	one, two := options(t), options(t)
	one.NetNS.StateDir, two.NetNS.StateDir = state, state
	first := start(t, t.Context(), mustJob(t, scene{system: trioml.System{}, topology: "mx480", iterations: 12}), one)
	first.awaitTraining(t)
	_, err := RunJob(t.Context(), mustJob(t, scene{system: ring.System{}, topology: "rack"}), Options{Lab: one.Lab, Logs: two.Logs, NetNS: one.NetNS})
	if !errors.Is(err, journal.ErrInUse) || !strings.Contains(err.Error(), one.Lab) {
		t.Errorf("a second lab of the name: error %v", err)
	}
	j := mustJob(t, scene{system: switchml.System{}, topology: "rack"})
	mustRun(t, j, two)
	<-first.ended
	if first.err != nil {
		t.Fatal(first.err)
	}
	checkCell(t, mustJob(t, scene{system: trioml.System{}, topology: "mx480", iterations: 12}), first.cell)
}

// A configuration that a node refuses is told with the node's name and reason.
func TestNodeThatCannotStart(t *testing.T) {
	opt := options(t)
	j := mustJob(t, scene{system: trioml.System{Threads: -1}, topology: "mx480"})
	_, err := RunJob(t.Context(), j, opt)
	if err == nil || !strings.Contains(err.Error(), "switch mx480 failed") || !strings.Contains(err.Error(), "threads") {
		t.Errorf("error %v", err)
	}
	opt.Logs = filepath.Join(opt.Logs, "nowhere")
	_, err = RunJob(t.Context(), j, opt)
	if err == nil || !strings.Contains(err.Error(), "open its log") {
		t.Errorf("error %v", err)
	}
}

package live

import (
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/system/switchml"
	"github.com/inalab/inalab/internal/result"
	"github.com/inalab/inalab/internal/units"
)

// A run whose switch stood still, though nobody asked for it, is invalid whatever else was well: packets
// waited in its sockets, and no timer of its own need have been due.
func TestRunWithAStoppedSwitchIsInvalid(t *testing.T) {
	opt := options(t)
	j := mustJob(t, scene{system: switchml.System{}, topology: "rack", hosts: 2, iterations: 15, change: func(s *job.Spec) {
		s.Model.Compute = 120 * units.Millisecond
	}})
	run := start(t, t.Context(), j, opt)
	run.awaitTraining(t)
	tor := processes(t, opt.Lab, opt.NetNS)["tor"].PID
	if err := unix.Kill(tor, unix.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	<-time.After(3 * time.Second)
	if err := unix.Kill(tor, unix.SIGCONT); err != nil {
		t.Fatal(err)
	}
	<-run.ended
	f := run.cell.Fidelity
	t.Log(run.err, f.Verdict, f.Reasons)
	if run.err != nil || f.Verdict != result.Invalid || !strings.Contains(strings.Join(f.Reasons, "\n"), "tor: stood still for ") {
		t.Errorf("error %v, %s: %q", run.err, f.Verdict, f.Reasons)
	}
}

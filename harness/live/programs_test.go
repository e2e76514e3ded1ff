package live

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/inalab/inalab/harness/job"
	"github.com/inalab/inalab/harness/system/switchml"
)

// withPrograms is a job of seconds beside which programs run: long enough for
// those that end by themselves.
func withPrograms(programs ...job.HostProgram) scene {
	return scene{
		system: switchml.System{}, topology: "rack", hosts: 2, iterations: 60,
		change: func(s *job.Spec) { s.HostPrograms = programs },
	}
}

func shell(host, script string) job.HostProgram {
	return job.HostProgram{Host: host, Command: []string{"sh", "-c", script}}
}

// Real programs run in the namespaces of their hosts as long as the job does:
// their packets cross the switch, what they print is in logs, how they ended is
// noted, and nothing of them is left, whatever they do.
func TestProgramsRunBesideTheJob(t *testing.T) {
	opt := options(t)
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	there := netip.AddrPortFrom(mustJob(t, withPrograms()).Plan.Hosts[1].Addr.Addr(), 7).String()
	j := mustJob(t, withPrograms(
		job.HostProgram{Host: "h0", Command: []string{exe, roleCall, there}},
		job.HostProgram{Host: "h1", Command: []string{exe, roleAnswer, there}},
		shell("h1", "echo complains >&2; exit 3"),
		shell("h1", "setsid sleep 1000 & echo started a daemon"),
		shell("h0", "trap '' TERM; exec sleep 1000"),
	))
	cell := mustRun(t, j, opt)
	for log, want := range map[string]string{
		"h0-program.log":   "answer: hello across the switch\n",
		"h1-program-2.log": "complains\ninalab: sh ended: exit status 3\n",
		"h1-program-3.log": "started a daemon\ninalab: sh ended: exit status 0\n",
		"h0-program-2.log": "inalab: sh ended: signal: killed\n",
	} {
		text, err := os.ReadFile(filepath.Join(opt.Logs, log))
		if err != nil || !strings.Contains(string(text), want) {
			t.Errorf("%s: %v: %q, want %q", log, err, text, want)
		}
	}
	for _, want := range []string{
		"program " + exe + " on h0 ended by itself: exit status 0 (its output: h0-program.log)",
		"program " + exe + " on h1 ended by itself: exit status 0 (its output: h1-program.log)",
		"program sh on h1 ended by itself: exit status 3 (its output: h1-program-2.log)",
		"program sh on h1 ended by itself: exit status 0 (its output: h1-program-3.log)",
		"program sh on h0 was ended with the run: signal: killed (its output: h0-program-2.log)",
	} {
		if !slices.Contains(cell.Notes, want) {
			t.Errorf("notes %q lack %q", cell.Notes, want)
		}
	}
	if len(j.Layout.Notes) == len(cell.Notes) {
		t.Error("the notes of the layout have grown")
	}
}

// Parts of a test binary that is a program on a host.
const (
	roleCall   = "call"   // says hello to an address and prints the answer
	roleAnswer = "answer" // answers there
)

// playProgram plays the part that the arguments ask for; ok is false where they
// ask for none.
func playProgram(args []string) (ok bool, err error) {
	if len(args) != 3 {
		return false, nil
	}
	switch args[1] {
	case roleCall:
		return true, call(args[2])
	case roleAnswer:
		return true, answer(args[2])
	}
	return false, nil
}

// call tries until somebody is there: programs start in any order.
func call(addr string) error {
	for deadline := time.Now().Add(longEnough); ; {
		c, err := net.Dial("tcp", addr)
		if err == nil {
			_, err = c.Write([]byte("hello across the switch"))
			err = errors.Join(err, c.(*net.TCPConn).CloseWrite())
			text, readErr := io.ReadAll(c)
			fmt.Printf("answer: %s\n", text)
			return errors.Join(err, readErr, c.Close())
		}
		if !errors.Is(err, syscall.ECONNREFUSED) || time.Now().After(deadline) {
			return err
		}
	}
}

func answer(addr string) error {
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return err
	}
	c, err := l.Accept()
	if err != nil {
		return err
	}
	_, err = io.Copy(c, c)
	return errors.Join(err, c.Close(), l.Close())
}

// A program that cannot be started ends the run before it begins.
func TestProgramThatIsMissing(t *testing.T) {
	opt := options(t)
	_, err := RunJob(t.Context(), mustJob(t, withPrograms(job.HostProgram{Host: "h1", Command: []string{"no-such-program"}})), opt)
	if err == nil || !strings.Contains(err.Error(), `program h1 failed: exec: "no-such-program": executable file not found in $PATH: install it, or give its path`) {
		t.Errorf("got %v", err)
	}
}

// Under the virtual clock there is no kernel to run them.
func TestProgramsNeedALiveRun(t *testing.T) {
	s := withPrograms(shell("h1", "true"))
	live := s.change
	s.change = func(spec *job.Spec) {
		live(spec)
		spec.Virtual = true
	}
	if _, err := newJob(s); !errors.Is(err, job.ErrRealProgram) || !strings.Contains(err.Error(), "sh on h1: a real program cannot run under the virtual clock") {
		t.Errorf("got %v", err)
	}
	s.change = func(spec *job.Spec) { spec.HostPrograms = []job.HostProgram{shell("h2", "true")} }
	if _, err := newJob(s); err == nil || !strings.Contains(err.Error(), "sh on h2: topology rack has no such host, its hosts are h0 to h1") {
		t.Errorf("got %v", err)
	}
}

package proc

import (
	"bufio"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/containernetworking/plugins/pkg/ns"
	"golang.org/x/sys/unix"

	"github.com/inalab/inalab/harness/journal"
	"github.com/inalab/inalab/internal/pktio/netnstest"
)

// recorder is a journal in memory.
type recorder struct {
	mu      sync.Mutex
	records []journal.Record
	err     error
}

func (r *recorder) Add(records ...journal.Record) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.records = append(r.records, records...)
	return r.err
}

// supervise returns a supervisor and checks at the end that nothing is left of
// it: no process, no descriptor, no goroutine.
func supervise(t *testing.T, cfg Config) *Supervisor {
	t.Helper()
	goroutines, files := runtime.NumGoroutine(), openFiles(t)
	s := NewSupervisor(cfg)
	t.Cleanup(func() {
		if err := s.Close(0); err != nil {
			t.Error(err)
		}
		if n := len(children(t)); n != 0 {
			t.Errorf("%d children left", n)
		}
		tick := time.NewTicker(time.Millisecond)
		defer tick.Stop()
		for deadline := time.Now().Add(patience); runtime.NumGoroutine() > goroutines || !slices.Equal(openFiles(t), files); <-tick.C {
			if time.Now().After(deadline) {
				t.Errorf("left: %d goroutines of %d, files %v of %v", runtime.NumGoroutine(), goroutines, openFiles(t), files)
				return
			}
		}
	})
	return s
}

func openFiles(t *testing.T) []string {
	t.Helper()
	links, err := filepath.Glob("/proc/self/fd/*")
	if err != nil {
		t.Fatal(err)
	}
	return slices.DeleteFunc(links, func(l string) bool {
		target, err := os.Readlink(l)
		return err != nil || target == "anon_inode:[eventpoll]" || target == "anon_inode:[eventfd]"
	})
}

func children(t *testing.T) []string {
	t.Helper()
	tasks, err := filepath.Glob("/proc/self/task/*/children")
	if err != nil {
		t.Fatal(err)
	}
	var pids []string
	for _, f := range tasks {
		text, _ := os.ReadFile(f) // a thread that has ended has no children
		pids = append(pids, strings.Fields(string(text))...)
	}
	return pids
}

func start(t *testing.T, s *Supervisor, spec Spec) *Process {
	t.Helper()
	if spec.Config == nil {
		spec.Config = nodeConfig{}
	}
	spec.Node = "h3"
	spec.Log = filepath.Join(t.TempDir(), "h3.log")
	p, err := s.Start(t.Context(), spec)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func startReady(t *testing.T, s *Supervisor, spec Spec) *Process {
	t.Helper()
	p := start(t, s, spec)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if err := p.WaitReady(ctx); err != nil {
		t.Fatal(err)
	}
	return p
}

func send(t *testing.T, p *Process, c Command) {
	t.Helper()
	if err := p.Send(c); err != nil {
		t.Fatal(err)
	}
}

func expectError(t *testing.T, err error, parts ...string) {
	t.Helper()
	if err == nil {
		t.Fatal("no error")
	}
	for _, part := range parts {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("error lacks %q: %v", part, err)
		}
	}
}

func TestRun(t *testing.T) {
	rec := &recorder{}
	s := supervise(t, Config{Journal: rec})
	const samples = 3 * reportBuffer // more than wait: the child has to
	p := startReady(t, s, Spec{Kind: "worker", Config: nodeConfig{Samples: samples, Pad: strings.Repeat("x", 1<<20)}})
	if len(rec.records) != 1 || rec.records[0].Process.PID != p.PID() || rec.records[0].Node != "h3" {
		t.Errorf("journal %+v", rec.records)
	}
	send(t, p, Command{Name: CommandStart, EpochNS: 1700000000123456789})
	n := 0
	for r := range p.Reports() {
		if r.Kind != ReportSample || decode[int](t, r) != n {
			t.Fatalf("report %d is %+v", n, r)
		}
		n++
	}
	if err := p.Wait(); err != nil {
		t.Fatal(err)
	}
	var result nodeResult
	if ok, err := p.Result(&result); !ok || err != nil {
		t.Fatal(ok, err)
	}
	own, _ := os.Readlink("/proc/self/ns/net")
	if want := (nodeResult{NetNS: own, EpochNS: 1700000000123456789, Pad: 1 << 20}); n != samples || result != want {
		t.Errorf("%d samples, result %+v, want %d, %+v", n, result, samples, want)
	}
}

func TestRunsInItsNamespace(t *testing.T) {
	netnstest.RequireRoot(t)
	s := supervise(t, Config{})
	target, err := ns.TempNetNS()
	if err != nil {
		t.Fatal(err)
	}
	defer target.Close()
	path := "/proc/self/fd/" + strconv.Itoa(int(target.Fd()))
	inside, err := os.Readlink(path)
	if err != nil {
		t.Fatal(err)
	}
	own, err := os.Readlink("/proc/self/ns/net")
	if err != nil {
		t.Fatal(err)
	}
	// The second one shows that the thread came back.
	for _, tt := range []struct{ netns, want string }{{path, inside}, {"", own}, {path, inside}} {
		p := startReady(t, s, Spec{Kind: "worker", NetNS: tt.netns})
		send(t, p, Command{Name: CommandStart})
		if err := p.Wait(); err != nil {
			t.Fatal(err)
		}
		var result nodeResult
		if _, err := p.Result(&result); err != nil || result.NetNS != tt.want {
			t.Errorf("ran in %s, want %s: %v", result.NetNS, tt.want, err)
		}
	}
}

func TestStopIsGraceful(t *testing.T) {
	s := supervise(t, Config{})
	p := startReady(t, s, Spec{Kind: "waiting", Config: nodeConfig{Samples: 2}})
	send(t, p, Command{Name: CommandStart})
	for i := range 2 {
		if r := <-p.Reports(); decode[int](t, r) != i {
			t.Fatalf("report %+v", r)
		}
	}
	if err := p.Stop(patience); err != nil {
		t.Fatal(err)
	}
	var result nodeResult
	if ok, err := p.Result(&result); !ok || err != nil || result.Cause != ErrStopped.Error() {
		t.Errorf("result %+v, %v, %v", result, ok, err)
	}
	if err := errors.Join(p.Wait(), p.Stop(patience)); err != nil {
		t.Error(err)
	}
}

func TestStopKillsAfterGrace(t *testing.T) {
	s := supervise(t, Config{})
	p := startReady(t, s, Spec{Kind: "stubborn"})
	send(t, p, Command{Name: CommandStart})
	if r := <-p.Reports(); decode[string](t, r) != "no" {
		t.Fatalf("report %+v", r)
	}
	expectError(t, p.Stop(100*time.Millisecond), "stubborn h3 did not stop within 100ms and was killed")
	if err := p.Wait(); err != nil {
		t.Error(err)
	}
}

// A stopped process may have filled the pipe with reports that nobody reads.
func TestStopWithUnreadReports(t *testing.T) {
	s := supervise(t, Config{})
	const samples = 20 * reportBuffer
	p := startReady(t, s, Spec{Kind: "waiting", Config: nodeConfig{Samples: samples}})
	send(t, p, Command{Name: CommandStart})
	if err := p.Stop(patience); err != nil {
		t.Fatal(err)
	}
	n := 0
	for range p.Reports() {
		n++
	}
	if n < reportBuffer || n > samples {
		t.Errorf("%d reports of %d", n, samples)
	}
}

func TestMisbehaviour(t *testing.T) {
	tests := []struct {
		kind string
		died bool
		want []string
	}{
		{"crash", true, []string{"crash h3 died (exit status 2) in mid-run", "h3.log ends with", "panic: out of luck"}},
		{"failing", false, []string{"failing h3 failed: link eth0 went away", "is empty"}},
		{"lacking", false, []string{"lacking h3 failed: h3: no XDP here"}},
		{"garbage", false, []string{"garbage h3 sent a bad report", `"not a report"`}},
	}
	for _, tt := range tests {
		t.Run(tt.kind, func(t *testing.T) {
			s := supervise(t, Config{})
			p := startReady(t, s, Spec{Kind: tt.kind})
			_ = p.Send(Command{Name: CommandStart}) // it may have ended by now
			expectError(t, p.Wait(), tt.want...)
			if lacks := IsLacking(p.Wait()); lacks != (tt.kind == "lacking") {
				t.Errorf("lacks something: %v", lacks)
			}
			if p.Died() != tt.died {
				t.Errorf("died %v, want %v", !tt.died, tt.died)
			}
		})
	}
}

// A child that gives up at once has ended before or after it was sent its
// config: the error is the same, from Start or from WaitReady.
func TestEarlyEnd(t *testing.T) {
	s := supervise(t, Config{})
	p, err := s.Start(t.Context(), Spec{Node: "h3", Kind: "early", Config: nodeConfig{}, Log: filepath.Join(t.TempDir(), "h3.log")})
	if err == nil {
		err = p.WaitReady(t.Context())
	}
	expectError(t, err, "early h3 died (exit status 3) before it was ready", "no such card")
}

func TestKilledInMidRun(t *testing.T) {
	s := supervise(t, Config{})
	p := startReady(t, s, Spec{Kind: "waiting"})
	if err := unix.Kill(p.PID(), unix.SIGKILL); err != nil {
		t.Fatal(err)
	}
	<-p.Exited()
	if !p.Died() {
		t.Error("it did not die")
	}
	expectError(t, p.Wait(), "waiting h3 died (signal: killed) in mid-run; its log ")
	expectError(t, p.Send(Command{Name: CommandStart}), "send start to waiting h3")
}

func TestUnknownConfigKey(t *testing.T) {
	s := supervise(t, Config{})
	p := start(t, s, Spec{Kind: "worker", Config: map[string]int{"sampels": 1}})
	expectError(t, p.WaitReady(t.Context()), "decode config of worker h3", `"sampels"`)
}

func TestNotReadyInTime(t *testing.T) {
	s := supervise(t, Config{})
	p := start(t, s, Spec{Kind: "mute"})
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("had enough"))
	expectError(t, p.WaitReady(ctx), "mute h3 is not ready: had enough")
}

func TestBadStarts(t *testing.T) {
	s := supervise(t, Config{Journal: &recorder{err: errors.New("disk full")}})
	log := filepath.Join(t.TempDir(), "log")
	tests := []struct {
		spec Spec
		want string
	}{
		{Spec{Kind: "worker", Log: log}, "has no node"},
		{Spec{Node: "h3", Log: log}, "h3 has no kind"},
		{Spec{Node: "h3", Kind: "worker"}, "worker h3 has no log"},
		{Spec{Node: "h3", Kind: "worker", Log: "/nowhere/log"}, "open its log"},
		{Spec{Node: "h3", Kind: "worker", Log: log, NetNS: "/run/netns/nowhere"}, "open its network namespace"},
		{Spec{Node: "h3", Kind: "worker", Log: log, NetNS: "/dev/null"}, "enter its network namespace"},
		{Spec{Node: "h3", Kind: "worker", Log: log, Config: strings.Repeat("x", MaxLine)}, "is longer than"},
		{Spec{Node: "h3", Kind: "waiting", Log: log}, "disk full"},
	}
	for _, tt := range tests {
		_, err := s.Start(t.Context(), tt.spec)
		expectError(t, err, tt.want)
	}
	closed := NewSupervisor(Config{})
	if err := errors.Join(closed.Close(0), closed.Close(0)); err != nil {
		t.Fatal(err)
	}
	_, err := closed.Start(t.Context(), Spec{Node: "h3", Kind: "worker", Log: log})
	expectError(t, err, "supervisor is closed")
}

func TestNoSuchProgram(t *testing.T) {
	s := supervise(t, Config{Exe: "/nowhere/inalab"})
	_, err := s.Start(t.Context(), Spec{Node: "h3", Kind: "worker", Log: filepath.Join(t.TempDir(), "log")})
	expectError(t, err, "start worker h3", "/nowhere/inalab")
}

func TestCloseStopsAll(t *testing.T) {
	s := supervise(t, Config{})
	var procs []*Process
	for range 4 {
		procs = append(procs, startReady(t, s, Spec{Kind: "waiting"}))
	}
	if err := s.Close(patience); err != nil {
		t.Fatal(err)
	}
	for _, p := range procs {
		if err := p.Wait(); err != nil {
			t.Error(err)
		}
	}
}

// The exit of a child is noticed though its own child lives on.
func TestGrandchildHoldsNoPipe(t *testing.T) {
	s := supervise(t, Config{})
	p := startReady(t, s, Spec{Kind: "parent"})
	grandchild := decode[int](t, <-p.Reports())
	send(t, p, Command{Name: CommandStart})
	if err := p.Wait(); err != nil {
		t.Fatal(err)
	}
	_ = unix.Kill(grandchild, unix.SIGKILL)
}

func TestChildrenDieWithTheHarness(t *testing.T) {
	cmd := exec.Command("/proc/self/exe")
	cmd.Env = append(os.Environ(), envHarness+"="+filepath.Join(t.TempDir(), "log"))
	cmd.Stderr = os.Stderr
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer stdin.Close()
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(line))
	if err != nil {
		t.Fatal(err)
	}
	fd, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fd)
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	n, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, int(patience.Milliseconds()))
	for errors.Is(err, unix.EINTR) {
		n, err = unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, int(patience.Milliseconds()))
	}
	if n != 1 || err != nil {
		t.Fatalf("child %d outlives the harness: %v", pid, err)
	}
}

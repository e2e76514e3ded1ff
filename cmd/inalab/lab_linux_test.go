package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"

	"github.com/inalab/inalab/harness/journal"
	"github.com/inalab/inalab/harness/netns"
)

// labPage is the page whose tour is run here.
const labPage = "../../docs/lab.md"

// labUser is a way to have a lab: with root, or in a user namespace.
type labUser struct {
	name string
	as   func() *syscall.SysProcAttr
}

var labUsers = []labUser{
	{"root", func() *syscall.SysProcAttr { return nil }},
	{"user", ordinary},
	{"unshare", func() *syscall.SysProcAttr { // unshare --user --map-root-user --net --mount
		return &syscall.SysProcAttr{
			Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS | syscall.CLONE_NEWNET,
			UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Geteuid(), Size: 1}},
			GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getegid(), Size: 1}},
		}
	}},
}

// labDir makes a directory for a user's lab, with this program as "inalab" in bin.
func labDir(t *testing.T, as *syscall.SysProcAttr) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "inalab-lab-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	self, err := os.Executable()
	if err == nil {
		err = errors.Join(os.Mkdir(filepath.Join(dir, "bin"), 0o755), os.Mkdir(filepath.Join(dir, "state"), 0o700), os.Chmod(dir, 0o755))
	}
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(dir, "bin", "inalab")
	if as != nil && as.Credential != nil { // who cannot look into the directory of the test
		copyProgram(t, self, program)
		id := int(as.Credential.Uid)
		err = errors.Join(os.Chown(dir, id, id), os.Chown(filepath.Join(dir, "state"), id, id))
	} else {
		err = os.Symlink(self, program)
	}
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func copyProgram(t *testing.T, from, to string) {
	t.Helper()
	text, err := os.ReadFile(from)
	if err == nil {
		err = os.WriteFile(to, text, 0o755)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// inShell runs a script in the directory of a lab.
func inShell(dir string, as *syscall.SysProcAttr, script string) *exec.Cmd {
	cmd := exec.Command("bash", "-c", script)
	cmd.Dir, cmd.SysProcAttr = dir, as
	cmd.Env = append(os.Environ(), "PATH="+filepath.Join(dir, "bin")+":"+os.Getenv("PATH"), journal.EnvRoot+"="+filepath.Join(dir, "state"), "HOME="+dir)
	return cmd
}

// The tour of the page runs as it stands there, with root and without. A machine that is too busy to
// believe the times of the run is no fault of the lab's.
func TestLabTour(t *testing.T) {
	needRoot(t)
	page, err := os.ReadFile(labPage)
	if err != nil {
		t.Fatal(err)
	}
	block := regexp.MustCompile("(?s)```sh\n(.*?)```").FindSubmatch(page)
	lines := strings.Split(strings.TrimSpace(string(block[1])), "\n")
	if len(lines) != 10 {
		t.Fatalf("the tour has %d lines, and promises ten", len(lines))
	}
	for i, u := range labUsers {
		t.Run(u.name, func(t *testing.T) {
			if i > 0 {
				longLive(t)
			}
			as := u.as()
			dir := labDir(t, as)
			script := "set -e\n"
			for _, line := range lines {
				if strings.HasPrefix(line, "inalab run") {
					line += fmt.Sprintf(" || test $? = %d", exitInvalid)
				}
				script += strings.ReplaceAll(line, "tour", "tour-"+u.name) + "\n"
			}
			out, err := inShell(dir, as, script).CombinedOutput()
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			for _, want := range []string{
				"2 packets transmitted, 2 received", "iperf Done.", "| h0:eth0 | ", " 2ms |     0s |   1% |", "lab tour-" + u.name + " is down",
				`\| trioml .* 0/[1-9]`, `\| switchml256 .* 0/[1-9]`,
			} {
				if !regexp.MustCompile(strings.ReplaceAll(want, "| h0", `\| h0`)).MatchString(string(out)) && !strings.Contains(string(out), want) {
					t.Errorf("%q is missing in\n%s", want, out)
				}
			}
			nothingOf(t, dir, "tour-"+u.name)
		})
	}
}

// longLive leaves a test of a live lab out where short ones are wanted: make test runs it as root.
func longLive(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("a live lab for many seconds")
	}
}

// nothingOf checks that nothing is left of a lab.
func nothingOf(t *testing.T, dir, lab string) {
	t.Helper()
	if left, err := filepath.Glob(filepath.Join(dir, "state", "*", "*")); err != nil || len(left) > 0 {
		t.Errorf("left in the state directory: %q, %v", left, err)
	}
	if left, err := filepath.Glob(netns.Path(lab, "*")); err != nil || len(left) > 0 {
		t.Errorf("left namespaces: %q, %v", left, err)
	}
}

// upLab brings a rack of two hosts up.
func upLab(t *testing.T, lab string) (dir string) {
	t.Helper()
	needRoot(t)
	dir = labDir(t, nil)
	t.Cleanup(func() { _ = inShell(dir, nil, "inalab down "+lab+"; inalab gc").Run() })
	must(t, dir, "inalab generate rack --hosts 2 | inalab up - --name "+lab)
	return dir
}

// must runs a script that must end well, and returns what it says.
func must(t *testing.T, dir, script string) string {
	t.Helper()
	out, err := inShell(dir, nil, script).CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", script, err, out)
	}
	return string(out)
}

// entryOf returns the journal of the only lab of a directory.
func entryOf(t *testing.T, dir string) journal.Entry {
	t.Helper()
	labs, err := journal.List(journal.Config{Root: filepath.Join(dir, "state")})
	if err != nil || len(labs) != 1 {
		t.Fatalf("labs %v, %v", labs, err)
	}
	return labs[0]
}

// A lab whose owner is killed takes all its processes with it, and is collected.
func TestLabOwnerIsKilled(t *testing.T) {
	lab := netns.NewLabName()
	dir := upLab(t, lab)
	must(t, dir, "inalab exec h0 -- sh -c 'sleep 1000 >/dev/null 2>&1 &'")
	e := entryOf(t, dir)
	if killed, err := e.Owner.Process.Kill(20 * time.Second); !killed || err != nil {
		t.Fatalf("killed %v, %v", killed, err)
	}
	if out := must(t, dir, "inalab gc"); !strings.Contains(out, "removed lab "+lab+": 3 namespaces") {
		t.Errorf("gc says %s", out)
	}
	for _, r := range e.Records {
		if r.Kind == journal.KindProcess && r.Process.Alive() {
			t.Errorf("process %d of %s lives", r.Process.PID, r.Node)
		}
	}
	nothingOf(t, dir, lab)
}

// A switch that is killed is dead in inspect and in the events; the lab goes on, and goes down.
func TestLabSwitchIsKilled(t *testing.T) {
	lab := netns.NewLabName()
	dir := upLab(t, lab)
	for _, r := range entryOf(t, dir).Records {
		if r.Kind == journal.KindProcess && r.Node == "tor" {
			if killed, err := r.Process.Kill(20 * time.Second); !killed || err != nil {
				t.Fatalf("killed %v, %v", killed, err)
			}
		}
	}
	must(t, dir, `for i in $(seq 200); do inalab events | grep -q '"event":"switch-ended","node":"tor"' && exit 0; done; exit 1`)
	out := must(t, dir, "inalab inspect; inalab exec h0 -- hostname; inalab link set h0 loss=1% || echo code $?; inalab down")
	for _, want := range []string{"| tor  | switch | dead  |", "\nh0\n", "switch tor, which models", "code 1", "is down"} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is missing in\n%s", want, out)
		}
	}
	nothingOf(t, dir, lab)
}

// A client that is killed takes its program with it.
func TestLabClientIsKilled(t *testing.T) {
	lab := netns.NewLabName()
	dir := upLab(t, lab)
	must(t, dir, `inalab exec h0 -- sleep 1000 & c=$!
until inalab events | grep -q '"event":"program-started".*"sleep"'; do :; done
kill -9 $c
for i in $(seq 200); do inalab events | grep -q '"event":"program-ended".*"sleep"' && exit 0; done; exit 1`)
	must(t, dir, "inalab down")
	nothingOf(t, dir, lab)
}

// A run that is killed gives the lab's switches back.
func TestLabRunIsKilled(t *testing.T) {
	lab := netns.NewLabName()
	dir := upLab(t, lab)
	must(t, dir, `inalab run straggler --lab `+lab+` --set hosts=2 --set iterations=2000 --set 'stragglers.p=[0%]' --set 'systems=[{system: switchml256}]' >/dev/null 2>&1 & c=$!
until inalab events | grep -q '"event":"run-began"'; do :; done
kill -9 $c
for i in $(seq 300); do inalab events | grep -q '"event":"run-ended"' && exit 0; done; exit 1`)
	if out := must(t, dir, "inalab exec h0 -- ping -q -c 3 h1; inalab down"); strings.Contains(out, " 0 received") {
		t.Error(out)
	}
	nothingOf(t, dir, lab)
}

// Interrupted at any moment, "inalab up" leaves a lab that is whole, or nothing.
func TestLabUpIsInterrupted(t *testing.T) {
	needRoot(t)
	dir := labDir(t, nil)
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	must(t, dir, "inalab generate rack --hosts 4 > lab.topo.yaml")
	for i, s := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGKILL, syscall.SIGINT} {
		lab := fmt.Sprintf("%s%d", netns.NewLabName(), i)
		cmd := inShell(dir, nil, "exec inalab up lab.topo.yaml --name "+lab)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		<-time.After(time.Duration(random.Int64N(int64(300 * time.Millisecond)))) // the moment is what is tested
		_ = cmd.Process.Signal(s)
		err := cmd.Wait()
		must(t, dir, `for i in $(seq 300); do inalab down `+lab+` 2>/dev/null; test -e state/0/`+lab+` || exit 0; done; exit 1`)
		if left, globErr := filepath.Glob(netns.Path(lab, "*")); globErr != nil || len(left) > 0 {
			t.Errorf("%v, up: %v: left %q", s, err, left)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "state", "0")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("state is left: %v", err)
	}
}

// With several labs a command needs a name, and says which there are; each goes down alone.
func TestSeveralLabs(t *testing.T) {
	lab := netns.NewLabName()
	dir := upLab(t, lab+"-a")
	must(t, dir, "inalab generate rack --hosts 2 | inalab up - --name "+lab+"-b")
	for command, how := range map[string]string{"inalab inspect": byArgument, "inalab exec h0 true": byFlag, "inalab link show": byFlag, "inalab down": byArgument} {
		out := must(t, dir, command+" 2>&1; test $? = 2")
		if want := fmt.Sprintf("inalab: 2 labs run: choose one of %s-a, %s-b with %s\n", lab, lab, how); out != want {
			t.Errorf("%s: %s, want %s", command, out, want)
		}
	}
	must(t, dir, "inalab down "+lab+"-a; inalab exec h1 -- ping -q -c 1 h0; inalab down")
	nothingOf(t, dir, lab+"-a")
	nothingOf(t, dir, lab+"-b")
}

// The lab of a run stays with --keep, and can be used.
func TestRunKeepsItsLab(t *testing.T) {
	needRoot(t)
	lab, dir := netns.NewLabName(), labDir(t, nil)
	out := must(t, dir, `inalab run straggler --keep --lab `+lab+` --topo rack --set hosts=2 --set iterations=2 --set scale=2000 --set 'stragglers.p=[0%]' \
 --set 'systems=[{system: switchml256}]' || test $? = 4
inalab exec h0 -- ping -q -c 1 h1; inalab down`)
	for _, want := range []string{"lab " + lab + " stays up", "0/", "1 received", "lab " + lab + " is down"} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is missing in\n%s", want, out)
		}
	}
	nothingOf(t, dir, lab)
}

// On a disk that is full no lab comes up, and nothing is left; a lab that is up when its disk becomes full
// goes on, and goes down.
func TestLabOnAFullDisk(t *testing.T) {
	needRoot(t)
	lab, dir := netns.NewLabName(), labDir(t, nil)
	out := must(t, dir, `inalab generate rack --hosts 2 > lab.topo.yaml
unshare --mount bash -c 'set -e
mount -t tmpfs -o size=4k,mode=700 none state
inalab up lab.topo.yaml --name `+lab+` && exit 1
test -z "$(ls state)"; test -z "$(ls /run/netns | grep `+lab+`)"
umount state; mount -t tmpfs -o size=400k,mode=700 none state
inalab up lab.topo.yaml --name `+lab+` > /dev/null
! dd if=/dev/zero of=state/full bs=4k 2>/dev/null
inalab exec h0 -- ping -q -c 1 h1
inalab link set h0 loss=1% | grep 1%
inalab down
ls state'`)
	for _, want := range []string{"no space left on device", "1 received", "is down\nfull\n"} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is missing in\n%s", want, out)
		}
	}
	nothingOf(t, dir, lab)
}

// A shell on a terminal has one of its own, with job control, on its host; and its exit code is kept.
func TestLabShellOnATerminal(t *testing.T) {
	lab := netns.NewLabName()
	dir := upLab(t, lab)
	cmd := inShell(dir, nil, "SHELL=/bin/sh exec inalab shell h1")
	terminal, err := pty.Start(cmd)
	if err != nil {
		t.Fatal(err)
	}
	defer terminal.Close()
	if _, err := terminal.WriteString("set -m; tty; hostname; exit 5\n"); err != nil {
		t.Fatal(err)
	}
	var said strings.Builder
	_, _ = io.Copy(&said, terminal) // ends with an error when the shell does
	_ = cmd.Wait()
	for _, want := range []string{"h1 (" + lab + ")# ", "/dev/pts/", "\nh1\r"} {
		if !strings.Contains(said.String(), want) {
			t.Errorf("%q is missing in %q", want, said.String())
		}
	}
	if code := cmd.ProcessState.ExitCode(); code != 5 {
		t.Errorf("exit code %d", code)
	}
	must(t, dir, "inalab down")
	nothingOf(t, dir, lab)
}

// Watching shows tables until the lab is down, and following events to the last one.
func TestLabIsWatched(t *testing.T) {
	lab := netns.NewLabName()
	dir := upLab(t, lab)
	out := must(t, dir, `inalab events -f > events & e=$!
inalab inspect --watch --every 100ms > tables & w=$!
until test $(grep -c "links of lab" tables) -gt 2; do :; done
inalab down; wait $e; echo events $?; wait $w; echo tables $?; tail -n 1 events`)
	for _, want := range []string{"events 0\n", "tables 0\n", `"event":"down"`} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is missing in\n%s", want, out)
		}
	}
	nothingOf(t, dir, lab)
}

package netns

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// nobody is an ordinary user. Assumed: the number is nobody's on every distribution.
const nobody = 65534

// withoutRoot are ways to start a process that cannot make namespaces as it is.
func withoutRoot(t *testing.T) map[string]func(*exec.Cmd) {
	t.Helper()
	if err := CanUserNamespace(); err != nil {
		t.Skip(err)
	}
	ways := map[string]func(*exec.Cmd){
		// As "unshare -Urn" does: root that may not mount.
		"root of a user namespace": func(cmd *exec.Cmd) {
			cmd.SysProcAttr = inNamespaces()
			cmd.SysProcAttr.Cloneflags &^= unix.CLONE_NEWNS
		},
	}
	switch {
	case os.Geteuid() != 0:
		ways["ordinary user"] = func(*exec.Cmd) {}
	case everyUserIsMapped(t): // else nobody is not there
		ways["ordinary user"] = func(cmd *exec.Cmd) {
			cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
		}
	}
	return ways
}

func everyUserIsMapped(t *testing.T) bool {
	t.Helper()
	ids, err := os.ReadFile("/proc/self/uid_map")
	if err != nil {
		t.Fatal(err)
	}
	return strings.Contains(string(ids), "4294967295")
}

// clean is an environment in which only the user id says where journals go.
func clean(cmd *exec.Cmd, tmp string) {
	cmd.Env = append(cmd.Env, "TMPDIR="+tmp, "XDG_RUNTIME_DIR=", "SUDO_UID=", "SUDO_GID=", "INALAB_STATE_DIR=", "INALAB_CALLER=", "INALAB_USERNS=")
}

func openTempDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "inalab-test-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	if err := os.Chmod(dir, 0o1777); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestRootless(t *testing.T) {
	for name, configure := range withoutRoot(t) {
		t.Run(name, func(t *testing.T) {
			lab := NewLabName()
			checkLeaks(t, lab)
			tmp := openTempDir(t)
			cmd := exec.Command("/proc/self/exe", lab)
			cmd.Env = append(os.Environ(), envRole+"="+roleRootless)
			clean(cmd, tmp)
			configure(cmd)
			stdout, stderr := &strings.Builder{}, &strings.Builder{}
			cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader("through stdin"), stdout, stderr
			err := cmd.Run()
			if _, exited := errors.AsType[*exec.ExitError](err); !exited {
				t.Fatal(err)
			}
			if cmd.ProcessState.ExitCode() != roleExit || stderr.String() != "through stdin" {
				t.Fatalf("%v, stdout %q, stderr %q", cmd.ProcessState, stdout, stderr)
			}
			uid := os.Geteuid()
			if cmd.SysProcAttr != nil && cmd.SysProcAttr.Credential != nil {
				uid = nobody
			}
			id := strconv.Itoa(uid)
			if want := filepath.Join(tmp, "inalab-"+id, id, lab) + " " + id + "\n"; stdout.String() != want {
				t.Errorf("journal %q, want %q", stdout, want)
			}
			if left, _ := filepath.Glob(filepath.Join(tmp, "*")); len(left) != 0 {
				t.Errorf("left: %v", left)
			}
		})
	}
}

// The lab of a killed run dies with its processes; only the journal is left to
// collect, from outside.
func TestRootlessKilled(t *testing.T) {
	for name, configure := range withoutRoot(t) {
		t.Run(name, func(t *testing.T) {
			lab := NewLabName()
			checkLeaks(t, lab)
			tmp := openTempDir(t)
			cmd, line := startRole(t, roleRootless, func(cmd *exec.Cmd) {
				clean(cmd, tmp)
				configure(cmd)
			}, lab)
			dir, _, _ := strings.Cut(line, " ")
			root := filepath.Dir(filepath.Dir(dir))
			if err := cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			_ = cmd.Wait()
			if os.Geteuid() == 0 { // GC trusts only journals of its own user
				giveAway(t, root)
			}
			opts := Options{StateDir: root}
			eventually(t, "the run inside dies too", func() bool {
				stale, err := Stale(opts)
				return err == nil && len(stale) == 1
			})
			report, err := GC(opts)
			if err != nil || len(report.Collected) != 1 || report.Collected[0].Lab != lab {
				t.Fatalf("report %+v, %v", report, err)
			}
		})
	}
}

func giveAway(t *testing.T, root string) {
	t.Helper()
	if err := os.Chown(root, 0, 0); err != nil {
		t.Fatal(err)
	}
}

func TestSignalsReachTheInside(t *testing.T) {
	configure := withoutRoot(t)["root of a user namespace"]
	checkLeaks(t)
	cmd, _ := startRole(t, roleSignal, func(cmd *exec.Cmd) {
		clean(cmd, openTempDir(t))
		configure(cmd)
	})
	if err := cmd.Process.Signal(unix.SIGTERM); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	if cmd.ProcessState.ExitCode() != roleExit {
		t.Fatalf("%v, want exit code %d", cmd.ProcessState, roleExit)
	}
}

func TestFixIsNamed(t *testing.T) {
	dir := t.TempDir()
	write := func(name, value string) {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(value+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	expect := func(err error, want string) {
		t.Helper()
		if got := userNamespaceFix(dir, err); !strings.Contains(got, want) {
			t.Errorf("fix %q, want %q in it", got, want)
		}
	}
	expect(unix.EPERM, "--privileged")
	expect(unix.ENOSPC, "raise user.max_user_namespaces")
	write("user/max_user_namespaces", "0")
	expect(unix.ENOSPC, "sysctl -w user.max_user_namespaces=15000")
	write("kernel/apparmor_restrict_unprivileged_userns", "1")
	expect(unix.EPERM, "sysctl -w kernel.apparmor_restrict_unprivileged_userns=0")
	write("kernel/unprivileged_userns_clone", "0")
	expect(unix.EPERM, "sysctl -w kernel.unprivileged_userns_clone=1")
}

package journal

import (
	"bufio"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// envRole makes the test binary play a part instead of running tests.
const envRole = "JOURNAL_TEST_ROLE"

func TestMain(m *testing.M) {
	switch os.Getenv(envRole) {
	case "claim": // holds a lab until it is killed
		if _, err := Claim(os.Args[1], Config{Root: os.Args[2]}); err != nil {
			os.Stdout.WriteString(err.Error() + "\n")
			os.Exit(1)
		}
		fallthrough
	case "wait":
		os.Stdout.WriteString("up\n")
		_, _ = os.Stdin.Read(make([]byte, 1))
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// play starts the test binary in a role and waits for its first line.
func play(t *testing.T, role string, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command("/proc/self/exe", args...)
	cmd.Env = append(os.Environ(), envRole+"="+role)
	if _, err := cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { end(cmd) })
	if line, err := bufio.NewReader(stdout).ReadString('\n'); err != nil || line != "up\n" {
		t.Fatalf("%s: %q, %v", role, line, err)
	}
	return cmd
}

func end(cmd *exec.Cmd) {
	_ = cmd.Process.Kill() // it may have ended
	_ = cmd.Wait()
}

func claim(t *testing.T, lab, root string) *Journal {
	t.Helper()
	j, err := Claim(lab, Config{Root: root})
	if err != nil {
		t.Fatal(err)
	}
	return j
}

func list(t *testing.T, root string) []Entry {
	t.Helper()
	entries, err := List(Config{Root: root})
	if err != nil {
		t.Fatal(err)
	}
	return entries
}

func collectNothing(t *testing.T, root string) []Entry {
	t.Helper()
	entries, err := Collect(Config{Root: root}, func(e Entry) error {
		t.Errorf("collects %s", e.Lab)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return entries
}

func TestLifeOfAJournal(t *testing.T) {
	root := filepath.Join(t.TempDir(), "state")
	if entries := list(t, root); len(entries) != 0 {
		t.Fatalf("before: %v", entries)
	}
	j := claim(t, "one", root)
	want := []Record{Namespace("h1", "/p/h1"), Namespace("h2", "/p/h2"), Started("h1", Process{PID: 7, Start: 8})}
	if err := errors.Join(j.Add(), j.Add(want[:2]...), j.Add(want[2])); err != nil {
		t.Fatal(err)
	}
	entries := list(t, root)
	if len(entries) != 1 || entries[0].State != Live || entries[0].Owner.PID != os.Getpid() || entries[0].Lab != "one" || j.lab != "one" {
		t.Fatalf("entries %+v", entries)
	}
	if diff := cmp.Diff(want, entries[0].Records); diff != "" {
		t.Error(diff)
	}
	wantDir := filepath.Join(root, strconv.Itoa(CurrentCaller().UID), "one")
	if j.Dir() != wantDir || entries[0].Dir != wantDir {
		t.Errorf("directory %s, %s, want %s", j.Dir(), entries[0].Dir, wantDir)
	}
	collectNothing(t, root)
	if err := errors.Join(j.Release(), j.Release(), j.Abandon()); err != nil {
		t.Fatal(err)
	}
	if err := j.Add(want...); err == nil {
		t.Error("writes after release")
	}
	if _, err := os.Stat(root); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the empty root is left: %v", err)
	}
}

// Claims and releases of many labs at once, each removing the root if it is the
// last, never lose one another.
func TestManyLabsAtOnce(t *testing.T) {
	root := filepath.Join(t.TempDir(), "state")
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for range 20 {
				lab := "lab" + strconv.Itoa(i)
				j, err := Claim(lab, Config{Root: root})
				if err == nil {
					_, err = os.Stat(filepath.Join(j.Dir(), fileName))
					err = errors.Join(err, j.Release())
				}
				if err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
	if _, err := os.Stat(root); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the empty root is left: %v", err)
	}
}

func TestNameIsTaken(t *testing.T) {
	root := t.TempDir()
	owner := play(t, "claim", "one", root)
	_, err := Claim("one", Config{Root: root})
	if !errors.Is(err, ErrInUse) || !strings.Contains(err.Error(), "lab one") || !strings.Contains(err.Error(), strconv.Itoa(owner.Process.Pid)) {
		t.Errorf("error %v", err)
	}
	claim(t, "two", root) // another name is free
	end(owner)
	_, err = Claim("one", Config{Root: root})
	if !errors.Is(err, ErrInUse) || !strings.Contains(err.Error(), "inalab gc") {
		t.Errorf("error %v", err)
	}
}

// Labs of two users share /run/netns, so they may not share a name.
func TestNameIsTakenByAnotherUser(t *testing.T) {
	root := t.TempDir()
	t.Setenv(EnvCaller, "4001:4001")
	claim(t, "one", root)
	t.Setenv(EnvCaller, "4002:4002")
	if _, err := Claim("one", Config{Root: root}); !errors.Is(err, ErrInUse) {
		t.Errorf("error %v", err)
	}
}

func TestCollectOnlyWhatIsStale(t *testing.T) {
	root := t.TempDir()
	dead, live := play(t, "claim", "dead", root), play(t, "claim", "live", root)
	collectNothing(t, root)
	end(dead)
	var collected []string
	failing := func(e Entry) error {
		collected = append(collected, e.Lab)
		return errors.New("cannot")
	}
	entries, err := Collect(Config{Root: root}, failing)
	if len(entries) != 2 || len(collected) != 1 || collected[0] != "dead" || err == nil || !strings.Contains(err.Error(), "collect lab dead: cannot") {
		t.Fatalf("collected %v of %+v, %v", collected, entries, err)
	}
	// What could not be removed stays in the books.
	entries, err = Collect(Config{Root: root}, func(Entry) error { return nil })
	if len(entries) != 2 || err != nil {
		t.Fatalf("%+v, %v", entries, err)
	}
	left := list(t, root)
	if len(left) != 1 || left[0].Lab != "live" || left[0].State != Live || left[0].Owner.PID != live.Process.Pid {
		t.Errorf("left %+v", left)
	}
	claim(t, "dead", root)
}

// Each proof of life suffices alone.
func TestProofsOfLife(t *testing.T) {
	root := t.TempDir()
	j := claim(t, "one", root)
	if err := j.Abandon(); err != nil { // no lock, but the process lives
		t.Fatal(err)
	}
	if e := list(t, root)[0]; e.State != Live {
		t.Errorf("without the lock: %v", e.State)
	}
	file := filepath.Join(j.Dir(), fileName)
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	rewrite := func(from, to string) {
		t.Helper()
		changed := strings.Replace(string(text), from, to, 1)
		if changed == string(text) {
			t.Fatalf("%q is not in %s", from, text)
		}
		if err := os.WriteFile(file, []byte(changed), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	rewrite(`"start":`, `"start":9`) // the pid was used again
	if e := list(t, root)[0]; e.State != Stale || !e.Survives() {
		t.Errorf("another start time: %v, survives %v", e.State, e.Survives())
	}
	held, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer held.Close()
	if err := holdLock(held); err != nil {
		t.Fatal(err)
	}
	if e := list(t, root)[0]; e.State != Live {
		t.Errorf("with the lock alone: %v", e.State)
	}
	if err := held.Close(); err != nil {
		t.Fatal(err)
	}
	rewrite(`"boot":"`, `"boot":"x`) // an earlier boot
	if e := list(t, root)[0]; e.State != Stale || e.Survives() {
		t.Errorf("another boot: %v, survives %v", e.State, e.Survives())
	}
}

func TestDamagedJournals(t *testing.T) {
	tests := []struct {
		name, text string
		want       State
	}{
		{"empty", "", Stale},               // killed before the first line
		{"cut off", `{"kind":"own`, Stale}, // killed within it
		{"garbage", "hello\n", Unknown},
		{"no owner", `{"kind":"namespace","path":"/p"}` + "\n", Unknown},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			root := t.TempDir()
			dir := filepath.Join(root, "0", "one")
			if err := os.MkdirAll(dir, 0o755); err != nil {
				t.Fatal(err)
			}
			if e := list(t, root)[0]; e.State != Stale {
				t.Errorf("no journal: %v", e.State)
			}
			if err := os.WriteFile(filepath.Join(dir, fileName), []byte(tt.text), 0o644); err != nil {
				t.Fatal(err)
			}
			e := list(t, root)[0]
			if e.State != tt.want || (e.Err != nil) != (tt.want == Unknown) {
				t.Errorf("%v, %v, want %v", e.State, e.Err, tt.want)
			}
			if tt.want == Unknown {
				collectNothing(t, root)
			}
		})
	}
}

func TestUntrustedRootIsRefused(t *testing.T) {
	root := t.TempDir()
	if err := os.Chmod(root, 0o777); err != nil {
		t.Fatal(err)
	}
	if _, err := Claim("one", Config{Root: root}); err == nil || !strings.Contains(err.Error(), "writable by others") {
		t.Errorf("claim: %v", err)
	}
	if _, err := Collect(Config{Root: root}, func(Entry) error { return nil }); err == nil {
		t.Error("collects from it")
	}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(t.TempDir(), link); err != nil {
		t.Fatal(err)
	}
	if _, err := Claim("one", Config{Root: link}); err == nil || !strings.Contains(err.Error(), "is not a directory") {
		t.Errorf("claim by a link: %v", err)
	}
	nowhere := filepath.Join(t.TempDir(), "nowhere")
	if err := os.Symlink(filepath.Join(nowhere, "x"), nowhere); err != nil {
		t.Fatal(err)
	}
	if _, err := Claim("one", Config{Root: nowhere}); err == nil {
		t.Error("claims by a link to itself")
	}
}

func TestKillByIdentity(t *testing.T) {
	cmd := play(t, "wait")
	id, err := Identify(cmd.Process.Pid)
	if err != nil || !id.Alive() {
		t.Fatal(id, err)
	}
	other := Process{PID: id.PID, Start: id.Start + 1}
	if killed, err := other.Kill(time.Second); killed || err != nil || !id.Alive() {
		t.Fatalf("another start time: killed %v, %v", killed, err)
	}
	if killed, err := id.Kill(10 * time.Second); !killed || err != nil {
		t.Fatalf("killed %v, %v", killed, err)
	}
	if id.Alive() { // a zombie until the cleanup waits for it
		t.Error("alive")
	}
	if killed, err := id.Kill(time.Second); killed || err != nil {
		t.Errorf("killed a dead one: %v, %v", killed, err)
	}
	end(cmd)
	if killed, err := id.Kill(time.Second); killed || err != nil {
		t.Errorf("killed a reaped one: %v, %v", killed, err)
	}
}

func TestCaller(t *testing.T) {
	for text, want := range map[string]Caller{"5:6": {5, 6}, "5:": {5, 5}, "5": {5, 5}} {
		if got, ok := parseCaller(text); !ok || got != want {
			t.Errorf("%q is %v, %v", text, got, ok)
		}
	}
	for _, text := range []string{"", ":", "x:1", "-1:1", "99999999999:1"} {
		if got, ok := parseCaller(text); ok {
			t.Errorf("%q is %v", text, got)
		}
	}
	t.Setenv(EnvCaller, "7:8")
	t.Setenv("SUDO_UID", "1")
	if got := CurrentCaller(); got != (Caller{7, 8}) || got.String() != "7:8" {
		t.Error(got)
	}
}

func TestSudoCaller(t *testing.T) {
	t.Setenv(EnvCaller, "")
	t.Setenv("SUDO_UID", "4001")
	t.Setenv("SUDO_GID", "4002")
	want := Caller{4001, 4002}
	if os.Geteuid() != 0 { // only root is believed
		want = Caller{os.Getuid(), os.Getgid()}
	}
	if got := CurrentCaller(); got != want {
		t.Errorf("caller %v, want %v", got, want)
	}
}

func TestOuterID(t *testing.T) {
	file := filepath.Join(t.TempDir(), "uid_map")
	if err := os.WriteFile(file, []byte("         0       1000          1\n         1     100000      65536\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for inside, outside := range map[int]int{0: 1000, 1: 100000, 65536: 165535, 65537: 65537} {
		if got := outerID(file, inside); got != outside {
			t.Errorf("%d is %d outside, want %d", inside, got, outside)
		}
	}
}

func TestChown(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if os.Geteuid() != 0 || inUserNamespace() {
		if err := (Caller{4001, 4002}).Chown(file); err != nil {
			t.Errorf("not root: %v", err)
		}
		return
	}
	if err := (Caller{4001, 4002}).Chown(file); err != nil {
		t.Fatal(err)
	}
	st, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	if sys := st.Sys().(*syscall.Stat_t); sys.Uid != 4001 || sys.Gid != 4002 {
		t.Errorf("owner %d:%d", sys.Uid, sys.Gid)
	}
	if err := (Caller{4001, 4002}).Chown(file + "x"); err == nil {
		t.Error("no error for a file that is not there")
	}
}

func TestRootDirectory(t *testing.T) {
	t.Setenv(EnvRoot, "")
	t.Setenv(EnvCaller, "4001:4001")
	private, tmp := t.TempDir(), t.TempDir()
	t.Setenv("TMPDIR", tmp)
	t.Setenv("XDG_RUNTIME_DIR", private)
	expect := func(rooted bool, want string) {
		t.Helper()
		if got := Root(rooted); got != want {
			t.Errorf("root %s, want %s", got, want)
		}
	}
	expect(true, "/run/inalab")
	expect(false, private+"/inalab")
	t.Setenv("XDG_RUNTIME_DIR", filepath.Join(private, "nowhere"))
	expect(false, tmp+"/inalab-4001")
	t.Setenv(EnvRoot, "/elsewhere")
	expect(true, "/elsewhere")
	expect(false, "/elsewhere")
}

func TestLabNames(t *testing.T) {
	for _, name := range []string{"a", "0", "a-b", strings.Repeat("a", MaxLabName)} {
		if err := CheckLab(name); err != nil {
			t.Error(err)
		}
	}
	for _, name := range []string{"", "-a", "A", "a b", "a/b", "..", strings.Repeat("a", MaxLabName+1)} {
		if err := CheckLab(name); err == nil {
			t.Errorf("%q is allowed", name)
		}
	}
}

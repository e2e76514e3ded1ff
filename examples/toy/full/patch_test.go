package full_test

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The program with the toy in its list, as the guide makes it: files that are added, and
// one line of the list.

const root = "../../.."

// The list, and the line that goes before the end of it.
const (
	list    = "harness/system/system.go"
	newLine = "\t\ttoy(),\n"
	listEnd = "\t}\n}\n"
)

// patched returns the files that the patch adds or changes, by path in the module. The
// toy stands where other systems stand; only its import path changes.
func patched(t *testing.T) map[string]string {
	t.Helper()
	files := map[string]string{"harness/system/toy.go": read(t, "testdata/harness/system/toy.go")}
	for _, dir := range []string{"examples/toy", "examples/toy/full"} {
		names, err := filepath.Glob(filepath.Join(root, dir, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			if !strings.HasSuffix(name, "_test.go") {
				to := strings.Replace(dir, "examples", "harness/system", 1) + "/" + filepath.Base(name)
				files[to] = strings.ReplaceAll(read(t, name), "inalab/examples/toy", "inalab/harness/system/toy")
			}
		}
	}
	text := read(t, filepath.Join(root, list))
	if !strings.HasSuffix(text, listEnd) {
		t.Fatalf("%s does not end with the list", list)
	}
	files[list] = strings.TrimSuffix(text, listEnd) + newLine + listEnd
	return files
}

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// The patch changes one line of one file that is there.
func TestPatchChangesOneLine(t *testing.T) {
	var existing []string
	for name, text := range patched(t) {
		old, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			continue
		}
		existing = append(existing, name)
		if before, after := strings.Count(string(old), "\n"), strings.Count(text, "\n"); after != before+1 || strings.Replace(text, newLine, "", 1) != string(old) {
			t.Errorf("%s: more than a line has changed", name)
		}
	}
	if !slices.Equal(existing, []string{list}) {
		t.Errorf("the patch changes %q, want %s alone", existing, list)
	}
}

// overlay writes the patch as the go command takes it, and returns the file.
func overlay(t *testing.T, dir string) string {
	t.Helper()
	top, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	replace := map[string]string{}
	for name, text := range patched(t) {
		copied := filepath.Join(dir, strings.ReplaceAll(name, "/", "_"))
		replace[filepath.Join(top, name)] = copied
		if err := os.WriteFile(copied, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(name, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// build builds the patched program.
func build(t *testing.T) program {
	t.Helper()
	dir, err := os.MkdirTemp("", "inalab-test-") // a socket's path has to be short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	p := program{t: t, exe: filepath.Join(dir, "inalab"), state: filepath.Join(dir, "state")}
	if err := os.Mkdir(p.state, fs.FileMode(0o700)); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{"cmd/inalab", "harness/job", "reports/bench"} { // go test does not see what go build reads
		names, _ := filepath.Glob(filepath.Join(root, dir, "*.go"))
		for _, name := range names {
			_ = read(t, name)
		}
	}
	cmd := exec.CommandContext(t.Context(), "go", "build", "-overlay", overlay(t, dir), "-o", p.exe, "./cmd/inalab")
	cmd.Dir = root
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return p
}

// program is the patched program, with a state directory of its own.
type program struct {
	t          *testing.T
	exe, state string
}

func (p program) command(args ...string) *exec.Cmd {
	cmd := exec.CommandContext(p.t.Context(), p.exe, args...)
	cmd.Env = append(os.Environ(), "INALAB_STATE_DIR="+p.state)
	cmd.Dir = filepath.Dir(p.state)
	return cmd
}

// says runs a command that must end well, and wants parts of its output.
func (p program) says(args []string, want ...string) {
	p.t.Helper()
	var stderr bytes.Buffer
	cmd := p.command(args...)
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		p.t.Errorf("inalab %v: %v\n%s", args, err, stderr.String())
		return
	}
	for _, part := range want {
		if !strings.Contains(string(out), part) {
			p.t.Errorf("inalab %v:\n%s\nlacks %q", args, out, part)
		}
	}
}

// refuses runs a command that must not.
func (p program) refuses(args []string, want string) {
	p.t.Helper()
	if out, err := p.command(args...).CombinedOutput(); err == nil || !strings.Contains(string(out), want) {
		p.t.Errorf("inalab %v: %v\n%s\nlacks %q", args, err, out, want)
	}
}

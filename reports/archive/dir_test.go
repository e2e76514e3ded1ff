package archive

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/inalab/inalab/internal/result"
)

// started is 15:04:05 on the second of January 2026, in a zone that is not UTC.
func started() time.Time {
	return time.Date(2026, 1, 2, 17, 4, 5, 600, time.FixedZone("", 2*3600))
}

func options(root string) Options {
	return Options{Root: root, Scenario: "straggler", ID: "3f9a1c", Started: started(), Columns: "# Columns\n\n## summary.csv\n"}
}

func create(t *testing.T, opts Options) *Dir {
	t.Helper()
	d, err := Create(opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}

// tree lists what is below a directory, files with their size.
func tree(t *testing.T, dir string) (out []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, _ := filepath.Rel(dir, path)
		if e.IsDir() {
			name += "/"
		}
		out = append(out, name)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func read(t *testing.T, path ...string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(path...))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func text(s string) func(io.Writer) error {
	return func(w io.Writer) error { _, err := io.WriteString(w, s); return err }
}

const name = "20260102T150405Z-straggler-3f9a1c"

func TestCreate(t *testing.T) {
	root := filepath.Join(t.TempDir(), "some", "results")
	d := create(t, options(root))
	if d.Path() != filepath.Join(root, name) {
		t.Errorf("path %s", d.Path())
	}
	if got, want := tree(t, root), []string{"./", name + "/", name + "/COLUMNS.md"}; !slices.Equal(got, want) {
		t.Errorf("made %q, want %q", got, want)
	}
	if err := d.Finish(Manifest{}); err != nil { // an incomplete run is not the latest
		t.Fatal(err)
	}
	if to, err := os.Readlink(filepath.Join(root, "latest")); to != name || err != nil {
		t.Errorf("latest is %q, %v", to, err)
	}
	if got := read(t, root, "latest", "COLUMNS.md"); !strings.HasPrefix(got, "# Columns\n\n## summary.csv\n\n## fidelity.json\n") {
		t.Errorf("COLUMNS.md begins %.60q", got)
	}
}

func TestNothingIsOverwritten(t *testing.T) {
	root := t.TempDir()
	d := create(t, options(root))
	_, err := Create(options(root))
	want := "make results directory: " + d.Path() + " is there already, and results are never overwritten: choose another id or directory"
	if err == nil || err.Error() != want {
		t.Errorf("the same directory again: %v", err)
	}
	if err := d.Write("summary.csv", text("a\n")); err != nil {
		t.Fatal(err)
	}
	if err := d.Write("summary.csv", text("b\n")); !errors.Is(err, fs.ErrExist) {
		t.Errorf("the same file again: %v", err)
	}
	if _, err := d.Stream("summary.csv"); !errors.Is(err, fs.ErrExist) {
		t.Errorf("the same file as a stream: %v", err)
	}
	if got := read(t, d.Path(), "summary.csv"); got != "a\n" {
		t.Errorf("it holds %q", got)
	}
}

// Two runs that begin in the same second get directories of their own, and
// latest is the one that ended last.
func TestRandomIDs(t *testing.T) {
	root := t.TempDir()
	opts := options(root)
	opts.ID = ""
	a, b := create(t, opts), create(t, opts)
	if a.Path() == b.Path() || !strings.HasPrefix(filepath.Base(b.Path()), "20260102T150405Z-straggler-") {
		t.Errorf("directories %s and %s", a.Path(), b.Path())
	}
	for _, d := range []*Dir{b, a} {
		if err := d.Finish(Manifest{}); err != nil {
			t.Fatal(err)
		}
		if to, err := os.Readlink(filepath.Join(root, "latest")); to != filepath.Base(d.Path()) || err != nil {
			t.Errorf("latest is %q, %v", to, err)
		}
	}
}

func TestLatestOfSomebodyElseStays(t *testing.T) {
	root := t.TempDir()
	if err := os.WriteFile(filepath.Join(root, "latest"), []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := Create(options(root))
	want := "make results directory: " + root + "/latest is not a symbolic link, so it is not replaced: move it away"
	if err == nil || err.Error() != want {
		t.Errorf("got %v", err)
	}
	if got := read(t, root, "latest"); got != "mine" {
		t.Errorf("it holds %q", got)
	}
}

func TestBadOptions(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*Options)
		want   string
	}{
		"scenario": {func(o *Options) { o.Scenario = "../x" }, `make results directory: scenario name "../x": use 1 to 64 of a-z, 0-9 and -, beginning with a letter or a digit`},
		"id":       {func(o *Options) { o.ID = "a/b" }, `make results directory: id of the run "a/b": use 1 to 64 of a-z, 0-9 and -, beginning with a letter or a digit`},
		"start":    {func(o *Options) { o.Started = time.Time{} }, `make results directory: the start of the run is not given`},
	} {
		root := t.TempDir()
		opts := options(root)
		c.change(&opts)
		if _, err := Create(opts); err == nil || err.Error() != c.want {
			t.Errorf("%s: got %v", name, err)
		}
		if got := tree(t, root); len(got) != 1 {
			t.Errorf("%s: left %q behind", name, got)
		}
	}
}

func TestRootThatIsAFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "results")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Create(options(file)); !errors.Is(err, syscall.ENOTDIR) {
		t.Errorf("got %v", err)
	}
}

func TestNamesStayBelow(t *testing.T) {
	d := create(t, options(t.TempDir()))
	for _, bad := range []string{"", ".", "..", "../x", "/etc/x", "a/../../x", "a//b", "manifest.json"} {
		if err := d.Write(bad, text("")); err == nil {
			t.Errorf("wrote %q", bad)
		}
	}
	if _, err := d.Mkdir("../x"); err == nil {
		t.Error("made ../x")
	}
	if got, want := tree(t, d.Path()), []string{"./", "COLUMNS.md"}; !slices.Equal(got, want) {
		t.Errorf("left %q behind", got)
	}
}

func TestFailedWriteLeavesNothing(t *testing.T) {
	d := create(t, options(t.TempDir()))
	broken := errors.New("broken")
	err := d.Write("some/text.txt", func(w io.Writer) error {
		fmt.Fprint(w, strings.Repeat("x", 1<<16))
		return broken
	})
	if !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
	if got, want := tree(t, d.Path()), []string{"./", "COLUMNS.md", "some/"}; !slices.Equal(got, want) {
		t.Errorf("left %q, want %q", got, want)
	}
}

// Every key of fidelity.json is described.
func TestFidelityIsDescribed(t *testing.T) {
	for _, of := range []reflect.Type{reflect.TypeFor[result.Fidelity](), reflect.TypeFor[result.Late]()} {
		for f := range of.Fields() {
			key, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			if key == "" || !strings.Contains(files, "| "+key+" ") && !strings.Contains(files, ", "+key+" ") && !strings.Contains(files, "| "+key+",") {
				t.Errorf("files.md does not describe %s (%q)", f.Name, key)
			}
		}
	}
}

// A report is written before the manifest, from what the manifest will say.
func TestPastBeforeTheEnd(t *testing.T) {
	d := create(t, options(t.TempDir()))
	if err := d.Write("a.svg", func(w io.Writer) error { return nil }); err != nil {
		t.Fatal(err)
	}
	p := d.Past(Manifest{Version: "v1"})
	if p.Path != d.Path() || p.Manifest.Version != "v1" || p.Manifest.SchemaVersion != SchemaVersion || !p.Manifest.Started.Equal(started()) || p.Manifest.Ended.Before(started()) {
		t.Errorf("got %+v", p)
	}
	if !d.Has("a.svg") || d.Has("b.svg") || d.Has(manifestName) {
		t.Error("a file is there that was not written, or the other way round")
	}
}

package archive

import (
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
)

type line struct {
	Worker int `json:"worker"`
	Text   string
}

func TestStreams(t *testing.T) {
	d := create(t, options(t.TempDir()))
	s, err := d.Stream("samples.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Append(line{1, "<a>"}, line{2, "b"}); err != nil {
		t.Fatal(err)
	}
	const want = `{"worker":1,"Text":"<a>"}` + "\n" + `{"worker":2,"Text":"b"}` + "\n"
	if got := read(t, d.Path(), "samples.jsonl"); got != want {
		t.Errorf("before the end it holds\n%s", got)
	}
	if err := s.Append(line{3, "c"}, func() {}); err == nil {
		t.Error("appended a function")
	}
	if got := read(t, d.Path(), "samples.jsonl"); got != want {
		t.Errorf("half of an append was written:\n%s", got)
	}
}

// What was appended to a compressed file can be read before the file has an end, as after a kill.
func TestCompressedStream(t *testing.T) {
	d := create(t, options(t.TempDir()))
	s, err := d.Stream("events.ndjson.gz")
	if err != nil {
		t.Fatal(err)
	}
	for i, end := range []error{io.ErrUnexpectedEOF, io.ErrUnexpectedEOF, nil} {
		if i < 2 {
			if err := s.Append(line{i, "<a>"}); err != nil {
				t.Fatal(err)
			}
		} else if err := d.Close(); err != nil {
			t.Fatal(err)
		}
		zip, err := gzip.NewReader(strings.NewReader(read(t, d.Path(), "events.ndjson.gz")))
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(zip)
		want := `{"worker":0,"Text":"<a>"}` + "\n" + `{"worker":1,"Text":"<a>"}` + "\n"
		if want = want[:min(i+1, 2)*len(want)/2]; string(got) != want || err != end {
			t.Errorf("step %d: it holds %q and ends in %v; want %q and %v", i, got, err, want, end)
		}
	}
	if err := s.Append(line{3, "c"}); !errors.Is(err, ErrFinished) {
		t.Errorf("append after the end: %v", err)
	}
}

func TestAppendFromSeveralGoroutines(t *testing.T) {
	d := create(t, options(t.TempDir()))
	s, err := d.Stream("samples.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	const workers, each = 8, 50
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			for range each {
				if err := s.Append(line{w, strings.Repeat("x", 100)}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	seen := make([]int, workers)
	for text := range strings.Lines(read(t, d.Path(), "samples.jsonl")) {
		var l line
		if err := json.Unmarshal([]byte(text), &l); err != nil {
			t.Fatalf("%v in %s", err, text)
		}
		seen[l.Worker]++
	}
	if want := slices.Repeat([]int{each}, workers); !slices.Equal(seen, want) {
		t.Errorf("lines of each worker %v", seen)
	}
}

func TestFinish(t *testing.T) {
	d := create(t, options(t.TempDir()))
	s, err := d.Stream("samples.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	err = d.Finish(Manifest{
		Command: []string{"inalab", "run", "straggler"}, Version: "v1", Machine: Machine{CPUs: 2}, Seed: 1<<64 - 1, Scale: 100,
		Options:  map[string]any{"hosts": 6},
		Verdicts: []Verdict{{System: "ring", StraggleP: 0.16, Fidelity: "trusted", Reasons: []string{}, Checked: 10}},
	})
	if err != nil {
		t.Fatal(err)
	}
	var got map[string]any
	if err := json.Unmarshal([]byte(read(t, d.Path(), "manifest.json")), &got); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"command", "version", "machine", "offloads", "scenario", "clock", "seed", "scale", "options", "verdicts", "ended", "exit_code"} {
		if _, ok := got[key]; !ok {
			t.Errorf("the manifest lacks %s", key)
		}
	}
	if got["schema_version"] != 1.0 || got["started"] != "2026-01-02T15:04:05.0000006Z" {
		t.Errorf("manifest %v", got)
	}
	if !strings.Contains(read(t, d.Path(), "manifest.json"), `"seed": 18446744073709551615`) {
		t.Error("the seed was rounded")
	}
	if err := errors.Join(s.Append(1)); !errors.Is(err, ErrFinished) {
		t.Errorf("appended after the end: %v", err)
	}
	if err := d.Write("late.txt", text("")); !errors.Is(err, ErrFinished) {
		t.Errorf("wrote after the end: %v", err)
	}
	if err := d.Finish(Manifest{}); !errors.Is(err, ErrFinished) {
		t.Errorf("finished twice: %v", err)
	}
	if got, want := tree(t, d.Path()), []string{"./", "COLUMNS.md", "manifest.json", "samples.jsonl"}; !slices.Equal(got, want) {
		t.Errorf("files %q", got)
	}
}

// A manifest that cannot be written leaves an incomplete run, and the rest.
func TestUnwritableManifest(t *testing.T) {
	d := create(t, options(t.TempDir()))
	if err := d.Finish(Manifest{Options: func() {}}); err == nil {
		t.Fatal("wrote a function")
	}
	if got, want := tree(t, d.Path()), []string{"./", "COLUMNS.md"}; !slices.Equal(got, want) {
		t.Errorf("files %q", got)
	}
}

func TestRunThatDiesKeepsItsResults(t *testing.T) {
	d := create(t, options(t.TempDir()))
	s, err := d.Stream("samples.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(s.Append(line{1, ""}), d.Write("scenario.yaml", text("name: x\n")), d.Close()); err != nil {
		t.Fatal(err)
	}
	if got, want := tree(t, d.Path()), []string{"./", "COLUMNS.md", "samples.jsonl", "scenario.yaml"}; !slices.Equal(got, want) {
		t.Errorf("files %q", got)
	}
	if err := d.Finish(Manifest{}); !errors.Is(err, ErrFinished) {
		t.Errorf("finished what was closed: %v", err)
	}
}

// Everything that is made is owned, and what others wrote is at the end; what
// was there before is not touched.
func TestOwner(t *testing.T) {
	const uid, gid = 12345, 23456
	before := t.TempDir()
	opts := options(filepath.Join(before, "results"))
	owned := map[string]int{}
	opts.Own = func(path string) error {
		owned[path]++
		if os.Geteuid() != 0 {
			return nil
		}
		return os.Lchown(path, uid, gid)
	}
	d := create(t, opts)
	logs, err := d.Mkdir("logs")
	if err != nil {
		t.Fatal(err)
	}
	s, err := d.Stream("samples.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(s.Append(1), d.Write("some/text.txt", text("x")), os.WriteFile(filepath.Join(logs, "h1.log"), []byte("x"), 0o600)); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"logs", "samples.jsonl", "some", "some/text.txt"} {
		if owned[filepath.Join(d.Path(), name)] == 0 {
			t.Errorf("%s was not owned when it was made", name)
		}
	}
	if err := d.Finish(Manifest{}); err != nil {
		t.Fatal(err)
	}
	if owned[before] != 0 {
		t.Errorf("%s was there before", before)
	}
	if os.Geteuid() != 0 {
		t.Skip("whether files change hands needs root")
	}
	for _, name := range tree(t, opts.Root) {
		st, err := os.Lstat(filepath.Join(opts.Root, name))
		if err != nil {
			t.Fatal(err)
		}
		if sys := st.Sys().(*syscall.Stat_t); sys.Uid != uid || sys.Gid != gid {
			t.Errorf("%s belongs to %d:%d", name, sys.Uid, sys.Gid)
		}
	}
}

func TestOwnerThatFails(t *testing.T) {
	opts := options(filepath.Join(t.TempDir(), "results"))
	refused := errors.New("refused")
	opts.Own = func(string) error { return refused }
	if _, err := Create(opts); !errors.Is(err, refused) {
		t.Errorf("got %v", err)
	}
}

func TestThisMachine(t *testing.T) {
	m := ThisMachine()
	if m.CPUs < 1 || m.Arch == "" || m.Go == "" || !strings.HasPrefix(m.Kernel, "Linux ") {
		t.Errorf("machine %+v", m)
	}
	if got := valueOf("/nowhere", "x") + firstLine("/nowhere"); got != "" {
		t.Errorf("read %q from nowhere", got)
	}
}

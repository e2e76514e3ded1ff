package archive

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// What was done before a kill is read again, and what was cut off is not.
func TestUnfinished(t *testing.T) {
	d := create(t, options(t.TempDir()))
	begun := Begun{SchemaVersion: UnfinishedVersion, Version: "v1", Clock: "virtual", Repeat: 2, Events: "all", Runs: 3, Plan: "abc", Scaled: Scaled{By: ScaleRule}}
	u, err := d.Unfinished(begun)
	if err != nil {
		t.Fatal(err)
	}
	want := Done{Cells: aRecord().Cells, Samples: 4, Events: 2, Diverged: "no number"}
	for range 2 {
		if err := u.Append(want); err != nil {
			t.Fatal(err)
		}
	}
	for cut, n := range map[int64]int{0: 2, 9: 1} {
		file := filepath.Join(d.Path(), UnfinishedName)
		text := read(t, file)
		other := t.TempDir()
		if err := os.WriteFile(filepath.Join(other, UnfinishedName), []byte(text[:int64(len(text))-cut]), 0o600); err != nil {
			t.Fatal(err)
		}
		b, done, err := OpenUnfinished(other)
		if err != nil || b != begun || len(done) != n || !reflect.DeepEqual(done[0], want) {
			t.Errorf("cut by %d bytes: %+v, %d runs, %v", cut, b, len(done), err)
		}
	}
	if err := d.Finish(Manifest{}); err != nil {
		t.Fatal(err)
	}
	if _, _, err := OpenUnfinished(d.Path()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a complete run: %v", err)
	}
}

func TestLinesOfAnEarlierRun(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "samples.jsonl")
	if err := os.WriteFile(file, []byte("{\"a\":1}\n{\"a\":2}\n{\"a\""), 0o600); err != nil {
		t.Fatal(err)
	}
	l, err := OpenLines(file)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if got, err := l.Take(2); err != nil || len(got) != 2 {
		t.Errorf("two lines: %v, %v", got, err)
	}
	if _, err := l.Take(1); err == nil || !strings.Contains(err.Error(), "it has fewer lines") {
		t.Errorf("a line that was cut off: %v", err)
	}
	none, err := OpenLines(filepath.Join(dir, "nowhere"))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := none.Take(0); err != nil || got != nil || none.Close() != nil {
		t.Errorf("no file: %v, %v", got, err)
	}
}

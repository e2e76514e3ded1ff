package main

import (
	"encoding/json"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Each way to start a goroutine is a reason, and so is each package that calls back.
func TestReasons(t *testing.T) {
	for text, want := range map[string]string{
		"package p; func f() { go f() }":                                       "x.go:1: go statement",
		"package p; import \"testing\"; func f(t *testing.T) { t.Parallel() }": "x.go:1: Parallel",
		"package p; import \"sync\"; var w sync.WaitGroup; var start = w.Go":   "x.go:1: Go",
		"package p; import \"time\"; var t = time.AfterFunc(1, nil)":           "x.go:1: AfterFunc",
		"package p; import _ \"net/http/httptest\"":                            "x.go:1: import \"net/http/httptest\"",
		"package p; import _ \"os/exec\"":                                      "x.go:1: import \"os/exec\"",
		"package p; import _ \"net/httpx\"":                                    "",
		"package p; func Go() { Go() } // go Go()":                             "",
	} {
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, "x.go", text, 0)
		if err != nil {
			t.Fatal(err)
		}
		if got := reasonOf(fset, f); got != want {
			t.Errorf("%s: reason %q, want %q", text, got, want)
		}
	}
}

// A goroutine counts wherever it starts: in the package, in its tests, in what these
// import. What other modules start does not.
func TestGoroutinesBelow(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"starts.go": "package p; func f() { go f() }", "plain.go": "package p"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var list strings.Builder
	put := func(path, file string, main bool, deps ...string) {
		p := listed{ImportPath: path, Dir: dir, Deps: deps, Module: &struct{ Main bool }{main}}
		if file != "" {
			p.GoFiles = []string{file}
		}
		if err := json.NewEncoder(&list).Encode(p); err != nil {
			t.Fatal(err)
		}
	}
	put("m/below", "starts.go", true)
	put("m/quiet", "plain.go", true)
	put("other/lib", "starts.go", false)
	put("m/a [m/a.test]", "plain.go", true)
	put("m/b [m/b.test]", "starts.go", true)
	put("m/a.test", "", true, "m/a [m/a.test]", "m/quiet", "other/lib")
	put("m/b.test", "", true, "m/b [m/b.test]", "m/quiet")
	put("m/c.test", "", true, "m/quiet", "m/below")
	found, err := judge([]byte(list.String()))
	if err != nil {
		t.Fatal(err)
	}
	starts := filepath.Join(dir, "starts.go") + ":1: go statement"
	if want := []tested{{"m/a", ""}, {"m/b", starts}, {"m/c", starts}}; !slices.Equal(found, want) {
		t.Errorf("found %v, want %v", found, want)
	}
}

// In this module, what runs processes, sockets and workers side by side is listed, and a
// machine alone is not.
func TestThisModule(t *testing.T) {
	const module = "github.com/inalab/inalab/"
	want := map[string]bool{
		"cmd/inalab": true, "harness/live": true, "internal/pktio/udp": true, "switchd/daemon": true, "experiments/virtual": true,
		"internal/vec": false, "switchd/program/switchml/pipeline": false, "nodes/ring": false,
	}
	found, err := find("../../..", "./...")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range found {
		name := strings.TrimPrefix(p.path, module)
		if listed, ok := want[name]; ok && listed != (p.reason != "") {
			t.Errorf("%s: reason %q, to be listed %v", p.path, p.reason, listed)
		}
		delete(want, name)
	}
	if len(want) != 0 {
		t.Errorf("not among the packages with tests: %v", want)
	}
}

package scenarios

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/inalab/inalab/harness/system"
	"github.com/inalab/inalab/topo/gen"
	"github.com/inalab/inalab/topo/spec"
)

// Every file of the page runs, and its table is the list of generators.
func TestThePageIsTrue(t *testing.T) {
	text, err := os.ReadFile("../docs/scenarios.md")
	if err != nil {
		t.Fatal(err)
	}
	files := regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllStringSubmatch(string(text), -1)
	if len(files) < 4 {
		t.Errorf("the page has %d files", len(files))
	}
	for _, f := range files {
		s, err := Load(Source{Name: "docs", Text: []byte(f[1])}, system.All())
		if err == nil {
			_, err = s.Jobs(true)
		}
		if err != nil {
			t.Errorf("%v\n%s", err, f[1])
		}
	}
	for _, g := range gen.All() {
		var counts []string
		for _, c := range g.Takes {
			if c != "hosts-per-leaf" { // of programs alone
				counts = append(counts, "`"+c+"`")
			}
		}
		row := strings.ReplaceAll(fmt.Sprintf("| `%s` | %s | %s |", g.Name, g.Description, strings.Join(counts, ", ")), "|  |", "| |")
		if !strings.Contains(string(text), row+"\n") {
			t.Errorf("the page lacks the row\n%s", row)
		}
	}
}

// The topologies of their page resolve, and its scenario runs on the first of them.
func TestThePageOfTopologiesIsTrue(t *testing.T) {
	text, err := os.ReadFile("../docs/topologies.md")
	if err != nil {
		t.Fatal(err)
	}
	dir, runs := t.TempDir(), 0
	for _, m := range regexp.MustCompile("(?s)```yaml\n(apiVersion.*?)```").FindAllStringSubmatch(string(text), -1) {
		if !strings.Contains(m[1], "kind: "+spec.FileKind) {
			s, err := Load(Source{Name: filepath.Join(dir, "docs"), Text: []byte(m[1])}, system.All())
			if err == nil {
				_, err = s.Sets(true)
			}
			if runs++; err != nil {
				t.Errorf("%v\n%s", err, m[1])
			}
			continue
		}
		topology, err := spec.Read(spec.Source{Name: "docs", Text: []byte(m[1])})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := topology.Resolve(spec.Base{}); err != nil {
			t.Error(err)
		}
		if err := os.WriteFile(filepath.Join(dir, topology.Name+spec.Suffix), []byte(m[1]), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if runs == 0 {
		t.Error("the page has no scenario")
	}
	for _, e := range Engines(system.All()) {
		if !strings.Contains(string(text), "`"+e+"`") {
			t.Errorf("the page does not name engine %s", e)
		}
	}
}

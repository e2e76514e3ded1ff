package arch

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The tables are checked: each ban is shown code that breaks it, and a system of
// new folders breaks none.

// findings returns what breaks the rules in files by name. Rows that these files do
// not need are not counted: they are no whole module.
func findings(t *testing.T, files map[string]string) []Finding {
	t.Helper()
	var tree Tree
	for name, content := range files {
		if err := tree.Add(name, content); err != nil {
			t.Fatal(err)
		}
	}
	var out []Finding
	for _, f := range module(t).Check(tree) {
		if f.Rule != "stale" {
			out = append(out, f)
		}
	}
	return out
}

// documented begins a file of a package.
const documented = "// Package p is documented.\npackage p\n"

func TestBansOnMachines(t *testing.T) {
	for code, rule := range map[string]string{
		`import _ "os"`:                           "import",
		`import _ "os/exec"`:                      "import",
		`import _ "syscall"`:                      "import",
		`import _ "golang.org/x/sys/unix"`:        "import",
		`import _ "golang.org/x/sys/cpu"`:         "",
		`import _ "net"`:                          "import",
		`import _ "net/http"`:                     "import",
		`import _ "net/netip"`:                    "",
		`import _ "time"`:                         "import",
		`import _ "sync"`:                         "import",
		`import _ "sync/atomic"`:                  "import",
		`import _ "log"`:                          "import",
		`import _ "log/slog"`:                     "import",
		`import _ "math/rand"`:                    "import",
		`import _ "math/rand/v2"`:                 "import",
		`import _ "crypto/rand"`:                  "import",
		`import _ "unsafe"`:                       "import",
		`import . "fmt"`:                          "import",
		"func f() { go f() }":                     "goroutine",
		"func f() { select {} }":                  "goroutine",
		"var c chan int":                          "goroutine",
		"import \"maps\"\nvar k = maps.Keys(m)":   "map order",
		"import \"maps\"\nvar k = maps.Values(m)": "map order",
		"import \"maps\"\nvar k = maps.All(m)":    "map order",
		"func init() {}":                          "init",
	} {
		t.Run(code, func(t *testing.T) {
			for _, pkg := range []string{"nodes/example", "nodes/worker", "switchd/program/example", "switchd/trio", "internal/wire/example"} {
				found := findings(t, map[string]string{pkg + "/a.go": documented + code})
				if rule == "" && len(found) > 0 || rule != "" && (len(found) != 1 || found[0].Rule != rule) {
					t.Errorf("%s: got %v, want one finding of rule %q, or none if that is empty", pkg, found, rule)
				}
			}
			for _, pkg := range []string{"switchd/daemon", "nodes/live", "harness/system/example"} {
				if found := findings(t, map[string]string{pkg + "/a.go": documented + code}); len(found) > 0 && rule != "init" {
					t.Errorf("%s is no machine: got %v", pkg, found)
				}
			}
		})
	}
}

func TestClockIsBannedWhereTimeIsAllowed(t *testing.T) {
	for _, name := range []string{"Now", "Since", "Until", "Sleep", "After", "AfterFunc", "Tick", "NewTimer", "NewTicker"} {
		found := findings(t, map[string]string{"nodes/example/a.go": documented + "import \"time\"\nvar now = time." + name})
		if len(found) != 2 || found[0].Rule != "import" || found[1].Rule != "clock" {
			t.Errorf("time.%s: got %v, want a finding for the import and one for the clock", name, found)
		}
	}
}

func TestBansOnEveryFile(t *testing.T) {
	for name, c := range map[string]struct{ file, code, rule string }{
		"sleep": {"cmd/inalab/a_test.go", "package main\nimport \"time\"\nvar s = time.Sleep", "sleep"},
		"init":  {"cmd/inalab/a_test.go", "package main\nfunc init() {}", "init"},
		"name":  {"nodes/util/a.go", "// Package util is.\npackage util\n", "name"},
	} {
		t.Run(name, func(t *testing.T) {
			found := findings(t, map[string]string{c.file: c.code})
			if len(found) != 1 || found[0].Rule != c.rule {
				t.Errorf("got %v, want one finding of rule %q", found, c.rule)
			}
		})
	}
}

// A system has folders of its own, and the tables have a place for each: it needs
// no row.
func TestNewSystemNeedsNoRow(t *testing.T) {
	files := map[string]string{}
	for pkg, imports := range map[string]string{
		"harness/system":                      "harness/system/example",
		"harness/system/example":              "harness/job nodes/example switchd/program/example switchd/program/example/tofino",
		"harness/job":                         "nodes/worker switchd/dataplane",
		"nodes/worker":                        "internal/units",
		"nodes/example":                       "internal/wire/example internal/units internal/sansio nodes/gradient",
		"switchd/program/example":             "internal/wire/example switchd/dataplane",
		"switchd/program/example/tofino":      "switchd/program/example switchd/program/example/half switchd/tofino switchd/tofino/ir",
		"switchd/program/example/half":        "internal/units",
		"internal/wire/example":               "internal/wire/inet",
		"examples/example":                    "harness/job",
		"reports/example":                     "reports/stat internal/result",
		"internal/pktio/example":              "internal/pktio internal/pktio/poll",
		"experiments/example/rig":             "experiments/example",
		"switchd/microcode/example/subfolder": "switchd/microcode/isa",
	} {
		content := documented
		for to := range strings.FieldsSeq(imports) {
			content += "import _ \"" + module(t).Module + "/" + to + "\"\n"
		}
		files[pkg+"/a.go"] = content
	}
	for _, f := range findings(t, files) {
		t.Error(f)
	}
}

// The example keeps the rules where other systems stand, as docs/add-a-system.md puts it.
func TestExampleAmongSystems(t *testing.T) {
	tree, err := ReadTree(root)
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(root, "examples/toy/*.go"))
	if err != nil {
		t.Fatal(err)
	}
	more, err := filepath.Glob(filepath.Join(root, "examples/toy/full/*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range append(append(files, more...), filepath.Join(root, "examples/toy/full/testdata/harness/system/toy.go")) {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		name = strings.TrimPrefix(filepath.ToSlash(name), root+"/")
		to := strings.Replace(name, "examples", "harness/system", 1)
		if _, added, ok := strings.Cut(name, "testdata/"); ok {
			to = added
		}
		if err := tree.Add(to, strings.ReplaceAll(string(text), "examples/toy", "harness/system/toy")); err != nil {
			t.Fatal(err)
		}
	}
	for _, f := range module(t).Check(tree) {
		t.Error(f)
	}
}

// The contract names no system, and a system no other.
func TestSystemsAreApart(t *testing.T) {
	for from, to := range map[string]string{
		"harness/job":            "harness/system/example",
		"harness/system/one":     "harness/system/two",
		"switchd/program/one":    "switchd/program/two",
		"nodes/one":              "nodes/two",
		"internal/wire/one":      "internal/wire/two",
		"nodes/example":          "switchd/program/example",
		"switchd/dataplane":      "switchd/program/example",
		"switchd/control":        "harness/system/example",
		"internal/wire/example":  "nodes/example",
		"switchd/tofino/example": "switchd/program/example",
	} {
		found := findings(t, map[string]string{
			from + "/a.go": documented + "import _ \"" + module(t).Module + "/" + to + "\"\n",
			to + "/a.go":   documented,
		})
		if len(found) != 1 || found[0].Rule != "level" {
			t.Errorf("%s imports %s: got %v, want one finding of rule level", from, to, found)
		}
	}
}

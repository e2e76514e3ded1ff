package inalab_test

import (
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"slices"
	"strings"
	"testing"
)

// The checker is checked: each rule is shown a small tree that breaks it, and
// one that comes close without breaking it.

// small is a set of rules over the module "m", with two upper levels and one of
// machines.
func small() rules {
	return rules{
		module: "m",
		levels: []level{
			{1, "top", []string{"cmd", "drv/tool"}},
			{2, "drivers", []string{"drv/**", "view/**"}},
			{3, "machines", []string{"core", "core/**", "drv/pure"}},
		},
		confined:  []confinement{{"view/**", []string{"view/**", "core/rec"}, "made from records"}},
		machines:  3,
		imports:   bannedImports,
		clockUses: clockUses,
		names:     bannedNames,
	}
}

// with returns the small rules after one change.
func with(change func(*rules)) rules {
	r := small()
	change(&r)
	return r
}

// parseTree makes a tree of sources by file name.
func parseTree(t *testing.T, files map[string]string) sourceTree {
	t.Helper()
	tree := sourceTree{fset: token.NewFileSet()}
	names := make([]string, 0, len(files))
	for name := range files {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		if err := tree.add(name, files[name]); err != nil {
			t.Fatal(err)
		}
	}
	return tree
}

// doc begins a documented file of package p.
const doc = "// Package p is documented.\npackage p\n"

func TestCheckerReportsEachRule(t *testing.T) {
	for name, c := range map[string]struct {
		rules rules
		files map[string]string
		want  string // "file:line: rule", or "" for no finding
	}{
		"import downwards":        {small(), map[string]string{"cmd/a.go": doc + `import _ "m/core"`, "core/a.go": doc}, ""},
		"import upwards":          {small(), map[string]string{"core/a.go": doc + `import _ "m/drv"`, "drv/a.go": doc}, "core/a.go:3: level"},
		"import sideways":         {small(), map[string]string{"drv/a.go": doc + `import _ "m/drv/b"`, "drv/b/b.go": doc}, "drv/a.go:3: level"},
		"longest entry, first":    {small(), map[string]string{"drv/tool/a.go": doc + `import _ "m/drv"`, "drv/a.go": doc}, ""},
		"longest entry, last":     {small(), map[string]string{"drv/pure/a.go": doc + `import _ "m/drv"`, "drv/a.go": doc}, "drv/pure/a.go:3: level"},
		"import upwards in test":  {small(), map[string]string{"core/a.go": doc, "core/a_test.go": doc + `import _ "m/drv"`, "drv/a.go": doc}, ""},
		"package without a level": {small(), map[string]string{"other/a.go": doc}, "other: level"},
		"package on two levels": {
			with(func(r *rules) { r.levels = append(r.levels, level{4, "again", []string{"cmd"}}) }),
			map[string]string{"cmd/a.go": doc}, "arch_test.go: level",
		},
		"listed pair": {
			with(func(r *rules) { r.sideways = []pair{{"drv", "drv/**", "because"}} }),
			map[string]string{"drv/a.go": doc + `import _ "m/drv/b"`, "drv/b/b.go": doc}, "",
		},
		"listed pair does not lift the level": {
			with(func(r *rules) { r.sideways = []pair{{"core", "drv", "because"}} }),
			map[string]string{"core/a.go": doc + `import _ "m/drv"`, "drv/a.go": doc}, "core/a.go:3: level",
		},
		"stale pair": {
			with(func(r *rules) { r.sideways = []pair{{"drv", "drv/b", "because"}} }),
			map[string]string{"drv/a.go": doc, "drv/b/b.go": doc}, "arch_test.go: stale",
		},
		"pair of the future": {
			with(func(r *rules) { r.sideways = []pair{{"drv", "drv/b", "because"}} }),
			map[string]string{"drv/a.go": doc}, "",
		},
		"confined, granted":    {small(), map[string]string{"view/a.go": doc + `import _ "m/core/rec"`, "core/rec/a.go": doc}, ""},
		"confined, other":      {small(), map[string]string{"view/a.go": doc + `import _ "m/core"`, "core/a.go": doc}, "view/a.go:3: confined"},
		"os":                   {small(), machine(`import _ "os"`), "core/a.go:3: import"},
		"os/exec":              {small(), machine(`import _ "os/exec"`), "core/a.go:3: import"},
		"net":                  {small(), machine(`import _ "net"`), "core/a.go:3: import"},
		"net/http":             {small(), machine(`import _ "net/http"`), "core/a.go:3: import"},
		"net/netip":            {small(), machine(`import _ "net/netip"`), ""},
		"time":                 {small(), machine(`import _ "time"`), "core/a.go:3: import"},
		"sync":                 {small(), machine(`import _ "sync"`), "core/a.go:3: import"},
		"sync/atomic":          {small(), machine(`import _ "sync/atomic"`), "core/a.go:3: import"},
		"log":                  {small(), machine(`import _ "log"`), "core/a.go:3: import"},
		"log/slog":             {small(), machine(`import _ "log/slog"`), "core/a.go:3: import"},
		"math/rand":            {small(), machine(`import _ "math/rand"`), "core/a.go:3: import"},
		"math/rand/v2":         {small(), machine(`import _ "math/rand/v2"`), "core/a.go:3: import"},
		"syscall":              {small(), machine(`import _ "syscall"`), "core/a.go:3: import"},
		"unsafe":               {small(), machine(`import _ "unsafe"`), "core/a.go:3: import"},
		"dot import":           {small(), machine(`import . "fmt"`), "core/a.go:3: import"},
		"os outside a machine": {small(), map[string]string{"drv/a.go": doc + `import _ "os"`}, ""},
		"allowed import": {
			with(func(r *rules) { r.allowed = []exception{{"core", "unsafe", "because"}} }), machine(`import _ "unsafe"`), "",
		},
		"stale exception": {
			with(func(r *rules) { r.allowed = []exception{{"core", "unsafe", "because"}} }), machine(""), "arch_test.go: stale",
		},
		"clock under another name": {
			with(func(r *rules) { r.allowed = []exception{{"core", "time", "because"}} }),
			machine("import clock \"time\"\nvar now = clock.Now"), "core/a.go:4: clock",
		},
		"time without the clock": {
			with(func(r *rules) { r.allowed = []exception{{"core", "time", "because"}} }),
			machine("import \"time\"\nvar d time.Duration"), "",
		},
		"go statement":         {small(), machine("func f() {\n\tgo f()\n}"), "core/a.go:4: goroutine"},
		"select statement":     {small(), machine("func f() {\n\tselect {}\n}"), "core/a.go:4: goroutine"},
		"channel":              {small(), machine("var c = make(chan int)"), "core/a.go:3: goroutine"},
		"goroutine elsewhere":  {small(), map[string]string{"drv/a.go": doc + "func f() { go f() }"}, ""},
		"goroutine in a test":  {small(), map[string]string{"core/a.go": doc, "core/a_test.go": doc + "func f() { go f() }"}, ""},
		"maps.Keys":            {small(), machine("import \"maps\"\nvar k = maps.Keys(m)"), "core/a.go:4: map order"},
		"maps.Values, typed":   {small(), machine("import \"maps\"\nvar k = maps.Values[M](m)"), "core/a.go:4: map order"},
		"maps.Keys, collected": {small(), machine("import (\n\"maps\"\n\"slices\"\n)\nvar k = slices.Collect(maps.Keys(m))"), "core/a.go:7: map order"},
		"maps.Keys, sorted":    {small(), machine("import (\n\"maps\"\n\"slices\"\n)\nvar k = slices.Sorted(maps.Keys(m))"), ""},
		"init":                 {small(), map[string]string{"cmd/a.go": doc + "func init() {}"}, "cmd/a.go:3: init"},
		"init in a test":       {small(), map[string]string{"cmd/a.go": doc, "cmd/a_test.go": doc + "func init() {}"}, "cmd/a_test.go:3: init"},
		"generated init":       {small(), map[string]string{"cmd/a.go": "// Code generated by x. DO NOT EDIT.\n\n" + doc + "func init() {}"}, ""},
		"method init":          {small(), map[string]string{"cmd/a.go": doc + "type t int\nfunc (t) init() {}"}, ""},
		"package util":         {small(), map[string]string{"cmd/a.go": "// Package util is.\npackage util\n"}, "cmd/a.go:2: name"},
		"no package comment":   {small(), map[string]string{"cmd/a.go": "package p\n"}, "cmd: doc"},
		"sleep in a test":      {small(), map[string]string{"cmd/a.go": doc, "cmd/a_test.go": doc + "import \"time\"\nvar s = time.Sleep"}, "cmd/a_test.go:4: sleep"},
		"ignored file":         {small(), map[string]string{"cmd/a.go": doc, "cmd/b.go": "//go:build ignore\n\npackage main\nfunc init() {}"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			found := c.rules.check(parseTree(t, c.files))
			if c.want == "" {
				for _, f := range found {
					t.Errorf("unexpected finding: %s", f)
				}
				return
			}
			if len(found) != 1 || !strings.HasPrefix(found[0].String(), c.want+": ") {
				t.Fatalf("got %v, want exactly one finding, %q", found, c.want)
			}
			if f := found[0]; f.what == "" || f.why == "" || f.fix == "" {
				t.Errorf("finding does not say what, why and how to fix: %+v", f)
			}
		})
	}
}

// machine is a tree with one file in a machine.
func machine(code string) map[string]string {
	return map[string]string{"core/a.go": doc + code}
}

func TestMapRangesAreFound(t *testing.T) {
	for name, c := range map[string]struct {
		code string
		want string // file:line of the only finding, or ""
	}{
		"map":               {"func f(m map[int]int) {\n\tfor range m {\n\t}\n}", "a.go:4"},
		"named map":         {"type M map[int]int\nfunc f(m M) {\n\tfor k := range m {\n\t\t_ = k\n\t}\n}", "a.go:5"},
		"type parameter":    {"func f[M ~map[int]int](m M) {\n\tfor range m {\n\t}\n}", "a.go:4"},
		"in a closure":      {"var f = func(m map[int]int) {\n\tfor range m {\n\t}\n}", "a.go:4"},
		"result of a call":  {"func g() map[int]int\nfunc f() {\n\tfor range g() {\n\t}\n}", "a.go:5"},
		"slice":             {"func f(s []int) {\n\tfor range s {\n\t}\n}", ""},
		"number":            {"func f() {\n\tfor range 3 {\n\t}\n}", ""},
		"iterator":          {"func f(s func(func(int) bool)) {\n\tfor range s {\n\t}\n}", ""},
		"with a reason":     {"func f(m map[int]int) {\n\t// ordered: only counted\n\tfor range m {\n\t}\n}", ""},
		"without a reason":  {"func f(m map[int]int) {\n\t// ordered:\n\tfor range m {\n\t}\n}", "a.go:5"},
		"reason too far up": {"func f(m map[int]int) {\n\t// ordered: only counted\n\n\tfor range m {\n\t}\n}", "a.go:6"},
	} {
		t.Run(name, func(t *testing.T) {
			fset := token.NewFileSet()
			f, err := parser.ParseFile(fset, "a.go", doc+c.code, parser.ParseComments)
			if err != nil {
				t.Fatal(err)
			}
			found, err := mapRanges(fset, importer.Default(), "p", []*ast.File{f})
			if err != nil {
				t.Fatal(err)
			}
			switch {
			case c.want == "" && len(found) > 0:
				t.Errorf("unexpected finding: %v", found)
			case c.want != "" && (len(found) != 1 || found[0].at != c.want):
				t.Errorf("got %v, want one finding at %s", found, c.want)
			}
		})
	}
}

package arch

import (
	"go/importer"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestMapRangesAreFound(t *testing.T) {
	for name, c := range map[string]struct {
		code string
		want string // file:line of the only finding, or ""
	}{
		"map":               {"func f(m map[int]int) {\n\tfor range m {\n\t}\n}", "core/a.go:4"},
		"named map":         {"type M map[int]int\nfunc f(m M) {\n\tfor k := range m {\n\t\t_ = k\n\t}\n}", "core/a.go:5"},
		"type parameter":    {"func f[M ~map[int]int](m M) {\n\tfor range m {\n\t}\n}", "core/a.go:4"},
		"in a closure":      {"var f = func(m map[int]int) {\n\tfor range m {\n\t}\n}", "core/a.go:4"},
		"result of a call":  {"func g() map[int]int\nfunc f() {\n\tfor range g() {\n\t}\n}", "core/a.go:5"},
		"slice":             {"func f(s []int) {\n\tfor range s {\n\t}\n}", ""},
		"number":            {"func f() {\n\tfor range 3 {\n\t}\n}", ""},
		"iterator":          {"func f(s func(func(int) bool)) {\n\tfor range s {\n\t}\n}", ""},
		"with a reason":     {"func f(m map[int]int) {\n\t// ordered: only counted\n\tfor range m {\n\t}\n}", ""},
		"without a reason":  {"func f(m map[int]int) {\n\t// ordered:\n\tfor range m {\n\t}\n}", "core/a.go:5"},
		"reason too far up": {"func f(m map[int]int) {\n\t// ordered: only counted\n\n\tfor range m {\n\t}\n}", "core/a.go:6"},
	} {
		t.Run(name, func(t *testing.T) {
			pass := check{Rules: small(), Tree: parse(t, machine(c.code))}
			if err := pass.checkLoops("core", []string{"a.go"}, importer.Default()); err != nil {
				t.Fatal(err)
			}
			switch {
			case c.want == "" && len(pass.found) > 0:
				t.Errorf("unexpected finding: %v", pass.found)
			case c.want != "" && (len(pass.found) != 1 || pass.found[0].At != c.want):
				t.Errorf("got %v, want one finding at %s", pass.found, c.want)
			}
		})
	}
}

// A module on disk is walked as the go command walks it, and its machines are
// compiled for the types of what they range over.
func TestModuleOnDisk(t *testing.T) {
	root := t.TempDir()
	for name, content := range map[string]string{
		"go.mod":             "module m\n\ngo 1.26\n",
		"core/rec/a.go":      doc + "var M map[int]int\n",
		"core/a.go":          doc + "import rec \"m/core/rec\"\n\nfunc f() {\n\tfor range rec.M {\n\t}\n}\n",
		"core/a_plan9.go":    doc + "func f() { undefined }\n",
		"core/testdata/a.go": "not Go",
		"core/_old/a.go":     "not Go",
		"core/.old/a.go":     "not Go",
		"vendor/x/a.go":      "not Go",
		"other/go.mod":       "module other\n",
		"other/a.go":         "not Go",
		"drv/a.go":           doc + "func f(m map[int]int) {\n\tfor range m {\n\t}\n}\n",
	} {
		write(t, filepath.Join(root, name), content)
	}
	tree, err := ReadTree(root)
	if err != nil {
		t.Fatal(err)
	}
	if found := small().Check(tree); len(found) > 0 {
		t.Errorf("unexpected findings: %v", found)
	}
	found, err := small().CheckMaps(tree)
	if err != nil {
		t.Fatal(err)
	}
	if len(found) != 1 || found[0].At != "core/a.go:6" || found[0].Rule != "map order" {
		t.Errorf("got %v, want one finding at core/a.go:6", found)
	}
	if _, err := with(func(r *Rules) { r.Module = "other" }).CheckMaps(tree); err == nil || !strings.Contains(err.Error(), "lists no files of core") {
		t.Errorf("got error %v, want one that says that nothing was checked", err)
	}

	write(t, filepath.Join(root, "core/rec/a.go"), doc+"var M undefined\n")
	if tree, err = ReadTree(root); err != nil {
		t.Fatal(err)
	}
	if _, err := small().CheckMaps(tree); err == nil || !strings.Contains(err.Error(), "core/rec does not compile") {
		t.Errorf("got error %v, want one that says what does not compile", err)
	}
	write(t, filepath.Join(root, "core/rec/a.go"), "not Go")
	if _, err := ReadTree(root); err == nil || !strings.Contains(err.Error(), "parse core/rec/a.go") {
		t.Errorf("got error %v, want one that says what cannot be parsed", err)
	}
}

func write(t *testing.T, name, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

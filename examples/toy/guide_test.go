package toy_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const (
	root  = "../.."
	guide = root + "/docs/add-a-system.md"
)

// quoted is what the guide names: code spans, blocks left out.
var quoted = regexp.MustCompile("`([^`\n]+)`")

// What the guide names exists: files and directories by their paths, and what is
// written as package.Name or Type.Method, by its declaration.
func TestGuideNamesWhatExists(t *testing.T) {
	text, err := os.ReadFile(guide)
	if err != nil {
		t.Fatal(err)
	}
	declared := declarations(t)
	files, names := 0, 0
	for _, m := range quoted.FindAllStringSubmatch(blocks.ReplaceAllString(string(text), ""), -1) {
		switch word := m[1]; {
		case strings.Contains(word, "/") && !strings.ContainsAny(word, " ="):
			files++
			if _, err := os.Stat(filepath.Join(root, word)); err != nil {
				t.Errorf("%s: %v", word, err)
			}
		case qualified.MatchString(word):
			names++
			if !declared[word] {
				t.Errorf("%s is not declared anywhere", word)
			}
		}
	}
	if files < 20 || names < 20 {
		t.Errorf("the guide names %d files and %d declarations: the test reads it wrongly", files, names)
	}
	example, err := filepath.Glob("*")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range example {
		if !strings.Contains(string(text), "`examples/toy/"+name+"`") && name != "guide_test.go" {
			t.Errorf("the guide does not name %s", name)
		}
	}
}

var (
	blocks    = regexp.MustCompile("(?s)```.*?```")
	qualified = regexp.MustCompile(`^[A-Za-z]+\.[A-Z][A-Za-z]*$`)
)

// The line that adds the toy to a program's list is one that this test binary has.
func TestGuideAddsTheToy(t *testing.T) {
	const line = "func systems() []job.System { return append(system.All(), toy.System{}) }"
	for _, name := range []string{guide, "toy_test.go"} {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(text), line) {
			t.Errorf("%s lacks %s", name, line)
		}
	}
	if text, err := os.ReadFile(root + "/cmd/inalab/main.go"); err != nil || !strings.Contains(string(text), "func systems() []job.System {") {
		t.Errorf("cmd/inalab has no such list: %v", err)
	}
}

// The guide's links to its own headings lead somewhere.
func TestGuideHasItsHeadings(t *testing.T) {
	text, err := os.ReadFile(guide)
	if err != nil {
		t.Fatal(err)
	}
	anchors := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^## (.*)$`).FindAllStringSubmatch(string(text), -1) {
		anchors[strings.ReplaceAll(strings.ToLower(m[1]), " ", "-")] = true
	}
	links := regexp.MustCompile(`\]\(#([^)]*)\)`).FindAllStringSubmatch(string(text), -1)
	for _, m := range links {
		if !anchors[m[1]] {
			t.Errorf("no heading for #%s among %q", m[1], slices.Sorted(maps.Keys(anchors)))
		}
	}
	if len(links) != len(anchors) {
		t.Errorf("%d links to %d headings", len(links), len(anchors))
	}
}

// declarations returns package.Name of what the module declares, and Type.Name of
// methods and fields.
func declarations(t *testing.T) map[string]bool {
	t.Helper()
	out := map[string]bool{}
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".") && name != root):
			return filepath.SkipDir
		case path.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, decl := range f.Decls {
			declare(out, f.Name.Name, decl)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func declare(out map[string]bool, pkg string, decl ast.Decl) {
	switch d := decl.(type) {
	case *ast.FuncDecl:
		if d.Recv == nil {
			out[pkg+"."+d.Name.Name] = true
			return
		}
		recv := d.Recv.List[0].Type
		if p, ok := recv.(*ast.StarExpr); ok {
			recv = p.X
		}
		if name, ok := recv.(*ast.Ident); ok {
			out[name.Name+"."+d.Name.Name] = true
		}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch s := spec.(type) {
			case *ast.TypeSpec:
				out[pkg+"."+s.Name.Name] = true
			case *ast.ValueSpec:
				for _, n := range s.Names {
					out[pkg+"."+n.Name] = true
				}
			}
		}
	}
}

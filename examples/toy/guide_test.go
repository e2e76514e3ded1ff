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
	fenced    = regexp.MustCompile("(?s)```([a-z]*)\n(.*?)```")
	blocks    = regexp.MustCompile("(?s)```.*?```")
	qualified = regexp.MustCompile(`^[A-Za-z]+\.[A-Z][A-Za-z]*$`)
)

// Each block of code in the guide stands in a file of the example as it is.
func TestGuideQuotesTheExample(t *testing.T) {
	text, err := os.ReadFile(guide)
	if err != nil {
		t.Fatal(err)
	}
	files := example(t)
	kinds := map[string]int{}
	for _, m := range fenced.FindAllStringSubmatch(string(text), -1) {
		kind, block := m[1], m[2]
		kinds[kind]++
		for _, part := range quotes(kind, block) {
			if !slices.ContainsFunc(files, func(file string) bool { return strings.Contains(file, part) }) {
				t.Errorf("no file of the example has the %s block\n%s", kind, part)
			}
		}
	}
	for kind, least := range map[string]int{"go": 6, "yaml": 1, "sh": 1, "diff": 1} {
		if kinds[kind] < least {
			t.Errorf("%d blocks of %s: the test reads the guide wrongly", kinds[kind], kind)
		}
	}
}

// quotes returns what files hold of a block: all of it, each command, or the new lines of
// a difference.
func quotes(kind, block string) (out []string) {
	switch kind {
	case "":
		return nil
	case "go", "yaml":
		return []string{block}
	}
	for line := range strings.Lines(block) {
		if kind == "sh" {
			out = append(out, strings.TrimSpace(line))
		} else if added, ok := strings.CutPrefix(line, "+"); ok {
			out = append(out, strings.TrimSpace(added))
		}
	}
	return out
}

// example returns the files of the example, tests included but for this one.
func example(t *testing.T) (files []string) {
	t.Helper()
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || name == "guide_test.go" {
			return err
		}
		text, err := os.ReadFile(name)
		files = append(files, string(text))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
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

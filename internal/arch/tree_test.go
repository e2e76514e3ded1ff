package arch

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
)

// Tree holds the parsed files of a module. The zero value is empty.
type Tree struct {
	root  string
	fset  *token.FileSet
	files []source
	pkgs  []string // directories with Go files that ship; "." is the root
}

// source is one parsed file.
type source struct {
	name, pkg string // slash-separated, relative to the root
	test      bool
	file      *ast.File
}

// ReadTree parses every Go file that belongs to the module at root.
func ReadTree(root string) (Tree, error) {
	t := Tree{root: root}
	dir := os.DirFS(root)
	err := fs.WalkDir(dir, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && isForeign(dir, name):
			return fs.SkipDir
		case d.IsDir() || path.Ext(name) != ".go":
			return nil
		}
		content, err := fs.ReadFile(dir, name)
		if err != nil {
			return err
		}
		return t.Add(name, string(content))
	})
	return t, err
}

// isForeign reports whether the go command leaves a directory out.
func isForeign(root fs.FS, dir string) bool {
	base := path.Base(dir)
	if dir == "." || base == "testdata" || base == "vendor" || strings.ContainsAny(base[:1], "._") {
		return dir != "."
	}
	_, err := fs.Stat(root, dir+"/go.mod")
	return err == nil // a module of its own
}

// Add parses one file, named relative to the root. A file that only "go run" is
// meant to see (build constraint "ignore") is in no package: it is left out.
func (t *Tree) Add(name, content string) error {
	if t.fset == nil {
		t.fset = token.NewFileSet()
	}
	f, err := parser.ParseFile(t.fset, name, content, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return fmt.Errorf("parse %s: %w", name, err)
	}
	if strings.Contains("\n"+content[:t.fset.Position(f.Package).Offset], "\n//go:build ignore\n") {
		return nil
	}
	s := source{name, path.Dir(name), strings.HasSuffix(name, "_test.go"), f}
	t.files = append(t.files, s)
	if !s.test && !slices.Contains(t.pkgs, s.pkg) {
		t.pkgs = append(t.pkgs, s.pkg)
	}
	return nil
}

// at returns the file:line of a node.
func (t Tree) at(n ast.Node) string {
	p := t.fset.Position(n.Pos())
	return fmt.Sprintf("%s:%d", p.Filename, p.Line)
}

package inalab_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// level is one row of packages that may import what stands below.
type level struct {
	n    int
	what string
	pkgs []string // patterns
}

// pair is an import allowed although both ends are on one level.
type pair struct {
	from, to string // patterns
	reason   string
}

// confinement limits what packages may import of the module.
type confinement struct {
	pkgs   string // pattern
	may    []string
	reason string
}

// ban is a set of imports that machines do without.
type ban struct {
	paths    []string // patterns over import paths
	why, fix string
}

// exception lets one package off one banned import.
type exception struct{ pkg, path, reason string }

// rules is everything that the syntax tree is held to.
type rules struct {
	module    string
	levels    []level
	sideways  []pair
	confined  []confinement
	machines  int // levels from this one down hold machines
	imports   []ban
	clockUses []string
	allowed   []exception
	names     []string
}

// source is one parsed file.
type source struct {
	name string // slash-separated, relative to the root
	pkg  string // its directory; "." is the root
	file *ast.File
}

func (s source) isTest() bool { return strings.HasSuffix(s.name, "_test.go") }

// sourceTree is the parsed module.
type sourceTree struct {
	fset  *token.FileSet
	files []source
}

// add parses one file; src is as in [parser.ParseFile]. A file that only "go
// run" is meant to see (build constraint "ignore") is in no package: skipped.
func (t *sourceTree) add(name string, src any) error {
	f, err := parser.ParseFile(t.fset, name, src, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return fmt.Errorf("parse %s: %w", name, err)
	}
	for _, group := range f.Comments {
		for _, c := range group.List {
			if c.Pos() < f.Package && c.Text == "//go:build ignore" {
				return nil
			}
		}
	}
	t.files = append(t.files, source{name, path.Dir(name), f})
	return nil
}

// readTree parses every Go file that belongs to the module at root.
func readTree(root string) (sourceTree, error) {
	tree := sourceTree{fset: token.NewFileSet()}
	err := fs.WalkDir(os.DirFS(root), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			return skipDir(root, name)
		}
		if path.Ext(name) != ".go" {
			return nil
		}
		content, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			return err
		}
		return tree.add(name, content)
	})
	return tree, err
}

// skipDir tells the walk to leave out what the go command leaves out.
func skipDir(root, dir string) error {
	if dir == "." {
		return nil
	}
	base := path.Base(dir)
	if base == "testdata" || base == "vendor" || base[0] == '.' || base[0] == '_' {
		return fs.SkipDir
	}
	if _, err := os.Stat(filepath.Join(root, dir, "go.mod")); err == nil {
		return fs.SkipDir // a module of its own
	}
	return nil
}

// finding is one broken rule.
type finding struct {
	at   string // file:line, or the table that is wrong
	rule string
	what string
	why  string
	fix  string
}

func (f finding) String() string {
	return fmt.Sprintf("%s: %s: %s\n\twhy: %s\n\tfix: %s", f.at, f.rule, f.what, f.why, f.fix)
}

// check returns what breaks the rules, in a stable order.
func (r rules) check(tree sourceTree) []finding {
	var out []finding
	out = append(out, r.checkPlaced(tree)...)
	out = append(out, r.checkImports(tree)...)
	out = append(out, r.checkConfined(tree)...)
	out = append(out, r.checkMachines(tree)...)
	out = append(out, r.checkStale(tree)...)
	out = append(out, r.checkConventions(tree)...)
	return out
}

// matches reports whether a name fits a pattern: itself, "x/**" or "**".
func matches(pattern, name string) bool {
	if pattern == "**" {
		return true
	}
	stem, deep := strings.CutSuffix(pattern, "/**")
	return name == stem || deep && strings.HasPrefix(name, stem+"/")
}

func matchesAny(patterns []string, name string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool { return matches(p, name) })
}

// levelOf returns the level of a package; ok is false when no entry names it.
func (r rules) levelOf(pkg string) (n int, ok bool) {
	longest := 0
	for _, l := range r.levels {
		for _, p := range l.pkgs {
			if matches(p, pkg) && len(p) > longest {
				n, ok, longest = l.n, true, len(p)
			}
		}
	}
	return n, ok
}

// isMachine reports whether the bans on clocks, I/O and goroutines bind pkg.
func (r rules) isMachine(pkg string) bool {
	n, ok := r.levelOf(pkg)
	return ok && n >= r.machines
}

// edge is one import of a package of this module.
type edge struct {
	from, to string
	at       string
}

// edges lists the imports between packages of the module, tests left out.
func (r rules) edges(tree sourceTree) []edge {
	var out []edge
	for _, f := range tree.files {
		if f.isTest() {
			continue
		}
		for _, spec := range f.file.Imports {
			if to, ok := strings.CutPrefix(importPath(spec), r.module+"/"); ok {
				out = append(out, edge{f.pkg, to, tree.at(spec)})
			}
		}
	}
	return out
}

// packages returns the directories that hold Go files which ship, sorted.
func (t sourceTree) packages() []string {
	var out []string
	for _, f := range t.files {
		if !f.isTest() {
			out = append(out, f.pkg)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// at returns the file:line of a node.
func (t sourceTree) at(n ast.Node) string {
	p := t.fset.Position(n.Pos())
	return fmt.Sprintf("%s:%d", p.Filename, p.Line)
}

func importPath(spec *ast.ImportSpec) string {
	s, err := strconv.Unquote(spec.Path.Value)
	if err != nil {
		return spec.Path.Value // the parser has accepted it; not reached
	}
	return s
}

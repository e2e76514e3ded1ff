package inalab_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A machine may range over a map only where the order cannot escape, and says
// so on the line above:
//
//	// ordered: the keys are sorted before use
//	for k := range m {
//
// Whether an expression is a map takes types. They come from the compiler's
// export data, which go test has just written to the build cache; reading the
// standard library from source instead takes several times as long.

const orderedMark = "ordered:"

// listed is what "go list -json" says of a package.
type listed struct {
	ImportPath string
	Dir        string
	GoFiles    []string
	Export     string
	DepOnly    bool
}

func TestMachinesDoNotDependOnMapOrder(t *testing.T) {
	tree, err := readTree(".")
	if err != nil {
		t.Fatal(err)
	}
	var machines []string
	for _, pkg := range tree.packages() {
		if architecture.isMachine(pkg) {
			machines = append(machines, "./"+pkg)
		}
	}
	pkgs, err := listPackages(machines)
	if err != nil {
		t.Fatal(err)
	}
	export := map[string]string{}
	for _, p := range pkgs {
		export[p.ImportPath] = p.Export
	}
	fset := token.NewFileSet()
	imp := importer.ForCompiler(fset, "gc", func(path string) (io.ReadCloser, error) {
		if export[path] == "" {
			return nil, fmt.Errorf("no export data for %s", path)
		}
		return os.Open(export[path])
	})
	for _, p := range pkgs {
		if p.DepOnly {
			continue
		}
		found, err := mapRangesOf(fset, imp, p)
		if err != nil {
			t.Errorf("%s: does not compile, so its ranges cannot be checked: %v", p.ImportPath, err)
		}
		for _, f := range found {
			t.Error(f)
		}
	}
}

// listPackages asks the go command, which go test puts first in PATH, for the
// packages and all they import, compiled.
func listPackages(pkgs []string) ([]listed, error) {
	args := append([]string{"list", "-e", "-export", "-deps", "-json=ImportPath,Dir,GoFiles,Export,DepOnly"}, pkgs...)
	cmd := exec.Command("go", args...)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0") // as make test has it, for the sake of the cache
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("run go list: %w\n%s", err, stderr.Bytes())
	}
	var list []listed
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return list, nil
		} else if err != nil {
			return nil, fmt.Errorf("read the output of go list: %w", err)
		}
		list = append(list, p)
	}
}

// mapRangesOf parses and checks one package.
func mapRangesOf(fset *token.FileSet, imp types.Importer, p listed) ([]finding, error) {
	root, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	var files []*ast.File
	for _, name := range p.GoFiles {
		full := filepath.Join(p.Dir, name)
		content, err := os.ReadFile(full)
		if err != nil {
			return nil, err
		}
		short, err := filepath.Rel(root, full)
		if err != nil {
			return nil, err
		}
		f, err := parser.ParseFile(fset, short, content, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	return mapRanges(fset, imp, p.ImportPath, files)
}

// mapRanges returns the loops over maps that carry no reason.
func mapRanges(fset *token.FileSet, imp types.Importer, pkg string, files []*ast.File) ([]finding, error) {
	info := types.Info{Types: map[ast.Expr]types.TypeAndValue{}}
	if _, err := (&types.Config{Importer: imp}).Check(pkg, fset, files, &info); err != nil {
		return nil, err
	}
	var out []finding
	for _, f := range files {
		reasons := orderedLines(fset, f)
		ast.Inspect(f, func(n ast.Node) bool {
			loop, ok := n.(*ast.RangeStmt)
			if !ok || !isMap(info.TypeOf(loop.X)) {
				return true
			}
			if at := fset.Position(loop.Pos()); !reasons[at.Line-1] {
				out = append(out, finding{
					at: fmt.Sprintf("%s:%d", at.Filename, at.Line), rule: "map order", what: "range over a map",
					why: "the order of a map differs from run to run, and two runs of one seed must not",
					fix: "range over slices.Sorted(maps.Keys(m)) or keep a slice; where order cannot escape, " +
						"say why on the line above: // " + orderedMark + " <reason>",
				})
			}
			return true
		})
	}
	return out, nil
}

// orderedLines returns the lines on which a comment that gives a reason ends.
func orderedLines(fset *token.FileSet, f *ast.File) map[int]bool {
	lines := map[int]bool{}
	for _, group := range f.Comments {
		if _, reason, ok := strings.Cut(group.Text(), orderedMark); ok && strings.TrimSpace(reason) != "" {
			lines[fset.Position(group.End()).Line] = true
		}
	}
	return lines
}

// isMap reports whether ranging over t follows the order of a map; a type
// parameter does if any type it may stand for does.
func isMap(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Map:
		return true
	case *types.Interface: // the constraint of a type parameter
		for i := range u.NumEmbeddeds() {
			if isMap(u.EmbeddedType(i)) {
				return true
			}
		}
	case *types.Union:
		for i := range u.Len() {
			if isMap(u.Term(i).Type()) {
				return true
			}
		}
	}
	return false
}

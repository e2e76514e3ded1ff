package arch

import (
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path"
	"slices"
	"strings"
)

// CheckMaps returns the banned loops of machines over maps. Whether an expression
// is a map takes types. They come from the export data that the go command compiles
// into its cache: CheckMaps runs "go list" in the root of the tree.
func (r Rules) CheckMaps(t Tree) ([]Finding, error) {
	machines := slices.DeleteFunc(slices.Clone(t.pkgs), func(pkg string) bool { return !r.isMachine(pkg) })
	list, err := goList(t.root, machines)
	if err != nil {
		return nil, err
	}
	imp := importer.ForCompiler(t.fset, "gc", func(path string) (io.ReadCloser, error) {
		return os.Open(list[path].export)
	})
	c := check{Rules: r, Tree: t}
	for _, pkg := range machines {
		err = errors.Join(err, c.checkLoops(pkg, list[path.Join(r.Module, pkg)].files, imp))
	}
	return c.found, err
}

// compiled is what the go command says of a package.
type compiled struct {
	export string   // file of export data
	files  []string // of this platform
}

// goList compiles packages and all that they import, and returns all by path.
func goList(root string, pkgs []string) (map[string]compiled, error) {
	cmd := exec.Command("go", "list", "-e", "-export", "-deps", "-f", "{{.ImportPath}}|{{.Export}}|{{.GoFiles}}")
	for _, pkg := range pkgs {
		cmd.Args = append(cmd.Args, "./"+pkg)
	}
	cmd.Dir, cmd.Stderr = root, os.Stderr
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0") // as make test has it, for the sake of the cache
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("run go list: %w", err)
	}
	list := map[string]compiled{}
	for line := range strings.Lines(string(out)) {
		f := strings.Split(line, "|")
		list[f[0]] = compiled{f[1], strings.Fields(strings.Trim(f[2], "[]\n"))}
	}
	return list, nil
}

// checkLoops checks the loops of one package, in the files that names lists.
func (c *check) checkLoops(pkg string, names []string, imp types.Importer) error {
	var files []*ast.File
	for _, f := range c.files {
		if f.pkg == pkg && slices.Contains(names, path.Base(f.name)) {
			files = append(files, f.file)
		}
	}
	if len(files) == 0 {
		return fmt.Errorf("the go command lists no files of %s, so its loops cannot be checked", pkg)
	}
	info := types.Info{Types: map[ast.Expr]types.TypeAndValue{}}
	if _, err := (&types.Config{Importer: imp}).Check(pkg, c.fset, files, &info); err != nil {
		return fmt.Errorf("%s does not compile, so its loops cannot be checked: %w", pkg, err)
	}
	for _, f := range files {
		reasons := c.orderedLines(f)
		ast.Inspect(f, func(n ast.Node) bool {
			loop, ok := n.(*ast.RangeStmt)
			if ok && isMap(info.TypeOf(loop.X)) && !reasons[c.fset.Position(loop.Pos()).Line-1] {
				c.checkUse(use{pkg, "range over a map", c.at(loop)}, c.Machine)
			}
			return true
		})
	}
	return nil
}

// orderedLines returns the lines on which a comment that gives a reason ends.
func (c *check) orderedLines(f *ast.File) map[int]bool {
	lines := map[int]bool{}
	for _, group := range f.Comments {
		if _, reason, ok := strings.Cut(group.Text(), "ordered:"); ok && strings.TrimSpace(reason) != "" {
			lines[c.fset.Position(group.End()).Line] = true
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

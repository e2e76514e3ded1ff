package arch

import (
	"go/ast"
	"path"
	"strconv"
	"strings"
)

// use is something that a package does and that a rule may speak of.
type use struct {
	pkg  string
	what string // as in the package comment; for an import of the module its directory
	at   string
}

// related reports whether one end of an import lies inside the other.
func (u use) related() bool { return inside(u.pkg, u.what) || inside(u.what, u.pkg) }

// imports lists the imports between packages of the module, tests left out.
func (t Tree) imports(module string) []use {
	var out []use
	for _, f := range t.files {
		for _, spec := range f.file.Imports {
			if to, ok := strings.CutPrefix(importPath(spec), module+"/"); ok && !f.test {
				out = append(out, use{f.pkg, to, t.at(spec)})
			}
		}
	}
	return out
}

func importPath(spec *ast.ImportSpec) string {
	s, _ := strconv.Unquote(spec.Path.Value) // the parser has accepted it
	return s
}

// usesOf lists what one file does.
func (t Tree) usesOf(f source) []use {
	var out []use
	names := map[string]string{}  // import paths by the name that the file uses
	sorted := map[ast.Expr]bool{} // functions called in the first argument of slices.Sorted
	add := func(n ast.Node, what string) { out = append(out, use{f.pkg, what, t.at(n)}) }
	add(f.file.Name, "package "+strings.TrimSuffix(f.file.Name.Name, "_test"))
	ast.Inspect(f.file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ImportSpec:
			p := importPath(n)
			name := path.Base(p)
			if n.Name != nil {
				name = n.Name.Name
			}
			if name == "." {
				add(n, "dot import")
			}
			names[name] = p
			add(n, "import "+p)
		case *ast.FuncDecl:
			// Generators have their own way of filling tables, which nobody edits.
			if n.Recv == nil && n.Name.Name == "init" && !ast.IsGenerated(f.file) {
				add(n, "func init")
			}
		case *ast.GoStmt:
			add(n, "go statement")
		case *ast.SelectStmt:
			add(n, "select statement")
		case *ast.ChanType:
			add(n, "channel type")
		case *ast.CallExpr:
			if len(n.Args) > 0 && strings.HasPrefix(selected(n.Fun, names), "slices.Sorted") {
				if call, ok := n.Args[0].(*ast.CallExpr); ok {
					sorted[call.Fun] = true
				}
			}
		case *ast.SelectorExpr:
			if name := selected(n, names); name != "" && !sorted[n] {
				add(n, "use "+name)
			}
		}
		return true
	})
	return out
}

// selected returns "path.Name" for a name of an imported package, else "".
func selected(e ast.Expr, imports map[string]string) string {
	if x, ok := e.(*ast.SelectorExpr); ok {
		if id, ok := x.X.(*ast.Ident); ok && imports[id.Name] != "" {
			return imports[id.Name] + "." + x.Sel.Name
		}
	}
	return ""
}

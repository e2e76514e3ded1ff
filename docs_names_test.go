package inalab_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// names is what the module declares.
type names struct {
	packages map[string]map[string]bool // by folder: Name, Type.Member
	called   map[string]string          // names of packages, by folder
	files    map[string]bool            // base names of Go files
	knobs    map[string]bool            // string constants such as "switchml.pipe"
}

// readNames reads the declarations of every package of the module, tests left out.
func readNames(t *testing.T) names {
	t.Helper()
	n := names{map[string]map[string]bool{}, map[string]string{}, map[string]bool{}, map[string]bool{}}
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".") && name != "."):
			return filepath.SkipDir
		case path.Ext(name) == ".go":
			n.files[d.Name()] = true
			return n.read(filepath.ToSlash(name))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func (n names) read(name string) error {
	if strings.HasSuffix(name, "_test.go") {
		return nil
	}
	f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	dir := path.Dir(name)
	if n.packages[dir] == nil {
		n.packages[dir] = map[string]bool{}
	}
	n.called[dir] = f.Name.Name
	for _, decl := range f.Decls {
		declare(n.packages[dir], decl)
	}
	ast.Inspect(f, func(node ast.Node) bool {
		if lit, ok := node.(*ast.BasicLit); ok && lit.Kind == token.STRING {
			n.knobs[strings.Trim(lit.Value, `"`)] = true
		}
		return true
	})
	return nil
}

func declare(out map[string]bool, decl ast.Decl) {
	switch d := decl.(type) {
	case *ast.FuncDecl:
		if d.Recv == nil {
			out[d.Name.Name] = true
			return
		}
		out[baseOf(d.Recv.List[0].Type)+"."+d.Name.Name] = true
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch s := spec.(type) {
			case *ast.TypeSpec:
				out[s.Name.Name] = true
				declareMembers(out, s)
			case *ast.ValueSpec:
				for _, v := range s.Names {
					out[v.Name] = true
				}
			}
		}
	}
}

// declareMembers notes fields of a struct and methods of an interface.
func declareMembers(out map[string]bool, s *ast.TypeSpec) {
	var list *ast.FieldList
	switch t := s.Type.(type) {
	case *ast.StructType:
		list = t.Fields
	case *ast.InterfaceType:
		list = t.Methods
	default:
		return
	}
	for _, f := range list.List {
		for _, name := range f.Names {
			out[s.Name.Name+"."+name.Name] = true
		}
		if len(f.Names) == 0 {
			out[s.Name.Name+"."+baseOf(f.Type)] = true
		}
	}
}

// baseOf returns the name of a type without pointer, package and parameters.
func baseOf(e ast.Expr) string {
	switch t := e.(type) {
	case *ast.StarExpr:
		return baseOf(t.X)
	case *ast.IndexExpr:
		return baseOf(t.X)
	case *ast.SelectorExpr:
		return t.Sel.Name
	case *ast.Ident:
		return t.Name
	}
	return ""
}

// has reports whether a path, a pattern of packages, a name of a declaration or a knob
// exists.
func (n names) has(word string) bool {
	if strings.ToLower(word) == word && strings.Contains(word, ".") && n.knobs[word] {
		return true
	}
	word = strings.TrimSuffix(word, "()")
	if strings.HasSuffix(word, ".go") && !strings.Contains(word, "/") {
		return n.files[word]
	}
	if _, err := os.Stat(word); err == nil {
		return true
	}
	if dir, ok := strings.CutSuffix(word, "/**"); ok {
		return n.hasBelow(dir)
	}
	if dir, ok := strings.CutSuffix(word, "/*"); ok {
		return n.hasBelow(dir)
	}
	for pkg, declared := range n.packages {
		if declared[word] || !strings.ContainsAny(word, "./") && hasMember(declared, word) {
			return true
		}
		if of, member := splitName(word); member != "" && declared[member] &&
			(strings.HasSuffix("/"+pkg, "/"+of) || n.called[pkg] == of) {
			return true
		}
	}
	return false
}

// splitName splits "nodes/trioml.Config.Window" into package and member.
func splitName(word string) (pkg, member string) {
	dir, rest := path.Split(word)
	first, member, _ := strings.Cut(rest, ".")
	return dir + first, member
}

func (n names) hasBelow(dir string) bool {
	return slices.ContainsFunc(slices.Collect(maps.Keys(n.packages)), func(pkg string) bool {
		return pkg == dir || strings.HasPrefix(pkg, dir+"/")
	})
}

// hasMember reports whether some type has a method or field of a name.
func hasMember(declared map[string]bool, name string) bool {
	for d := range declared {
		if strings.HasSuffix(d, "."+name) {
			return true
		}
	}
	return false
}

// meant reports whether a word of a picture is meant to be a name of the module.
func (n names) meant(word string) bool {
	if strings.HasSuffix(word, "()") {
		return true
	}
	if dir, _, isPath := strings.Cut(word, "/"); isPath {
		return n.hasBelow(dir)
	}
	first, _, _ := strings.Cut(word, ".")
	for pkg, declared := range n.packages {
		if n.called[pkg] == first || declared[first] {
			return !dataFile.MatchString(word)
		}
	}
	return false
}

package inalab_test

import (
	"fmt"
	"go/ast"
	"path"
	"slices"
	"strings"
)

// checkPlaced wants every package in the table of levels, once.
func (r rules) checkPlaced(tree sourceTree) []finding {
	var out []finding
	for _, pkg := range tree.packages() {
		if _, ok := r.levelOf(pkg); !ok {
			out = append(out, finding{
				at: pkg, rule: "level", what: fmt.Sprintf("package %s is on no level", pkg),
				why: "the direction of imports can only be checked for packages that have a level",
				fix: "add it to levels in arch_test.go, beside the packages it is like",
			})
		}
	}
	seen := map[string]int{}
	for _, l := range r.levels {
		for _, p := range l.pkgs {
			if n, dup := seen[p]; dup {
				out = append(out, finding{
					at: "arch_test.go", rule: "level", what: fmt.Sprintf("%s is on levels %d and %d", p, n, l.n),
					why: "a package has one level", fix: "delete one of the two entries",
				})
			}
			seen[p] = l.n
		}
	}
	return out
}

// checkImports wants imports to point downwards, or sideways where listed.
func (r rules) checkImports(tree sourceTree) []finding {
	var out []finding
	for _, e := range r.edges(tree) {
		from, ok1 := r.levelOf(e.from)
		to, ok2 := r.levelOf(e.to)
		if !ok1 || !ok2 || from < to || r.mayGoSideways(e, from, to) {
			continue
		}
		f := finding{
			at: e.at, rule: "level",
			what: fmt.Sprintf("%s (level %d) imports %s (level %d)", e.from, from, e.to, to),
			why:  "a package imports lower levels only, so that the core never depends on what runs it",
			fix:  "move what both need down, or let the upper package pass it in",
		}
		if from == to {
			f.fix += "; if the two belong together, add the pair with its reason to sideways in arch_test.go"
		}
		out = append(out, f)
	}
	return out
}

func (r rules) mayGoSideways(e edge, from, to int) bool {
	return from == to && slices.ContainsFunc(r.sideways, func(p pair) bool {
		return matches(p.from, e.from) && matches(p.to, e.to)
	})
}

// checkConfined wants confined packages to import what they are granted.
func (r rules) checkConfined(tree sourceTree) []finding {
	var out []finding
	for _, e := range r.edges(tree) {
		for _, c := range r.confined {
			if matches(c.pkgs, e.from) && !matchesAny(c.may, e.to) {
				out = append(out, finding{
					at: e.at, rule: "confined", what: fmt.Sprintf("%s imports %s", e.from, e.to), why: c.reason,
					fix: "import only " + strings.Join(c.may, ", ") + "; record what is missing in internal/result",
				})
			}
		}
	}
	return out
}

// checkMachines holds the lowest levels to no clock, no I/O, no goroutine.
func (r rules) checkMachines(tree sourceTree) []finding {
	var out []finding
	for _, f := range tree.files {
		if f.isTest() || !r.isMachine(f.pkg) {
			continue
		}
		out = append(out, r.checkBannedImports(tree, f)...)
		out = append(out, r.checkSyntax(tree, f)...)
	}
	return out
}

func (r rules) checkBannedImports(tree sourceTree, f source) []finding {
	var out []finding
	for _, spec := range f.file.Imports {
		p := importPath(spec)
		if spec.Name != nil && spec.Name.Name == "." {
			out = append(out, finding{
				at: tree.at(spec), rule: "import", what: "dot import of " + p,
				why: "identifiers without a package name cannot be checked here, nor by a reader", fix: "import it under its name",
			})
		}
		i := slices.IndexFunc(r.imports, func(b ban) bool { return matchesAny(b.paths, p) })
		if i < 0 || p == "net/netip" || r.isAllowed(f.pkg, p) {
			continue
		}
		out = append(out, finding{
			at: tree.at(spec), rule: "import", what: fmt.Sprintf("%s imports %s", f.pkg, p),
			why: r.imports[i].why, fix: r.imports[i].fix,
		})
	}
	return out
}

func (r rules) isAllowed(pkg, path string) bool {
	return slices.ContainsFunc(r.allowed, func(e exception) bool { return e.pkg == pkg && e.path == path })
}

// checkSyntax looks for concurrency, clocks and orders that differ from run to
// run in one file of a machine.
func (r rules) checkSyntax(tree sourceTree, f source) []finding {
	var out []finding
	report := func(n ast.Node, rule, what, why, fix string) {
		out = append(out, finding{tree.at(n), rule, what, why, fix})
	}
	const owner = "one goroutine owns a machine, and two runs of one seed must not differ"
	const noOwner = "return effects to the caller; what runs at once belongs to levels 1 to 6"
	sorted := map[ast.Node]bool{}
	imports := localNames(f.file)
	ast.Inspect(f.file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			report(n, "goroutine", "go statement", owner, noOwner)
		case *ast.SelectStmt:
			report(n, "goroutine", "select statement", owner, noOwner)
		case *ast.ChanType:
			report(n, "goroutine", "channel type", owner, noOwner)
		case *ast.CallExpr:
			if p, name := selected(n.Fun, imports); p == "slices" && strings.HasPrefix(name, "Sorted") && len(n.Args) > 0 {
				if call, ok := n.Args[0].(*ast.CallExpr); ok {
					sorted[call.Fun] = true
				}
			}
		case *ast.SelectorExpr:
			p, name := selected(n, imports)
			if p == "time" && slices.Contains(r.clockUses, name) {
				report(n, "clock", "time."+name, "a machine is told the time", "take now as an argument")
			}
			if p == "maps" && slices.Contains([]string{"Keys", "Values", "All"}, name) && !sorted[n] {
				report(n, "map order", "maps."+name+" without sorting",
					"the order of a map differs from run to run", "wrap the call directly in slices.Sorted or slices.SortedFunc")
			}
		}
		return true
	})
	return out
}

// localNames maps the name by which a file knows an import to its path. A
// version suffix is not part of a name: math/rand/v2 is rand.
func localNames(f *ast.File) map[string]string {
	names := map[string]string{}
	for _, spec := range f.Imports {
		p := importPath(spec)
		name := path.Base(p)
		if len(name) > 1 && name[0] == 'v' && strings.Trim(name[1:], "0123456789") == "" {
			name = path.Base(path.Dir(p))
		}
		if spec.Name != nil {
			name = spec.Name.Name
		}
		names[name] = p
	}
	return names
}

// selected returns the import path and the identifier of pkg.Name, looking
// through type arguments, or "".
func selected(e ast.Expr, imports map[string]string) (path, name string) {
	switch x := e.(type) {
	case *ast.IndexExpr:
		return selected(x.X, imports)
	case *ast.IndexListExpr:
		return selected(x.X, imports)
	case *ast.SelectorExpr:
		if id, ok := x.X.(*ast.Ident); ok {
			return imports[id.Name], x.Sel.Name
		}
	}
	return "", ""
}

// checkStale wants every row of the tables that permit something to be used.
func (r rules) checkStale(tree sourceTree) []finding {
	var out []finding
	pkgs := tree.packages()
	exists := func(pattern string) bool {
		return slices.ContainsFunc(pkgs, func(p string) bool { return matches(pattern, p) })
	}
	stale := func(what string) {
		out = append(out, finding{
			at: "arch_test.go", rule: "stale", what: what, why: "a permission that nobody uses hides the next mistake", fix: "delete the row",
		})
	}
	edges := r.edges(tree)
	for _, p := range r.sideways {
		used := slices.ContainsFunc(edges, func(e edge) bool { return matches(p.from, e.from) && matches(p.to, e.to) })
		if !used && exists(p.from) && exists(p.to) {
			stale(fmt.Sprintf("no package %s imports %s any more, but sideways lists it", p.from, p.to))
		}
	}
	for _, x := range r.allowed {
		used := slices.ContainsFunc(tree.files, func(f source) bool {
			return f.pkg == x.pkg && !f.isTest() &&
				slices.ContainsFunc(f.file.Imports, func(s *ast.ImportSpec) bool { return importPath(s) == x.path })
		})
		if !used && exists(x.pkg) {
			stale(fmt.Sprintf("%s does not import %s any more, but allowed lists it", x.pkg, x.path))
		}
	}
	return out
}

// checkConventions holds every file of the module, tests included, to the
// habits that a reader may rely on.
func (r rules) checkConventions(tree sourceTree) []finding {
	var out []finding
	documented := map[string]bool{}
	for _, f := range tree.files {
		if !f.isTest() && f.file.Doc != nil && strings.TrimSpace(f.file.Doc.Text()) != "" {
			documented[f.pkg] = true
		}
		if name := strings.TrimSuffix(f.file.Name.Name, "_test"); slices.Contains(r.names, name) {
			out = append(out, finding{
				at: tree.at(f.file.Name), rule: "name", what: "package " + name,
				why: "a package is one noun that a stranger can define", fix: "name it after what it holds, or move that to where it is used",
			})
		}
		out = append(out, checkInit(tree, f)...)
		out = append(out, checkSleep(tree, f)...)
	}
	for _, pkg := range tree.packages() {
		if !documented[pkg] {
			out = append(out, finding{
				at: pkg, rule: "doc", what: "no package comment",
				why: "a reader must learn what a package models, and what it leaves out, before its code", fix: "write " + path.Join(pkg, "doc.go"),
			})
		}
	}
	return out
}

// checkInit wants nothing to happen by being imported. Generators have their own
// way of filling tables, which nobody edits.
func checkInit(tree sourceTree, f source) []finding {
	if ast.IsGenerated(f.file) {
		return nil
	}
	var out []finding
	for _, d := range f.file.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil && fn.Name.Name == "init" {
			out = append(out, finding{
				at: tree.at(fn), rule: "init", what: "func init",
				why: "nothing happens by being imported; commands build their lists in the open", fix: "make it a function that main calls, or a table",
			})
		}
	}
	return out
}

func checkSleep(tree sourceTree, f source) []finding {
	if !f.isTest() {
		return nil
	}
	var out []finding
	imports := localNames(f.file)
	ast.Inspect(f.file, func(n ast.Node) bool {
		if e, ok := n.(*ast.SelectorExpr); ok {
			if p, name := selected(e, imports); p == "time" && name == "Sleep" {
				out = append(out, finding{
					at: tree.at(e), rule: "sleep", what: "time.Sleep in a test",
					why: "a test that sleeps is slow when it passes and flaky when it fails",
					fix: "wait for the event itself: a channel, a process's exit, a virtual clock, testing/synctest",
				})
			}
		}
		return true
	})
	return out
}

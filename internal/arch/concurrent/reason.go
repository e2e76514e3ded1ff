package main

import (
	"fmt"
	"go/ast"
	"go/token"
	"slices"
	"strconv"
	"strings"
)

// starters are functions and methods of other modules that call what they are given on
// another goroutine: of sync.WaitGroup and errgroup.Group, testing.T and B, time and
// context, os/signal, runtime. A function of the same name that starts none costs
// time and no more.
var starters = []string{"Go", "Parallel", "RunParallel", "AfterFunc", "Notify", "NotifyContext", "SetFinalizer", "AddCleanup"}

// callers are packages that call their importers on goroutines of their own, or let them
// share memory with one; each stands for what lies below it, too.
var callers = []string{"net/http", "net/rpc", "os/exec", "os/signal", "testing/synctest", "golang.org/x/sync", "google.golang.org/grpc"}

// reasonOf returns where a file may start a second goroutine, or "".
func reasonOf(fset *token.FileSet, f *ast.File) (reason string) {
	found := func(n ast.Node, what string) {
		if reason == "" {
			p := fset.Position(n.Pos())
			reason = fmt.Sprintf("%s:%d: %s", p.Filename, p.Line, what)
		}
	}
	for _, i := range f.Imports {
		path, err := strconv.Unquote(i.Path.Value)
		if err != nil || path == "C" || slices.ContainsFunc(callers, func(c string) bool { return path == c || strings.HasPrefix(path, c+"/") }) {
			found(i, "import "+i.Path.Value)
		}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			found(n, "go statement")
		case *ast.SelectorExpr: // a call, or a value that may be called
			if slices.Contains(starters, n.Sel.Name) {
				found(n, n.Sel.Name)
			}
		}
		return reason == ""
	})
	return reason
}

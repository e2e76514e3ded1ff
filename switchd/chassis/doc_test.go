package chassis

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The functions that the package comment leads through are there, and all those are in
// it that take a train to another part.
func TestTheWayByItsNames(t *testing.T) {
	names, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	declared, doc := map[string]bool{}, ""
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		if name == "doc.go" {
			doc = f.Doc.Text()
		}
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv != nil {
				declared[fn.Name.Name] = true
			}
		}
	}
	way := doc[strings.Index(doc, "# From part to part"):strings.Index(doc, "# Links")]
	for _, name := range strings.Fields("Handle Expire catchUp pass arrive offer takeTurns call passOn receive enter deliver forward serve served sent send goOn cross emerge leave out finish") {
		if !regexp.MustCompile(`\b`+name+`\b`).MatchString(way) || !declared[name] {
			t.Errorf("%s: in the package comment, or declared, but not both", name)
		}
	}
}

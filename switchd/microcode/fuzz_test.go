package microcode

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/inalab/inalab/switchd/microcode/syntax"
)

// FuzzCompile takes any bytes and wants a program that validates, or errors
// that each name a place within the source.
func FuzzCompile(f *testing.F) {
	own, err := filepath.Glob("testdata/*.mc")
	programs, err2 := filepath.Glob("../program/*/*.mc")
	if err != nil || err2 != nil || len(own) == 0 || len(programs) == 0 {
		f.Fatalf("no sources to start from: %v, %v", err, err2)
	}
	for _, name := range append(own, programs...) {
		src, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(src))
	}
	f.Add("packet entry e; register label l = e; e: begin bus u8 b = 3; switch (b[1:0]) { case 1: goto l; default: exit; } end")
	f.Fuzz(func(t *testing.T, src string) {
		p, err := Compile("f.mc", src)
		if err == nil {
			if err := p.Validate(); err != nil {
				t.Fatalf("compiles to what does not validate: %v", err)
			}
			return
		}
		lines := strings.Count(src, "\n") + 1
		for _, e := range all(t, err) {
			if e.Pos.Line < 1 || e.Pos.Line > lines || e.Pos.Col < 1 || e.Msg == "" {
				t.Fatalf("%v names no place in the source", e)
			}
		}
	})
}

// TestCompileEnds gives Compile sources whose parts multiply, which must not
// multiply its work.
func TestCompileEnds(t *testing.T) {
	const head = "packet entry e; register u32 r; register u32 *p; "
	var chain, suffixes strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&chain, "f%d: begin call f%d; end begin return; end ", i, i+1)
		fmt.Fprintf(&suffixes, "g%d: begin if (r == %d) call g%d; end ", i, i, 2999-i)
	}
	var wires strings.Builder
	wires.WriteString("bus u32 w0 = r + r;")
	for i := range 120 {
		fmt.Fprintf(&wires, "bus u32 w%d = w%d + w%d;", i+1, i, i)
	}
	deep := "bus bool d0 = r == 0;"
	for i := range 100 {
		deep += fmt.Sprintf("bus bool d%d = d%d%s;", i+1, i, strings.Repeat(" || r == 1", 120))
	}
	for name, src := range map[string]string{
		"depth":       "e: begin " + deep + " if (d100) r = 1; exit; end",
		"conditions":  "e: begin " + strings.Repeat("if (r == 1) { if (r == 2) exit; }", 60) + " r = 1; exit; end",
		"wires":       "e: begin " + wires.String() + " r = w120; exit; end",
		"selects":     "e: begin r = " + strings.Repeat("r ? r : ", 200) + "r; exit; end",
		"pointers":    "e: begin " + strings.Repeat("p = p + *p + *p;", 100) + " exit; end",
		"calls":       "e: begin call f0; end begin exit; end " + chain.String() + "f3000: begin return; end",
		"recursion":   "e: begin call g0; end begin exit; end " + suffixes.String() + "begin return; end",
		"instruction": "e: " + strings.Repeat("begin r = 1; end ", 60000) + "begin exit; end",
		"types":       strings.Repeat("struct { ", 60) + "a : 8; " + strings.Repeat("}; ", 60),
		"members":     "struct s { " + members(9000) + " }; register s *q; e: begin exit; end " + strings.Repeat("begin r=q->nosuch; end ", 20000),
		"no XTXN":     "e: begin exit; end " + strings.Repeat("begin Frward(1); end ", 20000),
		"names":       "e: begin exit; end " + strings.Repeat("virtual a = b; ", 50000),
	} {
		p, err := Compile("x.mc", head+src)
		if err == nil && p.Validate() != nil {
			t.Errorf("%s: %v", name, p.Validate())
		}
		if err != nil {
			all(t, err)
		}
	}
}

// members makes so many of one bit.
func members(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "member%d : 1; ", i)
	}
	return b.String()
}

// all returns the errors that an error of Compile stands for.
func all(t *testing.T, err error) syntax.Errors {
	var list syntax.Errors
	var one *syntax.Error
	switch {
	case errors.As(err, &list):
		return list
	case errors.As(err, &one):
		return syntax.Errors{one}
	}
	t.Fatalf("%T carries no position", err)
	return nil
}

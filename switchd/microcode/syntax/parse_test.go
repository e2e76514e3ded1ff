package syntax

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// noPos compares trees without positions, so that trees can be written by hand.
var noPos = cmpopts.IgnoreTypes(Pos{})

func parse(t *testing.T, src string) *File {
	t.Helper()
	f, err := Parse("x.mc", src)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// expr returns the right side of "x = src".
func expr(t *testing.T, src string) Expr {
	t.Helper()
	f := parse(t, "begin x = "+src+"; end")
	return f.Decls[0].(*Instr).Body[0].(*AssignStmt).RHS
}

func name(s string) Expr                 { return &Name{Text: s} }
func num(v uint64) Expr                  { return &Number{Value: v} }
func bin(x Expr, op string, y Expr) Expr { return &Binary{Op: op, X: x, Y: y} }

func TestPrecedenceIsThatOfC(t *testing.T) {
	for src, want := range map[string]Expr{
		"a + b * c":       bin(name("a"), "+", bin(name("b"), "*", name("c"))),
		"a - b - c":       bin(bin(name("a"), "-", name("b")), "-", name("c")),
		"a & 3 == 1":      bin(name("a"), "&", bin(num(3), "==", num(1))),
		"a || b && c":     bin(name("a"), "||", bin(name("b"), "&&", name("c"))),
		"1 << a + 2":      bin(num(1), "<<", bin(name("a"), "+", num(2))),
		"(a * b + c)":     bin(bin(name("a"), "*", name("b")), "+", name("c")),
		"(a * b << 1)":    bin(bin(name("a"), "*", name("b")), "<<", num(1)),
		"-a[3:1]":         &Unary{Op: "-", X: &Slice{X: name("a"), Hi: num(3), Lo: num(1)}},
		"p->f.g":          &Selector{X: &Selector{X: name("p"), Arrow: true, Name: "f"}, Name: "g"},
		"&a[1]":           &Unary{Op: "&", X: &Index{X: name("a"), I: num(1)}},
		"(t *) p":         &Cast{Type: "t", X: name("p")},
		"(struct t *) 64": &Cast{Type: "t", X: num(64)},
		"a ? b : c ? 1 : 2": &Conditional{If: name("a"), Then: name("b"),
			Else: &Conditional{If: name("c"), Then: num(1), Else: num(2)}},
		"(a * b ? 1 : 2)": &Conditional{If: bin(name("a"), "*", name("b")), Then: num(1), Else: num(2)},
		"f(a, 1)":         &CallExpr{Name: "f", Args: []Expr{name("a"), num(1)}},
		"sizeof(t)":       &Sizeof{X: name("t")},
		"offsetof(t,a.b)": &Offsetof{Type: "t", Path: []string{"a", "b"}},
		"0x_ff + 0b101":   bin(num(255), "+", num(5)),
		"true":            &Number{Value: 1, Bool: true},
	} {
		if diff := cmp.Diff(want, expr(t, src), noPos); diff != "" {
			t.Errorf("%s (-want +got):\n%s", src, diff)
		}
	}
}

func TestDeclarations(t *testing.T) {
	f := parse(t, `
struct h_t { a : 4; : 28; u8 b[2]; m[4] : 64; union { whole : 64; struct { hi : 32; lo : 32; } half; }; };
packet entry start;
timer scan entry tick;
counter drops[2];
export register h_t *p @ 3 = 64;
virtual N = 5;
virtual : M = 5;
virtual : 12 O = 5;
lmem u32 buf[16];
`)
	u := &StructDecl{Union: true, Members: []*Member{
		{Name: "whole", Width: num(64)},
		{Name: "half", Body: &StructDecl{Members: []*Member{{Name: "hi", Width: num(32)}, {Name: "lo", Width: num(32)}}}},
	}}
	want := []Decl{
		&StructDecl{Name: "h_t", Members: []*Member{
			{Name: "a", Width: num(4)}, {Width: num(28)}, {Name: "b", Type: &TypeRef{Name: "u8"}, Len: num(2)},
			{Name: "m", Width: num(64), Len: num(4)}, {Body: u},
		}},
		&EntryDecl{Kind: EntryPacket, Label: "start"},
		&EntryDecl{Kind: EntryTimer, Name: "scan", Label: "tick"},
		&SharedDecl{Kind: SharedCounter, Name: "drops", Len: num(2)},
		&VarDecl{Export: true, Storage: StorageRegister, Type: &TypeRef{Name: "h_t", Pointer: true}, Name: "p", At: num(3), Init: num(64)},
		&VarDecl{Storage: StorageVirtual, Type: &TypeRef{}, Name: "N", Init: num(5)},
		&VarDecl{Storage: StorageVirtual, Type: &TypeRef{}, Name: "M", Init: num(5)},
		&VarDecl{Storage: StorageVirtual, Type: &TypeRef{Width: num(12)}, Name: "O", Init: num(5)},
		&VarDecl{Storage: StorageLMEM, Type: &TypeRef{Name: "u32"}, Name: "buf", Len: num(16)},
	}
	if diff := cmp.Diff(want, f.Decls, noPos); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestStatements(t *testing.T) {
	f := parse(t, `
a: b: begin
	bus u32 w = 1;
	x += 2;
	x++;
	async Put(x, 1);
	if (x) goto a; else { return; }
	switch (x) { case 1: case 2: goto a; default: exit; }
	call b;
end`)
	in := f.Decls[0].(*Instr)
	if len(in.Labels) != 2 || in.Labels[0].Name != "a" || in.Labels[1].Name != "b" {
		t.Errorf("labels are %v", in.Labels)
	}
	want := []Stmt{
		&DeclStmt{Var: &VarDecl{Storage: StorageBus, Type: &TypeRef{Name: "u32"}, Name: "w", Init: num(1)}},
		&AssignStmt{Op: "+", LHS: name("x"), RHS: num(2)},
		&AssignStmt{Op: "+", LHS: name("x"), RHS: num(1)},
		&CallStmt{Async: true, Call: &CallExpr{Name: "Put", Args: []Expr{name("x"), num(1)}}},
		&IfStmt{Cond: name("x"), Then: []Stmt{&JumpStmt{Op: "goto", Label: "a"}}, Else: []Stmt{&JumpStmt{Op: "return"}}},
		&SwitchStmt{Tag: name("x"), Cases: []*Case{
			{Values: []Expr{num(1), num(2)}, Body: []Stmt{&JumpStmt{Op: "goto", Label: "a"}}},
			{Body: []Stmt{&JumpStmt{Op: "exit"}}},
		}},
		&JumpStmt{Op: "call", Label: "b"},
	}
	if diff := cmp.Diff(want, in.Body, noPos); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestErrorsNameThePlace wants the first error, where it is, and what to do.
func TestErrorsNameThePlace(t *testing.T) {
	for _, c := range []struct{ src, want string }{
		{"struct a {\n  b : 3\n};", `x.mc:3:1: expected ";" after the width, found "}"`},
		{"begin x = ; end", `x.mc:1:11: expected a value, found ";"`},
		{"begin x = 1;", `x.mc:1:13: expected "end" after the instruction that begins at x.mc:1:1, found end of file`},
		{"begin x = 08; end", `x.mc:1:11: number "08" starts with 0`},
		{"begin x = 0o7; end", `x.mc:1:11: number "0o7" is octal`},
		{"begin x = 3q; end", `x.mc:1:11: number "3q" is not`},
		{"begin x = 0x1_0000_0000_0000_0000; end", `is not a decimal, 0x or 0b number of at most 64 bits`},
		{"/* a", "x.mc:1:1: the comment that starts here has no end"},
		{"begin\n\tx = 1 $ 2;\nend", `x.mc:2:8: character '$' is not part of the language`},
		{"register é", `x.mc:1:10: character 'é' is not part of the language`},
		{"begin\x00", "x.mc:1:6: byte 0x00 is not part of the language"},
		{"begin \x80", "x.mc:1:7: byte 0x80 is not part of the language"},
		{"begin x = \"a\";", "x.mc:1:11: \": the language has no strings"},
		{"\xff\xfeb\x00", "x.mc:1:1: the source is UTF-16; save it as UTF-8"},
		{"\ufeffstruct $", `x.mc:1:8: character '$'`},
		{strings.Repeat("a", 256) + " b;", "x.mc:1:1: a name of 256 bytes; at most 255"},
		{"virtual a = " + strings.Repeat("9", 256) + ";", "x.mc:1:13: a number of 256 characters; at most 255"},
		{"struct s { u8 *x; };", "x.mc:1:15: a member is a pointer; keep pointers in registers"},
		{"begin (F(1)); end", `expected an assignment, an XTXN or a jump, found ";"`},
		{"begin begin end end", `x.mc:1:7: begin inside an instruction`},
		{"l: register u32 x;", `expected "begin" after the label`},
		{"begin async x = F(1); end", `async stands before an XTXN without a reply`},
		{"begin x == 1; end", `expected an assignment, an XTXN or a jump, found "=="`},
		{"begin goto end; end", `expected a label after goto, found "end", which is a keyword`},
		{"timer t start;", `expected "entry"`},
		{"event entry e;", `x.mc:1:13: expected "entry" and the label where threads start, found name "e"`},
		{"statistics c entry e;", `x.mc:1:14: expected "every" and a number of packets or bytes, found name "entry"`},
		{"statistics c every 3 entry e;", `x.mc:1:22: expected "packets" or "bytes" after the number, found name "entry"`},
		{"route R;", `x.mc:1:8: expected "[" and the most entries that R holds, found ";"`},
		{"filter A[3];", `x.mc:1:12: expected "on" and the list of fields that A looks at, found ";"`},
		{"fields F { };", `x.mc:1:12: expected a value, found "}"`},
		{"fields F { a b };", `x.mc:1:14: expected "}" after the fields, found name "b"`},
		{"x", `expected`},
		{"begin switch (x) { goto a; } end", "expected case or default"},
		{"begin x = " + strings.Repeat("(", 200) + "1", "nested more than 64 deep"},
		{"begin x = " + strings.Repeat("~", 2000) + "1; end", "nested more than 64 deep"},
		{"begin x = 1" + strings.Repeat("+1", 2000) + "; end", "more than 512 operators and operands"},
		{"begin " + strings.Repeat("if (x) ", 200) + " x = 1; end", "nested more than 64 deep"},
		{"struct a {" + strings.Repeat("struct {", 200), "nested more than 64 deep"},
		{strings.Repeat(" ", MaxSource+1), "x.mc:1:1: the source has 1048577 bytes"},
	} {
		_, err := Parse("x.mc", c.src)
		var e *Error
		if !errors.As(err, &e) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.60q: got %v\nwant %s", c.src, err, c.want)
		}
	}
}

func TestErrorText(t *testing.T) {
	at := Pos{"f.mc", 3, 7}
	e := &Error{Pos: at, Msg: "five operands", Rule: "at most four", Source: "trio §3.1"}
	if got, want := e.Error(), "f.mc:3:7: five operands (rule: at most four; trio §3.1)"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	list := Errors{e, {Pos: at, Msg: "more"}}
	if got := list.Error(); strings.Count(got, "\n") != 1 {
		t.Errorf("got %q, want two lines", got)
	}
	var one *Error
	if !errors.As(list, &one) || one != e {
		t.Errorf("the list does not unwrap to its errors")
	}
}

// FuzzParse takes any bytes and wants a tree or an error with a position
// within the source.
func FuzzParse(f *testing.F) {
	for _, s := range []string{
		"", "struct ether_t { dmac : 48; smac : 48; etype : 16; };",
		"a: begin\n ir0 = 0;\n if (p->etype == 0x0800) { goto b; }\n goto c;\nend",
		"begin const : addr = D + ir0 * 2; CounterIncPhys(addr, r.l); exit; end",
		"begin switch (x[3:0]) { case 1: goto a; default: break; } end", "begin x = (t *) (a ? b : c[1:0]); end",
		"/*", "0x", "timer t entry l; packet entry m; counter c[4];", "begin async F(); end", "export register u32 r @ 3 = 1;",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, src string) {
		tree, err := Parse("f.mc", src)
		if err == nil {
			if tree == nil {
				t.Fatal("neither a tree nor an error")
			}
			return
		}
		var e *Error
		if !errors.As(err, &e) {
			t.Fatalf("%T is not an *Error", err)
		}
		if lines := strings.Count(src, "\n") + 1; e.Pos.Line < 1 || e.Pos.Line > lines || e.Pos.Col < 1 {
			t.Fatalf("%v is not in the source", e)
		}
	})
}

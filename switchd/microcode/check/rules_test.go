package check

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/inalab/inalab/switchd/microcode/isa"
	"github.com/inalab/inalab/switchd/microcode/syntax"
)

// names are what the sources of these tests share.
const names = `
struct h_t { a : 8; b : 8; c : 8; : 4; d : 4; wide : 48; mask : 64; };
union key_t { whole : 64; struct { hi : 32; lo : 32; } half; };
struct pair_t { x : 24; y : 32; z : 24; };
virtual N = 4;
register u32 r1; register u32 r2; register u32 r3; register u32 r4; register u32 r5;
register u64 w; register u8 small; register bool flag; register key_t key; register pair_t pr;
register h_t *p; register h_t *q; register label next;
lmem u32 arr[16]; lmem h_t rec; lmem u32 m1; lmem u32 m2; lmem u32 m3;
counter cnt[2];
packet entry start;
`

func compile(t *testing.T, src string) (*isa.Program, error) {
	t.Helper()
	f, err := syntax.Parse("x.mc", src)
	if err != nil {
		t.Fatal(err)
	}
	return Program(f, isa.Machine{AddBytes: isa.AddBytes})
}

// one compiles a program whose first instruction has this body.
func one(t *testing.T, body string) (isa.Instruction, error) {
	t.Helper()
	p, err := compile(t, names+"start: begin\n"+body+"\nend\nother: begin exit; end\nthird: begin exit; end")
	if err != nil {
		return isa.Instruction{}, err
	}
	if err := p.Validate(); err != nil {
		t.Errorf("%s: compiles to what does not validate: %v", body, err)
	}
	return p.Instructions[0], nil
}

// TestRefused has a body for every reason why an instruction is refused.
func TestRefused(t *testing.T) {
	for _, c := range []struct{ body, want string }{
		// What one instruction may use (trio §2.2, §3.1).
		{"r1 = m1 + m2 + m3;",
			"x.mc:13:16: instruction start needs 3 LMEM reads, there are 2: m1, m2, m3 (rule: an instruction reads at most 2 LMEM operands; trio §3.1)"},
		{"r1 = p->a + p->b + p->c;", "reads at most 2 LMEM operands; trio §3.1"},
		{"if (r1 == r2 && r3 == r4 && r5 == 1) goto other;",
			"needs 5 register reads, there are 4: r1, r2, r3, r4, r5 (rule: an instruction reads at most 4 registers"},
		{"r1 = r2 + r3 + m1 + m2;", "x.mc:13:21: instruction start needs 6 register reads, there are 4: r2, r3, m1, m2"},
		{"r1 = 1; r2 = 2; r3 = 3;",
			"x.mc:13:17: instruction start needs 3 writes, there are 2: r1, r2, r3 (rule: an instruction writes at most 2 registers or LMEM fields; trio §3.1)"},
		{"r1 = 1; m1 = 2; m2 = 3;", "writes at most 2"},
		{"r1 = r2 + 1 - 2 ^ 3 | 4 & r3 << 5;", "at most 4 operations for its Condition ALUs; assumed"},
		{"key.half.hi = 1; key.half.lo = 2; w[7:0] = 1;", "at most 2 results for its Move ALUs; assumed"},
		{"TimeNow(); Forward(1);", "x.mc:13:12: a second XTXN, Forward, in one instruction (rule: an instruction sends one XTXN"},
		{"r1 = w;",
			"x.mc:13:6: w has 64 bits; take a part such as w[31:0] (rule: an operand or result is a bit-field of at most 32 bits; trio §2.2)"},
		{"r1 = p->wide;", "p->wide has 48 bits"},
		{"w = 1;", "w has 64 bits"},
		{"r1 = 0x100000000;", "does not fit the 32 bits"},
		{"r1 = r2 + 0x100000000;", "0x100000000 needs more than 32 bits"},
		{"r1 = pr.z;", "pr.z lies in two registers; pad the struct so that it starts in the second"},
		// Values before the instruction (trio §2.2).
		{"r1 = 1; r2 = r1;", "x.mc:13:14: r1 is read after r1 is assigned at line 13"},
		{"r1++; if (r1 == 3) goto other;", "r1 is read after"},
		{"p += 4; r1 = p->a;", "the pointer is read after p is assigned"},
		{"m1 = 1; r1 = m1[7:0];", "m1[7:0] is read after m1"},
		{"if (r1 == 1) { r2 = 1; } r3 = r2;", "r2 is read after"},
		{"w = HashLookup(key); r1 = w[31:0];", "is read after w is assigned"},
		{"bus u32 b = r1; r2 = c;", "no variable, constant or label c"},
		{"bus u32 b; r2 = b;", "bus b is read before it has a value"},
		// Arithmetic.
		{"r1 = r2 * r3;",
			"x.mc:13:9: * of a variable by anything but a constant power of two (rule: the ALUs shift, but neither multiply nor divide"},
		{"r1 = r2 * 3;", "power of two"},
		{"r1 = r2 / 4;", "shift with >>"},
		{"r1 = r2 % 4;", "take bits with [hi:lo]"},
		{"r1 = 1 / 0;", "division by zero"},
		// Names and types.
		{"r1 = HeaderPush(65);",
			"x.mc:13:17: HeaderPush takes 1 to 64 bytes, not 65 (rule: 64 bytes of LMEM before the head are for headers to be pushed, and"},
		{"r1 = HeaderPull(0);", "HeaderPull takes 1 to 1264 bytes, not 0"},
		{"async HeaderPush(4);", "HeaderPush cannot be asynchronous"},
		{"r1 = nx;", `no variable, constant or label nx`},
		{"r1 = smal;", `did you mean "small"?`},
		{"goto nowhere;", "no label nowhere"},
		{"goto othr;", `did you mean "other"?`},
		{"goto r1;", "r1 is no label"},
		{"r1 = other;", "other is a label; only label variables take labels"},
		{"next = 1;", "a label variable takes the name of a label"},
		{"goto next;", "next is given no label anywhere"},
		{"r1 = h_t;", "h_t is a type"},
		{"r1 = p.a;", "p is a pointer; write p->a"},
		{"r1 = rec->a;", "is no pointer; use . for its members"},
		{"r1 = rec.e;", "h_t has no member e"},
		{"r1 = r2.a;", "r2 is no struct"},
		{"r1 = rec;", "rec is a h_t; name one of its parts"},
		{"rec = 1;", "rec is a h_t; name one of its parts"},
		{"N = 1;", "N cannot be assigned"},
		{"p->a[7:0] = other;", "other is a label"},
		{"p = r1;", "r1 is no pointer; (type *) makes a number one"},
		{"r1 = *r2;", "this is no pointer"},
		{"p = &r1;", "r1 has no address"},
		{"r1 = &rec.d;", "starts within a byte"},
		{"p = (no_t *) 4;", "no type no_t"},
		{"r1 = sizeof(no);", "no variable"},
		{"r1 = offsetof(h_t, d);", "starts within a byte, at bit 28"},
		{"r1 = offsetof(h_t, no);", "h_t has no member no"},
		{"r1 = arr[16];", "element 16 of arr, which has 16"},
		{"small = 256;", "0x100 does not fit the 8 bits"},
		{"r1 = r2[3:4];", "bits [3:4] are not within the 32 bits of r2"},
		{"r1 = small[8:0];", "not within the 8 bits"},
		{"r1 = r2[r3:0];", "the upper bit is not known when the program is compiled"},
		{"r1 = ((h_t *) 1280)->a;", "is outside of it"},
		{"r1 = (p - 9999)->a;", "is outside of it"},
		{"r1 = p[200].a;", "is outside of it"},
		{"r1 = p[r2].a;", "elements of 18 bytes"},
		// Wires.
		{"u32 b = 1;", "b has no storage class; within an instruction write bus"},
		{"register u32 b;", "register b within an instruction"},
		{"bus u32 b = 1; b = 2;", "a wire is assigned once"},
		{"const u32 b = 1; b++;", "a wire is assigned once"},
		{"bus u32 b; if (r1 == 1) { b = 2; }", "must have a value in every case"},
		{"bus u32 b = 1; bus u32 b = 2;", "b is declared twice"},
		{"virtual V = r1;", "is not known when the program is compiled"},
		{"const u32 c;", "constant c has no value"},
		{"bus u8 b = 300;", "0x12c does not fit the 8 bits of b"},
		{"bus h_t *b = r1;", "r1 is no pointer"},
		// Control flow.
		{"goto other; r1 = 1;", "this is never reached"},
		{"if (r1 == 1) { goto other; } else { exit; } r2 = 1;", "this is never reached"},
		{"switch (r1) { case 1: goto other; case 1: goto third; }", "case 1 stands twice"},
		{"switch (r1) { case 1: r2 = 1; case 2: exit; }", "ends without goto, call, return, exit or break"},
		{"switch (r1) { default: exit; default: exit; }", "two defaults"},
		{"switch (r1) { case r2: exit; }", "the value of a case is not known"},
		{"break;", "break ends an arm of a switch"},
		{"return;", "return is reached from start without a call"},
		{"call start;", "start is called while it runs (rule: a subroutine does not call itself"},
		// XTXNs.
		{"Frward(1);", `no XTXN Frward; did you mean "Forward"?`},
		{"other();", "other is a label; write call other;"},
		{"Forward();", "Forward takes 1 arguments (nexthop), not 0"},
		{"MemRead(1, arr, 12);", "MemRead moves 8 to 64 bytes in steps of 8, not 12 (rule: the length"},
		{"MemRead(1, r1, 64);", "argument lmem of MemRead is an address in local memory"},
		{"async Police(1, 2);", "Police cannot be asynchronous"},
		{"MemRead(1, 1279, 8);",
			"x.mc:13:12: MemRead of 8 bytes at 1279 does not lie within it (rule: a thread has 1280 bytes of local memory; trio §2.2)"},
		{"MemRead(1, &arr[14], 64);", ""},
		{"MemRead(1, (u8 *) 1273, r1);", "MemRead of 8 bytes at 1273 does not lie within it"},
		{"TailWrite(0, (u8 *) 1279, r1);", ""},
		{"r1 = MemRead(1, arr, 8);", "MemRead has no reply"},
		{"r1 += TimeNow();", "can be assigned with = only"},
		{"r1 = TimeNow() + 1;", "its reply arrives after the instruction"},
		{"arr[0] = pair(1, 2);", "pair makes an argument of 64 bits and stands nowhere else"},
		{"Forward(pair(1, 2));", "argument nexthop has 32"},
		{"Forward(other);", "argument nexthop of Forward is a label"},
		{"rec = HashLookup(key);", "rec is a h_t"},
	} {
		_, err := one(t, c.body)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s:\n got %v\nwant %s", c.body, err, c.want)
		}
		var list syntax.Errors
		if err != nil && !errors.As(err, &list) {
			t.Errorf("%s: %T is no syntax.Errors", c.body, err)
		}
	}
}

// TestRefusedDeclarations has a declaration for every reason why it is refused.
func TestRefusedDeclarations(t *testing.T) {
	var many, deep strings.Builder
	for i := range 32 {
		fmt.Fprintf(&many, "register u32 v%d;", i)
	}
	for i := range 9 {
		fmt.Fprintf(&deep, "f%d: begin call f%d; end begin return; end\n", i, i+1)
	}
	for _, c := range []struct{ decls, want string }{
		{many.String(),
			"no register is left for v31; pack small variables into a struct, or move some to lmem (rule: a thread has 32 registers of 64 bits; trio §2.2)"},
		{"lmem u8 big[1009];",
			"no 1009 bytes are left for big; bytes 0 to 271 are the packet's head and room before it (rule: a thread has 1280 bytes of local memory; trio §2.2)"},
		{"lmem u8 big[1008]; ", ""},
		{"lmem u32 x @ 1278;", "x needs 4 bytes from 1278 on"},
		{"register u64 x @ 32;", "x needs 1 register from 32 on"},
		{"register u64 a; register u64 b @ 1;", "the place of b is taken"},
		{"register u64 a @ 0; register u64 b @ 0;", ""},
		{"struct s { a : 0; };", "the width of a is 0; it must be 1"},
		{"struct s { a : 8; a : 8; };", "member a stands twice"},
		{"struct s { s x; };", "x.mc:1:14: type s is not complete here: a type is declared before its use"},
		{"struct s { t x; }; struct t { s x; };", "x.mc:1:14: type t is not complete here"},
		{"struct s { t x; };", "no type t"},
		{"struct s { " + strings.Repeat("struct { ", 3) + members(10300) + strings.Repeat("}; ", 3) + "};", "has more than 10240 members"},
		{"struct hash_reply_t { a : 64; }; register hash_reply_t h; virtual HEAD_START = 3;", ""},
		{"struct u8 { a : 64; };", "type u8 is declared before, or part of the language"},
		{"struct s { label x; };", "member x is a label"},
		{"struct s { a : 8; }; struct s { b : 8; };", "type s is declared before"},
		{"register u32 x; register u32 x;", "x is declared twice (first at x.mc:1:1)"},
		{"register u32 e;", "e is a label too"},
		{"virtual X;", "constant X has no value"},
		{"virtual u8 X = 256;", "0x100 does not fit the 8 bits of X"},
		{"register u8 x = 256;", "0x100 does not fit the 8 bits of x"},
		{"register u32 y; register u32 x = y;", "the initial value of x is not a constant"},
		{"bus u32 x;", "bus x stands outside of an instruction"},
		{"lmem label x;", "label variable x is in LMEM"},
		{"lmem u8 x[0];", "the length of x is 0"},
		{"u33 x;", `no type u33; did you mean`},
		{"sram big[8388608];", "keep large tables in dram"},
		{"sram big[8388607];", "8388606 are left"},
		{"dram big[134217728]; dram more[134217728];", ""},
		{"dram big[4294967295];", "big needs 4294967295 words of 8 bytes"},
		{"packet entry e;", "packet entry is declared twice"},
		{"timer t entry nowhere;", "no label nowhere"},
		{"timer t entry e; timer t entry e;", "timer t is declared twice"},
		{"event t entry e; timer t entry e; counter t; statistics t every 1 packets entry e;", ""},
		{"event t entry e; event t entry e;", "event t is declared twice (first at x.mc:1:1)"},
		{"event t entry nowhere;", "x.mc:1:15: no label nowhere"},
		{"counter c; statistics c every 1 packets entry e; statistics c every 9 bytes entry e;", "statistics c is declared twice"},
		{"sram c; statistics c every 1 packets entry e;", "x.mc:1:20: c is no counter of the program; declare one with counter c;"},
		{"counter c; statistics c every 0 bytes entry e;", "x.mc:1:31: every 0: a number from 1 on is wanted"},
		{"counter c; register u32 n; statistics c every n bytes entry e;", "the number of c is not known when the program is compiled"},
		{"counter c; virtual N = 5; statistics c every N * 2 bytes entry e;", ""},
		{"f: begin goto e; end e2: e: begin exit; end", "label e stands before two instructions"},
		{"timer t entry f0;" + deep.String() + "f9: begin return; end", "return is reached from f0 without a call"},
		{"timer t entry z; z: begin call f0; end begin exit; end " + deep.String() + "f9: begin return; end",
			"the call of f8 is number 9 in a row (rule: calls are nested at most 8 deep; trio §2.2)"},
	} {
		_, err := compile(t, c.decls+"\npacket entry e; e: begin exit; end")
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%.80s:\n got %v\nwant %s", c.decls, err, c.want)
		}
	}
}

// members makes so many of one bit.
func members(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "m%d : 1; ", i)
	}
	return b.String()
}

func TestRefusedPrograms(t *testing.T) {
	for _, c := range []struct{ src, want string }{
		{"", "x.mc:1:1: the program has no instruction"},
		{"e: begin exit; end", "x.mc:1:1: the program has no entry"},
		{"packet entry e; e: begin end", "x.mc:1:26: the last instruction goes on to an instruction that is not there"},
		{"packet entry e; f: begin return; end e: begin call f; end", "the last instruction goes on"},
		{"packet entry e; e: begin " + strings.Repeat("if (HEAD_START) {} ", 200) + " exit; end", "more than 128 statements"},
		{"packet entry e; " + cases(9),
			"instruction e needs 9 branch targets, there are 8: t0, t1, t2, t3, t4, t5, t6, t7, last (rule: an instruction has at most 8 branch targets; trio §2.2)"},
		{"packet entry e; register u32 r; e: begin if (r == 0) exit; if (r == 1) goto e; " + jumpsTo(6) + " end begin exit; end " + labels(6),
			"there are 8: exit, e, t0, t1, t2, t3, t4, t5, the next instruction (rule"},
	} {
		_, err := compile(t, c.src)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.60s:\n got %v\nwant %s", c.src, err, c.want)
		}
	}
}

// cases makes an instruction with n targets, and the labels they lead to.
func cases(n int) string {
	var arms strings.Builder
	for i := range n - 1 {
		fmt.Fprintf(&arms, "case %d: goto t%d;", i, i)
	}
	return "register u32 r; e: begin switch (r) {" + arms.String() + "default: goto last; } end " + labels(n-1) + "last: begin exit; end"
}

// labels makes n labels that end the thread, and jumpsTo n jumps to them.
func labels(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "t%d: begin exit; end ", i)
	}
	return b.String()
}

func jumpsTo(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "if (r == %d) goto t%d; ", 100+i, i)
	}
	return b.String()
}

// TestEightTargets wants a switch with eight targets to fit one instruction.
func TestEightTargets(t *testing.T) {
	if _, err := compile(t, "packet entry e; "+cases(8)); err != nil {
		t.Error(err)
	}
}

// TestErrorsEnd wants no more than ten errors, in the order of the source.
func TestErrorsEnd(t *testing.T) {
	_, err := compile(t, "packet entry e; e: begin "+strings.Repeat("x = 1;\n", 30)+"exit; end")
	var list syntax.Errors
	if !errors.As(err, &list) || len(list) != 10 {
		t.Fatalf("got %v", err)
	}
	for i, e := range list[1:] {
		if e.Pos.Line < list[i].Pos.Line {
			t.Errorf("%v stands after %v", e, list[i])
		}
	}
}

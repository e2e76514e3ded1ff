package microcode

import (
	"fmt"
	"os"
	"testing"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/switchd/microcode/isa"
	"github.com/inalab/inalab/switchd/microcode/vm"
)

// variables are what the programs of these tests compute with.
const variables = `
struct h_t { a : 8; : 4; b : 12; c : 32; big : 48; words[2] : 16; };
union key_t { whole : 64; struct { hi : 32; lo : 32; }; };
export register u32 x; export register u32 y; export register u32 z; export register u8 small; export register bool flag;
export register key_t key; export register label l;
export lmem h_t rec; export lmem u32 arr[4]; export lmem u32 m; export lmem u8 bytes[8];
register h_t *p = HEAD_START;
packet entry start;
`

// run compiles and runs a program with x, y and z set; XTXNs reply 0.
func run(t testing.TB, src string, x, y, z uint64) (*vm.Thread, *isa.Program) {
	t.Helper()
	p, err := Compile("x.mc", variables+src)
	if err != nil {
		t.Fatalf("%v\nin %s", err, src)
	}
	if err := p.Validate(); err != nil {
		t.Fatal(err)
	}
	code, err := vm.Compile(p)
	if err != nil {
		t.Fatal(err)
	}
	th := &vm.Thread{}
	entry, _ := p.PacketEntry()
	code.Start(th, entry, 1000)
	for i, v := range p.Image.Registers {
		th.SetRegister(i, v)
	}
	copy(th.LMEM[:], p.Image.LMEM)
	set(t, th, p, "x", x)
	set(t, th, p, "y", y)
	set(t, th, p, "z", z)
	if stop := th.Run(nothing{}); stop != vm.Exits {
		t.Fatalf("stopped with %v, %v\nin %s", stop, th.Fault(), src)
	}
	return th, p
}

// nothing serves every XTXN with the reply 0.
type nothing struct{}

func (nothing) XTXN(*vm.Thread) (uint64, vm.Outcome) { return 0, vm.Done }

func variable(t testing.TB, p *isa.Program, name string) vm.Variable {
	t.Helper()
	s, ok := p.Symbol(name)
	if !ok || !s.Export {
		t.Fatalf("no exported symbol %s", name)
	}
	v, ok := vm.VariableOf(s)
	if !ok {
		t.Fatalf("%s is not in a thread", name)
	}
	return v
}

func set(t testing.TB, th *vm.Thread, p *isa.Program, name string, n uint64) {
	t.Helper()
	variable(t, p, name).Set(th, n)
}

func get(t testing.TB, th *vm.Thread, p *isa.Program, name string) uint64 {
	t.Helper()
	return variable(t, p, name).Get(th)
}

// TestMeaning runs statements and looks at one variable; x, y, z are 7, 20, 3.
func TestMeaning(t *testing.T) {
	for _, c := range []struct {
		src, name string
		want      uint64
	}{
		{"begin z = x + y; exit; end", "z", 27},
		{"begin const : old = x; x = y; y = old; exit; end", "y", 7},
		{"begin z = x * 8 - 1; exit; end", "z", 55},
		{"begin z = x == 7 && y > 30 || !flag; exit; end", "z", 1},
		{"begin z = x[2:1]; exit; end", "z", 3},
		{"begin z = (x + y)[4:1]; exit; end", "z", 13},
		{"begin x[15:8] = y; exit; end", "x", 20<<8 | 7},
		{"begin small = x - 8; exit; end", "small", 255},
		{"begin flag = y & 4; exit; end", "flag", 1},
		{"begin key.hi = x; key.lo = y; exit; end", "key", 7<<32 | 20},
		{"begin key.whole[63:32] = x; exit; end", "key", 7 << 32},
		{"begin x += y; y -= 1; exit; end", "x", 27},
		{"begin x++; y--; exit; end", "y", 19},
		{"begin const u32 old = x; x = 1; z = old; exit; end", "z", 7},
		{"begin bus u8 w = x + 250; z = w; exit; end", "z", 1},
		{"begin bus u32 w; w = x + y; z = w + 1; exit; end", "z", 28},
		{"begin virtual K = 3; z = x + K; exit; end", "z", 10},
		{"begin z = x > y ? x : y; exit; end", "z", 20},
		{"begin if (x == 7) { z = 1; } else { z = 2; } exit; end", "z", 1},
		{"begin if (x != 7) { z = 1; } else if (y == 20) z = 2; exit; end", "z", 2},
		{"begin if (x == 7) goto t; z = 9; exit; end t: begin exit; end", "z", 3},
		{"begin if (x == 8) goto t; z = 9; exit; end t: begin exit; end", "z", 9},
		{"begin if (x == 7) { if (y == 21) goto t; z = 5; } goto t; end t: begin exit; end", "z", 5},
		{"begin if (x == 7) { if (y == 20) goto t; } z = 5; exit; end t: begin exit; end", "z", 3},
		{"begin switch (x) { case 1: case 7: z = 1; break; default: z = 2; break; } exit; end", "z", 1},
		{"begin switch (x) { default: z = 2; break; case 1: z = 1; break; case 2: z = 9; break; } exit; end", "z", 2},
		{"begin switch (x) { case 7: goto t; default: exit; } end t: begin z = 4; exit; end", "z", 4},
		{"begin call f; end begin z = x; exit; end f: begin x = 99; return; end", "z", 99},
		{"begin l = x == 7 ? f : g; end begin goto l; end f: begin z = 1; exit; end g: begin z = 2; exit; end", "z", 1},
		{"begin const label k = g; l = k; end begin goto l; end begin l = f; exit; end f: begin z = 1; exit; end g: begin z = 2; exit; end", "z", 2},
		{"begin bus label k; k = g; l = true ? k : f; end begin goto l; end begin l = f; exit; end f: begin z = 1; exit; end g: begin z = 2; exit; end", "z", 2},
		{"begin if (y > 8) goto t; switch (((h_t *) (y << 20))->a & 3) { case 0: goto t; case 1: goto t; default: exit; } end t: begin z = 9; exit; end", "z", 9},
		{"begin l = g; end begin goto l; end begin l = f; exit; end f: begin z = 1; exit; end g: begin z = 2; exit; end", "z", 2},
		{"begin p->b = 0xabc; p->c = 1; end begin z = p->b; exit; end", "z", 0xabc},
		{"begin ((h_t *) 80)->a = 5; p = (h_t *) (x + 73); end begin z = p->a; exit; end", "z", 5},
		{"begin arr[2] = 9; end begin z = arr[x - 5]; exit; end", "z", 9},
		{"begin arr[z] = 8; end begin z = arr[3]; exit; end", "z", 8},
		{"begin z = (5 - 10) & 0xff; exit; end", "z", 251},
		{"begin bytes[x] = 8; end begin z = bytes[7]; exit; end", "z", 8},
		{"begin rec.words[1] = 77; end begin z = rec.words[1]; exit; end", "z", 77},
		{"begin rec.big[47:32] = 0xffff; end begin z = rec.big[39:24]; exit; end", "z", 0xff00},
		{"begin p = &rec; rec.c = 6; end begin bus h_t *q = p; z = q->c; exit; end", "z", 6},
		{"begin z = sizeof(h_t) + sizeof(arr) + sizeof(x) + offsetof(h_t, c); exit; end", "z", 17 + 16 + 4 + 3},
		{"begin p += sizeof(h_t); end begin z = p - HEAD_START; exit; end", "z", 17},
		{"begin m = ~0; end begin z = m >> 28; exit; end", "z", 15},
		{"begin z = x & ~3; exit; end", "z", 4},
		{"begin z = -1; exit; end", "z", 0xffffffff},
		{"begin if (false) { z = 1; } else { z = 2; } exit; end", "z", 2},
		{"begin if (y < 8 && arr[y] == 0 || y > 8) { z = 1; } exit; end", "z", 1},
		{"begin if (y > 8) goto t; if (((h_t *) (y << 20))->a == 1) z = 8; exit; end t: begin exit; end", "z", 3},
	} {
		th, p := run(t, "start: "+c.src, 7, 20, 3)
		if got := get(t, th, p, c.name); got != c.want {
			t.Errorf("%s: %s is %#x, want %#x", c.src, c.name, got, c.want)
		}
	}
}

// TestImage starts a thread with the initial values of the declarations.
func TestImage(t *testing.T) {
	th, p := run(t, `export register u16 r = 0x1234; export lmem u32 a @ 1000 = 0xdeadbeef; export lmem bool b @ 1004 = 2;
export register u64 w = 0x123456789abcdef0; export register : 12 n = -1; start: begin exit; end`, 0, 0, 0)
	for name, want := range map[string]uint64{"r": 0x1234, "a": 0xdeadbeef, "b": 1, "w": 0x123456789abcdef0, "n": 0xfff} {
		if got := get(t, th, p, name); got != want {
			t.Errorf("%s starts as %#x, want %#x", name, got, want)
		}
	}
}

// A formula is an expression with its value for x, y and z.
type formula struct {
	text  string
	value uint32
}

// TestExpressionsMeanWhatTheyDoInGo compiles random expressions and compares
// with Go's arithmetic.
func TestExpressionsMeanWhatTheyDoInGo(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		vars := map[string]uint32{}
		for _, n := range []string{"x", "y", "z"} {
			vars[n] = rapid.OneOf(rapid.Uint32(), rapid.Uint32Range(0, 70)).Draw(rt, n)
		}
		f := draw(rt, vars, 2)
		src := fmt.Sprintf("start: begin m = %s; end begin if (%s) { flag = true; } exit; end", f.text, f.text)
		th, p := run(t, src, uint64(vars["x"]), uint64(vars["y"]), uint64(vars["z"]))
		if got := get(t, th, p, "m"); got != uint64(f.value) {
			rt.Errorf("%s with %v is %#x, want %#x", f.text, vars, got, f.value)
		}
		if got := get(t, th, p, "flag") == 1; got != (f.value != 0) {
			rt.Errorf("if (%s) with %v is %v", f.text, vars, got)
		}
	})
}

// draw makes an expression of at most so many operations for the ALUs.
func draw(rt *rapid.T, vars map[string]uint32, ops int) formula {
	if ops == 0 {
		return leaf(rt, vars)
	}
	left := rapid.IntRange(0, ops-1).Draw(rt, "left")
	a, b := draw(rt, vars, left), draw(rt, vars, ops-1-left)
	if ops-1-left == 0 && rapid.Bool().Draw(rt, "with a constant") {
		// On one side only: constants of their own are computed in 64 bits.
		v := rapid.Uint32Range(0, 40).Draw(rt, "constant")
		b = formula{text: fmt.Sprint(v), value: v}
	}
	op := rapid.SampledFrom([]string{"+", "-", "&", "|", "^", "<<", ">>", "==", "!=", "<", "<=", ">", ">=", "&&", "||", "?", "~",
		"!", "-x"}).Draw(rt, "op")
	switch op {
	case "?":
		return formula{text: "(" + a.text + " ? " + b.text + " : 9)", value: pick(a.value != 0, b.value, 9)}
	case "~":
		return formula{text: "~" + a.text, value: ^a.value}
	case "!":
		return formula{text: "!" + a.text, value: truth(a.value == 0)}
	case "-x":
		return formula{text: "-(" + a.text + ")", value: -a.value}
	}
	return formula{text: "(" + a.text + " " + op + " " + b.text + ")", value: apply(op, a.value, b.value)}
}

func leaf(rt *rapid.T, vars map[string]uint32) formula {
	n := rapid.SampledFrom([]string{"x", "y", "z", "field"}).Draw(rt, "operand")
	if n == "field" {
		lo := rapid.IntRange(0, 31).Draw(rt, "lo")
		hi := rapid.IntRange(lo, 31).Draw(rt, "hi")
		return formula{text: fmt.Sprintf("y[%d:%d]", hi, lo), value: uint32(uint64(vars["y"]) >> lo & (1<<(hi-lo+1) - 1))}
	}
	return formula{text: n, value: vars[n]}
}

func truth(b bool) uint32 { return pick(b, 1, 0) }

func pick(b bool, x, y uint32) uint32 {
	if b {
		return x
	}
	return y
}

func apply(op string, a, b uint32) uint32 {
	switch op {
	case "+":
		return a + b
	case "-":
		return a - b
	case "&":
		return a & b
	case "|":
		return a | b
	case "^":
		return a ^ b
	case "<<":
		return a << b
	case ">>":
		return a >> b
	case "==":
		return truth(a == b)
	case "!=":
		return truth(a != b)
	case "<":
		return truth(a < b)
	case "<=":
		return truth(a <= b)
	case ">":
		return truth(a > b)
	case ">=":
		return truth(a >= b)
	case "&&":
		return truth(a != 0 && b != 0)
	}
	return truth(a != 0 || b != 0)
}

// TestAggregationFits wants the program of testdata to stay near the size that
// the paper gives for Trio-ML, about 60 instructions (trio §6.3).
func TestAggregationFits(t *testing.T) {
	src, err := os.ReadFile("testdata/aggregate.mc")
	if err != nil {
		t.Fatal(err)
	}
	p, err := Compile("aggregate.mc", string(src))
	if err != nil {
		t.Fatal(err)
	}
	if n := len(p.Instructions); n > 64 {
		t.Errorf("%d instructions, want about 60", n)
	}
	if p.CallDepth != 1 {
		t.Errorf("calls nest %d deep, want 1", p.CallDepth)
	}
	if _, ok := p.TimerEntry("straggler"); !ok {
		t.Errorf("no timer entry: %v", p.Entries)
	}
}

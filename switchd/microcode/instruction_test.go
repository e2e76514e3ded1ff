package microcode

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/inalab/inalab/switchd/microcode/isa"
	"github.com/inalab/inalab/switchd/microcode/vm"
)

// A cell is a variable or field of a random instruction: how a source writes it,
// and where its exported symbol has it.
type cell struct {
	text       string
	symbol     string
	bit, width int
}

// cells lie apart, in registers and in LMEM, at byte and at bit offsets, by name
// and through a pointer to rec.
var cells = []cell{
	{"x", "x", 0, 32}, {"y", "y", 0, 32}, {"z", "z", 0, 32}, {"small", "small", 0, 8}, {"flag", "flag", 0, 1},
	{"key.hi", "key", 0, 32}, {"key.lo[31:7]", "key", 32, 25}, {"key.lo[4:1]", "key", 59, 4},
	{"m[30:3]", "m", 1, 28}, {"rec.a", "rec", 0, 8}, {"rec.b", "rec", 12, 12}, {"q->c", "rec", 24, 32},
	{"q->big[41:11]", "rec", 62, 31}, {"rec.words[1]", "rec", 120, 16}, {"arr[2]", "arr", 64, 32}, {"bytes[5]", "bytes", 40, 8},
}

func (c *cell) variable(t *rapid.T, p *isa.Program) vm.Variable {
	s, _ := p.Symbol(c.symbol)
	v, ok := vm.FieldOf(s, c.bit, c.width)
	if !ok {
		t.Fatalf("%s is nowhere", c.text)
	}
	return v
}

// An oracle writes one instruction and does what it says, statement by statement,
// with the values from before it.
type oracle struct {
	*rapid.T
	before, after []uint64 // of cells
	written       []bool   // on some path
	wires         []uint64
	source        strings.Builder
}

// read returns an operand that the instruction may read, and its value.
func (o *oracle) read() (string, uint64) {
	if n := len(o.wires); n > 0 && rapid.Bool().Draw(o.T, "wire") {
		i := rapid.IntRange(0, n-1).Draw(o.T, "which")
		return fmt.Sprintf("w%d", i), o.wires[i]
	}
	i := rapid.IntRange(0, len(cells)-1).Draw(o.T, "cell")
	if o.written[i] || rapid.IntRange(0, 3).Draw(o.T, "constant") == 0 {
		n := rapid.Uint32Range(0, 40).Draw(o.T, "n")
		return fmt.Sprint(n), uint64(n)
	}
	return cells[i].text, o.before[i]
}

func (o *oracle) expression() (string, uint64) {
	a, x := o.read()
	if rapid.Bool().Draw(o.T, "simple") || a[0] <= '9' {
		return a, x
	}
	b, y := o.read()
	op := rapid.SampledFrom([]string{"+", "-", "&", "|", "^", "<<", ">>", "==", "<", "&&"}).Draw(o.T, "op")
	return a + " " + op + " " + b, uint64(apply(op, uint32(x), uint32(y)))
}

// statements writes some, which happen if now is true.
func (o *oracle) statements(depth int, now bool) {
	for range rapid.IntRange(1, 3).Draw(o.T, "statements") {
		switch kind := rapid.IntRange(0, 5).Draw(o.T, "kind"); {
		case kind == 0 && depth == 0:
			e, v := o.expression()
			if e[0] <= '9' {
				continue // a wire of a constant is one, and has 64 bits
			}
			fmt.Fprintf(&o.source, "bus : w%d = %s; ", len(o.wires), e)
			o.wires = append(o.wires, v)
		case kind == 1 && depth < 2:
			e, v := o.expression()
			fmt.Fprintf(&o.source, "if (%s) { ", e)
			o.statements(depth+1, now && v != 0)
			o.source.WriteString("} else { ")
			o.statements(depth+1, now && v == 0)
			o.source.WriteString("} ")
		default:
			o.assign(now)
		}
	}
}

func (o *oracle) assign(now bool) {
	i := rapid.IntRange(0, len(cells)-1).Draw(o.T, "to")
	c := &cells[i]
	op := ""
	e, v := o.expression()
	if !o.written[i] && c.width > 1 && !strings.Contains(e, " ") && rapid.Bool().Draw(o.T, "compound") {
		op = rapid.SampledFrom([]string{"+", "-", "|", "^"}).Draw(o.T, "op")
		v = uint64(apply(op, uint32(o.before[i]), uint32(v)))
	} else if e[0] <= '9' { // a constant has to fit
		v &= 1<<min(c.width, 5) - 1
		e = fmt.Sprint(v)
	}
	if c.width == 1 && v != 0 {
		v = 1
	}
	fmt.Fprintf(&o.source, "%s %s= %s; ", c.text, op, e)
	o.written[i] = true
	if now {
		o.after[i] = v & (1<<c.width - 1)
	}
}

// TestInstructionMeansItsStatements compiles random instructions and compares what
// they leave with doing their statements in turn. Those that do not fit the engine
// are passed over.
func TestInstructionMeansItsStatements(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		o := &oracle{T: rt, written: make([]bool, len(cells))}
		for _, c := range cells {
			o.before = append(o.before, rapid.OneOf(rapid.Uint64(), rapid.Uint64Range(0, 2)).Draw(rt, c.text)&(1<<c.width-1))
		}
		o.after = slices.Clone(o.before)
		o.statements(0, true)
		src := variables + "export register h_t *q; start: begin " + o.source.String() + "exit; end"
		p, err := Compile("x.mc", src)
		if err != nil {
			if !strings.Contains(err.Error(), " needs ") {
				rt.Fatalf("%v\nin %s", err, o.source.String())
			}
			rt.Skip()
		}
		code, err := vm.Compile(p)
		if err != nil {
			rt.Fatal(err)
		}
		th := new(vm.Thread)
		code.Start(th, 0, 10)
		rec, _ := p.Symbol("rec")
		set(t, th, p, "q", rec.Value/8)
		for i := range cells {
			v := cells[i].variable(rt, p)
			v.Set(th, o.before[i])
		}
		if stop := th.Run(nil); stop != vm.Exits {
			rt.Fatalf("stopped with %v, %v", stop, th.Fault())
		}
		for i := range cells {
			v := cells[i].variable(rt, p)
			if got := v.Get(th); got != o.after[i] {
				rt.Errorf("%s is %#x, want %#x, was %#x\nin %s", cells[i].text, got, o.after[i], o.before[i], o.source.String())
			}
		}
	})
}

package check

import (
	"fmt"
	"strings"

	"github.com/inalab/inalab/internal/suggest"
	"github.com/inalab/inalab/switchd/microcode/isa"
	"github.com/inalab/inalab/switchd/microcode/syntax"
)

// pairName makes 64 bits of two values of 32, as an argument of an XTXN.
const pairName = "pair"

var (
	ruleIssues = rule{"an instruction sends one XTXN", "assumed: a thread has one datapath instruction at a time, trio §2.2"}
	ruleHeader = rule{fmt.Sprintf("%d bytes of LMEM before the head are for headers to be pushed, and a frame keeps its Ethernet header", isa.HeadRoom),
		"assumed: LMEM holds the head, trio §2.2"}
	ruleLength = rule{"the length of a transfer is within the bounds of its XTXN", "trio §2.3 and docs/microcode.md"}
	ruleAdd    = rule{"one add takes at most ADD_BYTES bytes", "trio §2.3, a 32-bit add; other widths are the reading trio.add-width"}
)

// xtxn finds an XTXN by name; false after an error.
func (c *checker) xtxn(call *syntax.CallExpr) (isa.XTXN, bool) {
	x, ok := isa.XTXNByName(call.Name)
	if ok {
		return x, true
	}
	if _, label := c.labels[call.Name]; label {
		c.errorf(call.Pos, "%s is a label; write call %s;", call.Name, call.Name)
		return 0, false
	}
	if !c.full() {
		c.errorf(call.Pos, "no XTXN %s%s", call.Name, suggest.DidYouMean(call.Name, xtxnNames()))
	}
	return 0, false
}

func xtxnNames() []string {
	var names []string
	for x := isa.XTXN(1); x < isa.NumXTXN; x++ {
		names = append(names, x.String())
	}
	return names
}

// issue compiles an XTXN; reply is nil where it is not kept.
func (c *checker) issue(call *syntax.CallExpr, async bool, reply isa.Place) {
	x, ok := c.xtxn(call)
	if !ok {
		return
	}
	spec, _ := x.Spec()
	st := &c.in.state
	switch {
	case st.issued:
		c.rulef(call.Pos, ruleIssues, "a second XTXN, %s, in one instruction", call.Name)
		return
	case async && !spec.Async:
		c.errorf(call.Pos, "%s cannot be asynchronous: the thread waits for its reply", call.Name)
		return
	case reply != nil && spec.Reply == "":
		c.errorf(call.Pos, "%s has no reply", call.Name)
		return
	case len(call.Args) != len(spec.Args):
		c.errorf(call.Pos, "%s takes %d arguments (%s), not %d", call.Name, len(spec.Args), argNames(spec), len(call.Args))
		return
	}
	args := make([]isa.Expr, len(spec.Args))
	for i, a := range call.Args {
		if args[i], ok = c.arg(x, i, a); !ok {
			return
		}
	}
	if !c.buffer(spec, call, args) {
		return
	}
	st.issued = true
	c.in.out.Issues = append(c.in.out.Issues, isa.Issue{When: st.live, XTXN: x, Args: args, Reply: reply, Async: async})
}

// buffer refuses an LMEM buffer that is known to be outside of LMEM.
func (c *checker) buffer(spec *isa.Spec, call *syntax.CallExpr, args []isa.Expr) bool {
	addr, length, ok := spec.Buffer()
	if !ok {
		return true
	}
	at, fixed := args[addr].(isa.Const)
	if !fixed {
		return true
	}
	n := isa.Const(spec.Length.Min)
	if known, ok := args[length].(isa.Const); ok {
		n = known
	}
	if at <= isa.LMEMBytes-n {
		return true
	}
	c.rulef(call.Args[addr].Position(), ruleLMEM, "%s of %d bytes at %d does not lie within it", spec.Name, n, at)
	return false
}

func argNames(spec *isa.Spec) string {
	var names []string
	for _, a := range spec.Args {
		names = append(names, a.Name)
	}
	return strings.Join(names, ", ")
}

// arg compiles one argument.
func (c *checker) arg(x isa.XTXN, i int, e syntax.Expr) (isa.Expr, bool) {
	spec, _ := x.Spec()
	a := spec.Args[i]
	if call, ok := e.(*syntax.CallExpr); ok && call.Name == pairName {
		return c.pair(call, a)
	}
	if _, named := tableWords[a.Kind]; named {
		return c.named(spec, a, e)
	}
	v := c.eval(e)
	if !v.ok() {
		return nil, false
	}
	if v.kind == kindLabel || v.typ.form == formLabel {
		c.errorf(e.Position(), "argument %s of %s is a label", a.Name, spec.Name)
		return nil, false
	}
	switch a.Kind {
	case isa.ArgLMEM:
		if !v.isConst() && !isAddress(v) {
			c.errorf(e.Position(), "argument %s of %s is an address in local memory: a pointer, an array, or & and a variable",
				a.Name, spec.Name)
			return nil, false
		}
	case isa.ArgLen:
		if v.isConst() && !c.length(x, v.constant(), e.Position()) {
			return nil, false
		}
	case isa.ArgHeader:
		if v.isConst() && !spec.Length.Fits(v.constant()) {
			c.rulef(e.Position(), ruleHeader, "%s takes %d to %d bytes, not %d", spec.Name, spec.Length.Min, spec.Length.Max, v.constant())
			return nil, false
		}
	}
	return c.loadUpTo(v, a.Bits, e)
}

// length refuses a constant length that the XTXN does not take.
func (c *checker) length(x isa.XTXN, n uint64, pos syntax.Pos) bool {
	spec, _ := x.Spec()
	bounds := c.prog.LengthOf(x)
	switch {
	case bounds.Fits(n):
		return true
	case spec.Length.Fits(n):
		c.rulef(pos, ruleAdd, "%s adds %d bytes, and this machine at most %d in one", spec.Name, n, bounds.Max)
	default:
		c.rulef(pos, ruleLength, "%s moves %d to %d bytes in steps of %d, not %d", spec.Name, bounds.Min, bounds.Max, bounds.Step, n)
	}
	return false
}

func (c *checker) pair(call *syntax.CallExpr, a isa.Arg) (isa.Expr, bool) {
	if a.Bits != isa.RegisterBits || len(call.Args) != 2 {
		c.errorf(call.Pos, "pair(high, low) makes an argument of 64 bits; argument %s has %d", a.Name, a.Bits)
		return nil, false
	}
	hi, lo := c.eval(call.Args[0]), c.eval(call.Args[1])
	if !hi.ok() || !lo.ok() {
		return nil, false
	}
	h, ok1 := c.load(hi, call.Args[0])
	l, ok2 := c.load(lo, call.Args[1])
	return isa.Pair{Hi: h, Lo: l}, ok1 && ok2
}

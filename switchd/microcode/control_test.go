package microcode

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// A step is one statement of a random instruction: an assignment, a jump, or a
// choice between two lists.
type step struct {
	assign      string // variable, gets value
	value       int
	jump        string // label
	test        string // variable that is compared with value
	then, other []step
	asSwitch    bool
}

// drawSteps makes a list, and says whether every way through it jumps.
func drawSteps(rt *rapid.T, depth int) (list []step, jumps bool) {
	for range rapid.IntRange(0, 3).Draw(rt, "statements") {
		switch kind := rapid.IntRange(0, 9).Draw(rt, "kind"); {
		case kind < 4:
			list = append(list, step{assign: rapid.SampledFrom([]string{"key.hi", "m"}).Draw(rt, "to"),
				value: rapid.IntRange(0, 99).Draw(rt, "value")})
		case kind == 4:
			return append(list, step{jump: rapid.SampledFrom([]string{"t1", "t2", "t3"}).Draw(rt, "jump")}), true
		case depth > 0:
			s := step{test: rapid.SampledFrom([]string{"x", "y", "z"}).Draw(rt, "test"), value: rapid.IntRange(0, 2).Draw(rt, "value")}
			var a, b bool
			s.then, a = drawSteps(rt, depth-1)
			s.other, b = drawSteps(rt, depth-1)
			s.asSwitch = rapid.Bool().Draw(rt, "switch")
			list = append(list, s)
			if a && b {
				return list, true
			}
		}
	}
	return list, false
}

// source writes a list as a source does.
func source(list []step) string {
	var b strings.Builder
	for _, s := range list {
		switch {
		case s.assign != "":
			fmt.Fprintf(&b, "%s = %d; ", s.assign, s.value)
		case s.jump != "":
			fmt.Fprintf(&b, "goto %s; ", s.jump)
		case s.asSwitch:
			fmt.Fprintf(&b, "switch (%s) { default: %s case %d: %s } ", s.test, arm(s.other), s.value, arm(s.then))
		default:
			fmt.Fprintf(&b, "if (%s == %d) { %s} else { %s} ", s.test, s.value, source(s.then), source(s.other))
		}
	}
	return b.String()
}

// arm ends a list as an arm of a switch must end.
func arm(list []step) string {
	if always(list) {
		return source(list)
	}
	return source(list) + "break;"
}

func always(list []step) bool {
	if len(list) == 0 {
		return false
	}
	last := list[len(list)-1]
	return last.jump != "" || last.test != "" && always(last.then) && always(last.other)
}

// follow does what a list says, one statement after the other, and returns where
// it jumps.
func follow(list []step, vars map[string]int) string {
	for _, s := range list {
		switch {
		case s.assign != "":
			vars[s.assign] = s.value
		case s.jump != "":
			return s.jump
		default:
			arm := s.other
			if vars[s.test] == s.value {
				arm = s.then
			}
			if to := follow(arm, vars); to != "" {
				return to
			}
		}
	}
	return ""
}

// TestControlFlowIsThatOfC compiles random conditions, assignments and jumps into
// one instruction, which does all at once, and compares with doing them in turn.
func TestControlFlowIsThatOfC(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		list, _ := drawSteps(rt, 2)
		src := "start: begin " + source(list) + "end\nbegin small = 0; exit; end\n"
		for i, l := range []string{"t1", "t2", "t3"} {
			src += fmt.Sprintf("%s: begin small = %d; exit; end\n", l, i+1)
		}
		if _, err := Compile("x.mc", variables+src); err != nil {
			if !strings.Contains(err.Error(), "needs") { // does not fit one instruction
				rt.Fatalf("%v\nin %s", err, src)
			}
			rt.Skip()
		}
		vars := map[string]int{}
		for _, n := range []string{"x", "y", "z"} {
			vars[n] = rapid.IntRange(0, 2).Draw(rt, n)
		}
		th, p := run(t, src, uint64(vars["x"]), uint64(vars["y"]), uint64(vars["z"]))
		to := follow(list, vars)
		want := map[string]int{"": 0, "t1": 1, "t2": 2, "t3": 3}[to]
		if got := get(t, th, p, "small"); got != uint64(want) {
			rt.Errorf("goes to %d, want %d\nin %s", got, want, src)
		}
		if got := get(t, th, p, "m"); got != uint64(vars["m"]) {
			rt.Errorf("m is %d, want %d\nin %s", got, vars["m"], src)
		}
		if got := get(t, th, p, "key") >> 32; got != uint64(vars["key.hi"]) {
			rt.Errorf("key.hi is %d, want %d\nin %s", got, vars["key.hi"], src)
		}
	})
}

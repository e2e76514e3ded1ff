package fit

import (
	"errors"
	"fmt"
	"strings"
)

// Rule names a rule; the names are stable.
type Rule string

// The rules.
const (
	RuleName       Rule = "name"             // a name that is not there, or twice
	RuleForm       Rule = "form"             // what the program says makes no sense
	RuleWidth      Rule = "width"            // two widths that must agree, or a value that is too big
	RuleAccess     Rule = "intrinsic-access" // intrinsic metadata of the other side, or read only
	RuleTwice      Rule = "write-twice"      // an action writes a field twice
	RuleApplied    Rule = "table-applied"    // a table is applied once
	RuleALUWidth   Rule = "alu-width"        // arithmetic on more than 32 bits
	RuleALUSource  Rule = "alu-source"       // sources of an ALU
	RuleALUSign    Rule = "alu-sign"         // a field whose highest bit is not its container's
	RuleSlice      Rule = "alu-slice"        // more than a move of a slice
	RuleALUIn      Rule = "salu-input"       // inputs of a stateful ALU
	RuleALUCompare Rule = "salu-compare"     // comparators of a stateful ALU
	RuleALUUpdate  Rule = "salu-update"      // updates of a lane
	RuleALUOutput  Rule = "salu-output"      // outputs of a stateful ALU
	RuleALUActions Rule = "salu-actions"     // programs of a stateful ALU
	RuleALUConsts  Rule = "salu-constants"   // big constants of a stateful ALU
	RuleLane       Rule = "register-width"   // lanes and their bits
	RuleWide       Rule = "salu-wide"        // more than a copy of 64 bits
	RuleRegSize    Rule = "register-size"    // entries
	RuleIndex      Rule = "register-index"   // index wider than what names an entry
	RuleOnce       Rule = "register-once"    // two accesses in a pass
	RuleApart      Rule = "register-apart"   // its tables cannot be in one stage
	RuleSide       Rule = "register-side"    // used by ingress and egress
	RuleLoop       Rule = "parser-loop"
	RuleReparse    Rule = "parser-reparse" // a header extracted twice
	RuleBudget     Rule = "parser-budget"
	RuleSelect     Rule = "parser-select"
	RuleRows       Rule = "parser-rows"
	RuleChecksums  Rule = "deparser-checksums"
	RulePHV        Rule = "phv"
	RuleCut        Rule = "phv-cut"      // a field of arithmetic that no container holds
	RuleGroup      Rule = "phv-group"    // what instructions bring together, and no group holds
	RuleValidity   Rule = "phv-validity" // more headers than bits that say which are valid
	RuleGateway    Rule = "gateway-bits"
	RuleStages     Rule = "stages" // a chain of dependencies that is too long
	RulePinned     Rule = "pinned-stage"

	RuleRandom      Rule = "random-generator" // random bytes of one table
	RuleCounterSize Rule = "counter-size"     // entries that one table counts
)

// Refusal says why a program does not fit.
type Refusal struct {
	Rule   Rule
	What   string // what is wrong, with names and counts
	Where  string // stage, table, register, parser state or field
	Source string // of the limit; empty where the rule is one of form
	Fix    string // what to do
}

// Error says it in one line.
func (r *Refusal) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s [%s", r.Where, r.What, r.Rule)
	if r.Source != "" {
		fmt.Fprintf(&b, ", %s", r.Source)
	}
	b.WriteString("]")
	if r.Fix != "" {
		fmt.Fprintf(&b, "; %s", r.Fix)
	}
	return b.String()
}

// Refusals returns those that an error of Place joins.
func Refusals(err error) []*Refusal {
	var list []*Refusal
	switch e := err.(type) {
	case nil:
	case *Refusal:
		list = append(list, e)
	case interface{ Unwrap() []error }:
		for _, sub := range e.Unwrap() {
			list = append(list, Refusals(sub)...)
		}
	default:
		list = append(list, Refusals(errors.Unwrap(err))...)
	}
	return list
}

// refusals collects.
type refusals []error

// maxRefusals bounds what is said about one program.
const maxRefusals = 50

// add notes a refusal, up to a bound; the source is the rule's.
func (l *refusals) add(rule Rule, where, fix, format string, args ...any) {
	if len(*l) < maxRefusals {
		*l = append(*l, &Refusal{Rule: rule, Where: where, Fix: fix, Source: sources[rule], What: fmt.Sprintf(format, args...)})
	}
}

// quoted names a thing: table "x".
func quoted(kind, name string) string { return fmt.Sprintf("%s %q", kind, name) }

// copyName is the name of one copy of a group.
func copyName(name string, vector bool, copy int) string {
	if !vector {
		return name
	}
	return fmt.Sprintf("%s[%d]", name, copy)
}

package syntax

import (
	"fmt"
	"strings"
)

// maxText is the longest text of an expression, in bytes.
const maxText = 120

// Text returns an expression as a source writes it, for errors; of a long one it
// is the beginning.
func Text(e Expr) string {
	s := text(e)
	if len(s) > maxText {
		s = s[:maxText-3] + "..."
	}
	return s
}

func text(e Expr) string {
	switch e := e.(type) {
	case *Name:
		return e.Text
	case *Number:
		return fmt.Sprint(e.Value)
	case *Unary:
		return e.Op + operandText(e.X)
	case *Binary:
		return operandText(e.X) + " " + e.Op + " " + operandText(e.Y)
	case *Conditional:
		return operandText(e.If) + " ? " + operandText(e.Then) + " : " + operandText(e.Else)
	case *Selector:
		if e.Arrow {
			return operandText(e.X) + "->" + e.Name
		}
		return operandText(e.X) + "." + e.Name
	case *Index:
		return operandText(e.X) + "[" + text(e.I) + "]"
	case *Slice:
		return operandText(e.X) + "[" + text(e.Hi) + ":" + text(e.Lo) + "]"
	case *CallExpr:
		args := make([]string, len(e.Args))
		for i, a := range e.Args {
			args[i] = text(a)
		}
		return e.Name + "(" + strings.Join(args, ", ") + ")"
	case *Cast:
		return "(" + e.Type + " *)" + operandText(e.X)
	case *Sizeof:
		return "sizeof(" + text(e.X) + ")"
	case *Offsetof:
		return "offsetof(" + e.Type + ", " + strings.Join(e.Path, ".") + ")"
	}
	return "?"
}

func operandText(e Expr) string {
	switch e.(type) {
	case *Binary, *Conditional:
		return "(" + text(e) + ")"
	}
	return text(e)
}

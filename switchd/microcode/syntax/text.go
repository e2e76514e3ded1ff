package syntax

import (
	"fmt"
	"strings"
)

// Text returns an expression as a source writes it, for errors.
func Text(e Expr) string {
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
		return operandText(e.X) + "[" + Text(e.I) + "]"
	case *Slice:
		return operandText(e.X) + "[" + Text(e.Hi) + ":" + Text(e.Lo) + "]"
	case *CallExpr:
		args := make([]string, len(e.Args))
		for i, a := range e.Args {
			args[i] = Text(a)
		}
		return e.Name + "(" + strings.Join(args, ", ") + ")"
	case *Cast:
		return "(" + e.Type + " *)" + operandText(e.X)
	case *Sizeof:
		return "sizeof(" + Text(e.X) + ")"
	case *Offsetof:
		return "offsetof(" + e.Type + ", " + strings.Join(e.Path, ".") + ")"
	}
	return "?"
}

func operandText(e Expr) string {
	switch e.(type) {
	case *Binary, *Conditional:
		return "(" + Text(e) + ")"
	}
	return Text(e)
}

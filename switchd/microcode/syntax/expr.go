package syntax

import "slices"

// levels are the binary operators from the loosest to the tightest, as in C.
var levels = [][]kind{
	{"||"}, {"&&"}, {"|"}, {"^"}, {"&"}, {"==", "!="}, {"<", "<=", ">", ">="},
	{"<<", ">>"}, {"+", "-"}, {"*", "/", "%"},
}

// levelUnary is the level of operands: no binary operator binds tighter.
var levelUnary = len(levels)

// expr = or [ "?" expr ":" expr ] .
func (p *parser) expr() Expr {
	if !p.enter() {
		return p.broken()
	}
	defer p.leave()
	return p.conditional(p.exprUpTo(0))
}

// conditional reads what may follow a condition.
func (p *parser) conditional(x Expr) Expr {
	if !p.peekIs("?") {
		return x
	}
	pos := p.advance().pos
	then := p.expr()
	p.expect(":", "between the two values of ?")
	return p.count(&Conditional{Pos: pos, If: x, Then: then, Else: p.expr()})
}

// broken stands for an expression that could not be read.
func (p *parser) broken() Expr { return &Number{Pos: p.tok.pos} }

// count bounds the expressions of one statement or declaration.
func (p *parser) count(e Expr) Expr {
	p.nodes++
	if p.nodes > MaxExpr {
		p.errorf(e.Position(), "more than %d operators and operands in one statement", MaxExpr)
	}
	return e
}

// exprUpTo reads operators of this level and tighter ones.
func (p *parser) exprUpTo(level int) Expr {
	if level == levelUnary {
		return p.unary()
	}
	return p.operators(p.exprUpTo(level+1), level)
}

// operators reads operators of a level, the first of which has x on its left.
func (p *parser) operators(x Expr, level int) Expr {
	for slices.Contains(levels[level], p.tok.kind) {
		op := p.advance()
		x = p.count(&Binary{Pos: op.pos, Op: op.text, X: x, Y: p.exprUpTo(level + 1)})
	}
	return x
}

// unary = ( "-" | "~" | "!" | "&" | "*" ) unary | "(" [ "struct" | "union" ] name "*" ")" unary | postfix .
func (p *parser) unary() Expr {
	switch p.tok.kind {
	case "-", "~", "!", "&", "*":
		if !p.enter() {
			return p.broken()
		}
		defer p.leave()
		op := p.advance()
		return p.count(&Unary{Pos: op.pos, Op: op.text, X: p.unary()})
	}
	return p.postfix()
}

// postfix = operand { "." name | "->" name | "[" expr [ ":" expr ] "]" } .
func (p *parser) postfix() Expr {
	x := p.operand()
	for {
		switch pos := p.tok.pos; {
		case p.peekIs("."), p.peekIs("->"):
			arrow := p.advance().text == "->"
			at := p.tok.pos
			x = p.count(&Selector{Pos: at, X: x, Arrow: arrow, Name: p.name("the name of a member")})
		case p.accept("["):
			first := p.expr()
			if p.accept(":") {
				x = p.count(&Slice{Pos: pos, X: x, Hi: first, Lo: p.expr()})
			} else {
				x = p.count(&Index{Pos: pos, X: x, I: first})
			}
			p.expect("]", "after the index")
		default:
			return x
		}
	}
}

// operand = number | "true" | "false" | name [ arguments ] | "(" expr ")"
//
//	| "sizeof" "(" ( expr | ( "struct" | "union" ) name ) ")"
//	| "offsetof" "(" name "," name { "." name } ")" .
func (p *parser) operand() Expr {
	pos := p.tok.pos
	switch p.tok.kind {
	case kindNumber:
		return p.number()
	case "true", "false":
		return p.count(&Number{Pos: pos, Value: boolValue(p.advance().text), Bool: true})
	case kindIdent:
		name := p.advance().text
		if p.peekIs("(") {
			return p.arguments(pos, name)
		}
		return p.count(&Name{Pos: pos, Text: name})
	case "(":
		p.advance()
		return p.parenthesis(pos)
	case "sizeof":
		p.advance()
		p.expect("(", "after sizeof")
		x := p.sizeofOperand()
		p.expect(")", "after the operand of sizeof")
		return p.count(&Sizeof{Pos: pos, X: x})
	case "offsetof":
		return p.offsetof()
	}
	p.errorf(pos, "expected a value, found %v", p.describe())
	return p.broken()
}

func (p *parser) sizeofOperand() Expr {
	if !p.acceptTag() {
		return p.expr()
	}
	pos := p.tok.pos
	return p.count(&Name{Pos: pos, Text: p.name("a type")})
}

// acceptTag moves over the word that may stand before the name of a type.
func (p *parser) acceptTag() bool { return p.accept("struct") || p.accept("union") }

func boolValue(text string) uint64 {
	if text == "true" {
		return 1
	}
	return 0
}

func (p *parser) number() Expr {
	t := p.advance()
	return p.count(&Number{Pos: t.pos, Value: t.value})
}

// parenthesis reads behind "(": a cast, which is a name and a star before the
// closing parenthesis, or an expression.
func (p *parser) parenthesis(pos Pos) Expr {
	if p.peekIs("struct") || p.peekIs("union") || p.tok.kind == kindIdent && p.ahead.kind == "*" {
		return p.castOrProduct(pos)
	}
	x := p.expr()
	p.expect(")", "after the expression")
	return x
}

// castOrProduct tells (type *)x from (a * b): two tokens ahead are not enough,
// so the name is read first.
func (p *parser) castOrProduct(pos Pos) Expr {
	must := p.acceptTag()
	at := p.tok.pos
	name := p.name("a type")
	if must || p.peekIs("*") && p.ahead.kind == ")" {
		p.expect("*", "after the type of the cast")
		p.expect(")", "after the type of the cast")
		if !p.enter() {
			return p.broken()
		}
		defer p.leave()
		return p.count(&Cast{Pos: pos, Type: name, X: p.unary()})
	}
	x := p.exprFrom(p.count(&Name{Pos: at, Text: name}))
	p.expect(")", "after the expression")
	return x
}

// exprFrom reads the rest of an expression whose first operand is a name that
// stands before a "*".
func (p *parser) exprFrom(first Expr) Expr {
	x := first
	for level := levelUnary - 1; level >= 0; level-- {
		x = p.operators(x, level)
	}
	return p.conditional(x)
}

// arguments = "(" [ expr { "," expr } ] ")" .
func (p *parser) arguments(pos Pos, name string) Expr {
	p.expect("(", "before the arguments")
	c := &CallExpr{Pos: pos, Name: name}
	for !p.peekIs(")") && p.tok.kind != kindEOF {
		c.Args = append(c.Args, p.expr())
		if !p.accept(",") {
			break
		}
	}
	p.expect(")", "after the arguments of "+name)
	return p.count(c)
}

func (p *parser) offsetof() Expr {
	o := &Offsetof{Pos: p.advance().pos}
	p.expect("(", "after offsetof")
	o.Type = p.name("a type")
	p.expect(",", "after the type")
	o.Path = append(o.Path, p.name("a member"))
	for p.accept(".") {
		o.Path = append(o.Path, p.name("a member"))
	}
	p.expect(")", "after the member")
	return p.count(o)
}

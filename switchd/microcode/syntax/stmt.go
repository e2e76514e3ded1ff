package syntax

// instruction = { label ":" } "begin" { statement } "end" .
func (p *parser) instr() *Instr {
	in := &Instr{Pos: p.tok.pos}
	for p.tok.kind == kindIdent && p.ahead.kind == ":" {
		in.Labels = append(in.Labels, Label{Pos: p.tok.pos, Name: p.advance().text})
		p.advance()
	}
	in.Pos = p.expect("begin", "after the label: a label names an instruction")
	for !p.peekIs("end") && p.tok.kind != kindEOF {
		in.Body = append(in.Body, p.stmt())
	}
	in.End = p.expect("end", "after the instruction that begins at "+in.Pos.String())
	return in
}

// statement = variable | assignment | xtxn | if | switch | jump .
func (p *parser) stmt() Stmt {
	if !p.enter() {
		return &JumpStmt{Pos: p.tok.pos}
	}
	defer p.leave()
	p.nodes = 0
	if _, ok := storages[p.tok.kind]; ok || p.startsType() {
		return &DeclStmt{Var: p.varDecl()}
	}
	switch p.tok.kind {
	case "if":
		return p.ifStmt()
	case "switch":
		return p.switchStmt()
	case "goto", "call", "return", "exit", "break":
		return p.jump()
	case "async":
		return p.async()
	case "begin":
		p.errorf(p.tok.pos, "begin inside an instruction; close the instruction with end first")
	}
	return p.simple()
}

// startsType reports a declaration without a storage class: a type with a word or
// a colon before it, two names, or a name with a star, which starts no statement.
func (p *parser) startsType() bool {
	switch p.tok.kind {
	case "export", "struct", "union", ":":
		return true
	}
	return p.tok.kind == kindIdent && (p.ahead.kind == kindIdent || p.ahead.kind == "*")
}

// xtxn = "async" call ";" .
func (p *parser) async() Stmt {
	pos := p.advance().pos
	s := p.simple()
	if c, ok := s.(*CallStmt); ok {
		c.Async = true
		return c
	}
	p.errorf(pos, "async stands before an XTXN without a reply")
	return s
}

// assignOps are the compound assignments with the operator each applies.
var assignOps = map[kind]string{
	"=": "", "+=": "+", "-=": "-", "&=": "&", "|=": "|", "^=": "^", "<<=": "<<", ">>=": ">>",
}

// assignment = place ( "=" | "+=" | ... ) expr ";" | place ( "++" | "--" ) ";" .
// xtxn = call ";" .
func (p *parser) simple() Stmt {
	first := p.tok
	pos := first.pos
	x := p.exprUpTo(levelUnary)
	op, isAssign := assignOps[p.tok.kind]
	var s Stmt
	switch call, isCall := x.(*CallExpr); {
	case isAssign:
		p.advance()
		s = &AssignStmt{Pos: pos, Op: op, LHS: x, RHS: p.expr()}
	case p.peekIs("++") || p.peekIs("--"):
		op := p.advance().text[:1]
		s = &AssignStmt{Pos: pos, Op: op, LHS: x, RHS: &Number{Pos: pos, Value: 1}}
	case isCall && first.kind == kindIdent: // and not in parentheses
		s = &CallStmt{Pos: pos, Call: call}
	default:
		p.errorf(p.tok.pos, "expected an assignment, an XTXN or a jump, found %v", p.tok)
		return &JumpStmt{Pos: pos}
	}
	p.expect(";", "after the statement")
	return s
}

// block = "{" { statement } "}" | statement .
func (p *parser) block() []Stmt {
	if !p.accept("{") {
		return []Stmt{p.stmt()}
	}
	var out []Stmt
	for !p.peekIs("}") && p.tok.kind != kindEOF {
		out = append(out, p.stmt())
	}
	p.expect("}", "after the statements")
	return out
}

// if = "if" "(" expr ")" block [ "else" block ] .
func (p *parser) ifStmt() Stmt {
	s := &IfStmt{Pos: p.advance().pos}
	p.expect("(", "after if")
	s.Cond = p.expr()
	p.expect(")", "after the condition")
	s.Then = p.block()
	if p.accept("else") {
		s.Else = p.block()
	}
	return s
}

// switch = "switch" "(" expr ")" "{" { arm } "}" .
func (p *parser) switchStmt() Stmt {
	s := &SwitchStmt{Pos: p.advance().pos}
	p.expect("(", "after switch")
	s.Tag = p.expr()
	p.expect(")", "after the value")
	p.expect("{", "before the cases")
	for !p.peekIs("}") && p.tok.kind != kindEOF {
		s.Cases = append(s.Cases, p.arm())
	}
	p.expect("}", "after the cases")
	return s
}

// arm = ( "case" expr ":" { "case" expr ":" } | "default" ":" ) { statement } .
func (p *parser) arm() *Case {
	p.nodes = 0
	c := &Case{Pos: p.tok.pos}
	if p.accept("default") {
		p.expect(":", "after default")
	} else {
		if !p.peekIs("case") {
			p.errorf(p.tok.pos, "expected case or default, found %v", p.tok)
		}
		for p.accept("case") {
			c.Values = append(c.Values, p.expr())
			p.expect(":", "after the value of the case")
		}
	}
	for !p.peekIs("case") && !p.peekIs("default") && !p.peekIs("}") && p.tok.kind != kindEOF {
		c.Body = append(c.Body, p.stmt())
	}
	return c
}

// jump = ( "goto" | "call" ) label ";" | "return" ";" | "exit" ";" | "break" ";" .
func (p *parser) jump() Stmt {
	s := &JumpStmt{Pos: p.tok.pos, Op: p.advance().text}
	if s.Op == "goto" || s.Op == "call" {
		s.Label = p.name("a label after " + s.Op)
	}
	p.expect(";", "after "+s.Op)
	return s
}

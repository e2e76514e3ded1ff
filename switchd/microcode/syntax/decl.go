package syntax

// decl = struct | entry | shared | hash | fields | table | variable | instruction .
//
// The words of entries, shared memory and tables are reserved here and nowhere else.
func (p *parser) decl() Decl {
	p.nodes = 0
	switch {
	case p.peekIs("struct") || p.peekIs("union"):
		return p.tagged()
	case p.peekIs("begin"), p.tok.kind == kindIdent && p.ahead.kind == ":":
		return p.instr()
	case p.word("packet"), p.word("timer"), p.word("event"), p.word("statistics"):
		return p.entryDecl()
	case p.word(string(SharedCounter)), p.word(string(SharedPolicer)), p.word(string(SharedSRAM)), p.word(string(SharedDRAM)):
		return p.sharedDecl()
	case p.word("fields"):
		return p.fieldsDecl()
	case p.word("route"), p.word("filter"):
		return p.tableDecl()
	case p.word("hash"):
		return p.hashDecl()
	}
	return p.varDecl()
}

// entry = ( "packet" | "timer" name | "event" name
//
//	| "statistics" name "every" expr ( "packets" | "bytes" ) ) "entry" label ";" .
func (p *parser) entryDecl() *EntryDecl {
	d := &EntryDecl{Pos: p.tok.pos}
	d.Kind = EntryKind(p.advance().text)
	d.Named = p.tok.pos
	switch d.Kind {
	case EntryTimer:
		d.Name = p.name("the name of the timer")
	case EntryEvent:
		d.Name = p.name("the name of the event")
	case EntryStatistics:
		d.Name = p.name("the name of a counter")
		p.every(d)
	}
	if !p.word("entry") {
		p.errorf(p.tok.pos, `expected "entry" and the label where threads start, found %v`, p.tok)
		return d
	}
	p.advance()
	d.At = p.tok.pos
	d.Label = p.name("a label")
	p.expect(";", "after the entry")
	return d
}

// every reads how often a counter starts a thread.
func (p *parser) every(d *EntryDecl) {
	if !p.word("every") {
		p.errorf(p.tok.pos, `expected "every" and a number of packets or bytes, found %v`, p.tok)
		return
	}
	p.advance()
	d.Every = p.expr()
	if d.Bytes = p.word("bytes"); !d.Bytes && !p.word("packets") {
		p.errorf(p.tok.pos, `expected "packets" or "bytes" after the number, found %v`, p.tok)
		return
	}
	p.advance()
}

// shared = ( "counter" | "policer" | ( "sram" | "dram" ) [ holds ] ) name [ "[" expr "]" ] ";" .
func (p *parser) sharedDecl() *SharedDecl {
	d := &SharedDecl{Pos: p.tok.pos, Kind: SharedKind(p.advance().text)}
	if d.Kind == SharedSRAM || d.Kind == SharedDRAM {
		if p.peekIs("struct") || p.peekIs("union") || p.ahead.kind == kindIdent {
			d.Type = p.holds()
		}
	}
	d.Name = p.name("a name for the shared memory")
	d.Len = p.arrayLen()
	p.expect(";", "after the declaration of "+d.Name)
	return d
}

// holds = [ "struct" | "union" ] name . It is a type of what memory outside of a thread holds.
func (p *parser) holds() *TypeRef {
	p.acceptTag()
	return &TypeRef{Pos: p.tok.pos, Name: p.name("a type")}
}

// hash = "hash" holds holds name [ "when" name "==" expr ] ";" .
func (p *parser) hashDecl() *HashDecl {
	d := &HashDecl{Pos: p.advance().pos}
	d.Key, d.Type = p.holds(), p.holds()
	d.Name = p.name("a name for the records")
	if p.word("when") {
		p.advance()
		d.At = p.tok.pos
		d.Field = p.name("a field of the key")
		p.expect("==", "after the field of the key")
		d.Value = p.expr()
	}
	p.expect(";", "after the declaration of "+d.Name)
	return d
}

// fields = "fields" name "{" expr { "," expr } "}" ";" .
func (p *parser) fieldsDecl() *FieldsDecl {
	d := &FieldsDecl{Pos: p.tok.pos}
	p.advance()
	d.Name = p.name("a name for the list of fields")
	p.expect("{", "before the fields")
	for {
		d.List = append(d.List, p.expr())
		if !p.accept(",") {
			break
		}
	}
	p.expect("}", "after the fields")
	p.expect(";", "after the fields of "+d.Name)
	return d
}

// table = "route" name "[" expr "]" ";" | "filter" name "[" expr "]" "on" name ";" .
func (p *parser) tableDecl() *TableDecl {
	d := &TableDecl{Pos: p.tok.pos}
	d.Filter = p.advance().text == "filter"
	d.Name = p.name("a name for the table")
	p.expect("[", "and the most entries that "+d.Name+" holds")
	d.Len = p.expr()
	p.expect("]", "after the number of entries")
	if d.Filter {
		if !p.word("on") {
			p.errorf(p.tok.pos, `expected "on" and the list of fields that %s looks at, found %v`, d.Name, p.tok)
			return d
		}
		p.advance()
		d.At = p.tok.pos
		d.Fields = p.name("a list of fields")
	}
	p.expect(";", "after the declaration of "+d.Name)
	return d
}

// tagged reads what starts with struct or union: a type, or, if no brace follows
// its name, a variable of a type.
func (p *parser) tagged() Decl {
	pos, union := p.tok.pos, p.advance().text == "union"
	at := p.tok.pos
	name := p.name("a name for the type")
	if p.tok.kind == kindIdent || p.peekIs("*") {
		t := &TypeRef{Pos: at, Name: name, Pointer: p.accept("*")}
		return p.variable(&VarDecl{Pos: pos, Type: t})
	}
	d := p.members(&StructDecl{Pos: pos, Union: union, Name: name})
	p.expect(";", "after the closing brace of "+d.Name)
	return d
}

// struct = ( "struct" | "union" ) name "{" { member } "}" . It starts here at the
// brace; within a struct there may be no name.
func (p *parser) members(d *StructDecl) *StructDecl {
	p.expect("{", "before the members")
	for !p.peekIs("}") && !p.failed() && p.tok.kind != kindEOF {
		d.Members = append(d.Members, p.member())
	}
	p.expect("}", "after the members")
	return d
}

// member = [ name [ "[" expr "]" ] ] ":" expr ";"
//
//	| [ "struct" | "union" ] name name [ "[" expr "]" ] ";"
//	| struct [ name [ "[" expr "]" ] ] ";" .
func (p *parser) member() *Member {
	p.nodes = 0
	m := &Member{Pos: p.tok.pos}
	switch {
	case p.peekIs("struct") || p.peekIs("union"):
		if p.ahead.kind == kindIdent { // struct tag name
			p.advance()
			m.Type = &TypeRef{Pos: p.tok.pos, Name: p.name("a type")}
			break
		}
		if !p.enter() {
			return m
		}
		m.Body = p.members(&StructDecl{Pos: p.tok.pos, Union: p.advance().text == "union"})
		p.leave()
		if !p.peekIs(";") {
			m.Name = p.name("a name for the member")
			m.Len = p.arrayLen()
		}
		p.expect(";", "after the member")
		return m
	case p.peekIs(":"), p.tok.kind == kindIdent && (p.ahead.kind == ":" || p.ahead.kind == "["):
		if !p.peekIs(":") {
			m.Name = p.advance().text
			m.Len = p.arrayLen()
		}
		p.expect(":", "before the width")
		m.Width = p.expr()
		p.expect(";", "after the width")
		return m
	default:
		m.Type = &TypeRef{Pos: p.tok.pos, Name: p.name("a field, as in \"name : width;\"")}
	}
	if p.peekIs("*") {
		p.errorf(p.tok.pos, "a member is a pointer; keep pointers in registers")
	}
	m.Name = p.name("a name for the member")
	m.Len = p.arrayLen()
	p.expect(";", "after the member")
	return m
}

func (p *parser) arrayLen() Expr {
	if !p.accept("[") {
		return nil
	}
	n := p.expr()
	p.expect("]", "after the number of elements")
	return n
}

var storages = map[kind]Storage{
	"register": StorageRegister, "lmem": StorageLMEM, "memory": StorageMemory,
	"bus": StorageBus, "virtual": StorageVirtual, "const": StorageConst,
}

// variable = [ "export" ] ( [ storage ] type name | storage name )
//
//	[ "[" expr "]" ] [ "@" expr ] [ "=" expr ] ";" .
func (p *parser) varDecl() *VarDecl {
	d := &VarDecl{Pos: p.tok.pos, Export: p.accept("export")}
	if s, ok := storages[p.tok.kind]; ok {
		d.Storage = s
		p.advance()
	}
	d.Type = p.typeRef(d.Storage)
	return p.variable(d)
}

// variable reads a declaration from the name on.
func (p *parser) variable(d *VarDecl) *VarDecl {
	d.Name = p.name("a name for the variable")
	d.Len = p.arrayLen()
	if p.accept("@") {
		d.At = p.expr()
	}
	if p.accept("=") {
		d.Init = p.expr()
	}
	p.expect(";", "after the declaration of "+d.Name)
	return d
}

// type = [ "struct" | "union" ] name [ "*" ] | ":" [ number ] .
//
// A storage class with a name and no type, as in "virtual N = 3;", is bits too.
func (p *parser) typeRef(storage Storage) *TypeRef {
	t := &TypeRef{Pos: p.tok.pos}
	if p.accept(":") {
		if p.tok.kind == kindNumber {
			t.Width = p.number()
		}
		return t
	}
	tagged := p.acceptTag()
	untyped := !tagged && storage != StorageNone && p.tok.kind == kindIdent && p.ahead.kind != kindIdent && p.ahead.kind != "*"
	if untyped {
		return t
	}
	t.Name = p.name("a declaration: struct, a storage class, an entry, or a label before begin")
	t.Pointer = p.accept("*")
	return t
}

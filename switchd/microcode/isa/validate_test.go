package isa

import (
	"strings"
	"testing"
)

// What running a program relies on is checked, and the error says what and
// where.
func TestValidate(t *testing.T) {
	exit := []Branch{{nil, Exit, 0}}
	from := func(e Expr) Instruction { return Instruction{Moves: []Move{{nil, LowReg(0), e}}, Next: exit} }
	to := func(p Place) Instruction { return Instruction{Moves: []Move{{nil, p, Const(0)}}, Next: exit} }
	send := func(x XTXN, args ...Expr) Instruction {
		return Instruction{Issues: []Issue{{XTXN: x, Args: args}}, Next: exit}
	}
	for _, c := range []struct {
		in   Instruction
		want string // empty: it is valid
	}{
		{from(Const(1<<32 - 1)), ""},
		{from(Const(1 << 32)), "constant 0x100000000 has 33 bits; at most 32"},
		{from(WholeReg(1)), "r1 has 64 bits; at most 32"},
		{from(Reg{32, 0, 8}), "there is no register 32"},
		{from(Reg{1, 60, 5}), "bits 60+5 are not in a register"},
		{from(Reg{1, 60, 0}), "bits 60+0 are not in a register"},
		{from(Bytes(1276, 4)), ""},
		{from(Bytes(1277, 4)), "lmem[1277]:32 is not within the 1280 bytes of LMEM"},
		{from(LMEM{nil, -1, 1}), "is not within the 1280 bytes of LMEM"},
		{from(LMEM{LowReg(1), -1, 1}), ""},
		{from(LMEM{WholeReg(1), 0, 1}), "r1 has 64 bits"},
		{from(LMEM{nil, 0, 33}), "lmem[0]:33 has 33 bits; 1 to 32"},
		{from(LMEM{nil, 0, 0}), "has 0 bits; 1 to 32"},
		{from(Wire(0)), "there is no earlier wire 0"},
		{from(nil), "value is missing"},
		{from(Binary{Not, Const(1), Const(1)}), "~ has one operand"},
		{from(Binary{0, Const(1), Const(1)}), "? has one operand"},
		{from(Unary{Add, Const(1)}), "+ has two operands"},
		{from(Unary{99, Const(1)}), "? has two operands"},
		{from(Binary{Add, Const(1), nil}), "value is missing"},
		{from(Select{nil, Const(1), Const(1)}), "value is missing"},
		{from(Pair{Const(1), Const(1)}), "pair has 64 bits; at most 32"},
		{to(nil), "goes nowhere"},
		{to(WholeReg(0)), "r0 has 64 bits; at most 32"},
		{Instruction{Wires: []Expr{Wire(0)}, Next: exit}, "wire 0: there is no earlier wire 0"},
		{Instruction{Wires: []Expr{Const(0), Wire(0)}, Next: exit}, ""},
		{Instruction{Wires: make([]Expr, MaxWires+1), Next: exit}, "has 32 wires"},
		{Instruction{}, "no next instruction"},
		{Instruction{Next: []Branch{{Const(1), Exit, 0}}}, "no next instruction"},
		{Instruction{Next: []Branch{{WholeReg(1), Exit, 0}, exit[0]}}, "exit: condition: r1 has 64 bits"},
		{Instruction{Next: []Branch{{nil, Goto, 1}}}, "goto leads to instruction 1 of 1"},
		{Instruction{Next: []Branch{{nil, Goto, -1}}}, "goto leads to instruction -1 of 1"},
		{Instruction{Next: []Branch{{nil, Call, 0}}}, "no instruction after it"},
		{Instruction{Next: []Branch{{nil, 0, 0}}}, "there is no jump 0"},
		{send(0), "there is no XTXN 0"},
		{send(NumXTXN), "there is no XTXN"},
		{send(HashLookup, WholeReg(1)), ""},
		{send(HashLookup, Const(1<<63)), ""},
		{send(HashLookup, Pair{WholeReg(1), Const(1)}), "HashLookup: argument key: r1 has 64 bits"},
		{send(HashLookup), "has 0 arguments instead of 1"},
		{send(Drop, WholeReg(1)), "Drop: argument reason: r1 has 64 bits; at most 32"},
		{send(MemRead, Const(0), Const(0), Const(12)), "length 12 is not 8 to 64 in steps of 8"},
		{send(MemRead, Const(0), Const(1273), Const(8)), "8 bytes at 1273 are not within the 1280 bytes of LMEM"},
		{send(MemRead, Const(0), LowReg(0), Const(8)), ""},
		{send(TailWrite, Const(0), Const(1024), Const(256)), ""},
		{Instruction{Issues: []Issue{{XTXN: Drop, Args: []Expr{Const(0)}, Reply: LowReg(1)}}, Next: exit}, "has no reply"},
		{Instruction{Issues: []Issue{{XTXN: TimeNow, Async: true}}, Next: exit}, "cannot be asynchronous"},
		{Instruction{Issues: []Issue{{XTXN: TimeNow, Reply: WholeReg(1)}}, Next: exit}, ""},
	} {
		c.in.Pos = Pos{"x.mc", 3, 1}
		err := (&Program{Instructions: []Instruction{c.in}}).Validate()
		switch {
		case c.want == "" && err != nil:
			t.Errorf("%v", err)
		case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want) ||
			!strings.HasPrefix(err.Error(), "x.mc:3:1: instruction 0: ")):
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
}

func TestValidateEntries(t *testing.T) {
	p := filter()
	if err := p.Validate(); err != nil {
		t.Fatal(err)
	}
	if n, ok := p.TimerEntry("report"); n != 4 || !ok {
		t.Errorf("timer report: %d %t", n, ok)
	}
	if n, ok := p.PacketEntry(); n != 0 || !ok {
		t.Errorf("packet: %d %t", n, ok)
	}
	if _, ok := p.TimerEntry(""); ok {
		t.Error("a timer without a name has the packet's entry")
	}
	p.Entries[1].Target = 5
	if err := p.Validate(); err == nil || err.Error() != `entry timer report leads to instruction 5 of 5` {
		t.Errorf("got %v", err)
	}
	p.Entries[1] = p.Entries[0]
	if err := p.Validate(); err == nil || err.Error() != `entry packet stands twice` {
		t.Errorf("got %v", err)
	}
	if err := (&Program{}).Validate(); err == nil {
		t.Error("a program without instructions is valid")
	}
}

// Lists of fields, tables and entries for events are there, and XTXNs name those of their kind.
func TestValidateTables(t *testing.T) {
	list := func(places ...Place) func(*Program) {
		return func(p *Program) {
			p.Fields = []FieldList{{Name: "F"}}
			for _, at := range places {
				p.Fields[0].Fields = append(p.Fields[0].Fields, Field{Place: at})
			}
		}
	}
	many := make([]Place, MaxListFields+1)
	for i := range many {
		many[i] = LowReg(1)
	}
	tables := func(tables ...Table) func(*Program) {
		return func(p *Program) {
			list(LowReg(1))(p)
			p.Tables = tables
		}
	}
	both := tables(Table{Kind: TableRoutes, Len: 1}, Table{Kind: TableFilter, Len: MaxTerms})
	send := func(x XTXN, args ...Expr) func(*Program) {
		return func(p *Program) {
			both(p)
			p.Instructions[4].Issues = []Issue{{XTXN: x, Args: args}}
		}
	}
	entry := func(e Entry) func(*Program) {
		return func(p *Program) { p.Entries = append(p.Entries, e) }
	}
	for _, c := range []struct {
		change func(*Program)
		want   string
	}{
		{list(WholeReg(1), LMEM{LowReg(2), 3, 64}), ""},
		{list(), "fields F: 0 fields; 1 to 16"},
		{list(many...), "17 fields; 1 to 16"},
		{list(nil), "value is missing"},
		{list(Reg{40, 0, 8}), "there is no register 40"},
		{list(LMEM{Binary{Add, LowReg(1), LowReg(2)}, 0, 8}), "is not behind a register"},
		{list(WholeReg(1), WholeReg(1), WholeReg(1), WholeReg(1), WholeReg(1), WholeReg(1), WholeReg(1), WholeReg(1), Reg{1, 0, 1}),
			"513 bits; at most 512"},
		{both, ""},
		{tables(Table{Kind: TableRoutes}), "0 entries; 1 to 1048576"},
		{tables(Table{Kind: TableFilter, Len: MaxTerms + 1}), "1025 entries; 1 to 1024"},
		{tables(Table{Kind: TableFilter, Len: 1, Fields: 1}), "there is no list of fields 1"},
		{tables(Table{Kind: TableFilter, Len: 1, Fields: -1}), "there is no list of fields -1"},
		{tables(Table{Len: 1}), "there is no kind 0"},
		{send(FieldHash, Const(0), LowReg(1)), ""},
		{send(FieldHash, Const(1), LowReg(1)), "FieldHash: argument fields: 1 names none of the program"},
		{send(RouteLookup, Const(0), LowReg(1)), ""},
		{send(RouteLookup, Const(1), LowReg(1)), "RouteLookup: argument table: 1 names none of the program"},
		{send(Filter, Const(1)), ""},
		{send(Filter, Const(0)), "Filter: argument table: 0 names none"},
		{send(Filter, Const(2)), "Filter: argument table: 2 names none"},
		{send(Filter, LowReg(1)), "Filter: argument table: r1[31:0] names none"},
		{entry(Entry{Kind: EntryEvent, Name: "report"}), ""},
		{entry(Entry{Kind: EntryTimer, Name: "report"}), "entry timer report stands twice"},
		{entry(Entry{Kind: EntryEvent}), "has no name, all others have one"},
		{entry(Entry{Kind: 9, Name: "x"}), "there is no entry of kind 9"},
		{entry(Entry{Kind: EntryStatistics, Name: "DROP_CNT_BASE", Every: 1}), ""},
		{entry(Entry{Kind: EntryStatistics, Name: "DROP_CNT_BASE"}), "entry statistics DROP_CNT_BASE every 0 packets wants a counter and a number"},
		{entry(Entry{Kind: EntryStatistics, Name: "head", Every: 1, Bytes: true}), "entry statistics head every 1 bytes wants a counter"},
		{entry(Entry{Kind: EntryStatistics, Name: "nothing", Every: 1}), "wants a counter"},
	} {
		p := filter()
		c.change(p)
		if err := p.Validate(); c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("got %v, want %q", err, c.want)
		}
	}
}

// What a thread starts with, and the places of names, lie within the thread and
// within shared memory.
func TestValidateData(t *testing.T) {
	symbol := func(kind SymbolKind, value, size uint64) func(*Program) {
		return func(p *Program) { p.Symbols = []Symbol{{Name: "s", Kind: kind, Value: value, Size: size}} }
	}
	for _, c := range []struct {
		change func(*Program)
		want   string
	}{
		{func(p *Program) { p.Image.LMEM = make([]byte, LMEMBytes) }, ""},
		{func(p *Program) { p.Image.LMEM = make([]byte, LMEMBytes+1) }, "1281 bytes of LMEM are initialised; at most 1280"},
		{func(p *Program) { p.CallDepth = 9 }, "calls nest 9 deep; at most 8"},
		{func(p *Program) { p.CallDepth = -1 }, "calls nest -1 deep"},
		{symbol(SymbolConst, 1<<63, 0), ""},
		{symbol(SymbolRegister, 2047, 1), ""},
		{symbol(SymbolRegister, 2047, 2), `symbol "s": register: 2 from 2047 on is not within it`},
		{symbol(SymbolLMEM, 10240, 0), ""},
		{symbol(SymbolLMEM, 1<<63, 1<<63), `symbol "s": lmem`},
		{symbol(SymbolDRAM, 1<<24, (1<<32-1<<24)*8), ""},
		{symbol(SymbolCounter, 1<<32, 8), `symbol "s": counter`},
		{symbol(SymbolSRAM, 8, 1<<63), `symbol "s": sram`},
		{symbol(0, 0, 0), "there is no kind 0"},
		{symbol(99, 0, 0), "there is no kind 99"},
	} {
		p := filter()
		c.change(p)
		if err := p.Validate(); c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("got %v, want %q", err, c.want)
		}
	}
}

// Operations nest so deep and no deeper, whether wires are between them or not.
func TestValidateDepth(t *testing.T) {
	nest := func(e Expr, n int) Expr {
		for range n {
			e = Unary{Not, e}
		}
		return e
	}
	for _, c := range []struct {
		wire, move int
		valid      bool
	}{{MaxDepth, 0, true}, {MaxDepth / 2, MaxDepth / 2, true}, {MaxDepth, 1, false}, {0, MaxDepth + 1, false}} {
		in := Instruction{
			Wires: []Expr{nest(LowReg(1), c.wire)}, Moves: []Move{{To: LowReg(2), From: nest(Wire(0), c.move)}},
			Next: []Branch{{Jump: Exit}},
		}
		err := (&Program{Instructions: []Instruction{in}}).Validate()
		if (err == nil) != c.valid {
			t.Errorf("%d and %d: got %v", c.wire, c.move, err)
		}
	}
}

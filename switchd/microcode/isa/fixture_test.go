package isa

// The places of the filter example (trio §3.2) as a compiler may choose them.
var (
	ir0      = LowReg(1)
	etherPtr = Reg{Num: 0, Bit: 48, Width: 16}
	etype    = LMEM{Base: etherPtr, Bit: 12 * 8, Width: 16}
	version  = LMEM{Base: etherPtr, Bit: 14 * 8, Width: 4}
	ihl      = LMEM{Base: etherPtr, Bit: 14*8 + 4, Width: 4}
	pktLen   = Reg{Num: 2, Bit: 32, Width: 16}
)

const dropCounters = 0x1000

// filter is the filter example of trio §3.2, with an exit where the paper only
// names what forwards and drops.
func filter() *Program {
	equal := func(x Expr, n Const) Expr { return Binary{Equal, x, n} }
	counter := Binary{Add, Const(dropCounters), Binary{ShiftLeft, ir0, Const(1)}}
	return &Program{
		Name: "filter.mc",
		Instructions: []Instruction{
			{Labels: []string{"process_ether"}, Pos: Pos{"filter.mc", 20, 1},
				Next:  []Branch{{equal(etype, 0x0800), Goto, 1}, {nil, Goto, 2}},
				Moves: []Move{{nil, ir0, Const(0)}}},
			{Labels: []string{"process_ip"}, Pos: Pos{"filter.mc", 29, 1},
				Wires: []Expr{Binary{LogicalAnd, equal(version, 4), equal(ihl, 5)}},
				Next:  []Branch{{Wire(0), Goto, 3}, {nil, Goto, 2}},
				Moves: []Move{{nil, ir0, Const(1)}}},
			{Labels: []string{"count_dropped"}, Pos: Pos{"filter.mc", 40, 1},
				Wires:  []Expr{counter},
				Issues: []Issue{{XTXN: CounterIncPhys, Args: []Expr{Wire(0), pktLen}}},
				Next:   []Branch{{nil, Goto, 4}}},
			{Labels: []string{"forward_packet"}, Pos: Pos{"filter.mc", 47, 1},
				Issues: []Issue{{XTXN: Forward, Args: []Expr{LowReg(3)}}},
				Next:   []Branch{{nil, Exit, 0}}},
			{Labels: []string{"drop_packet"}, Pos: Pos{"filter.mc", 52, 1},
				Issues: []Issue{{XTXN: Drop, Args: []Expr{ir0}, Async: true}},
				Next:   []Branch{{nil, Exit, 0}}},
		},
		Entries: []Entry{{Target: 0}, {Kind: EntryTimer, Name: "report", Target: 4}},
		Symbols: []Symbol{
			{Name: "ether_ptr", Kind: SymbolRegister, Value: 48, Size: 16, Len: 1},
			{Name: "head", Kind: SymbolLMEM, Value: HeadStart * 8, Size: HeadBytes * 8, Len: 1, Export: true},
			{Name: "flags", Kind: SymbolLMEM, Value: 3, Size: 10, Len: 2},
			{Name: "DROP_CNT_BASE", Kind: SymbolCounter, Value: dropCounters, Size: 32, Len: 2, Export: true},
			{Name: "IPV4", Kind: SymbolConst, Value: 0x0800},
		},
	}
}

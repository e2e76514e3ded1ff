package microcode

import (
	"fmt"

	"github.com/inalab/inalab/switchd/microcode/isa"
	"github.com/inalab/inalab/switchd/trio/mem"
)

// layout is where the program has what the control plane reads and writes.
type layout struct {
	waits, egress, buffers, tombs mem.Addr
	records                       int // that have a buffer
	block                         int // byte of LMEM where a thread has its block record
	classifier
}

// Sizes of entries of the program's tables, in words.
const (
	waitWords   = 4       // a bit for each source
	egressWords = 8       // of the program's own, then the headers
	bufferWords = 2048    // room for 4095 gradients
	tombWords   = 1 << 19 // 2 blocks in each
)

func layoutOf(p *isa.Program) (l layout, err error) {
	find := func(name string, kind isa.SymbolKind) isa.Symbol {
		s, ok := p.Symbol(name)
		if !ok || s.Kind != kind {
			err = fmt.Errorf("program %s has no %v %s: it is not Trio-ML", p.Name, kind, name)
		}
		return s
	}
	l.waits = mem.Addr(find("waits", isa.SymbolSRAM).Value)
	l.egress = mem.Addr(find("egress", isa.SymbolSRAM).Value)
	buffers := find("buffers", isa.SymbolDRAM)
	l.buffers, l.records = mem.Addr(buffers.Value), int(buffers.Len/bufferWords)
	l.tombs = mem.Addr(find("tombstones", isa.SymbolDRAM).Value)
	l.block = int(find("blk", isa.SymbolLMEM).Value / 8)
	return l, err
}

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
	f := finder{program: p, lacks: "it is not Trio-ML"}
	buffers := f.find("buffers", isa.SymbolDRAM)
	return layout{
		waits: f.addr("waits", isa.SymbolSRAM), egress: f.addr("egress", isa.SymbolSRAM),
		buffers: mem.Addr(buffers.Value), records: int(buffers.Len / bufferWords), tombs: f.addr("tombstones", isa.SymbolDRAM),
		block: int(f.find("blk", isa.SymbolLMEM).Value / 8),
	}, f.err
}

// finder looks up the symbols of a program.
type finder struct {
	program *isa.Program
	lacks   string // what it means that one is missing
	err     error  // of the last that is
}

func (f *finder) find(name string, kind isa.SymbolKind) isa.Symbol {
	s, ok := f.program.Symbol(name)
	if !ok || s.Kind != kind {
		f.err = fmt.Errorf("program %s has no %v %s: %s", f.program.Name, kind, name, f.lacks)
	}
	return s
}

func (f *finder) addr(name string, kind isa.SymbolKind) mem.Addr {
	return mem.Addr(f.find(name, kind).Value)
}

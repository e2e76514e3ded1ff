package trio

import (
	"testing"

	"github.com/inalab/inalab/switchd/microcode/isa"
	"github.com/inalab/inalab/switchd/trio/mem"
)

// What the compiler says of shared memory is what the memory has.
func TestCompilerAndMemoryAgreeOnAddresses(t *testing.T) {
	for _, c := range []struct {
		name     string
		isa, mem uint64
	}{
		{"first hash record", isa.HashRecords, uint64(mem.RecordsBase)},
		{"first word of DRAM", isa.DRAMStart, uint64(mem.DRAMBase)},
		{"bytes of a word", isa.WordBytes, mem.WordBytes},
		{"bytes of an add", isa.AddBytes, mem.DefaultAddBytes},
		{"bytes of the widest add", isa.MaxAddBytes, mem.MaxAccess},
	} {
		if c.isa != c.mem {
			t.Errorf("%s: programs are compiled for %#x, memory has %#x", c.name, c.isa, c.mem)
		}
	}
}

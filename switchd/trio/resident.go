package trio

import (
	"cmp"

	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/switchd/microcode/isa"
	"github.com/inalab/inalab/switchd/trio/mem"
)

// Declared returns the host memory that a program takes once it has written to all the
// memory that it declares, and to so many hash records; zero: the default number. Hardware
// has all memory that is configured, so the host must have it: a thread that is refused a
// page is killed, and its unfinished work stays in shared memory.
func Declared(prog *isa.Program, records int) units.Bytes {
	const ends = 2 * mem.PageBytes // of a range, which may begin and end within a page
	sum := units.Bytes(cmp.Or(records, mem.DefaultRecords))*mem.RecordBytes + ends
	for i := range prog.Symbols {
		if s := &prog.Symbols[i]; s.Kind.Shared() {
			sum += units.Bytes(s.Size) + ends
		}
	}
	return sum
}

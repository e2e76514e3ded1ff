package trio

import (
	"cmp"

	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/switchd/microcode/isa"
	"github.com/inalab/inalab/switchd/trio/mem"
)

// Declared returns the host memory that a program takes which has written to all that
// it declares, and to so many hash records; zero: the default number. Memory that
// is configured is there on hardware, so the host must not run out of it: a thread
// that is refused a page is killed, and leaves what it has begun to others that wait
// for it.
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

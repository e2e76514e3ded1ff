package vm

import "github.com/inalab/inalab/switchd/microcode/isa"

// Fields is a list of fields, compiled, of which a module asks the values. The zero value is
// an empty list.
type Fields struct {
	places []place
}

// FieldsOf compiles a list of fields that isa.Program.Validate accepts.
func FieldsOf(l *isa.FieldList) (f Fields) {
	for i := range l.Fields {
		f.places = append(f.places, placeOf(l.Fields[i].Place))
	}
	return f
}

// Len returns how many fields there are.
func (f *Fields) Len() int { return len(f.places) }

// Value returns field i of a waiting thread, and its width in bits. It sees what the
// instruction has assigned that sent the XTXN, as a module that reads local memory does. It
// returns false, and the thread has a fault, if the field is not within local memory, or
// awaited there.
func (f *Fields) Value(t *Thread, i int) (value uint64, width int, ok bool) {
	p := &f.places[i]
	if p.register {
		return t.file[p.num%fileSize] >> (p.shift % 64) & p.mask, int(p.width), true
	}
	at := p.resolve(t)
	if t.reads.any {
		t.use(at, p.width)
	}
	if t.fault != NoFault {
		return 0, 0, false
	}
	return t.loadBits(at, p.width), int(p.width), true
}

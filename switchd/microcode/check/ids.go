package check

import "github.com/inalab/inalab/switchd/microcode/isa"

// A typeKey tells types of the program apart: a record is itself, the others are what
// they are made of.
type typeKey struct {
	record *dataType
	form   form
	name   string
	bits   int
	elem   isa.TypeID
}

var forms = map[form]isa.Form{
	formBits: isa.FormBits, formBool: isa.FormBool, formLabel: isa.FormLabel,
	formPointer: isa.FormPointer, formArray: isa.FormArray, formRecord: isa.FormRecord,
}

// typeID returns the number that a type has in the program, which gets what it is made
// of first.
func (c *checker) typeID(t *dataType) isa.TypeID {
	key := typeKey{form: t.form, name: t.name, bits: t.bits}
	switch t.form {
	case formRecord:
		key = typeKey{record: t}
	case formArray:
		key.elem = c.typeID(t.elem)
	}
	if id, ok := c.ids[key]; ok {
		return id
	}
	out := isa.Type{Name: t.name, Form: forms[t.form], Bits: uint64(t.bits), Elem: key.elem, Len: uint64(t.len)}
	for _, f := range t.fields {
		out.Fields = append(out.Fields, isa.Member{Name: f.name, Type: c.typeID(f.typ), Bit: uint64(f.offset)})
	}
	c.prog.Types = append(c.prog.Types, out)
	c.ids[key] = isa.TypeID(len(c.prog.Types))
	return c.ids[key]
}

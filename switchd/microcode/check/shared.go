package check

import (
	"github.com/inalab/inalab/switchd/microcode/isa"
	"github.com/inalab/inalab/switchd/microcode/syntax"
)

// A sharedSpec is what one element of shared memory is.
type sharedSpec struct {
	words uint64 // of 8 bytes
	kind  isa.SymbolKind
	typ   *dataType
}

// sharedSpecs are those of each kind, where the declaration names no type.
var sharedSpecs = map[syntax.SharedKind]sharedSpec{
	syntax.SharedCounter: {2, isa.SymbolCounter, counterRecord}, // 16 bytes (trio §3.2)
	syntax.SharedPolicer: {policerWords, isa.SymbolPolicer, policerRecord},
	syntax.SharedSRAM:    {1, isa.SymbolSRAM, typeShared},
	syntax.SharedDRAM:    {1, isa.SymbolDRAM, typeShared},
}

// policerWords is the size of a policer record: a token bucket. Assumed.
const policerWords = 4

// Types of shared memory that the machine itself knows.
var (
	typeShared    = &dataType{form: formBits, name: "u64", bits: isa.RegisterBits}
	counterRecord = machineRecord("counter", "packets", 64, "bytes", 64)
	policerRecord = machineRecord("policer", "rate", 64, "burst", 32, "tokens", 32, "part", 64, "time", 64)
)

// machineRecord makes a record of names, each with its width in bits.
func machineRecord(name string, members ...any) *dataType {
	t := &dataType{form: formRecord, name: name, index: map[string]int{}}
	for i := 0; i < len(members); i += 2 {
		member, width := members[i].(string), members[i+1].(int)
		t.index[member] = len(t.fields)
		t.fields = append(t.fields, field{member, bitsType(width), t.bits})
		t.bits += width
	}
	return t
}

// sharedType is what an element of shared memory is; false after an error.
func (c *checker) sharedType(d *syntax.SharedDecl) (sharedSpec, bool) {
	spec := sharedSpecs[d.Kind]
	if d.Type == nil {
		return spec, true
	}
	t := c.namedType(d.Type)
	if t == nil {
		return spec, false
	}
	const word = isa.WordBytes * 8
	if t.bits == 0 || t.bits%word != 0 {
		c.errorf(d.Type.Pos, "%s has %s, and shared memory has words of %d: pad it, as with \": %d;\"", t.name, plural(t.bits, "bit"), word, word-t.bits%word)
		return spec, false
	}
	spec.words, spec.typ = uint64(t.bits/word), t
	return spec, true
}

// declareHash says what records of the hash table hold. The name is the address of the
// first of them.
func (c *checker) declareHash(d *syntax.HashDecl) {
	key, rec := c.namedType(d.Key), c.namedType(d.Type)
	if key == nil || rec == nil {
		return
	}
	switch {
	case key.bits == 0 || key.bits > isa.RegisterBits || key.form == formLabel:
		c.errorf(d.Key.Pos, "%s has %s: a key of the hash table has 1 to %d", key.name, plural(key.bits, "bit"), isa.RegisterBits)
		return
	case rec.bits == 0 || rec.bits > isa.HashRecordBytes*8 || rec.form == formLabel:
		c.errorf(d.Type.Pos, "%s has %s: a record of the hash table has 1 to %d", rec.name, plural(rec.bits, "bit"), isa.HashRecordBytes*8)
		return
	}
	when, ok := c.hashMatch(d, key)
	if !ok {
		return
	}
	c.define(d.Name, &symbol{pos: d.Pos, typ: typeWord, val: constant(isa.HashRecords)})
	c.prog.Symbols = append(c.prog.Symbols, isa.Symbol{
		Name: d.Name, Kind: isa.SymbolHash, Export: true, Value: isa.HashRecords, Size: isa.HashRecordBytes * 8, Len: 1,
		Type: c.typeID(rec), Key: c.typeID(key), When: when, Pos: place(d.Pos),
	})
}

// hashMatch says which keys a declaration is about; nil is all, false an error.
func (c *checker) hashMatch(d *syntax.HashDecl, key *dataType) (*isa.Match, bool) {
	if d.Field == "" {
		return nil, true
	}
	f, ok := key.find(d.Field)
	if !ok {
		c.errorf(d.At, "%s has no field %s%s", key.name, d.Field, didYouMean(c, d.Field, key.index))
		return nil, false
	}
	n, ok := c.number(d.Value, "the value of "+d.Field)
	switch {
	case !ok:
		return nil, false
	case !f.typ.scalar():
		c.errorf(d.At, "%s is a %s; compare one of its fields", d.Field, f.typ.name)
		return nil, false
	case !fits(n, f.typ.bits):
		c.errorf(d.Value.Position(), "%#x does not fit the %s of %s", n, plural(f.typ.bits, "bit"), d.Field)
		return nil, false
	}
	first := isa.RegisterBits - key.bits // a shorter key is the low bits
	return &isa.Match{Bit: uint64(first + f.offset), Width: uint64(f.typ.bits), Value: n}, true
}

// declareShared gives shared memory an address, which is the value of its name.
func (c *checker) declareShared(d *syntax.SharedDecl) {
	n := uint64(1)
	if d.Len != nil {
		size, ok := c.positive(d.Len, "the length of "+d.Name, sharedEnd)
		if !ok {
			return
		}
		n = uint64(size)
	}
	spec, ok := c.sharedType(d)
	if !ok {
		return
	}
	next, limit := &c.storage.sram, uint64(isa.HashRecords)
	if *next == 0 {
		*next = sharedStart
	}
	if d.Kind == syntax.SharedDRAM {
		next, limit = &c.storage.dram, sharedEnd
		if *next == 0 {
			*next = isa.DRAMStart
		}
	}
	words := n * spec.words
	if words > limit-*next {
		c.errorf(d.Pos, "%s needs %d words of 8 bytes, %d are left; keep large tables in dram", d.Name, words, limit-*next)
		return
	}
	at := *next
	*next += words
	c.define(d.Name, &symbol{pos: d.Pos, typ: typeWord, val: constant(at)})
	c.prog.Symbols = append(c.prog.Symbols, isa.Symbol{
		Name: d.Name, Kind: spec.kind, Export: true, Value: at, Size: words * isa.WordBytes, Len: n, Type: c.typeID(spec.typ), Pos: place(d.Pos),
	})
}

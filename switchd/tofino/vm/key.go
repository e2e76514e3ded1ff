package vm

import (
	"encoding/binary"

	"github.com/inalab/inalab/switchd/tofino/fit"
)

// keyWords are the values of the fields of a key, packed: no field lies across two
// words.
type keyWords [maxKeyWords]uint64

// maxKeyWords bounds a key: 64 fields of 64 bits, more than all crossbars of a stage
// take in.
const maxKeyWords = 64

// key says how the words are made.
type key struct {
	parts []part // fields
	reads []part // the same, with those together that stand together in a header
	words int
}

// part is one field of a key, or several.
type part struct {
	field Ref
	word  int
	shift uint8
}

func (c *Code) newKey(fields []fit.FieldID) (k key) {
	room := 0
	for _, f := range fields {
		r := c.fields[f]
		if int(r.Bits) > room {
			k.words++
			room = 64
		}
		room -= int(r.Bits)
		p := part{r, k.words - 1, uint8(room)}
		k.parts = append(k.parts, p)
		if n := len(k.reads); n == 0 || !k.reads[n-1].join(&p) {
			k.reads = append(k.reads, p)
		}
	}
	return k
}

// join takes another part in that follows in the header as it does in the key, if
// both are one word then.
func (p *part) join(next *part) bool {
	a, b := &p.field, &next.field
	begin, end := a.begin(), a.begin()+int(a.Bits)
	bits := int(a.Bits) + int(b.Bits)
	if a.InSlot() || b.InSlot() || a.Head != b.Head || p.word != next.word || b.begin() != end {
		return false
	}
	joined := Ref{Bits: uint8(bits), Mask: ones(bits)}
	if joined.place(int(a.Head), begin, bits); joined.kind == inBits {
		return false
	}
	p.field, p.shift = joined, next.shift
	return true
}

// read fills in the words from the fields.
func (k *key) read(s *Pass, out *keyWords) {
	if k.words == 1 {
		out[0] = k.readOne(s)
		return
	}
	clear(out[:k.words])
	for i := range k.reads {
		p := &k.reads[i]
		out[p.word] |= s.Get(&p.field) << p.shift
	}
}

// readOne returns the word of a key that has one.
func (k *key) readOne(s *Pass) (v uint64) {
	for i := range k.reads {
		p := &k.reads[i]
		switch r := &p.field; {
		case r.InSlot():
			v |= s.Slots[r.Off] << p.shift
		case r.Len > 8:
			v |= s.Get(r) << p.shift
		case s.heads[r.Head].pass == s.pass:
			v |= binary.BigEndian.Uint64(s.bytesAt(&s.heads[r.Head], int(r.Off))) >> (r.Shift & 63) & r.Mask << p.shift
		}
	}
	return v
}

// pack returns the words of values, one a field.
func (k *key) pack(values []uint64) []uint64 {
	out := make([]uint64, k.words)
	for i := range k.parts {
		p := &k.parts[i]
		out[p.word] |= (values[i] & p.field.Mask) << p.shift
	}
	return out
}

// matches reports whether words under masks are values, which are masked.
func matches(words *keyWords, values, masks []uint64) bool {
	masks = masks[:len(values)]
	for i, v := range values {
		if words[i]&masks[i] != v {
			return false
		}
	}
	return true
}

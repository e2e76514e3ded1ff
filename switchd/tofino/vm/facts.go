package vm

import "slices"

// bits are what is known of a value: those under the mask.
type bits struct{ mask, value uint64 }

// all is every bit of a value that is known.
func all(v uint64) bits { return bits{^uint64(0), v} }

// none is nothing, of a field of some bits: those above are 0.
func none(field uint64) bits { return bits{mask: ^field} }

// cut is what is known when the value goes to a field of some bits.
func (b bits) cut(field uint64) bits { return bits{b.mask | ^field, b.value & field} }

// known reports whether the whole value is.
func (b bits) known() bool { return b.mask == ^uint64(0) }

// facts are what is certain somewhere in a control, whatever the packet is.
type facts struct {
	slots  []bits
	fields []bits // of headers that are valid, by number
	valid  []bool // headers
	missed []pattern
}

// pattern is what a row wants of fields. Tables often share rows.
type pattern []want

type want struct {
	field *ref
	bits
}

// pattern returns what a row of a table wants.
func (r *row) pattern(k *key) (out pattern) {
	for i := range k.parts {
		p := &k.parts[i]
		b := bits{r.masks[p.word] >> p.shift & p.field.mask, r.values[p.word] >> p.shift & p.field.mask}
		if b.mask != 0 {
			out = append(out, want{&p.field, b})
		}
	}
	return out
}

// same reports whether two rows want the same.
func (p pattern) same(q pattern) bool {
	return slices.EqualFunc(p, q, func(a, b want) bool { return a.field.id == b.field.id && a.bits == b.bits })
}

// of reports whether a field is in a pattern.
func (p pattern) of(r *ref) bool {
	return slices.ContainsFunc(p, func(w want) bool { return w.field.id == r.id })
}

// newFacts returns what is certain behind a parser that has found some headers: all
// slots are 0.
func (c *Code) newFacts(have uint64) (f facts) {
	f.slots = make([]bits, c.slots)
	for i := range f.slots {
		f.slots[i] = all(0)
	}
	f.fields = make([]bits, len(c.fields))
	for i := range f.fields {
		f.fields[i] = none(c.fields[i].mask)
	}
	f.valid = make([]bool, len(c.prog.Headers))
	for i := range f.valid {
		f.valid[i] = have>>i&1 != 0
	}
	return f
}

// of returns what is known of a field.
func (f *facts) of(r *ref) bits {
	switch {
	case r.kind == inSlot:
		return f.slots[r.off]
	case !f.valid[r.head]:
		return all(0)
	}
	return f.fields[r.id]
}

// set says what is known of a field from now on.
func (f *facts) set(r *ref, b bits) {
	f.missed = slices.DeleteFunc(f.missed, func(p pattern) bool { return p.of(r) })
	if r.kind == inSlot {
		f.slots[r.off] = b.cut(r.mask)
	} else {
		f.fields[r.id] = b.cut(r.mask)
	}
}

// forget says that a field may have any value.
func (f *facts) forget(r *ref) { f.set(r, none(r.mask)) }

// learn adds to what is known of a field.
func (f *facts) learn(r *ref, b bits) {
	b = bits{b.mask | f.of(r).mask, b.value&b.mask | f.of(r).value}.cut(r.mask)
	if r.kind == inSlot {
		f.slots[r.off] = b
	} else {
		f.fields[r.id] = b
	}
}

// words returns what is known of the words of a key.
func (f *facts) words(k *key) []bits {
	out := make([]bits, k.words)
	for i := range k.parts {
		p := &k.parts[i]
		b := f.of(&p.field)
		out[p.word].mask |= b.mask & p.field.mask << p.shift
		out[p.word].value |= b.value & p.field.mask << p.shift
	}
	return out
}

// match says whether a row matches, for all that is known; sure is whether that is
// certain.
func match(r *row, known []bits) (may, sure bool) {
	sure = true
	for i, b := range known {
		if b.mask&r.masks[i]&(b.value^r.values[i]) != 0 {
			return false, true
		}
		sure = sure && r.masks[i]&^b.mask == 0
	}
	return true, sure
}

// matched learns that a key has some values under masks, by word.
func (f *facts) matched(k *key, values, masks []uint64) {
	for i := range k.parts {
		p := &k.parts[i]
		f.learn(&p.field, bits{masks[p.word] >> p.shift & p.field.mask, values[p.word] >> p.shift})
	}
}

// came learns from the cases that a parser has taken.
func (f *facts) came(states []state, way uint64) {
	if way == longWay {
		return
	}
	for ; way > 0; way >>= caseBits {
		for i := range states {
			st := &states[i]
			for j := range st.cases {
				if t := &st.cases[j]; uint64(t.number) == way&(1<<caseBits-1) {
					f.matched(&st.seen, t.values, t.masks)
				}
			}
		}
	}
}

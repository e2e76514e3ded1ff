package tracetree

import (
	"slices"

	"github.com/inalab/inalab/switchd/tofino/fit"
	"github.com/inalab/inalab/switchd/tofino/vm"
)

// bits are what is known of a value: those under the mask.
type bits struct{ mask, value uint64 }

// all is every bit of a value that is known.
func all(v uint64) bits { return bits{^uint64(0), v} }

// none is nothing, of a field of some bits: those above are 0.
func none(field uint64) bits { return bits{mask: ^field} }

// cut is what is known when the value goes to a field of some bits.
func (b bits) cut(field uint64) bits { return bits{b.mask | ^field, b.value & field} }

// whole reports whether every bit is known.
func (b bits) whole() bool { return b.mask == ^uint64(0) }

// facts are what is known at a point of a control, whatever the packet is.
type facts struct {
	code   *vm.Code
	fields []bits // by number; of headers that are valid
	valid  []bool // headers
	missed []pattern
}

// pattern is what a row wants of fields. Tables often share rows.
type pattern []want

type want struct {
	field fit.FieldID
	bits
}

// patternOf returns what a row of a table wants.
func patternOf(t *vm.Table, r *vm.Row) (out pattern) {
	for i := range t.Keys {
		if b := (bits{r.Masks[i], r.Values[i]}); b.mask != 0 {
			out = append(out, want{t.Keys[i].Field.Of(0), b})
		}
	}
	return out
}

// equal reports whether two rows want the same.
func (p pattern) equal(q pattern) bool { return slices.Equal(p, q) }

// reads reports whether a field is in a pattern.
func (p pattern) reads(id fit.FieldID) bool {
	return slices.ContainsFunc(p, func(w want) bool { return w.field == id })
}

// newFacts returns what is known behind a parser that has found some headers: all metadata is 0.
func newFacts(code *vm.Code, headers uint64) facts {
	prog := code.Program()
	f := facts{code: code, fields: make([]bits, len(prog.Fields)), valid: make([]bool, len(prog.Headers))}
	for id := range f.fields {
		if r := code.Ref(fit.FieldID(id)); r.InSlot() {
			f.fields[id] = all(0)
		} else {
			f.fields[id] = none(r.Mask)
		}
	}
	for h := range f.valid {
		f.valid[h] = headers>>h&1 != 0
	}
	return f
}

// known returns what is known of a field.
func (f *facts) known(id fit.FieldID) bits {
	if r := f.code.Ref(id); !r.InSlot() && !f.valid[r.Head] {
		return all(0)
	}
	return f.fields[id]
}

// set says what is known of a field from now on.
func (f *facts) set(id fit.FieldID, b bits) {
	f.missed = slices.DeleteFunc(f.missed, func(p pattern) bool { return p.reads(id) })
	f.fields[id] = b.cut(f.code.Ref(id).Mask)
}

// forget says that a field may have any value.
func (f *facts) forget(id fit.FieldID) { f.set(id, bits{}) }

// learn adds to what is known of a field.
func (f *facts) learn(id fit.FieldID, b bits) {
	was := f.known(id)
	f.fields[id] = bits{b.mask | was.mask, b.value&b.mask | was.value}.cut(f.code.Ref(id).Mask)
}

// match says whether a row may match, and whether that is certain.
func (f *facts) match(p pattern) (may, sure bool) {
	sure = true
	for _, w := range p {
		b := f.known(w.field)
		if b.mask&w.mask&(b.value^w.value) != 0 {
			return false, true
		}
		sure = sure && w.mask&^b.mask == 0
	}
	return true, sure
}

// setValid says whether a header is valid from now on. One that has been added is all zero.
func (f *facts) setValid(h fit.HeaderID, valid bool) {
	f.valid[h] = valid
	header := &f.code.Program().Headers[h]
	for i := range header.Len {
		f.set(header.First+fit.FieldID(i), all(0))
	}
}

// learnPath learns from the cases that a parser has taken.
func (f *facts) learnPath(states []fit.State, path vm.Path) {
	if path == vm.LongPath {
		return
	}
	later := extractedLater(states)
	for ; path > 0; path >>= vm.CaseBits {
		number := int(path & (1<<vm.CaseBits - 1))
		for i := range states {
			if n := len(states[i].Cases); number > n {
				number -= n
				continue
			}
			f.learnCase(&states[i], number-1, later[i])
			break
		}
	}
}

// learnCase learns what a case selects by. Of a header that comes later it saw 0, as that was not
// valid yet.
func (f *facts) learnCase(st *fit.State, number int, later uint64) {
	c := &st.Cases[number]
	for i, id := range st.Select {
		if r := f.code.Ref(id); r.InSlot() || later>>r.Head&1 == 0 {
			f.learn(id, bits{c.Masks[i], c.Values[i]})
		}
	}
}

// extractedLater returns the headers that states behind each state may extract.
func extractedLater(states []fit.State) []uint64 {
	later := make([]uint64, len(states))
	follow := func(i int, next fit.StateID) {
		if next < 0 {
			return
		}
		later[i] |= later[next]
		for _, h := range states[next].Extract {
			later[i] |= 1 << h
		}
	}
	for before := []uint64(nil); !slices.Equal(before, later); {
		before = slices.Clone(later)
		for i := range states {
			follow(i, states[i].Next)
			for _, c := range states[i].Cases {
				follow(i, c.Next)
			}
		}
	}
	return later
}

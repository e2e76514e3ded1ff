package lookup

import (
	"fmt"
	"slices"
)

// A Match is what a term wants of one field: the bits of Value where Mask has ones. The zero
// value takes any.
type Match struct{ Value, Mask uint64 }

// A Term is one line of a filter.
type Term struct {
	Name  string  // for people
	Match []Match // by field, in the order of the list; those left out take any value
	Value uint32  // what the program gets
}

// Filter is a list of terms, of which the first that matches counts. Make it with [NewFilter].
type Filter struct {
	limit  int
	widths []int // of the fields, in bits
	words  int   // of a key
	terms  []Term
	rows   []row
}

// A row is a term as it is compared.
type row struct{ value, mask [keyWords]uint64 }

// NewFilter returns an empty filter for at most so many terms on fields of these widths,
// MaxKeyBits together.
func NewFilter(limit int, widths []int) *Filter {
	bits := 0
	for _, w := range widths {
		bits += w
	}
	return &Filter{limit: limit, widths: slices.Clone(widths), words: (bits + 63) / 64}
}

// SetTerms replaces all terms. After an error they are as they were.
func (f *Filter) SetTerms(terms []Term) error {
	if len(terms) > f.limit {
		return fmt.Errorf("%d terms: the filter holds %d: leave some out, or declare a larger one", len(terms), f.limit)
	}
	rows := make([]row, len(terms))
	for i := range terms {
		if err := f.compile(&rows[i], &terms[i]); err != nil {
			return fmt.Errorf("term %d (%s): %w", i, terms[i].Name, err)
		}
	}
	f.rows, f.terms = rows, make([]Term, len(terms))
	for i, t := range terms {
		t.Match = slices.Clone(t.Match)
		f.terms[i] = t
	}
	return nil
}

func (f *Filter) compile(r *row, t *Term) error {
	if len(t.Match) > len(f.widths) {
		return fmt.Errorf("it matches %d fields, the filter has %d", len(t.Match), len(f.widths))
	}
	var value, mask Key
	for i, width := range f.widths {
		var m Match
		if i < len(t.Match) {
			m = t.Match[i]
		}
		switch all := ones(width); {
		case m.Mask&^all != 0:
			return fmt.Errorf("the mask %#x of field %d is wider than its %d bits", m.Mask, i, width)
		case m.Value&^m.Mask != 0:
			return fmt.Errorf("the value %#x of field %d has bits that its mask %#x has not, so nothing matches", m.Value, i, m.Mask)
		}
		value.Add(m.Value, width)
		mask.Add(m.Mask, width)
	}
	r.value, r.mask = value.words, mask.words
	return nil
}

// Lookup returns the number of the first term that a key matches, and its value. The key has
// the filter's fields.
func (f *Filter) Lookup(k *Key) (term int, value uint32, matched bool) {
	for i := range f.rows {
		if f.rows[i].matches(k, f.words) {
			return i, f.terms[i].Value, true
		}
	}
	return 0, 0, false
}

func (r *row) matches(k *Key, words int) bool {
	for i := range words {
		if k.words[i]&r.mask[i] != r.value[i] {
			return false
		}
	}
	return true
}

// Terms returns the terms. They are not to be changed.
func (f *Filter) Terms() []Term { return f.terms }

// Cap returns how many terms there can be.
func (f *Filter) Cap() int { return f.limit }

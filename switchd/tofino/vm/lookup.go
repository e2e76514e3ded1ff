package vm

// find returns the row that a packet matches, and counts it where rows are counted.
func (t *Table) find(s *Pass, k *key) *Row {
	r := t.row(s, k)
	if t.Counter {
		r.Count(s)
	}
	return r
}

// Match returns the row that a packet matches in the first copy of the table.
func (t *Table) Match(s *Pass) *Row { return t.row(s, t.key) }

// row returns the row that a packet matches.
func (t *Table) row(s *Pass, k *key) *Row {
	switch {
	case len(t.Rows) == 0:
		return &t.Miss
	case t.direct != nil:
		return t.direct[k.readOne(s)&t.care>>(t.shift&63)]
	case k.words == 1:
		word := k.readOne(s) & t.care
		m := &t.memo[word*0x9e3779b97f4a7c15>>(64-memoBits)]
		if m.row == nil || m.word != word {
			m.word, m.row = word, t.match(word)
		}
		return m.row
	}
	k.read(s, &s.key)
	return t.matchWide(s, k.words)
}

// match finds the row of a key of one word.
func (t *Table) match(word uint64) *Row {
	if t.exact != nil {
		if r := t.exact[word]; r != nil {
			return r
		}
		return &t.Miss
	}
	for _, r := range t.Rows {
		if word&r.wordMask[0] == r.words[0] {
			return r
		}
	}
	return &t.Miss
}

func (t *Table) matchWide(s *Pass, words int) *Row {
	if t.Ternary || t.wide == nil {
		for _, r := range t.Rows {
			if matches(&s.key, r.words, r.wordMask) {
				return r
			}
		}
		return &t.Miss
	}
	s.text = text(s.text[:0], s.key[:words])
	if r := t.wide[string(s.text)]; r != nil {
		return r
	}
	return &t.Miss
}

// text writes words as bytes, for a map.
func text(b []byte, words []uint64) []byte {
	for _, w := range words {
		for shift := 0; shift < 64; shift += 8 {
			b = append(b, byte(w>>shift))
		}
	}
	return b
}

package vm

// find returns the row that a packet matches, and counts it where rows are counted.
func (t *table) find(s *Pass, k *key) *row {
	r := t.row(s, k)
	if t.counter {
		r.count(s)
	}
	return r
}

// row returns the row that a packet matches.
func (t *table) row(s *Pass, k *key) *row {
	switch {
	case len(t.rows) == 0:
		return &t.miss
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
func (t *table) match(word uint64) *row {
	if t.exact != nil {
		if r := t.exact[word]; r != nil {
			return r
		}
		return &t.miss
	}
	for _, r := range t.rows {
		if word&r.masks[0] == r.values[0] {
			return r
		}
	}
	return &t.miss
}

func (t *table) matchWide(s *Pass, words int) *row {
	if t.def.Ternary || t.wide == nil {
		for _, r := range t.rows {
			if matches(&s.key, r.values, r.masks) {
				return r
			}
		}
		return &t.miss
	}
	s.text = text(s.text[:0], s.key[:words])
	if r := t.wide[string(s.text)]; r != nil {
		return r
	}
	return &t.miss
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

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
	case k.words == 1:
		return t.rowOf(k.readOne(s) & t.care)
	}
	k.read(s, &s.key)
	return t.matchWide(s, k.words)
}

// rowOf returns the row that a key of one word matches, of which these are the bits that entries look at.
func (t *Table) rowOf(word uint64) *Row {
	if t.direct != nil {
		return t.direct[word>>(t.shift&63)]
	}
	m := &t.memo[word*0x9e3779b97f4a7c15>>(64-memoBits)]
	if m.row == nil || m.word != word {
		m.word, m.row = word, t.match(word)
	}
	return m.row
}

// MatchGroup returns the row that the first of neighbours matches in the first copy of the table, and
// the first of those behind it that matches another.
func (t *Table) MatchGroup(g *Group, from, to int) (r *Row, end int) {
	if len(t.Rows) == 0 {
		return &t.Miss, to
	}
	if t.key.words != 1 || !t.key.plain() {
		r, end = t.Match(g.Select(from)), from+1
		for end < to && t.Match(g.Select(end)) == r {
			end++
		}
		return r, end
	}
	if len(t.key.reads) == 1 {
		return t.matchColumn(g, from, to)
	}
	word := t.key.readLane(g, &g.lanes[from]) & t.care
	r = t.rowOf(word)
	for end = from + 1; end < to; end++ {
		if w := t.key.readLane(g, &g.lanes[end]) & t.care; w != word && t.rowOf(w) != r {
			break
		}
	}
	return r, end
}

// matchColumn is MatchGroup by one field.
func (t *Table) matchColumn(g *Group, from, to int) (r *Row, end int) {
	p := &t.key.reads[0]
	c := g.Column(&p.field)
	word := c.Get(&g.lanes[from]) << p.shift & t.care
	r = t.rowOf(word)
	for end = from + 1; end < to; end++ {
		if w := c.Get(&g.lanes[end]) << p.shift & t.care; w != word && t.rowOf(w) != r {
			break
		}
	}
	return r, end
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

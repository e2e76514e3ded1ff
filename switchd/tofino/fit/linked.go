package fit

import "slices"

// cutLinked cuts the fields that instructions take into each other: into containers of one size.
func (v *vector) cutLinked(side Side) {
	sets := newForest(len(v.Fields))
	for _, l := range v.links[side] {
		sets.join(int(l.to), int(l.from))
	}
	members := make([][]FieldID, len(v.Fields))
	for _, l := range v.links[side] {
		for _, f := range []FieldID{l.to, l.from} {
			if l.to == l.from && l.toLow == l.fromLow {
				break // where it is already
			}
			if r := sets.root(int(f)); !slices.Contains(members[r], f) {
				members[r] = append(members[r], f)
			}
		}
	}
	var later [][]FieldID
	for _, list := range members {
		switch {
		case len(list) == 0:
		case v.forced(side, list): // those with a container first: others go by it
			v.cutTogether(side, list)
		default:
			later = append(later, list)
		}
	}
	for _, list := range later {
		v.cutTogether(side, list)
	}
}

// forced reports whether one of some fields has a container, or fills one.
func (v *vector) forced(side Side, list []FieldID) bool {
	return slices.ContainsFunc(list, func(id FieldID) bool { _, ok := v.forcedSize(side, id); return ok })
}

// forcedSize returns the size of the containers that a field has to be in.
func (v *vector) forcedSize(side Side, id FieldID) (size int, ok bool) {
	f := &v.Fields[id]
	if f.Header == NoHeader {
		return sizeFor(f.Bits), v.needs[side][id] == exact
	}
	for begin, end := f.span(); begin < end; begin++ {
		if p := v.bytes[side][f.Header][begin]; p != noPiece {
			return v.pieces[p].size, true
		}
	}
	return 0, false
}

// leastSize returns the smallest size that a field can be in.
func (v *vector) leastSize(side Side, id FieldID) int {
	f, n := &v.Fields[id], v.needs[side][id]
	switch {
	case n < whole:
		return 0
	case f.Header == NoHeader:
		return sizeFor(f.Bits)
	}
	begin, end := f.span()
	return sizeFor(8 * (end - begin))
}

// ownSize returns the largest size of which a field of a header fills some containers; of
// metadata, the one that holds most of it.
func (v *vector) ownSize(id FieldID) int {
	f := &v.Fields[id]
	if f.Header == NoHeader {
		return min(sizeFor(f.Bits), 2)
	}
	begin, end := f.span()
	for size := 2; size > 0; size-- {
		if (end-begin)%(sizes[size]/8) == 0 {
			return size
		}
	}
	return 0
}

// sizeOf chooses the size of the containers of fields that meet in instructions; by is the field
// that decides. ok is false where there is none.
func (v *vector) sizeOf(side Side, list []FieldID) (size int, by FieldID, ok bool) {
	size, by = -1, NoField
	for _, id := range list {
		if n, forced := v.forcedSize(side, id); forced && size >= 0 && n != size {
			v.refuseSizes(side, by, id)
			return 0, NoField, false
		} else if forced {
			size, by = n, id
		}
	}
	least, wants := 0, list[0]
	for _, id := range list {
		if n := v.leastSize(side, id); n > least {
			least, wants = n, id
		}
	}
	if by == NoField {
		size, by = v.freeSize(list)
		size = max(size, min(least, 2))
	}
	switch {
	case least > 2:
		v.refuseWhole(side, wants)
	case size < least:
		v.refuseSizes(side, by, wants)
	}
	return size, by, size >= least
}

// freeSize chooses a size where no field insists on one: the largest that all fields of headers
// fill, or that of the widest metadata.
func (v *vector) freeSize(list []FieldID) (size int, by FieldID) {
	by = NoField
	for _, id := range list {
		if n := v.ownSize(id); v.Fields[id].Header != NoHeader && (by == NoField || n < size) {
			size, by = n, id
		}
	}
	if by != NoField {
		return size, by
	}
	for _, id := range list {
		if n := v.ownSize(id); by == NoField || n > size {
			size, by = n, id
		}
	}
	return size, by
}

// refuseSizes refuses two fields that meet in instructions and cannot be in containers of one size.
func (v *vector) refuseSizes(side Side, a, b FieldID) {
	text := func(id FieldID) (string, int) {
		size, ok := v.forcedSize(side, id)
		if !ok {
			size = v.leastSize(side, id)
		}
		return quoted("field", v.Fields[id].Name), sizes[min(size, 2)]
	}
	x, n := text(a)
	y, m := text(b)
	v.bad.add(RuleGroup, y, "bring it there as a Concat, which goes by the hash units, or give both one width",
		"is in a container of %d bits in the %s, and %s in one of %d, but instructions take one into the other", m, side, x, n)
}

// cutTogether cuts fields into containers of one size.
func (v *vector) cutTogether(side Side, list []FieldID) {
	size, by, ok := v.sizeOf(side, list)
	if !ok {
		return
	}
	for _, id := range list {
		f := &v.Fields[id]
		if f.Header != NoHeader {
			if !v.cover(side, f, size) {
				v.bad.add(RuleGroup, quoted("field", f.Name), "copy it to metadata as a Concat, which goes by the hash units",
					"meets field %q in instructions of the %s, but can be in no containers of %d bits", v.Fields[by].Name, side, sizes[size])
				return
			}
			continue
		}
		for from := 0; from < f.Bits; from += sizes[size] {
			v.addPart(side, id, from, size)
		}
	}
}

// cover puts a field of a header into containers of a size, as far as it is in none.
func (v *vector) cover(side Side, f *Field, size int) bool {
	begin, end := f.span()
	n := sizes[size] / 8
	if end-begin < n && v.free(side, f.Header, begin, end-begin) {
		return v.window(side, f.Header, begin, end, size)
	}
	for at := begin; at < end; at++ {
		switch p := v.bytes[side][f.Header][at]; {
		case p != noPiece && v.pieces[p].size != size:
			return false
		case p != noPiece:
		case !v.free(side, f.Header, at, n):
			return false
		default:
			v.addBytes(side, f.Header, at, size)
		}
	}
	return true
}

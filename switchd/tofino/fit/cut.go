package fit

// piece is what goes to one container: bytes of a header, bits of a field of metadata, or the bits
// that say which headers are valid.
type piece struct {
	side     Side
	size     int      // of the container, in sizes
	header   HeaderID // NoHeader: metadata, or validity
	first    int      // byte of the header
	field    FieldID  // of metadata; NoField: no metadata
	from     int      // lowest of its bits
	bits     int      // that it has; of a header all of the container
	alone    bool     // nothing else may be in the container at the same time
	fixed    bool     // its container is nothing else's at any time
	deparsed bool     // the deparser reads it
	fallback bool     // it may be cut again into smaller containers
	low      int      // bit of the container where it begins
	held     Container
}

// noPiece stands for no piece of a byte.
const noPiece = -1

// cut cuts what the sides have into pieces, but for the bytes of headers that no instruction
// brings together with others.
func (v *vector) cut() {
	for side := range Side(2) {
		v.bytes[side] = make([][]int, len(v.Headers))
		v.parts[side] = make([][]int, len(v.Fields))
		for h := range v.Headers {
			if v.parsed[side][h] {
				v.bytes[side][h] = repeated(noPiece, v.Headers[h].Bytes)
			}
		}
	}
	for _, cut := range []func(Side){v.cutExact, v.cutLinked, v.cutWhole, v.cutMetadata, v.cutValidity} {
		if cut(Ingress); len(*v.bad) == 0 {
			cut(Egress)
		}
		if len(*v.bad) > 0 {
			return
		}
	}
	v.joinPieces()
}

// repeated returns a list of a number n times.
func repeated(v, n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = v
	}
	return list
}

// add adds a piece and returns its number.
func (v *vector) add(p piece) int {
	v.pieces = append(v.pieces, p)
	return len(v.pieces) - 1
}

// span returns the bytes of a field of a header: the first, and the one behind the last.
func (f *Field) span() (begin, end int) { return f.Offset / 8, (f.Offset+f.Bits-1)/8 + 1 }

// addBytes makes a piece of bytes of a header.
func (v *vector) addBytes(side Side, h HeaderID, first, size int) int {
	n := v.add(piece{side: side, size: size, header: h, first: first, field: NoField, bits: sizes[size], deparsed: true})
	for i := range sizes[size] / 8 {
		v.bytes[side][h][first+i] = n
	}
	return n
}

// free reports whether bytes of a header are there and in no piece yet.
func (v *vector) free(side Side, h HeaderID, first, bytes int) bool {
	if first < 0 || first+bytes > v.Headers[h].Bytes {
		return false
	}
	for _, p := range v.bytes[side][h][first : first+bytes] {
		if p != noPiece {
			return false
		}
	}
	return true
}

// cutExact gives a container to each field of a header that an ALU works on.
func (v *vector) cutExact(side Side) {
	for i := range v.Fields {
		f := &v.Fields[i]
		if f.Header == NoHeader || v.needs[side][i] < alone {
			continue
		}
		begin, end := f.span()
		size := sizeFor(f.Bits)
		if f.Offset%8 != 0 || size > 2 || sizes[size] != f.Bits || !v.free(side, f.Header, begin, end-begin) {
			v.bad.add(RuleCut, quoted("field", f.Name), "copy it to metadata, which has a container of its own",
				"takes part in arithmetic of the %s, but its %d bits at bit %d of header %q fill no container", side, f.Bits, f.Offset,
				v.Headers[f.Header].Name)
			continue
		}
		v.pieces[v.addBytes(side, f.Header, begin, size)].alone = true
	}
}

// cutWhole lets each field of a header that is ordered lie in one container.
func (v *vector) cutWhole(side Side) {
	for i := range v.Fields {
		f := &v.Fields[i]
		if f.Header == NoHeader || v.needs[side][i] != whole || v.inOne(side, f) {
			continue
		}
		begin, end := f.span()
		size := sizeFor(8 * (end - begin))
		if size > 2 || !v.window(side, f.Header, begin, end, size) {
			v.refuseWhole(side, FieldID(i))
		}
	}
}

// refuseWhole refuses a field that is in no one container.
func (v *vector) refuseWhole(side Side, id FieldID) {
	v.bad.add(RuleCut, quoted("field", v.Fields[id].Name), "copy it to metadata, which has a container of its own",
		"must lie in one container of the %s, but another one cuts it", side)
}

// inOne reports whether a field of a header lies in one container in any case.
func (v *vector) inOne(side Side, f *Field) bool {
	begin, end := f.span()
	bytes := v.bytes[side][f.Header][begin:end]
	for _, p := range bytes {
		if p != bytes[0] {
			return false
		}
	}
	return bytes[0] != noPiece || len(bytes) == 1
}

// window makes a piece that holds bytes of a header, and as many around them as its size takes.
func (v *vector) window(side Side, h HeaderID, begin, end, size int) bool {
	n := sizes[size] / 8
	for first := end - n; first <= begin; first++ {
		if v.free(side, h, first, n) {
			v.addBytes(side, h, first, size)
			return true
		}
	}
	return false
}

// cutMetadata cuts metadata and intrinsics that instructions do not bring together with others.
func (v *vector) cutMetadata(side Side) {
	for i := range v.Fields {
		f, n := &v.Fields[i], v.needs[side][i]
		if f.Header != NoHeader || n == unused || v.parts[side][i] != nil {
			continue
		}
		for from := 0; from < f.Bits; {
			size := min(sizeFor(f.Bits-from), 2)
			p := v.addPart(side, FieldID(i), from, size)
			v.pieces[p].fallback = n == parts
			from += sizes[size]
		}
	}
}

// addPart makes a piece of bits of metadata.
func (v *vector) addPart(side Side, id FieldID, from, size int) int {
	f := &v.Fields[id]
	n := v.add(piece{
		side: side, size: size, header: NoHeader, field: id, from: from, bits: min(f.Bits-from, sizes[size]),
		alone:    v.needs[side][id] >= alone || v.stiff[side].has(int(id)),
		fixed:    v.kept(side, id),
		deparsed: v.kept(side, id),
	})
	v.parts[side][id] = append(v.parts[side][id], n)
	return n
}

// cutValidity makes a bit for each header of a side, eight in a container.
func (v *vector) cutValidity(side Side) {
	n := 0
	v.valid[side] = repeated(noPiece, len(v.Headers))
	for h, there := range v.parsed[side] {
		if !there {
			continue
		}
		if n%8 == 0 {
			v.add(piece{side: side, header: NoHeader, field: NoField, bits: 8, fixed: true, deparsed: true})
		}
		v.valid[side][h] = len(v.pieces) - 1
		v.Headers[h].Valid[side].Low = n % 8
		n++
	}
	if n > ValidityBits {
		v.bad.add(RuleValidity, side.String(), "merge headers that come together", "has %d headers; there are %d bits that say which are valid",
			n, ValidityBits)
	}
}

// pieceOf returns the piece with a bit of a field, counted from the lowest; noPiece of a header: it
// is not cut yet.
func (v *vector) pieceOf(side Side, id FieldID, bit int) int {
	f := &v.Fields[id]
	if f.Header != NoHeader {
		return v.bytes[side][f.Header][(f.Offset+f.Bits-1-bit)/8]
	}
	for _, p := range v.parts[side][id] {
		if bit < v.pieces[p].from+v.pieces[p].bits {
			return p
		}
	}
	return noPiece
}

// joinPieces brings the pieces together that instructions take into each other.
func (v *vector) joinPieces() {
	v.joined = newForest(len(v.pieces))
	for side := range Side(2) {
		for _, l := range v.links[side] {
			for bit := range l.bits {
				a, b := v.pieceOf(side, l.to, l.toLow+bit), v.pieceOf(side, l.from, l.fromLow+bit)
				if a != noPiece && b != noPiece {
					v.joined.join(a, b)
				}
			}
		}
	}
}

// forest says which numbers belong together: each leads to another one of its set, or to itself.
type forest []int

func newForest(n int) forest {
	f := make(forest, n)
	for i := range f {
		f[i] = i
	}
	return f
}

// root returns the number that stands for a set.
func (f forest) root(i int) int {
	for f[i] != i {
		f[i] = f[f[i]]
		i = f[i]
	}
	return i
}

// join makes one set of two; the lower number stands for it.
func (f forest) join(a, b int) {
	if a, b = f.root(a), f.root(b); a != b {
		f[max(a, b)] = min(a, b)
	}
}

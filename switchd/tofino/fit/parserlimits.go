package fit

// Match registers of a parser: one of two bytes that stand side by side, and two of one byte (p4c:
// bf-p4c/specs/parde_spec.h matchRegisters).
const (
	SelectBytes = 4
	SelectPair  = 2
)

// byteAt is a byte that a state selects by: of a header, or of a field of metadata.
type byteAt struct {
	header HeaderID
	field  FieldID // of metadata
	byte   int
}

// checkSelect refuses fields that the match registers have no room for, byte by byte.
func (s *symbols) checkSelect(where string, selected []FieldID) {
	bytes := map[byteAt]bool{}
	for _, id := range selected {
		f := &s.Fields[id]
		at := byteAt{header: f.Header, field: NoField}
		if f.Header == NoHeader {
			at.field = id
		}
		for at.byte = f.Offset / 8; at.byte <= (f.Offset+f.Bits-1)/8; at.byte++ {
			bytes[at] = true
		}
	}
	pair := false
	// ordered: one pair or another, it does not matter which
	for b := range bytes {
		b.byte++
		pair = pair || bytes[b]
	}
	if len(bytes) > SelectBytes || len(bytes) == SelectBytes && !pair {
		s.bad.add(RuleSelect, where, "select in two states", "selects by %d bytes; a state has a pair of bytes side by side, and %d more",
			len(bytes), SelectBytes-SelectPair)
	}
}

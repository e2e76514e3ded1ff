package isa

// An LMEMSet is bytes of local memory. Its zero value is empty.
type LMEMSet [LMEMBytes / 64]uint64

// Add puts n bytes from a byte on into the set; they lie within LMEM.
func (s *LMEMSet) Add(at, n int) {
	for i := at; i < at+n; {
		word, mask, more := lmemMask(i, at+n-i)
		s[word] |= mask
		i += more
	}
}

// Has reports whether any of n bytes from a byte on is in the set; what is not within LMEM
// is not.
func (s *LMEMSet) Has(at, n int) bool {
	for i, end := max(at, 0), min(at+n, LMEMBytes); i < end; {
		word, mask, more := lmemMask(i, end-i)
		if s[word]&mask != 0 {
			return true
		}
		i += more
	}
	return false
}

// Join adds another set, and reports whether that has added anything.
func (s *LMEMSet) Join(o *LMEMSet) (more bool) {
	for i, w := range o {
		more = more || w&^s[i] != 0
		s[i] |= w
	}
	return more
}

// lmemMask returns the word of a set that has a byte, the bits in it of that byte and those
// behind it, at most n, and their number.
func lmemMask(at, n int) (word int, mask uint64, bytes int) {
	bytes = min(n, 64-at%64)
	return at / 64, (1<<bytes - 1) << (at % 64), bytes
}

package mem

import "fmt"

// dumpWords is how many words a line of a dump holds: half a record.
const dumpWords = 4

// AppendDump appends words from a on in hexadecimal, up to the end of the range,
// four on a line behind the address of the first. Lines of zeros that follow one
// of zeros are left out and stand as "*".
func (m *Memory) AppendDump(dst []byte, a Addr, words int) []byte {
	zeros, starred := false, false
	for words > 0 && m.holds(a, WordBytes) {
		n, sum := 0, uint64(0)
		var line [dumpWords]uint64
		for ; n < min(words, dumpWords) && m.holds(a+Addr(n), WordBytes); n++ {
			line[n] = m.load(a + Addr(n))
			sum |= line[n]
		}
		repeats := zeros && sum == 0 && words > dumpWords
		switch {
		case !repeats:
			dst = appendLine(dst, a, line[:n])
		case !starred:
			dst = append(dst, "*\n"...)
		}
		zeros, starred = sum == 0, repeats
		a, words = a+Addr(n), words-n
	}
	return dst
}

func appendLine(dst []byte, a Addr, words []uint64) []byte {
	dst = fmt.Appendf(dst, "%08x:", uint32(a))
	for _, w := range words {
		dst = fmt.Appendf(dst, " %016x", w)
	}
	return append(dst, '\n')
}

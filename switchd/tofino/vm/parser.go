package vm

import "github.com/inalab/inalab/switchd/tofino/fit"

// Reason says why a pass ended early; drops are counted under it.
type Reason string

// The reasons.
const (
	OK             Reason = ""
	ParserRejected Reason = "tofino-parser-rejected"
	TooShort       Reason = "tofino-too-short" // for what the parser extracts
)

// maxStates bounds the states that a packet goes through (assumed: Tofino's parser
// has 256 states, and a program that fits has no loop).
const maxStates = 256

// state is a state of a parser.
type state struct {
	extract []extraction
	bytes   int    // of them
	have    uint64 // bits of them
	skip    int    // after that
	key     key
	cases   []transition
	next    int
	dense   []int32 // case by the value of a narrow key; nil: it is not narrow
	shift   uint8   // of that value in its word
}

// denseBits is how wide a narrow key is at most: as wide as a number of a port.
const denseBits = 9

// extraction is a header and where it begins.
type extraction struct{ head, at int32 }

type transition struct {
	values, masks []uint64 // by word of the key
	value, mask   uint64   // of the first
	next          int
	number        int // among those of the parser, from 1
}

func (c *Code) compileParser(states []fit.State) []state {
	out, number := make([]state, len(states)), 0
	for i := range states {
		from, to := &states[i], &out[i]
		to.skip, to.next = from.Advance, int(from.Next)
		for _, h := range from.Extract {
			to.extract = append(to.extract, extraction{int32(h), int32(to.bytes)})
			to.have |= 1 << h
			to.bytes += c.prog.Headers[h].Bytes
		}
		fields := make([]fit.FieldID, len(from.Select))
		copy(fields, from.Select)
		to.key = c.newKey(fields)
		for _, t := range from.Cases {
			number++
			c := transition{values: to.key.pack(t.Values), masks: to.key.pack(t.Masks), next: int(t.Next), number: number}
			if to.key.words > 0 {
				c.value, c.mask = c.values[0], c.masks[0]
			}
			to.cases = append(to.cases, c)
		}
		to.flatten()
	}
	return out
}

// flatten lists the transition of each value of a narrow key.
func (st *state) flatten() {
	bits := 0
	for _, p := range st.key.parts {
		bits += int(p.field.Bits)
	}
	if len(st.cases) == 0 || bits > denseBits {
		return
	}
	st.dense, st.shift = make([]int32, 1<<bits), uint8(64-bits)
	for v := range st.dense {
		st.dense[v] = int32(st.match(uint64(v) << st.shift))
	}
}

// match returns the transition that a key of one word takes: the number of cases if it is
// none of them.
func (st *state) match(word uint64) int {
	for i := range st.cases {
		if t := &st.cases[i]; word&t.mask == t.value {
			return i
		}
	}
	return len(st.cases)
}

// parse finds the headers of the packet. It notes the choices of the parser; nil: nobody asks for them.
func (s *Pass) parse(states []state, note func(st *state, choice int)) Reason {
	if len(states) == 0 {
		return OK
	}
	at := 0
	for range maxStates {
		st := &states[at]
		if !s.extract(st) {
			return TooShort
		}
		at = st.next
		if len(st.cases) > 0 {
			i := s.choose(st)
			if i < len(st.cases) {
				at = st.cases[i].next
				s.recordCase(st.cases[i].number)
			}
			if note != nil {
				note(st, i)
			}
		}
		switch at {
		case int(fit.Accept):
			return OK
		case int(fit.Reject):
			return ParserRejected
		}
	}
	return ParserRejected
}

// extract makes headers valid that stand at the cursor, and skips; false: the packet
// ends before.
func (s *Pass) extract(st *state) bool {
	end := s.cursor + st.bytes
	if end > s.packet.end {
		return false
	}
	for _, e := range st.extract {
		s.heads[e.head] = head{int32(s.cursor) + e.at, s.pass}
	}
	s.found |= st.have
	s.cursor = end + st.skip
	return s.cursor <= s.packet.end
}

// recordCase keeps the number of a case that the parser has taken.
func (s *Pass) recordCase(number int) {
	if number > maxCases || s.path > 1<<(64-CaseBits)-1 {
		s.path = LongPath
	} else if s.path != LongPath {
		s.path = s.path<<CaseBits | Path(number)
	}
}

// Path is made of the numbers of the cases that a parser has taken, the last one lowest.
// They count from 1 through all states in the order of the program.
type Path uint64

const (
	CaseBits = 8
	maxCases = 1<<CaseBits - 2 // so that no path is LongPath
	LongPath = Path(1<<64 - 1) // too many, or too high numbers
)

// choose returns the number of the case that a packet is.
func (s *Pass) choose(st *state) int {
	if st.key.words == 1 {
		return st.choice(st.key.readOne(s))
	}
	st.key.read(s, &s.key)
	for i := range st.cases {
		if t := &st.cases[i]; matches(&s.key, t.values, t.masks) {
			return i
		}
	}
	return len(st.cases)
}

// choice returns the number of the case that a key of one word is.
func (st *state) choice(word uint64) int {
	if st.dense != nil {
		return int(st.dense[word>>st.shift])
	}
	return st.match(word)
}

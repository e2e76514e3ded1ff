package atp

import wire "github.com/inalab/inalab/internal/wire/atp"

// indexes says which aggregators the packets of a stream name. Where parameter packets brought
// another index, that one counts, and if that one moved as well, the last of the chain (§3.6).
// Streams have maps of their own: servers decide for themselves, and a map that several streams
// filled would be another at each worker.
type indexes struct {
	kind    Indexing
	job     uint8
	table   int
	numbers wire.Numbers
	places  []uint16 // of ByPosition, by packet modulo their number
	base    uint64   // of Static: the stream's part of the table
	part    uint64
	moves   map[uint16]move // looked up, never ranged
	seen    []uint32        // the turn in which an index was last in a chain
	turn    uint32          // calls of of
}

// move is where an index went, for packets from one on.
type move struct {
	to   uint16
	from uint64
}

// newIndexes returns the indexes of each stream.
func newIndexes(c *Config) []indexes {
	n, span := c.streams(), c.span()
	var places []uint16
	if c.Indexing == ByPosition && c.Aggregators > 0 {
		places = wire.Positions(c.Job, n*span, c.Aggregators)
	}
	out := make([]indexes, n)
	for i, numbers := range wire.Split(c.SequenceBits, n) {
		x := indexes{kind: c.Indexing, job: c.Job, table: c.Aggregators, numbers: numbers, moves: map[uint16]move{}}
		switch {
		case places != nil:
			x.places = places[i*span : (i+1)*span]
		case c.Indexing == Static:
			x.part = uint64(c.Part / n)
			x.base = uint64(c.Base) + uint64(i)*x.part
		}
		out[i] = x
	}
	return out
}

// of returns the index of a packet that is sent for the first time. A chain that closes, which no
// server should make, ends before it repeats itself.
func (x *indexes) of(packet uint64) uint16 {
	if x.table == 0 {
		return 0
	}
	index := x.first(packet)
	for x.turn++; ; {
		m, ok := x.moves[index]
		if !ok || packet < m.from || x.seen[m.to] == x.turn {
			return index
		}
		x.seen[index] = x.turn
		index = m.to
	}
}

// first returns the index of a packet if none had moved.
func (x *indexes) first(packet uint64) uint16 {
	number := x.numbers.Of(packet)
	switch x.kind {
	case ByNumber:
		return wire.Index(x.job, number, 0, x.table)
	case Linear:
		return uint16(number % uint32(x.table))
	case Static:
		return uint16(x.base + packet%x.part)
	}
	return x.places[packet%uint64(len(x.places))]
}

// placed takes in which index the place of a packet has from its next packet on, and reports whether that
// is another. The next is sent when the packet at hand is answered, so it is the same at all workers.
func (x *indexes) placed(packet uint64, bitmap uint32) (news, ok bool) {
	if bitmap >= uint32(x.table) {
		return false, false
	}
	at := &x.places[packet%uint64(len(x.places))]
	news = *at != uint16(bitmap)
	*at = uint16(bitmap)
	return news, true
}

// moved takes in that an index is that of a bitmap for packets from one on, and reports whether
// that is news. An index beyond the table is none: ok is false.
func (x *indexes) moved(index uint16, bitmap uint32, from uint64) (news, ok bool) {
	if int(index) >= x.table || bitmap >= uint32(x.table) {
		return false, false
	}
	to := uint16(bitmap)
	m, had := x.moves[index]
	switch {
	case index == to:
		return false, true
	case had && m.to == to: // told again, perhaps out of order
		from = min(from, m.from)
	default:
		news = true
	}
	if x.seen == nil {
		x.seen = make([]uint32, x.table)
	}
	x.moves[index] = move{to, from}
	return news, true
}

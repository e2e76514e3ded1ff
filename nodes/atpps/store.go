package atpps

import (
	"github.com/inalab/inalab/internal/trace"
	wire "github.com/inalab/inalab/internal/wire/atp"
)

// stream is the fragments of one stream that a worker may still speak of: a span of them before
// the first that is not answered, and a span from it on.
type stream struct {
	numbers wire.Numbers
	span    uint64
	open    uint64  // first packet that is not answered
	ring    []entry // by packet, modulo its length
}

// state is how far a fragment is.
type state uint8

const (
	unused   state = iota // no packet of it has come
	summing               // of integers
	floating              // floats were asked for
	answered
)

// entry is one fragment.
type entry struct {
	numbers  wire.Numbers // of its stream
	packet   uint64
	state    state
	set      trace.Mask // workers whose values are in
	sums     []int64    // nil before values were first stored here
	floats   []float32  // of each worker, one behind another; nil unless they were asked for
	unstored bool       // packets have lengths in place of values
	sweep    bool       // its values are nobody's
	ecn      bool
	collided bool
	index    uint16 // that its packets named, and if one of them collided the one that did
	answer   []byte // the parameter packet; of an unstored fragment its header
}

func newStream(n wire.Numbers, span int) stream {
	return stream{numbers: n, span: uint64(span), ring: make([]entry, 2*span)}
}

// entry returns the fragment of a number, or why it is none that a worker can send. For each
// worker is less than a span beyond what it has the parameters of, which is answered.
func (st *stream) entry(sequence uint32) (e *entry, reason string) {
	p, ok := st.numbers.Packet(sequence, st.open)
	switch {
	case !ok || p+st.span < st.open:
		return nil, DropStale
	case p >= st.open+st.span:
		return nil, DropAhead
	}
	e = &st.ring[p%uint64(len(st.ring))]
	if e.packet != p || e.state == unused {
		e.begin(st.numbers, p)
	}
	return e, ""
}

// begin makes e another fragment, of which nothing has come.
func (e *entry) begin(n wire.Numbers, packet uint64) {
	clear(e.sums)
	*e = entry{numbers: n, packet: packet, sums: e.sums, answer: e.answer}
}

// advance goes on to the first fragment that is not answered.
func (st *stream) advance() {
	for {
		e := &st.ring[st.open%uint64(len(st.ring))]
		if e.packet != st.open || e.state != answered {
			return
		}
		st.open++
	}
}

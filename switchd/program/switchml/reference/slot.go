package reference

import (
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/trace"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/vec"
	wire "github.com/inalab/inalab/internal/wire/switchml"
)

// slot is pool, count and seen of Algorithm 3 for one set and index.
type slot struct {
	values []byte // big-endian int32; none where the packets carry unstored values
	pad    int    // bytes that are only counted, of each packet
	count  int
	seen   trace.Mask
	e0, e1 int8
	stamp  stamp  // of its latest phase
	phase  uint32 // packet id and time of the first packet, for who asks what is open
	since  units.Time
}

// add takes a packet's values into the slot, by overwriting or adding them.
func (s *slot) add(h *wire.Header, in packet, overwrite bool) {
	values := in.payload[wire.HeaderLen:]
	if overwrite {
		s.values, s.pad = append(s.values[:0], values...), in.pad
		s.e0, s.e1 = h.E0, h.E1
		return
	}
	vec.AddBE(s.values, values)
	s.e0, s.e1 = max(s.e0, h.E0), max(s.e1, h.E1)
}

// answer builds the payload of a result: the trigger's header with the slot's
// exponents, and the sums.
func (s *slot) answer(trigger *wire.Header, eff *sansio.Effects) packet {
	b := eff.Body(wire.HeaderLen + len(s.values))
	h := *trigger
	h.E0, h.E1 = s.e0, s.e1
	h.Put(b)
	copy(b[wire.HeaderLen:], s.values)
	return packet{b, s.pad}
}

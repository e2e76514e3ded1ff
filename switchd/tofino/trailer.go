package tofino

import (
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
)

// Trailer is a checksum at the end of frames over all that is before it, such as the
// ICRC of RoCEv2. No pipeline can have it: most of a frame is in no container. Where
// there is one, front ports have it, as they have that of Ethernet.
type Trailer interface {
	// Check returns why a frame that has just arrived is dropped, the name of a counter;
	// "" if it is not. Frames that carry unstored values are not asked about.
	Check(now units.Time, frame []byte) string
	// Has reports whether a frame of UDP that leaves has a trailer, of which the front is
	// given: at least all headers. Such a frame leaves by itself, and its UDP checksum as
	// the program left it.
	Has(front []byte) bool
	// Seal writes the trailer at the end of body.
	Seal(header, body []byte)
}

// sealed returns a packet that leaves as a frame with its trailer; ok is false where
// it has none.
func (c *Chip) sealed(k *packet) (t sansio.Train, ok bool) {
	if h := k.Front(); c.cfg.Trailer == nil || !inet.WholeUDP(h, k.Len()) || !c.cfg.Trailer.Has(h) {
		return t, false
	}
	k.partial = false
	t = c.frame(k)
	c.cfg.Trailer.Seal(t.Header, t.Body)
	return t, true
}

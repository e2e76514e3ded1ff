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
	// Lengths returns the bytes of such a frame's UDP payload that are headers, and those that are its
	// trailer. The rest is values, which may be unstored: then the trailer is zero, since it cannot be told.
	Lengths(front []byte) (headers, trailer int)
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
	if t, ok = c.unstored(k); ok {
		return t, true
	}
	t = c.frame(k)
	c.cfg.Trailer.Seal(t.Header, t.Body)
	return t, true
}

// unstored returns the frame of a packet with a trailer whose values are unstored; ok is false where
// they are stored. A frame that came with its values has a trailer, which zeros do not have.
func (c *Chip) unstored(k *packet) (t sansio.Train, ok bool) {
	if c.stored == 0 {
		return t, false
	}
	payload, tail := k.Front()[inet.UDPHeaders:], k.Tail()
	headers, trailer := c.cfg.Trailer.Lengths(k.Front())
	values := len(payload) + len(tail) - headers - trailer
	if values <= 0 || sansio.Content(headers, payload, tail) != headers {
		return t, false
	}
	header, body := c.eff.Header(inet.UDPHeaders), c.eff.Body(headers+trailer)
	copy(header, k.Front())
	inet.IPv4(header[inet.EtherLen:]).UpdateChecksum()
	clear(body[copy(body, payload[:headers]):])
	return sansio.Train{Header: header, Body: body, Unstored: values, Memory: c.eff.Owner(body)}, true
}

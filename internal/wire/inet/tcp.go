package inet

import "encoding/binary"

// The other TCP flag bits that are used (RFC 9293 §3.1).
const (
	TCPSyn uint8 = 1 << 1
	TCPRst uint8 = 1 << 2
	TCPAck uint8 = 1 << 4
	TCPEce uint8 = 1 << 6 // RFC 3168 §6.1
)

// Flags returns the flag bits of byte 13.
func (h TCP) Flags() uint8 { return h[13] }

// SetFlags writes the flag bits of byte 13.
func (h TCP) SetFlags(bits uint8) { h[13] = bits }

// Ack returns the acknowledgement number.
func (h TCP) Ack() uint32 { return binary.BigEndian.Uint32(h[8:]) }

// SetAck writes the acknowledgement number.
func (h TCP) SetAck(a uint32) { binary.BigEndian.PutUint32(h[8:], a) }

// Window returns the window field, unscaled.
func (h TCP) Window() uint16 { return binary.BigEndian.Uint16(h[14:]) }

// SetWindow writes the window field.
func (h TCP) SetWindow(w uint16) { binary.BigEndian.PutUint16(h[14:], w) }

// ChecksumOK reports whether the checksum over a segment is right, given its
// header and body.
func (h TCP) ChecksumOK(ip IPv4, body []byte) bool {
	header := h[:h.HeaderLen()]
	return Fold(Sum(body, Sum(header, uint64(PseudoSum(ip, len(header)+len(body)))))) == 0xffff
}

// TCPHeader returns the headers of a segment of the flow with an empty body and
// room for so many bytes of options, a multiple of 4 up to 40, which are zero:
// TTL 64, "do not fragment", identification 0 (RFC 6864 §4.1), a correct IP
// checksum, and nothing of TCP but ports and data offset. Set the lengths with
// [SetTCPBody].
func TCPHeader(f Flow, options int) []byte {
	h := make([]byte, EtherLen+IPv4Len+TCPLen+options)
	Ether(h).Put(f.DstMAC, f.SrcMAC, TypeIPv4)
	ip := IPv4(h[EtherLen:])
	ip[0] = 0x45
	ip[6] = 0x40 // DF
	ip.SetTTL(DefaultTTL)
	ip[9] = ProtoTCP
	ip.SetSrc(f.Src)
	ip.SetDst(f.Dst)
	tcp := h[EtherLen+IPv4Len:]
	UDP(tcp).SetPorts(f.SrcPort, f.DstPort) // they stand where UDP's do
	tcp[12] = byte((TCPLen + options) / 4 << 4)
	SetTCPBody(h, 0)
	return h
}

// SetTCPBody writes the length and the IP checksum for a body of n bytes into
// the headers that [TCPHeader] made.
func SetTCPBody(h []byte, n int) {
	ip := IPv4(h[EtherLen:])
	ip.SetTotalLen(len(h) - EtherLen + n)
	ip.UpdateChecksum()
}

// Kinds of TCP options.
const (
	optionEnd         = 0 // RFC 9293 §3.2
	optionNop         = 1
	optionMSS         = 2
	optionWindowScale = 3 // RFC 7323 §2.2
	optionTimestamps  = 8 // RFC 7323 §3.2
)

// Lengths of options with the padding that aligns them to 4 bytes.
const (
	mssLen         = 4
	windowScaleLen = 4
	timestampsLen  = 12
)

// TCPOptions are the options of a segment that are understood; others are
// skipped.
type TCPOptions struct {
	MSS            uint16 // bytes; 0: absent
	HasWindowScale bool
	WindowScale    uint8 // bits to shift windows by, as sent
	HasTimestamps  bool
	TSVal, TSEcr   uint32 // the sender's clock; the clock it echoes
}

// Len returns the bytes that Put writes, a multiple of 4.
func (o TCPOptions) Len() (n int) {
	if o.MSS != 0 {
		n += mssLen
	}
	if o.HasTimestamps {
		n += timestampsLen
	}
	if o.HasWindowScale {
		n += windowScaleLen
	}
	return n
}

// Put writes the options to b, which has room for Len bytes.
func (o TCPOptions) Put(b []byte) {
	if o.MSS != 0 {
		b[0], b[1] = optionMSS, 4
		binary.BigEndian.PutUint16(b[2:], o.MSS)
		b = b[mssLen:]
	}
	if o.HasTimestamps {
		b[0], b[1], b[2], b[3] = optionNop, optionNop, optionTimestamps, 10
		binary.BigEndian.PutUint32(b[4:], o.TSVal)
		binary.BigEndian.PutUint32(b[8:], o.TSEcr)
		b = b[timestampsLen:]
	}
	if o.HasWindowScale {
		b[0], b[1], b[2], b[3] = optionNop, optionWindowScale, 3, o.WindowScale
	}
}

// Options reads the options of a header that [Parse] accepted. It is false where
// a length is wrong.
func (h TCP) Options() (o TCPOptions, ok bool) {
	for b := h[TCPLen:h.HeaderLen()]; len(b) > 0; {
		switch {
		case b[0] == optionEnd:
			return o, true
		case b[0] == optionNop:
			b = b[1:]
			continue
		case len(b) < 2 || b[1] < 2 || int(b[1]) > len(b):
			return o, false
		}
		if !o.read(b[0], b[2:b[1]]) {
			return o, false
		}
		b = b[b[1]:]
	}
	return o, true
}

// read takes one option without its kind and length.
func (o *TCPOptions) read(kind byte, b []byte) (ok bool) {
	switch kind {
	case optionMSS:
		if len(b) != 2 {
			return false
		}
		o.MSS = binary.BigEndian.Uint16(b)
	case optionWindowScale:
		if len(b) != 1 {
			return false
		}
		o.HasWindowScale, o.WindowScale = true, b[0]
	case optionTimestamps:
		if len(b) != 8 {
			return false
		}
		o.HasTimestamps, o.TSVal, o.TSEcr = true, binary.BigEndian.Uint32(b), binary.BigEndian.Uint32(b[4:])
	}
	return true
}

package inet

import "net/netip"

// Flow is the addressing of a UDP flow as seen by its sender.
type Flow struct {
	SrcMAC, DstMAC   MAC
	Src, Dst         netip.Addr
	SrcPort, DstPort uint16
}

// Reverse returns the addressing of an answer.
func (f Flow) Reverse() Flow {
	return Flow{SrcMAC: f.DstMAC, DstMAC: f.SrcMAC, Src: f.Dst, Dst: f.Src, SrcPort: f.DstPort, DstPort: f.SrcPort}
}

// DefaultTTL is the hop limit of packets that the testbed makes (RFC 1700 recommends 64).
const DefaultTTL = 64

// UDPHeader returns the headers of a packet of the flow with an empty body:
// TTL 64, no options, type of service and identification 0, a correct IP
// checksum, UDP checksum 0. Set the lengths with [SetUDPBody].
func UDPHeader(f Flow) []byte {
	h := make([]byte, UDPHeaders)
	Ether(h).Put(f.DstMAC, f.SrcMAC, TypeIPv4)
	ip := IPv4(h[EtherLen:])
	ip[0] = 0x45
	ip.SetTTL(DefaultTTL)
	ip[9] = ProtoUDP
	ip.SetSrc(f.Src)
	ip.SetDst(f.Dst)
	UDP(h[EtherLen+IPv4Len:]).SetPorts(f.SrcPort, f.DstPort)
	SetUDPBody(h, 0)
	return h
}

// SetUDPBody writes the lengths and the IP checksum for a body of n bytes into
// the headers that [UDPHeader] made.
func SetUDPBody(h []byte, n int) {
	ip := IPv4(h[EtherLen:])
	ip.SetTotalLen(IPv4Len + UDPLen + n)
	ip.UpdateChecksum()
	UDP(h[EtherLen+IPv4Len:]).SetLen(UDPLen + n)
}

// CopyUDPHeader copies a template that [UDPHeader] made, with a correct IP
// checksum, and fills in what depends on the body of n bytes: the lengths, the IP
// checksum by the difference (RFC 1624, eqn. 3), and the partial UDP checksum.
func CopyUDPHeader(h, template []byte, n int) {
	copy(h, template)
	FitUDPHeader(h, template, n)
}

// FitUDPHeader fits a header that [CopyUDPHeader] made of the template to a body
// of another length.
func FitUDPHeader(h, template []byte, n int) {
	from, to := IPv4(template[EtherLen:UDPHeaders]), IPv4(h[EtherLen:UDPHeaders])
	before, after := uint16(from.TotalLen()), uint16(IPv4Len+UDPLen+n)
	to.SetTotalLen(int(after))
	to.SetChecksum(AdjustSum(from.Checksum(), uint64(before), uint64(after)))
	udp := UDP(to[IPv4Len:])
	udp.SetLen(UDPLen + n)
	udp.SetChecksum(PseudoSum(from, UDPLen+n))
}

// WholeUDP reports whether a packet of so many bytes starts with UDP in IPv4 without options, and
// its lengths are those of the packet; front is its first bytes.
func WholeUDP(front []byte, total int) bool {
	if len(front) < UDPHeaders {
		return false
	}
	l, problem := ParseHeader(front[:UDPHeaders], total)
	return problem == OK && l.Proto == ProtoUDP && l.Body == UDPHeaders && l.End == total && UDP(front[l.Transport:]).Len() == total-l.Transport
}

// FlowOf reads the addressing of a UDP frame that [Parse] accepted.
func FlowOf(frame []byte, l Layout) Flow {
	ip, udp := IPv4(frame[EtherLen:]), UDP(frame[l.Transport:])
	return Flow{SrcMAC: Ether(frame).Src(), DstMAC: Ether(frame).Dst(), Src: ip.Src(), Dst: ip.Dst(), SrcPort: udp.SrcPort(), DstPort: udp.DstPort()}
}

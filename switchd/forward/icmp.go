package forward

import (
	"encoding/binary"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
)

// ICMP types and codes (RFC 792).
const (
	icmpEchoReply    = 0
	icmpUnreachable  = 3
	icmpEcho         = 8
	icmpTimeExceeded = 11

	codeNet  = 0
	codeHost = 1
	codePort = 3
)

// refusal is a packet that is dropped with an ICMP error to its sender.
type refusal struct {
	reason    string
	typ, code uint8
}

var (
	ttlExceeded = refusal{DropTTL, icmpTimeExceeded, 0}
	noRoute     = refusal{DropNoRoute, icmpUnreachable, codeNet}
	noNeighbor  = refusal{DropNoNeighbor, icmpUnreachable, codeHost}
	noListener  = refusal{DropUnclaimed, icmpUnreachable, codePort}
)

const (
	// maxErrorLen is the longest ICMP error, IP header included (RFC 1812 §4.3.2.3).
	maxErrorLen = 576
	// errorsPerSecond bounds the ICMP errors of one switch (RFC 1812 §4.3.2.8
	// asks for a limit; the number is Linux's icmp_msgs_per_sec).
	errorsPerSecond = 1000
)

// limiter lets errorsPerSecond events through in each second.
type limiter struct {
	second units.Time
	n      int
}

func (l *limiter) allow(now units.Time) bool {
	if s := now / units.Time(units.Second); s != l.second {
		l.second, l.n = s, 0
	}
	if l.n >= errorsPerSecond {
		return false
	}
	l.n++
	return true
}

// local handles a packet to the router that no engine claimed.
func (p *Plane) local(now units.Time, in sansio.Arrival, l inet.Layout, eff *sansio.Effects) {
	switch l.Proto {
	case inet.ProtoICMP:
		p.echo(in, l, eff)
	case inet.ProtoUDP:
		p.refuse(now, in, noListener, eff)
	default: // TCP among them: there is nothing here to connect to
		p.drop(DropUnclaimed, in.Train)
	}
}

// echo answers an echo request; other ICMP messages mean nothing to the router.
func (p *Plane) echo(in sansio.Arrival, l inet.Layout, eff *sansio.Effects) {
	t := in.Train
	ip := inet.IPv4(t.Header[inet.EtherLen:])
	msg := packet(t, l.End)[l.Transport-inet.EtherLen:]
	switch {
	case len(msg) < inet.ICMPLen || msg[0] != icmpEcho || msg[1] != 0:
		p.drop(DropOtherICMP, t)
		return
	case inet.Fold(inet.Sum(msg, 0)) != 0xffff:
		p.drop(DropBadICMP, t)
		return
	}
	p.count.Add(CountEchoAnswered, 1)
	frame, body := p.newICMP(in, len(msg), eff)
	frame[inet.EtherLen+1] = ip[1] // the type of service of the request (RFC 1812 §4.3.2.5)
	copy(body, msg)
	body[0] = icmpEchoReply
	p.sendICMP(in.Port, frame, eff)
}

// packet returns the IP packet of a train of one frame that ends at end, with
// header and body behind one another.
func packet(t sansio.Train, end int) []byte {
	out := make([]byte, 0, end-inet.EtherLen)
	out = append(out, t.Header[inet.EtherLen:min(end, len(t.Header))]...)
	return append(out, t.Body[:max(0, end-len(t.Header))]...)
}

// refuse drops every frame of a train and tells its sender why, as far as that
// is allowed.
func (p *Plane) refuse(now units.Time, in sansio.Arrival, why refusal, eff *sansio.Effects) {
	p.drop(why.reason, in.Train)
	if !deservesError(in.Train) {
		p.count.Add(CountICMPSuppressed, uint64(in.Train.Frames()))
		return
	}
	for i := range in.Train.Frames() {
		f := in.Train.Frame(i, p.scratch)
		p.sendError(now, sansio.Arrival{Port: in.Port, Train: f}, why, eff)
	}
}

// deservesError applies RFC 1812 §4.3.2.7: no error about ICMP other than
// echoes, about fragments but the first, about packets to many or from nobody
// in particular.
func deservesError(t sansio.Train) bool {
	ip := inet.IPv4(t.Header[inet.EtherLen:])
	src := ip.Src()
	switch {
	case !src.IsGlobalUnicast() || src.As4()[0] >= firstReserved || ip.Dst().As4()[0] >= firstReserved:
		return false
	case binary.BigEndian.Uint16(ip[6:])&0x1fff != 0: // fragment offset
		return false
	case ip.Protocol() == inet.ProtoICMP:
		msg := packet(t, inet.EtherLen+ip.TotalLen())[ip.HeaderLen():]
		return len(msg) > 0 && msg[0] == icmpEcho
	}
	return true
}

// firstReserved is the first byte of the lowest address that names no single
// host: multicast, then class E and the limited broadcast (RFC 1812 §4.2.2.11).
const firstReserved = 224

func (p *Plane) sendError(now units.Time, in sansio.Arrival, why refusal, eff *sansio.Effects) {
	if !p.icmp.allow(now) {
		p.count.Add(CountICMPSuppressed, 1)
		return
	}
	p.count.Add(CountICMPErrors, 1)
	h := in.Train.Header
	end := inet.EtherLen + inet.IPv4(h[inet.EtherLen:]).TotalLen()
	quote := packet(in.Train, min(end, inet.EtherLen+maxErrorLen-inet.IPv4Len-inet.ICMPLen))
	frame, body := p.newICMP(in, inet.ICMPLen+len(quote), eff)
	frame[inet.EtherLen+1] = 6 << 5 // precedence INTERNETWORK CONTROL (RFC 1812 §4.3.2.5)
	copy(body[inet.ICMPLen:], quote)
	body[0], body[1] = why.typ, why.code
	p.sendICMP(in.Port, frame, eff)
}

// newICMP returns a frame from the router back to the sender of in, with n
// bytes of ICMP message at its end.
func (p *Plane) newICMP(in sansio.Arrival, n int, eff *sansio.Effects) (frame, body []byte) {
	const headers = inet.EtherLen + inet.IPv4Len
	h := in.Train.Header
	frame = eff.Header(headers + n)
	clear(frame)
	inet.Ether(frame).Put(inet.Ether(h).Src(), p.sourceMAC(in.Port), inet.TypeIPv4)
	ip := inet.IPv4(frame[inet.EtherLen:])
	ip[0] = 0x45
	ip.SetTotalLen(inet.IPv4Len + n)
	ip.SetTTL(inet.DefaultTTL)
	ip[9] = inet.ProtoICMP
	copy(ip[12:16], p.router[:])
	copy(ip[16:20], h[inet.EtherLen+12:inet.EtherLen+16])
	return frame, frame[headers:]
}

// sendICMP fills in both checksums and sends the frame.
func (p *Plane) sendICMP(to sansio.Port, frame []byte, eff *sansio.Effects) {
	ip := inet.IPv4(frame[inet.EtherLen:])
	ip.UpdateChecksum()
	msg := ip[inet.IPv4Len:]
	msg[2], msg[3] = 0, 0
	binary.BigEndian.PutUint16(msg[2:], ^inet.Fold(inet.Sum(msg, 0)))
	eff.Send(p.ports[to].self, sansio.NewTrain(frame, 0, sansio.ChecksumAsIs))
}

package xagg

import (
	"net/netip"

	"github.com/inalab/inalab/internal/wire/inet"
)

// Offsets in a frame, in bytes.
const (
	HeaderOffset = inet.EtherLen + inet.IPv4Len
	ValuesOffset = HeaderOffset + HeaderLen // 48, the overhead of a frame (XAgg §IV-A)
)

// FrameLen returns the bytes of a frame with n values, from Ethernet on, without FCS.
func FrameLen(n int) int { return ValuesOffset + 4*n }

// Path is the addresses of a frame. IP addresses are of IPv4.
type Path struct {
	SrcMAC, DstMAC inet.MAC
	Src, Dst       netip.Addr
}

// PutPath writes the headers of Ethernet and IPv4 for n values to the start of a frame. The
// checksum of IPv4 is right.
func (p Path) PutPath(frame []byte, n int) {
	inet.Ether(frame).Put(p.DstMAC, p.SrcMAC, inet.TypeIPv4)
	ip := inet.IPv4(frame[inet.EtherLen:HeaderOffset])
	clear(ip)
	ip[0], ip[9] = 0x45, Protocol
	ip.SetTotalLen(inet.IPv4Len + PayloadLen(n))
	ip.SetTTL(inet.DefaultTTL)
	ip.SetSrc(p.Src)
	ip.SetDst(p.Dst)
	ip.UpdateChecksum()
}

// Frame returns a new frame.
func Frame(p Path, h Header, values []int32) []byte {
	frame := make([]byte, FrameLen(len(values)))
	p.PutPath(frame, len(values))
	h.Put(frame[HeaderOffset:])
	PutValues(frame[ValuesOffset:], values)
	return frame
}

// Ours reports whether a frame is XAgg's: IPv4 without options, no fragment, protocol 253.
// Its length is another matter: see [Sized].
func Ours(frame []byte) bool {
	if len(frame) < HeaderOffset || inet.Ether(frame).Type() != inet.TypeIPv4 {
		return false
	}
	ip := inet.IPv4(frame[inet.EtherLen:])
	return ip[0] == 0x45 && !ip.IsFragment() && ip.Protocol() == Protocol
}

// Sized reports whether a frame that is [Ours] has n values: IPv4 says so, and the frame has them.
// Bytes behind them are Ethernet's padding.
func Sized(frame []byte, n int) bool {
	return len(frame) >= FrameLen(n) && inet.IPv4(frame[inet.EtherLen:]).TotalLen() == FrameLen(n)-inet.EtherLen
}

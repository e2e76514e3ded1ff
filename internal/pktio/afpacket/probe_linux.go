package afpacket

import (
	"errors"
	"fmt"
	"net/netip"
	"os"

	"golang.org/x/sys/unix"

	"github.com/inalab/inalab/internal/pktio"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/wire/inet"
)

// Probe finds out what the kernel can do, in the network namespace of the
// calling thread. To see whether super-packets can be sent it sends one on lo,
// to an Ethernet address that is nobody's, so the kernel drops it there; that
// answer is inconclusive where lo is down. The error is that no packet socket
// could be made, in which case there is no answer at all.
func Probe() (Features, error) {
	fd, err := unix.Socket(unix.AF_PACKET, unix.SOCK_RAW|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
	if err != nil {
		err = fmt.Errorf("create packet socket (needs CAP_NET_RAW): %w", os.NewSyscallError("socket", err))
		return Features{}, err
	}
	f := Features{
		TPacketV2: probeOption(fd, unix.PACKET_VERSION, unix.TPACKET_V2),
		VnetHdr:   probeOption(fd, unix.PACKET_VNET_HDR, 1),
	}
	f.GSOSend = Feature{pktio.No, "it needs PACKET_VNET_HDR"}
	if f.VnetHdr.Support == pktio.Yes {
		f.GSOSend = probeGSO(fd)
	}
	return f, os.NewSyscallError("close", unix.Close(fd))
}

func probeOption(fd, option, value int) Feature {
	err := unix.SetsockoptInt(fd, unix.SOL_PACKET, option, value)
	switch {
	case err == nil:
		return Feature{Support: pktio.Yes}
	case errors.Is(err, unix.ENOPROTOOPT) || errors.Is(err, unix.EINVAL):
		return Feature{pktio.No, err.Error()}
	}
	return Feature{pktio.Inconclusive, err.Error()}
}

// probeGSO sends a super-packet of two segments. A kernel that does not know
// the type refuses the header as invalid.
func probeGSO(fd int) Feature {
	req, err := unix.NewIfreq("lo")
	if err == nil {
		err = unix.IoctlIfreq(fd, unix.SIOCGIFINDEX, req)
	}
	if err != nil {
		return Feature{pktio.Inconclusive, "there is no interface lo to try it on: " + err.Error()}
	}
	to := unix.SockaddrLinklayer{Protocol: networkOrder(unix.ETH_P_IP), Ifindex: int(req.Uint32())}
	err = unix.Sendto(fd, probePacket(), unix.MSG_DONTWAIT, &to)
	switch {
	case err == nil:
		return Feature{Support: pktio.Yes}
	case errors.Is(err, unix.EINVAL):
		return Feature{pktio.No, "it came with Linux 6.2: " + err.Error()}
	case errors.Is(err, unix.ENETDOWN):
		return Feature{pktio.Inconclusive, "interface lo is down: bring it up to try it"}
	}
	return Feature{pktio.Inconclusive, err.Error()}
}

// probePacket returns a virtio-net header and two segments for the discard port
// (RFC 863).
func probePacket() []byte {
	const seg, discard = 100, 9
	nobody := inet.MAC{0x02, 0xff, 0xff, 0xff, 0xff, 0xfe} // locally administered; lo is 00:00:00:00:00:00
	loopback := netip.AddrFrom4([4]byte{127, 0, 0, 1})
	header := inet.UDPHeader(inet.Flow{SrcMAC: nobody, DstMAC: nobody, Src: loopback, Dst: loopback, SrcPort: discard, DstPort: discard})
	inet.SetUDPBody(header, 2*seg)
	sansio.FillPartial(header, 2*seg)
	t := sansio.Train{Header: header, Body: make([]byte, 2*seg), Seg: seg, Checksum: sansio.ChecksumPartial}
	l4, _ := findTransport(header)
	packet := make([]byte, vnetLen, vnetLen+len(header)+len(t.Body))
	vnetHeader(packet).describe(t, l4)
	return append(append(packet, header...), t.Body...)
}

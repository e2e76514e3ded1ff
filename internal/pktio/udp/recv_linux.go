package udp

import (
	"encoding/binary"
	"fmt"
	"net/netip"
	"slices"
	"time"

	"golang.org/x/sys/unix"

	"github.com/inalab/inalab/internal/pktio/datagram"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/wire/inet"
)

const rxBatch = 32 // messages of one recvmmsg: 2 MiB of buffers (assumed)

// receiver holds the memory that arrivals borrow.
type receiver struct {
	msgs     *datagram.Messages
	buffers  [rxBatch][]byte
	headers  [rxBatch][inet.UDPHeaders]byte
	arrivals []sansio.Arrival
	template []byte
	peer     inet.MAC
	accept   []netip.Addr // own address and groups
}

func newReceiver(cfg *Config) *receiver {
	room := unix.CmsgSpace(unix.SizeofInet4Pktinfo) + unix.CmsgSpace(4) + unix.CmsgSpace(1) // the segment size is an int, the type of service a byte
	r := &receiver{
		msgs:     datagram.NewMessages(rxBatch, room),
		arrivals: make([]sansio.Arrival, 0, rxBatch),
		template: inet.UDPHeader(inet.Flow{
			SrcMAC: cfg.PeerMAC, DstMAC: cfg.MAC, Src: cfg.Bind.Addr(), Dst: cfg.Bind.Addr(), DstPort: cfg.Bind.Port(),
		}),
		peer:   cfg.PeerMAC,
		accept: append([]netip.Addr{cfg.Bind.Addr()}, cfg.Groups...),
	}
	size := int(cfg.MaxPacket)
	memory := make([]byte, rxBatch*size)
	for i := range rxBatch {
		r.buffers[i] = memory[i*size : (i+1)*size : (i+1)*size]
		r.msgs.SetBody(i, r.buffers[i])
	}
	return r
}

// Recv implements [pktio.Device].
func (d *Device) Recv(wait time.Duration) ([]sansio.Arrival, error) {
	got, err := datagram.Receive(d.poller, wait, d.receive)
	if err != nil {
		return nil, fmt.Errorf("receive on %v: %w", d.local, err)
	}
	return got, nil
}

// receive takes what is there without waiting.
func (d *Device) receive() ([]sansio.Arrival, error) {
	n, errno := d.rx.msgs.Recv(d.fd)
	if errno == unix.EAGAIN {
		return nil, nil
	}
	if errno != 0 { // a pending error, which the call has taken off the socket
		reason := datagram.DropReason(errno)
		if reason == "" {
			return nil, errno
		}
		d.drops.Add(reason, 1)
		return nil, nil
	}
	d.rx.arrivals = d.rx.arrivals[:0]
	for i := range n {
		d.take(i)
	}
	return d.rx.arrivals, nil
}

// take turns message i into an arrival and readies it for the next call.
func (d *Device) take(i int) {
	r := d.rx
	dst, seg, ecn := parseControl(r.msgs.Control(i))
	truncated := r.msgs.Truncated(i)
	r.msgs.Renew(i)
	switch {
	case truncated:
		d.drops.Add(datagram.DropTruncated, 1)
		return
	case !slices.Contains(r.accept, dst):
		d.drops.Add(datagram.DropDestination, 1)
		return
	}
	n := r.msgs.Len(i)
	body := r.buffers[i][:n:n]
	train := sansio.Train{Header: r.header(i, dst, len(body)), Body: body}
	if ecn != inet.NotECT {
		inet.IPv4(train.Header[inet.EtherLen:]).SetECN(ecn)
	}
	if seg < len(body) {
		train.Seg = seg
	}
	d.stats.RxTrains++
	d.stats.RxFrames += uint64(train.Frames())
	d.stats.RxBytes += uint64(train.Bytes())
	r.arrivals = append(r.arrivals, sansio.Arrival{Train: train})
}

// header makes up the headers of message i, with a body of n bytes.
func (r *receiver) header(i int, dst netip.Addr, n int) []byte {
	h := r.headers[i][:]
	copy(h, r.template)
	if dst.IsMulticast() {
		inet.Ether(h).Put(inet.MulticastMAC(dst), r.peer, inet.TypeIPv4)
	}
	src := r.msgs.Name(i)
	ip, udp := inet.IPv4(h[inet.EtherLen:]), inet.UDP(h[inet.EtherLen+inet.IPv4Len:])
	ip.SetSrc(src.Addr())
	ip.SetDst(dst)
	udp.SetPorts(src.Port(), udp.DstPort())
	inet.SetUDPBody(h, n)
	return h
}

// parseControl reads the destination address, the segment size and the codepoint of ECN,
// 0 where there is none.
func parseControl(b []byte) (dst netip.Addr, seg int, ecn uint8) {
	for len(b) >= unix.CmsgLen(0) {
		h, payload, rest, err := unix.ParseOneSocketControlMessage(b)
		if err != nil {
			break
		}
		switch {
		case h.Level == unix.IPPROTO_IP && h.Type == unix.IP_PKTINFO && len(payload) >= unix.SizeofInet4Pktinfo:
			dst = netip.AddrFrom4([4]byte(payload[8:12])) // ipi_addr, the packet's own destination
		case h.Level == unix.IPPROTO_UDP && h.Type == unix.UDP_GRO && len(payload) >= 4:
			seg = int(binary.NativeEndian.Uint32(payload))
		case h.Level == unix.IPPROTO_IP && h.Type == unix.IP_TOS && len(payload) >= 1:
			ecn = payload[0] & inet.CE
		}
		b = rest
	}
	return dst, seg, ecn
}

package udp

import (
	"encoding/binary"
	"fmt"
	"net/netip"
	"slices"
	"time"

	"golang.org/x/sys/unix"

	"github.com/inalab/inalab/internal/pktio/poll"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/wire/inet"
)

const rxBatch = 32 // messages of one recvmmsg: 2 MiB of buffers (assumed)

// receiver holds the memory that arrivals borrow.
type receiver struct {
	msgs     *messages
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
		msgs:     newMessages(rxBatch, room),
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
		r.msgs.setBody(i, r.buffers[i])
	}
	return r
}

// Recv implements [pktio.Device].
func (d *Device) Recv(wait time.Duration) ([]sansio.Arrival, error) {
	got, err := d.receive()
	if wait == 0 || len(got) > 0 || err != nil {
		return got, err
	}
	until := time.Now().Add(wait)
	for {
		outcome, err := d.poller.Wait(wait)
		if err != nil {
			return nil, fmt.Errorf("wait on %v: %w", d.local, err)
		}
		if outcome != poll.Ready {
			return nil, nil
		}
		got, err := d.receive()
		if len(got) > 0 || err != nil {
			return got, err
		}
		if wait > 0 { // all that came was dropped
			wait = max(0, time.Until(until))
		}
	}
}

// receive takes what is there without waiting.
func (d *Device) receive() ([]sansio.Arrival, error) {
	n, errno := recvmmsg(d.fd, d.rx.msgs.hdrs)
	if errno == unix.EAGAIN {
		return nil, nil
	}
	if errno != 0 { // a pending error, which the call has taken off the socket
		reason := dropReason(errno)
		if reason == "" {
			return nil, fmt.Errorf("receive on %v: %w", d.local, errno)
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
	h := &r.msgs.hdrs[i].Hdr
	dst, seg, ecn := parseControl(r.msgs.controlOf(i))
	flags := h.Flags
	h.Namelen = unix.SizeofSockaddrInet4
	h.SetControllen(r.msgs.room)
	h.Flags = 0
	switch {
	case flags&(unix.MSG_TRUNC|unix.MSG_CTRUNC) != 0:
		d.drops.Add(DropTruncated, 1)
		return
	case !slices.Contains(r.accept, dst):
		d.drops.Add(DropDestination, 1)
		return
	}
	n := r.msgs.hdrs[i].Len
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
	src := r.msgs.name(i)
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

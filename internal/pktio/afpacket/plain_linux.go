package afpacket

import (
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/wire/inet"
)

// plainPath is the receiving side without offload: single frames into buffers
// of our own. All ports share the buffers; one Recv fills each at most once.
type plainPath struct {
	frameLen int // of a buffer, without the room for a VLAN tag before it
	mem      []byte
	msgs     []unix.Mmsghdr
	iovs     []unix.Iovec
	control  []byte
	used     int
}

var auxSpace = unix.CmsgSpace(int(unsafe.Sizeof(unix.TpacketAuxdata{})))

func newPlainPath(ports []*port) *plainPath {
	mtu := 0
	for _, p := range ports {
		mtu = max(mtu, p.mtu)
	}
	pp := &plainPath{
		frameLen: mtu + inet.EtherLen + vlanLen,
		msgs:     make([]unix.Mmsghdr, recvBatch),
		iovs:     make([]unix.Iovec, recvBatch),
		control:  make([]byte, recvBatch*auxSpace),
	}
	pp.mem = make([]byte, recvBatch*(vlanLen+pp.frameLen))
	for i := range pp.msgs {
		buf := pp.buffer(i)[vlanLen:]
		pp.iovs[i].Base = &buf[0]
		pp.iovs[i].SetLen(len(buf))
		pp.msgs[i].Hdr.Iov = &pp.iovs[i]
		pp.msgs[i].Hdr.SetIovlen(1)
		pp.msgs[i].Hdr.Control = &pp.control[i*auxSpace]
	}
	return pp
}

func (pp *plainPath) buffer(i int) []byte {
	n := vlanLen + pp.frameLen
	return pp.mem[i*n : (i+1)*n : (i+1)*n]
}

// collectPlain reads from the ports that are ready; epoll itself turns them
// over, so that all have their turn.
func (d *Device) collectPlain() error {
	pp := d.plain
	pp.used = 0
	ready, err := d.ready()
	if err != nil {
		return err
	}
	for _, e := range ready {
		if err := d.readPlain(int(e.Fd), min(recvQuota, recvBatch-pp.used)); err != nil {
			return err
		}
		if pp.used == recvBatch {
			break
		}
	}
	return nil
}

// readPlain reads up to most frames from port i.
func (d *Device) readPlain(i, most int) error {
	pp, p := d.plain, d.ports[i]
	msgs := pp.msgs[pp.used : pp.used+most]
	for j := range msgs {
		msgs[j].Hdr.SetControllen(auxSpace)
	}
	n, errno := recvmmsg(p.fd, msgs)
	if errno != 0 {
		return d.readFailed(p, errno)
	}
	for j := range n {
		t, reason := pp.train(pp.used + j)
		d.arrive(sansio.Port(i), t, reason)
	}
	pp.used += n
	return nil
}

// readFailed judges an error of recvmmsg: only an interface that is gone, or a
// socket that is broken, ends the run.
func (d *Device) readFailed(p *port, errno unix.Errno) error {
	switch errno {
	case unix.EAGAIN, unix.EINTR:
		return nil
	case unix.ENETDOWN:
		return p.check()
	}
	return fmt.Errorf("receive from interface %q: %w", p.iface, errno)
}

// train reads the train out of buffer i.
func (pp *plainPath) train(i int) (sansio.Train, string) {
	buf, n := pp.buffer(i), int(pp.msgs[i].Len)
	aux := pp.aux(i)
	if n > pp.frameLen || aux.Status&unix.TP_STATUS_GSO_TCP != 0 {
		return sansio.Train{}, DropTruncated
	}
	h := make(vnetHeader, vnetLen)
	if aux.Status&unix.TP_STATUS_CSUMNOTREADY != 0 {
		l4, ok := findTransport(buf[vlanLen : vlanLen+n])
		if !ok {
			l4, ok = findTransport6(buf[vlanLen : vlanLen+n])
		}
		if ok {
			h.setChecksum(l4.start, l4.checksumOffset())
		}
	}
	end := vlanLen + n
	if aux.Status&unix.TP_STATUS_VLAN_VALID != 0 {
		return taggedTrain(buf[:end:end], h, tagOf(aux.Status, aux.Vlan_tpid, aux.Vlan_tci))
	}
	return trainOf(buf[vlanLen:end:end], h)
}

// aux returns what the kernel said beside message i.
func (pp *plainPath) aux(i int) unix.TpacketAuxdata {
	control := pp.control[i*auxSpace : (i+1)*auxSpace]
	if int(pp.msgs[i].Hdr.Controllen) < auxSpace {
		return unix.TpacketAuxdata{}
	}
	h := (*unix.Cmsghdr)(unsafe.Pointer(&control[0]))
	if h.Level != unix.SOL_PACKET || h.Type != unix.PACKET_AUXDATA {
		return unix.TpacketAuxdata{}
	}
	return *(*unix.TpacketAuxdata)(unsafe.Pointer(&control[unix.CmsgLen(0)]))
}

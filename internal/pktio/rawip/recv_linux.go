package rawip

import (
	"cmp"
	"fmt"
	"net/netip"
	"slices"
	"time"

	"golang.org/x/sys/unix"

	"github.com/inalab/inalab/internal/pktio/datagram"
	"github.com/inalab/inalab/internal/pktio/udp"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/wire/inet"
)

// rxBatch is the messages of one recvmmsg. Packets are no longer than the MTU, so that most of
// the buffers' 8 MiB are never touched (assumed).
const rxBatch = 128

// receiver holds the memory that arrivals borrow.
type receiver struct {
	msgs     *datagram.Messages
	frames   [rxBatch][]byte // room for an Ethernet header, then what is received
	arrivals []sansio.Arrival
	own      [inet.EtherLen]byte // of packets to the host itself
	peer     inet.MAC
	accept   []netip.Addr // own address and groups
}

func newReceiver(cfg *udp.Config) *receiver {
	r := &receiver{
		msgs:     datagram.NewMessages(rxBatch, 0),
		arrivals: make([]sansio.Arrival, 0, 2*rxBatch),
		peer:     cfg.PeerMAC,
		accept:   append([]netip.Addr{cfg.Bind.Addr()}, cfg.Groups...),
	}
	inet.Ether(r.own[:]).Put(cfg.MAC, cfg.PeerMAC, inet.TypeIPv4)
	size := inet.EtherLen + inet.IPv4Len + int(cmp.Or(cfg.MaxPacket, udp.MaxPacket))
	memory := make([]byte, rxBatch*size)
	for i := range rxBatch {
		r.frames[i] = memory[i*size : (i+1)*size : (i+1)*size]
		r.msgs.SetBody(i, r.frames[i][inet.EtherLen:])
	}
	return r
}

// Recv implements [pktio.Device].
func (d *Device) Recv(wait time.Duration) ([]sansio.Arrival, error) {
	return datagram.Receive(d.poller, wait, d.receive)
}

// receive takes what is there without waiting, of both sockets.
func (d *Device) receive() ([]sansio.Arrival, error) {
	if err := d.receiveRaw(); err != nil {
		return nil, fmt.Errorf("receive protocol %d: %w", d.protocol, err)
	}
	got, err := d.udp.Recv(0)
	if err != nil {
		return nil, err
	}
	d.rx.arrivals = append(d.rx.arrivals, got...)
	return d.rx.arrivals, nil
}

func (d *Device) receiveRaw() error {
	r := d.rx
	r.arrivals = r.arrivals[:0]
	n, errno := r.msgs.Recv(d.fd)
	if errno == unix.EAGAIN {
		return nil
	}
	if errno != 0 { // a pending error, which the call has taken off the socket
		reason := datagram.DropReason(errno)
		if reason == "" {
			return errno
		}
		d.drops.Add(reason, 1)
		return nil
	}
	for i := range n {
		d.take(i)
	}
	return nil
}

// take turns message i into an arrival and readies it for the next call.
func (d *Device) take(i int) {
	r := d.rx
	truncated := r.msgs.Truncated(i)
	r.msgs.Renew(i)
	if truncated {
		d.drops.Add(datagram.DropTruncated, 1)
		return
	}
	n := inet.EtherLen + r.msgs.Len(i)
	frame := r.frames[i][:n:n]
	dst := inet.IPv4(frame[inet.EtherLen:]).Dst() // the kernel has checked the header
	if !slices.Contains(r.accept, dst) {
		d.drops.Add(datagram.DropDestination, 1)
		return
	}
	copy(frame, r.own[:])
	if dst.IsMulticast() {
		inet.Ether(frame).Put(inet.MulticastMAC(dst), r.peer, inet.TypeIPv4)
	}
	d.stats.RxTrains++
	d.stats.RxFrames++
	d.stats.RxBytes += uint64(n)
	r.arrivals = append(r.arrivals, sansio.Arrival{Train: sansio.NewTrain(frame, 0, sansio.ChecksumAsIs)})
}

package rawip

import (
	"fmt"
	"net/netip"

	"github.com/inalab/inalab/internal/pktio/datagram"
	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/wire/inet"
)

// headers is what the kernel writes of a packet: Ethernet and IPv4.
const headers = inet.EtherLen + inet.IPv4Len

// newOutbox returns a batch whose messages all carry the source address.
func (d *Device) newOutbox() *datagram.Outbox {
	o := &datagram.Outbox{
		Messages: datagram.NewMessages(datagram.TxBatch, datagram.SourceSpace()),
		FD:       d.fd, Raw: true, Header: headers, Stats: &d.stats, Drops: &d.drops,
	}
	for i := range datagram.TxBatch {
		datagram.PutSource(o.Control(i), d.udp.Local().Addr())
	}
	return o
}

// Send implements [pktio.Device]. It waits a few milliseconds where a socket's send buffer is
// full, for each run of sends by one of the two.
func (d *Device) Send(sends []sansio.Send) error {
	for i := 0; i < len(sends); {
		raw, j := d.isRaw(&sends[i].Train), i+1
		for j < len(sends) && d.isRaw(&sends[j].Train) == raw {
			j++
		}
		send := d.udp.Send
		if raw {
			send = d.sendRaw
		}
		if err := send(sends[i:j]); err != nil {
			return err
		}
		i = j
	}
	return nil
}

// isRaw reports whether a train is the raw socket's. All others are UDP, or counted there as bad.
func (d *Device) isRaw(t *sansio.Train) bool {
	h := t.Header
	return len(h) >= headers && inet.Ether(h).Type() == inet.TypeIPv4 && inet.IPv4(h[inet.EtherLen:]).Protocol() == d.protocol
}

func (d *Device) sendRaw(sends []sansio.Send) error {
	d.tx.Begin()
	for i := range sends {
		t := &sends[i].Train
		for _, port := range sends[i].To {
			to, reason := d.destination(port, t)
			if reason != "" {
				d.drops.Add(reason, 1)
				continue
			}
			if err := d.queue(to, t); err != nil {
				return fmt.Errorf("send protocol %d: %w", d.protocol, err)
			}
		}
	}
	if err := d.tx.Flush(); err != nil {
		return fmt.Errorf("send protocol %d: %w", d.protocol, err)
	}
	return nil
}

// queue puts a frame into the batch: what stands behind its IPv4 header.
func (d *Device) queue(to netip.Addr, t *sansio.Train) error {
	i, err := d.tx.Add(1)
	if err != nil {
		return err
	}
	d.tx.SetName(i, netip.AddrPortFrom(to, 0))
	d.tx.SetBodies(i, t.Header[headers:], t.Body)
	return nil
}

// destination reads where a train of the protocol goes to, or returns why it cannot go.
func (d *Device) destination(port sansio.Port, t *sansio.Train) (netip.Addr, string) {
	none := netip.Addr{}
	ip := inet.IPv4(t.Header[inet.EtherLen:])
	switch {
	case port != 0:
		return none, datagram.DropWrongPort
	case ip[0] != 0x45, ip.IsFragment(), !t.Single(), ip.TotalLen() != len(t.Header)-inet.EtherLen+len(t.Body):
		return none, datagram.DropBadHeader // the kernel would write another one
	case ip.Src() != d.udp.Local().Addr():
		return none, datagram.DropSourceAddress
	}
	return ip.Dst(), ""
}

package middleboxtest

import (
	"net/netip"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
	"github.com/inalab/inalab/switchd/dataplane"
)

// Bench is an engine and its time.
type Bench struct {
	Engine dataplane.Engine
	Now    units.Time
	Sent   func(s *sansio.Send) // is given everything that the engine sends; the memory is borrowed

	eff sansio.Effects
}

// Port is the port that all frames come by, on their way to somebody else.
var Port = dataplane.Inbound(3)

// Host returns the address of host n.
func Host(n byte) netip.Addr { return netip.AddrFrom4([4]byte{10, 0, 0, n}) }

// Send gives the engine a UDP packet from one host to another, and returns the
// bytes of its frame.
func (b *Bench) Send(from, to byte, body int) units.Bytes {
	h := inet.UDPHeader(inet.Flow{Src: Host(from), Dst: Host(to), SrcPort: 5, DstPort: 6})
	inet.SetUDPBody(h, body)
	b.Frame(h, make([]byte, body))
	return units.Bytes(len(h) + body)
}

// ARP gives the engine a frame that is no IPv4.
func (b *Bench) ARP() {
	h := make([]byte, 60)
	inet.Ether(h).Put(inet.MAC{1}, inet.MAC{2}, 0x0806)
	b.Frame(h, nil)
}

// Frame gives the engine any frame.
func (b *Bench) Frame(header, body []byte) {
	b.Engine.Handle(b.Now, []sansio.Arrival{{Port: Port, Train: sansio.Train{Header: header, Body: body}}}, &b.eff)
	b.collect()
}

// Until moves the time, stopping at every deadline.
func (b *Bench) Until(to units.Time) {
	for d := b.Engine.NextDeadline(); d <= to; d = b.Engine.NextDeadline() {
		b.Now = max(b.Now, d)
		b.Engine.Expire(b.Now, &b.eff)
		b.collect()
	}
	b.Now = to
}

func (b *Bench) collect() {
	for i := range b.eff.Sends {
		b.Sent(&b.eff.Sends[i])
	}
	b.eff.Reset()
}

// Count returns a counter of the engine.
func (b *Bench) Count(name string) uint64 {
	for _, c := range b.Engine.Counters() {
		if c.Name == name {
			return c.N
		}
	}
	return 0
}

package middleboxtest

import (
	"net/netip"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/sansio/sansiotest"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
	"github.com/inalab/inalab/switchd/dataplane"
)

// Bench is an engine and its time.
type Bench struct {
	sansiotest.Feed
	engine dataplane.Engine
}

// New returns the bench of an engine; sent is given everything that it sends.
func New(e dataplane.Engine, sent func(units.Time, *sansio.Send)) Bench {
	return Bench{sansiotest.Feed{Machine: e, Sent: sent}, e}
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
	b.Arrive(b.Now, sansio.Arrival{Port: Port, Train: sansio.Train{Header: header, Body: body}})
}

// Count returns a counter of the engine.
func (b *Bench) Count(name string) uint64 { return sansio.CountOf(b.engine.Counters(), name) }

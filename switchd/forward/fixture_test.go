package forward

import (
	"encoding/binary"
	"net/netip"
	"testing"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/wire/inet"
	"github.com/inalab/inalab/topo/gen"
	"github.com/inalab/inalab/topo/plan"
)

// leafSpine plans two leaves and two spines with two hosts a leaf:
//
//	leaf0: h0 at p0, h1 at p1, spine0 at p2, spine1 at p3; 10.1.255.254
//	leaf1: h2, h3, likewise; 10.2.255.254
func leafSpine(t testing.TB) *plan.Plan {
	t.Helper()
	g, err := gen.LeafSpine(gen.LeafSpineParams{Leaves: 2, Spines: 2, HostsPerLeaf: 2})
	if err != nil {
		t.Fatal(err)
	}
	p, err := plan.New(g)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func planeOf(t testing.TB, p *plan.Plan, name string, groups ...Group) (*Plane, *plan.Switch) {
	t.Helper()
	sw, ok := p.Switch(name)
	if !ok {
		t.Fatalf("no switch %s", name)
	}
	fp, err := New(Config{Switch: *sw, MTU: p.MTU, Groups: groups, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	return fp, sw
}

// forward runs one train through a plane.
func forward(p *Plane, at sansio.Port, tr sansio.Train) []sansio.Send {
	var eff sansio.Effects
	p.Forward(0, sansio.Arrival{Port: at, Train: tr}, &eff)
	return eff.Sends
}

func bytesOf(t sansio.Train) []byte {
	return append(append([]byte(nil), t.Header...), t.Body...)
}

func frame(b []byte) sansio.Train { return sansio.NewTrain(b, 0, sansio.ChecksumAsIs) }

func udp(f inet.Flow, n int) []byte {
	h := inet.UDPHeader(f)
	inet.SetUDPBody(h, n)
	for i := range n {
		h = append(h, byte(i))
	}
	return h
}

func flow(from, to *plan.Host, dstMAC plan.MAC) inet.Flow {
	return inet.Flow{
		SrcMAC: inet.MAC(from.MAC), DstMAC: inet.MAC(dstMAC),
		Src: from.Addr.Addr(), Dst: to.Addr.Addr(), SrcPort: 1000, DstPort: 2000,
	}
}

func arpRequest(from *plan.Host, dst inet.MAC, target netip.Addr) []byte {
	b := make([]byte, inet.EtherLen+inet.ARPLen)
	inet.Ether(b).Put(dst, inet.MAC(from.MAC), inet.TypeARP)
	a := b[inet.EtherLen:]
	binary.BigEndian.PutUint32(a, 1<<16|uint32(inet.TypeIPv4))
	a[4], a[5], a[7] = 6, 4, byte(inet.ARPRequest)
	copy(a[8:], from.MAC[:])
	src, to := from.Addr.Addr().As4(), target.As4()
	copy(a[14:], src[:])
	copy(a[24:], to[:])
	return b
}

// ping is an ICMP echo request of n bytes of data.
func ping(from *plan.Host, dstMAC plan.MAC, dst netip.Addr, n int) []byte {
	b := inet.UDPHeader(inet.Flow{SrcMAC: inet.MAC(from.MAC), DstMAC: inet.MAC(dstMAC), Src: from.Addr.Addr(), Dst: dst})[:inet.EtherLen+inet.IPv4Len]
	msg := make([]byte, inet.ICMPLen+n)
	msg[0], msg[5], msg[7] = icmpEcho, 0x2a, 1
	for i := range n {
		msg[inet.ICMPLen+i] = byte(i)
	}
	binary.BigEndian.PutUint16(msg[2:], ^inet.Fold(inet.Sum(msg, 0)))
	ip := inet.IPv4(b[inet.EtherLen:])
	ip[9] = inet.ProtoICMP
	ip.SetTotalLen(inet.IPv4Len + len(msg))
	ip.UpdateChecksum()
	return append(b, msg...)
}

func lost(p *Plane) map[string]uint64 {
	out := map[string]uint64{}
	for _, c := range p.Counters() {
		if !answered(c.Name) {
			out[c.Name] = c.N
		}
	}
	return out
}

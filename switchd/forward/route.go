package forward

import (
	"encoding/binary"
	"net/netip"
	"slices"

	"github.com/inalab/inalab/internal/sansio"
	"github.com/inalab/inalab/internal/units"
	"github.com/inalab/inalab/internal/wire/inet"
	"github.com/inalab/inalab/topo/plan"
)

// routed handles what is addressed to the switch's MAC: for the router itself,
// or on its way to another subnet.
func (p *Plane) routed(now units.Time, in sansio.Arrival, l inet.Layout, eff *sansio.Effects) {
	ip := inet.IPv4(in.Train.Header[inet.EtherLen:])
	dst := [4]byte(ip[16:20])
	if dst == p.router {
		p.local(now, in, l, eff)
		return
	}
	next, mac, problem := p.next(dst, ip, in.Train.Header[l.Transport:], l.Proto)
	switch {
	case problem != nil:
		p.refuse(now, in, *problem, eff)
	case ip.TTL() <= 1:
		p.refuse(now, in, ttlExceeded, eff)
	default:
		eff.Send(p.ports[next].self, p.rewrite(in.Train, mac, p.sourceMAC(next), eff))
	}
}

// next returns the port by which a packet leaves and the MAC it goes to.
func (p *Plane) next(dst [4]byte, ip inet.IPv4, transport []byte, proto uint8) (sansio.Port, inet.MAC, *refusal) {
	if n, ok := p.byAddr[dst]; ok {
		return n.port, n.mac, nil
	}
	if p.subnet.contains(binary.BigEndian.Uint32(dst[:])) {
		return 0, inet.MAC{}, &noNeighbor
	}
	hops := p.fib.lookup(binary.BigEndian.Uint32(dst[:]))
	if len(hops) == 0 {
		return 0, inet.MAC{}, &noRoute
	}
	hop := hops[0]
	if len(hops) > 1 {
		hop = hops[pick(p.fib.hash(ip, transport, proto), len(hops))]
	}
	return sansio.Port(hop.Port), inet.MAC(hop.MAC), nil
}

// sourceMAC returns the MAC that routed frames leaving by a port come from:
// hosts know the switch by one MAC, other switches each port by its own.
func (p *Plane) sourceMAC(at sansio.Port) inet.MAC {
	if p.ports[at].host {
		return p.mac
	}
	return p.ports[at].mac
}

// rewrite returns the train as it leaves a router.
func (p *Plane) rewrite(t sansio.Train, dst, src inet.MAC, eff *sansio.Effects) sansio.Train {
	h := eff.Header(len(t.Header))
	copy(h, t.Header)
	inet.Ether(h).Put(dst, src, inet.TypeIPv4)
	decrementTTL(inet.IPv4(h[inet.EtherLen:]))
	t.Header = h
	return t
}

// decrementTTL takes one hop off and updates the checksum by the difference, so that one
// that was wrong stays wrong.
func decrementTTL(ip inet.IPv4) {
	before := binary.BigEndian.Uint16(ip[8:])
	ip.SetTTL(ip.TTL() - 1)
	after := binary.BigEndian.Uint16(ip[8:])
	ip.SetChecksum(inet.AdjustSum(ip.Checksum(), uint64(before), uint64(after)))
}

// cidr is a set of addresses with the same upper bits. The zero value holds
// none.
type cidr struct {
	addr, mask uint32
	valid      bool
}

func cidrOf(p netip.Prefix) cidr {
	if !p.IsValid() || !p.Addr().Is4() {
		return cidr{}
	}
	a := p.Masked().Addr().As4()
	return cidr{addr: binary.BigEndian.Uint32(a[:]), mask: maskOf(p.Bits()), valid: true}
}

func maskOf(bits int) uint32 { return uint32(^uint64(0) << (32 - bits)) }

func (c cidr) contains(a uint32) bool { return c.valid && a&c.mask == c.addr }

// fib finds the longest prefix: one table for each length, longest first. Plans
// have two lengths.
type fib struct {
	levels []fibLevel
	seed   uint64
}

type fibLevel struct {
	bits   int
	mask   uint32
	routes map[uint32][]plan.Hop
}

func newFIB(routes []plan.Route, seed uint64) fib {
	f := fib{seed: seed}
	for _, r := range routes {
		bits := r.Dst.Bits()
		i := slices.IndexFunc(f.levels, func(l fibLevel) bool { return l.bits <= bits })
		if i < 0 {
			i = len(f.levels)
		}
		if i == len(f.levels) || f.levels[i].bits != bits {
			f.levels = slices.Insert(f.levels, i, fibLevel{bits: bits, mask: maskOf(bits), routes: map[uint32][]plan.Hop{}})
		}
		f.levels[i].routes[cidrOf(r.Dst).addr] = r.Hops
	}
	return f
}

// lookup returns the next hops of the longest prefix that matches, or none.
func (f *fib) lookup(dst uint32) []plan.Hop {
	for i := range f.levels {
		if hops, ok := f.levels[i].routes[dst&f.levels[i].mask]; ok {
			return hops
		}
	}
	return nil
}

// hash mixes what identifies a flow: addresses, protocol, and the ports of UDP
// and TCP. Fragments come with protocol 0, without ports, so that all of a
// packet take one path. Each switch has a seed of its own, or all switches of a
// tier would decide alike.
func (f *fib) hash(ip inet.IPv4, transport []byte, proto uint8) uint64 {
	h := mix(f.seed ^ binary.BigEndian.Uint64(ip[12:20]))
	l4 := uint64(proto) << 32
	if proto == inet.ProtoUDP || proto == inet.ProtoTCP {
		l4 |= uint64(binary.BigEndian.Uint32(transport))
	}
	return mix(h ^ l4)
}

// mix is the finaliser of SplitMix64 (Steele, Lea, Flood: "Fast splittable
// pseudorandom number generators", OOPSLA 2014): every bit depends on all.
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// pick maps a hash to 0..n-1.
func pick(hash uint64, n int) int { return int(hash % uint64(n)) }
